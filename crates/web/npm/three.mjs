// Trees and poses of three.js.
import { Tree } from "./core.mjs";

export function treeOf(geometry) {
  const { position } = geometry.attributes;
  const vertices = new Float64Array(3 * position.count);
  for (let i = 0; i < position.count; i++)
    vertices.set([position.getX(i), position.getY(i), position.getZ(i)], 3 * i);
  const corners = geometry.index ?? { count: position.count, getX: (i) => i };
  return new Tree(vertices, Uint32Array.from({ length: corners.count }, (_, i) => corners.getX(i)));
}

export function poseOf({ elements: m }) {
  return Float64Array.of(m[0], m[4], m[8], m[12], m[1], m[5], m[9], m[13], m[2], m[6], m[10], m[14]);
}
