// Answers and times of closefit, three-mesh-bvh and Rapier on the same meshes: node compare.mjs PACKAGE, which ../build has made.
// Fails if closefit is wrong.
//
// The pairs are chosen so that the right answer is known without computing: all coordinates are small multiples of powers of two.
// Those of the second part are random; oracle.mjs computes their right answers in another way than all three.

import RAPIER from "@dimforge/rapier3d-compat";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { BoxGeometry, BufferGeometry, Float32BufferAttribute, Matrix4, Quaternion, TorusKnotGeometry, Vector3 } from "three";
import { MeshBVH } from "three-mesh-bvh";
import { distanceOf, meet } from "./oracle.mjs";

const folder = pathToFileURL(`${resolve(process.argv[2])}/`);
const { distance, intersects } = await import(new URL("core.mjs", folder));
await RAPIER.init();

const made = (positions) => new BufferGeometry().setAttribute("position", new Float32BufferAttribute(positions.flat(2), 3))
  .setIndex(positions.flat(2).map((_, i) => i).slice(0, positions.flat(2).length / 3));
const cube = new BoxGeometry(1, 1, 1);
const square = made([[[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 0], [1, 1, 0], [0, 1, 0]]]);
const upright = made([[[0, 0, 0], [0, 0, 1], [0, 1, 0]]]);
const needle = made([[[0, 0, 0], [0.5, 0, 0], [1, 0, 0]]]);
const point = made([[[0, 0, 0], [0, 0, 0], [0, 0, 0]]]);
const tiny = (geometry) => geometry.clone().scale(2 ** -60, 2 ** -60, 2 ** -60);
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
  ["cubes, one above the other", cube, cube, at(0, 1.5, 0), false],
  ["parallel squares, 2^-60 apart", square, square, at(0, 0, 2 ** -60), false],
  ["squares of size 2^-60, side by side", tiny(square), tiny(square), at(2 ** -59, 0, 0), false],
];

const vertices = (geometry) => geometry.attributes.position.array;
const corners = (geometry) => Uint32Array.from(geometry.index.array);
const IDENTITY = { x: 0, y: 0, z: 0, w: 1 };
const { treeOf, poseOf } = await import(new URL("three.mjs", folder));
const ORIGIN = { x: 0, y: 0, z: 0 };
/** Each returns two questions about b at a matrix, for two geometries: whether they meet, and how far apart they are. */
const engines = {
  closefit: (a, b) => {
    const [treeA, treeB] = [treeOf(a), treeOf(b)];
    return {
      meet: (matrix) => intersects(treeA, undefined, treeB, poseOf(matrix)),
      distance: (matrix) => {
        const found = distance(treeA, undefined, treeB, poseOf(matrix));
        const value = found.distance;
        found.free();
        return value;
      },
      free: () => [treeA, treeB].forEach((tree) => tree.free()),
    };
  },
  "three-mesh-bvh": (a, b) => {
    const bvh = new MeshBVH(a);
    b.boundsTree = new MeshBVH(b);
    return {
      meet: (matrix) => bvh.intersectsGeometry(b, matrix),
      distance: (matrix) => bvh.closestPointToGeometry(b, matrix, {}, {}).distance,
      free: () => {},
    };
  },
  rapier: (a, b) => {
    const [shapeA, shapeB] = [a, b].map((g) => new RAPIER.TriMesh(vertices(g), corners(g)));
    const [place, turn, size] = [new Vector3(), new Quaternion(), new Vector3()];
    return {
      meet: (matrix) => {
        matrix.decompose(place, turn, size);
        return shapeA.intersectsShape(ORIGIN, IDENTITY, shapeB, place, turn);
      },
      distance: (matrix) => {
        matrix.decompose(place, turn, size);
        return Math.max(0, shapeA.contactShape(ORIGIN, IDENTITY, shapeB, place, turn, 1e6).distance);
      },
      free: () => {},
    };
  },
};

const names = Object.keys(engines);
const header = (...first) => `| ${[...first, ...names].join(" | ")} |\n${"|---".repeat(first.length + names.length)}|`;
/** Returns what a question answers, or the first words of its error. */
const told = (question) => {
  try {
    return question();
  } catch (error) {
    return `error: ${String(error.message ?? error).split("\n")[0].slice(0, 50)}`;
  }
};

