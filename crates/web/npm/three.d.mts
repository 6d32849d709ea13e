import type { BufferGeometry, Matrix4 } from "three";
import type { Tree } from "./core.mjs";

/** Builds the tree of all triangles of a geometry, for the questions of closefit/core. */
export function treeOf(geometry: BufferGeometry): Tree;
/** Returns the pose that a matrix is, such as `mesh.matrixWorld`. */
export function poseOf(matrix: Matrix4): Float64Array;
