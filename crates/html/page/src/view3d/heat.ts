/** The heat map: a part in the colours of its distances, and the other part, faint. */

import { BufferAttribute, BufferGeometry, Group, LineSegments, Mesh, type ShaderMaterial } from "three";
import type { HeatRow } from "../data/document";
import { banded, flat, surface } from "./materials";
import type { Model, Placed } from "./model";
import { edgeOf, HEAT, INK, mix, SECOND } from "./palette";

/** The opacity of the other part. */
const FAINT = 0.3;

export class Heat {
  readonly group = new Group();
  /** The part with the distances, then the other one, if there is one. */
  readonly parts: Placed[];

  constructor(
    { part, other, clearance }: HeatRow,
    distances: Float32Array<ArrayBuffer>,
    model: Model,
  ) {
    this.parts = [part, other].flatMap((id) => (id === null ? [] : [model.placed.get(id)!]));
    const [coloured, faint] = this.parts;
    const geometry = new BufferGeometry()
      .setAttribute("position", coloured.shape.surface.attributes.position)
      .setAttribute("away", new BufferAttribute(distances, 1))
      .setIndex(coloured.shape.surface.index);
    // The edges lie in front of the faces that they bound.
    const offset = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 };
    this.add(coloured, geometry, banded(HEAT, clearance, offset), flat(mix(INK, HEAT[2], 0.35)));
    if (faint) {
      const later = { transparent: true, depthWrite: false };
      this.add(
        faint,
        faint.shape.surface,
        surface(SECOND, later, FAINT),
        flat(edgeOf(SECOND), later, 2 * FAINT),
      );
    }
    this.group.visible = false;
  }

  private add(part: Placed, geometry: BufferGeometry, faces: ShaderMaterial, edges: ShaderMaterial): void {
    for (const object of [new Mesh(geometry, faces), new LineSegments(part.shape.lines, edges)]) {
      object.matrixAutoUpdate = false;
      object.matrix.copy(part.matrix);
      object.frustumCulled = false;
      this.group.add(object);
    }
  }
}
