/** The line along which a plane cuts a part. */

import { BufferAttribute, BufferGeometry, type Matrix4, type Plane, Vector3 } from "three";
import type { Placed } from "./model";

/** Returns the segments in which a plane cuts the triangles of parts, relative to a point. */
export function outline(parts: Placed[], plane: Plane, origin: Vector3): BufferGeometry {
  const points: number[] = [];
  for (const { shape, matrix } of parts) cut(shape.positions, shape.triangles, matrix, plane, origin, points);
  return new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
}

function cut(
  positions: Float32Array,
  triangles: ArrayLike<number>,
  matrix: Matrix4,
  plane: Plane,
  origin: Vector3,
  points: number[],
): void {
  // The plane in the frame of the mesh: the heights of all vertices take a product each.
  const m = matrix.elements;
  const { normal, constant } = plane;
  const along = (column: number) =>
    normal.x * m[column] + normal.y * m[column + 1] + normal.z * m[column + 2];
  const [x, y, z, w] = [along(0), along(4), along(8), along(12) + constant];
  const heights = new Float64Array(positions.length / 3);
  for (let i = 0; i < heights.length; i += 1) {
    heights[i] = x * positions[3 * i] + y * positions[3 * i + 1] + z * positions[3 * i + 2] + w;
  }
  const place = new Vector3();
  const put = (from: number, to: number) => {
    const share = heights[from] / (heights[from] - heights[to]);
    place.fromArray(positions, 3 * from).lerp(new Vector3().fromArray(positions, 3 * to), share);
    place.applyMatrix4(matrix).sub(origin);
    points.push(place.x, place.y, place.z);
  };
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [triangles[t], triangles[t + 1], triangles[t + 2]];
    const [above, over, high] = [heights[a] > 0, heights[b] > 0, heights[c] > 0];
    if (above === over && over === high) continue;
    if (above !== over) put(a, b);
    if (over !== high) put(b, c);
    if (high !== above) put(c, a);
  }
}
