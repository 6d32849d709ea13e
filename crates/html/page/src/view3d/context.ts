/** All parts, pale, with their edges; those of the selected finding can be taken out. */

import { BatchedMesh, BufferAttribute, BufferGeometry, Group, LineSegments, type Plane } from "three";
import type { Theme } from "../theme";
import { clip, flat, paint, surface } from "./materials";
import type { Model, Placed } from "./model";
import { CONTEXT } from "./palette";

export class Context {
  readonly group = new Group();
  private readonly faces = surface(
    CONTEXT.light.surface,
    { polygonOffset: true, polygonOffsetFactor: 3, polygonOffsetUnits: 16 },
    1,
    0.2,
  );
  private readonly strokes = flat(CONTEXT.light.edge);
  private readonly batch: BatchedMesh;
  private readonly instances = new Map<number, number>();
  private readonly lines: LineSegments;
  /** Where the points of the edges of each part that does not move begin and end. */
  private readonly ranges = new Map<number, [number, number]>();
  private readonly movingLines = new Map<number, LineSegments>();
  private hidden: number[] = [];

  constructor(model: Model) {
    const parts = [...model.placed.values()];
    this.batch = this.batchOf(parts);
    this.lines = new LineSegments(this.standingEdges(parts.filter(({ moves }) => !moves)), [this.strokes]);
    this.lines.frustumCulled = false;
    this.group.add(this.batch, this.lines);
    for (const part of parts.filter(({ moves }) => moves)) {
      const lines = new LineSegments(part.shape.lines, this.strokes);
      lines.matrixAutoUpdate = false;
      lines.matrix.copy(part.matrix);
      this.movingLines.set(part.id, lines);
      this.group.add(lines);
    }
  }

  /** Takes parts out of the picture, and puts all others in. */
  hide(parts: number[]): void {
    for (const id of this.hidden) this.show(id, true);
    for (const id of parts) this.show(id, false);
    this.hidden = parts;
    const { geometry } = this.lines;
    geometry.clearGroups();
    const left = parts.map((id) => this.ranges.get(id)).filter((range) => range !== undefined);
    let begin = 0;
    for (const [from, to] of [...left.sort(([p], [q]) => p - q), [geometry.attributes.position.count, 0]]) {
      if (from > begin) geometry.addGroup(begin, from - begin, 0);
      begin = to;
    }
  }

  /** Shows only what lies behind planes; the lines may show what the surfaces hide. */
  clip(planes: Plane[], areFacesShown = true): void {
    clip([this.faces, this.strokes], planes);
    this.batch.visible = areFacesShown;
  }

  /** Moves parts to where they are now. */
  move(parts: Placed[]): void {
    for (const { id, matrix } of parts) {
      this.batch.setMatrixAt(this.instances.get(id)!, matrix);
      const lines = this.movingLines.get(id);
      lines?.matrix.copy(matrix);
      lines?.updateMatrixWorld(true);
    }
  }

  paint(theme: Theme): void {
    paint(this.faces, CONTEXT[theme].surface);
    paint(this.strokes, CONTEXT[theme].edge);
  }

  private show(id: number, isShown: boolean): void {
    const instance = this.instances.get(id);
    if (instance !== undefined) this.batch.setVisibleAt(instance, isShown);
    const lines = this.movingLines.get(id);
    if (lines) lines.visible = isShown;
  }

  private batchOf(parts: Placed[]): BatchedMesh {
    const shapes = [...new Set(parts.map(({ shape }) => shape))];
    const total = (of: (index: number) => number) => shapes.reduce((sum, _, i) => sum + of(i), 0);
    const points = total((i) => shapes[i].positions.length / 3);
    const batch = new BatchedMesh(
      Math.max(1, parts.length),
      Math.max(1, points),
      Math.max(
        3,
        total((i) => shapes[i].triangles.length),
      ),
      this.faces,
    );
    batch.sortObjects = false;
    const geometries = new Map(shapes.map((shape) => [shape, batch.addGeometry(shape.surface)]));
    for (const { id, shape, matrix } of parts) {
      const instance = batch.addInstance(geometries.get(shape)!);
      batch.setMatrixAt(instance, matrix);
      this.instances.set(id, instance);
    }
    return batch;
  }

  /** Returns the edges of standing parts as one geometry, which is drawn at once. */
  private standingEdges(parts: Placed[]): BufferGeometry {
    const count = parts.reduce((sum, { shape }) => sum + shape.edges.length, 0);
    const points = new Float32Array(3 * count);
    let at = 0;
    for (const { id, shape, matrix } of parts) {
      const begin = at / 3;
      const m = matrix.elements;
      for (const corner of shape.edges) {
        const [x, y, z] = [
          shape.positions[3 * corner],
          shape.positions[3 * corner + 1],
          shape.positions[3 * corner + 2],
        ];
        points[at] = m[0] * x + m[4] * y + m[8] * z + m[12];
        points[at + 1] = m[1] * x + m[5] * y + m[9] * z + m[13];
        points[at + 2] = m[2] * x + m[6] * y + m[10] * z + m[14];
        at += 3;
      }
      this.ranges.set(id, [begin, at / 3]);
    }
    const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(points, 3));
    geometry.addGroup(0, count, 0);
    return geometry;
  }
}
