/** Meshes as the page carries them: points, triangles, and the edges that are drawn. */

import { Box3, BufferAttribute, BufferGeometry } from "three";
import type { Body } from "../data/document";

type Indices = Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** A mesh in its own frame. */
export interface Shape {
  positions: Float32Array<ArrayBuffer>;
  triangles: Indices;
  edges: Indices;
  box: Box3;
  /** The same as geometries, which share their points. */
  surface: BufferGeometry;
  lines: BufferGeometry;
}

/** Cuts the bytes of all meshes into shapes. */
export function shapesOf({ meshes }: Body, bytes: ArrayBuffer): Shape[] {
  let offset = 0;
  const indices = (vertices: number, length: number): Indices => {
    const kind = vertices > 65536 ? Uint32Array : Uint16Array;
    const found = new kind(bytes, offset, length);
    // Each list begins at a multiple of four bytes.
    offset += Math.ceil(found.byteLength / 4) * 4;
    return found;
  };
  return meshes.map(([vertices, triangles, edges]) => {
    const positions = new Float32Array(bytes, offset, 3 * vertices);
    offset += positions.byteLength;
    return shape(positions, indices(vertices, 3 * triangles), indices(vertices, 2 * edges));
  });
}

/** Returns the distance of each point of the part of a heat map: they follow all shapes. */
export function distancesOf({ heat, parts, meshes }: Body, bytes: ArrayBuffer): Float32Array<ArrayBuffer> {
  const mesh = heat ? parts.mesh[heat.part] : null;
  const count = mesh === null ? 0 : meshes[mesh][0];
  return new Float32Array(bytes, bytes.byteLength - 4 * count, count);
}

function shape(positions: Float32Array<ArrayBuffer>, triangles: Indices, edges: Indices): Shape {
  const points = new BufferAttribute(positions, 3);
  const geometry = (indices: Indices) => {
    const made = new BufferGeometry()
      .setAttribute("position", points)
      .setIndex(new BufferAttribute(indices, 1));
    made.computeBoundingSphere();
    return made;
  };
  const surface = geometry(triangles);
  surface.computeBoundingBox();
  return {
    positions,
    triangles,
    edges,
    box: surface.boundingBox ?? new Box3(),
    surface,
    lines: geometry(edges),
  };
}