console.log(header("pair", "truth"));
const words = (answer) => ({ true: "yes", false: "no" })[answer] ?? answer;
for (const [name, a, b, matrix, truth] of pairs) {
  const answers = names.map((engine) => told(() => engines[engine](a.clone(), b.clone()).meet(matrix)));
  if (answers[0] !== truth) process.exitCode = 1;
  const shown = answers.map((answer) => (answer === truth ? words(answer) : `**${words(answer)}**`));
  console.log(`| ${name} | ${words(truth)} | ${shown.join(" | ")} |`);
}

/** Numbers at random, from a linear congruence, so that every engine and every run has the same. */
let state = 7;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;

const PAIRS = 20000;
const corner = (size) => [0, 1, 2].map(() => Math.floor(size * random()));
const triangle = (size) => [0, 1, 2].map(() => corner(size));
console.log(`\n${PAIRS} pairs of triangles with corners on a grid, at random: wrong answers\n\n${header("corners of the grid", "question", "truth")}`);
for (const size of [2, 3, 5, 100]) {
  const wrong = { yes: names.map(() => 0), no: names.map(() => 0), far: names.map(() => 0), close: names.map(() => 0) };
  let together = 0;
  for (let i = 0; i < PAIRS; i++) {
    const [a, b] = [triangle(size), triangle(size)];
    const truth = meet(a, b);
    const apart = truth ? 0 : distanceOf(a, b);
    together += truth;
    names.forEach((engine, k) => {
      const questions = told(() => engines[engine](made([a]), made([b])));
      const met = told(() => questions.meet(at(0, 0, 0)));
      if (met !== truth) wrong[truth ? "yes" : "no"][k]++;
      const found = told(() => questions.distance(at(0, 0, 0)));
      // Both others have single precision.
      if (!(Math.abs(found - apart) <= 1e-5 * size)) wrong[truth ? "close" : "far"][k]++;
      questions.free?.();
    });
  }
  if (Object.values(wrong).some(([closefit]) => closefit > 0)) process.exitCode = 1;
  const row = (question, truth, of) => console.log(`| ${size}³ | ${question} | ${truth} | ${of.join(" | ")} |`);
  row("do they meet?", `yes: ${together}`, wrong.yes);
  row("do they meet?", `no: ${PAIRS - together}`, wrong.no);
  row("how far apart?", `0: ${together}`, wrong.close);
  row("how far apart?", `more: ${PAIRS - together}`, wrong.far);
}

const poses = Array.from({ length: 400 }, () => new Matrix4().compose(
  new Vector3(random() * 6 - 3, random() * 6 - 3, random() * 6 - 3),
  new Quaternion(random() - 0.5, random() - 0.5, random() - 0.5, random() - 0.5).normalize(),
  new Vector3(1, 1, 1),
));
const ROUNDS = 5;
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
/** Returns the answers to a question at some poses, and the microseconds of each. */
const timed = (question, some) => {
  const begin = performance.now();
  const answers = some.map(question);
  return [(1000 * (performance.now() - begin)) / some.length, answers];
};
console.log(`\nµs a question, median of ${ROUNDS} rounds, two knots at random poses\n\n${header("triangles of each", "question", "poses")}`);
for (const [across, around] of [[32, 8], [128, 16], [512, 32]]) {
  const knot = new TorusKnotGeometry(1, 0.4, across, around);
  const asked = names.map((engine) => engines[engine](knot.clone(), knot.clone()));
  for (const [kind, some] of [["meet", poses], ["distance", poses.slice(0, 20)]]) {
    const all = [];
    const shown = asked.map((questions) => {
      const [first] = timed(questions[kind], some.slice(0, 1));
      if (first > 3e5) return `${first.toFixed(0)}, once`;
      // This round compiles.
      all.push(timed(questions[kind], some)[1]);
      return median(Array.from({ length: ROUNDS }, () => timed(questions[kind], some)[0])).toFixed(1);
    });
    const differ = all.slice(1).map((answers) => answers.filter((answer, i) => Math.abs(answer - all[0][i]) > 1e-5).length);
    console.log(`| ${knot.index.count / 3} | ${kind} | ${some.length} | ${shown.join(" | ")} |`);
    if (differ.some((count) => count > 0)) console.log(`differences from the first: ${differ}`);
  }
}
