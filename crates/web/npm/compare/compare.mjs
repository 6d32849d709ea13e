// Answers and times of closefit, three-mesh-bvh and Rapier on the same meshes: node compare.mjs PACKAGE, which ../build has made.
//
// The pairs are chosen so that the right answer is known without computing: all coordinates are small multiples of powers of two.

import RAPIER from "@dimforge/rapier3d-compat";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { BoxGeometry, BufferGeometry, Float32BufferAttribute, Matrix4, Quaternion, TorusKnotGeometry, Vector3 } from "three";
import { MeshBVH } from "three-mesh-bvh";

const folder = pathToFileURL(`${resolve(process.argv[2])}/`);
const { intersects } = await import(new URL("core.mjs", folder));
await RAPIER.init();

const made = (positions) => new BufferGeometry().setAttribute("position", new Float32BufferAttribute(positions.flat(2), 3))
  .setIndex(positions.flat(2).map((_, i) => i).slice(0, positions.flat(2).length / 3));
const cube = new BoxGeometry(1, 1, 1);
const square = made([[[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 0], [1, 1, 0], [0, 1, 0]]]);
const upright = made([[[0, 0, 0], [0, 0, 1], [0, 1, 0]]]);
const needle = made([[[0, 0, 0], [0.5, 0, 0], [1, 0, 0]]]);
const point = made([[[0, 0, 0], [0, 0, 0], [0, 0, 0]]]);
const at = (...xyz) => new Matrix4().makeTranslation(...xyz);
const pairs = [
  ["cubes, face on face", cube, cube, at(1, 0, 0), true],
  ["cubes, 2^-20 apart", cube, cube, at(1 + 2 ** -20, 0, 0), false],
  ["cubes, edge on edge", cube, cube, at(1, 1, 0), true],
  ["cubes, corner on corner", cube, cube, at(1, 1, 1), true],
  ["the same cube twice", cube, cube, at(0, 0, 0), true],
  ["coplanar squares that overlap", square, square, at(0.5, 0.25, 0), true],
  ["coplanar squares, 2^-20 apart", square, square, at(1 + 2 ** -20, 0, 0), false],
  ["parallel squares, 2^-20 apart", square, square, at(0, 0, 2 ** -20), false],
  ["a triangle whose edge lies in a square", square, upright, at(0.5, 0, 0), true],
  ["a triangle of no area through a cube", cube, needle, at(0, 0, 0), true],
  ["a triangle of no area in a square", square, needle, at(0, 0.5, 0), true],
  ["a triangle of no area above a square", square, needle, at(0, 0.5, 0.25), false],
  ["a triangle that is a point, on a cube", cube, point, at(0.5, 0, 0), true],
  ["a triangle that is a point, outside", cube, point, at(0.75, 0, 0), false],
];

const vertices = (geometry) => geometry.attributes.position.array;
const corners = (geometry) => Uint32Array.from(geometry.index.array);
const IDENTITY = { x: 0, y: 0, z: 0, w: 1 };
const { treeOf, poseOf } = await import(new URL("three.mjs", folder));
/** Each returns a question about b at a matrix, for two geometries. */
const engines = {
  closefit: (a, b) => {
    const [treeA, treeB] = [treeOf(a), treeOf(b)];
    return (matrix) => intersects(treeA, undefined, treeB, poseOf(matrix));
  },
  "three-mesh-bvh": (a, b) => {
    const bvh = new MeshBVH(a);
    b.boundsTree = new MeshBVH(b);
    return (matrix) => bvh.intersectsGeometry(b, matrix);
  },
  rapier: (a, b) => {
    const [shapeA, shapeB] = [a, b].map((g) => new RAPIER.TriMesh(vertices(g), corners(g)));
    const [place, turn, size] = [new Vector3(), new Quaternion(), new Vector3()];
    return (matrix) => {
      matrix.decompose(place, turn, size);
      return shapeA.intersectsShape({ x: 0, y: 0, z: 0 }, IDENTITY, shapeB, place, turn);
    };
  },
};

const names = Object.keys(engines);
console.log(`| pair | truth | ${names.join(" | ")} |\n|---|---|${"---|".repeat(names.length)}`);
const told = (question) => {
  try {
    return question() ? "yes" : "no";
  } catch (error) {
    return `error: ${String(error.message ?? error).split("\n")[0].slice(0, 50)}`;
  }
};
for (const [name, a, b, matrix, truth] of pairs) {
  const answers = names.map((engine) => told(() => engines[engine](a.clone(), b.clone())(matrix)));
  const shown = answers.map((answer) => (answer === (truth ? "yes" : "no") ? answer : `**${answer}**`));
  console.log(`| ${name} | ${truth ? "yes" : "no"} | ${shown.join(" | ")} |`);
}

/** Poses at random, from a linear congruence, so that every engine and every run has the same. */
let state = 7;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
const poses = Array.from({ length: 400 }, () => new Matrix4().compose(
  new Vector3(random() * 6 - 3, random() * 6 - 3, random() * 6 - 3),
  new Quaternion(random() - 0.5, random() - 0.5, random() - 0.5, random() - 0.5).normalize(),
  new Vector3(1, 1, 1),
));
const knot = new TorusKnotGeometry(1, 0.4, 256, 24);
console.log(`\n${knot.index.count / 3} triangles against as many, ${poses.length} poses\n`);
console.log("| engine | yes | µs a question, median of 5 rounds |\n|---|---|---|");
const questions = names.map((engine) => engines[engine](knot.clone(), knot.clone()));
const times = names.map(() => []);
const counts = names.map(() => 0);
for (let round = 0; round < 6; round++)
  questions.forEach((question, i) => {
    const begin = performance.now();
    counts[i] = poses.filter(question).length;
    // The first round compiles.
    if (round > 0) times[i].push((1000 * (performance.now() - begin)) / poses.length);
  });
names.forEach((engine, i) => console.log(`| ${engine} | ${counts[i]} | ${times[i].sort((a, b) => a - b)[2].toFixed(1)} |`));
