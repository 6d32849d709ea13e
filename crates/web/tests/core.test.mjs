// Questions about meshes, with answers that are known.

import assert from "node:assert/strict";
import { test } from "node:test";
import { closefit } from "./module.mjs";

const { Motion, Tree, contactTriangles, depth, distance, intersects, intersectsWithin, timeOfImpact } = closefit;

const corners = new Float64Array([0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => [i & 1, (i >> 1) & 1, i >> 2]));
const faces = new Uint32Array([0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5]);
const cube = new Tree(corners, faces);
const at = (x) => [1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0];

test("cubes that touch share points, and are 0 apart", () => {
  assert.equal(cube.triangles, 12);
  assert.equal(cube.isClosed, true);
  assert.equal(intersects(cube, undefined, cube, at(1)), true);
  assert.equal(intersects(cube, undefined, cube, at(1 + 2 ** -52)), false);
  assert.equal(distance(cube, undefined, cube, at(1)).distance, 0);
  assert.equal(distance(cube, undefined, cube, at(1 + 2 ** -52)).distance, 2 ** -52);
  // Of 12 triangles of each, those that have a corner, an edge or more in the common face.
  const pairs = contactTriangles(cube, undefined, cube, at(1));
  assert.ok(pairs.length > 0 && pairs.length % 2 === 0 && pairs.every((index) => index < 12));
});

test("limits and depths", () => {
  assert.equal(intersectsWithin(cube, undefined, cube, at(3), 2), true);
  assert.equal(intersectsWithin(cube, undefined, cube, at(3), 1.999), false);
  assert.equal(distance(cube, undefined, cube, at(3), 1.5), undefined);
  const { atLeast, atMost } = depth(cube, undefined, cube, at(0.75));
  assert.ok(atLeast <= 0.25 && 0.25 <= atMost && atMost - atLeast <= 0.01 * atMost, `${atLeast} ${atMost}`);
});

test("a moving cube meets the other at the right time", () => {
  const turn = [0, 0, 0, 1];
  const still = Motion.through(new Float64Array([0]), new Float64Array(turn), new Float64Array(3));
  const coming = Motion.through(new Float64Array([0, 4]), new Float64Array([...turn, ...turn]), new Float64Array([3, 0, 0, -1, 0, 0]));
  const found = timeOfImpact(cube, still, cube, coming, 1e-6);
  assert.ok(found.after < 2 && 2 < found.before + 1e-6);
  assert.equal(found.startContact, false);
});

test("an invalid mesh or pose gives an error that names it", () => {
  assert.throws(() => new Tree(new Float64Array(4), faces), /^Error: vertices: 4 numbers/);
  assert.throws(() => new Tree(corners, new Uint32Array([0, 1, 9])), /9/);
  assert.throws(() => new Tree(new Float64Array([NaN, 0, 0, 1, 0, 0, 0, 1, 0]), new Uint32Array([0, 1, 2])), /NaN/i);
  assert.throws(() => intersects(cube, [1, 2], cube, undefined), /^Error: poseA: 2 numbers/);
  assert.throws(() => intersectsWithin(cube, undefined, cube, undefined, NaN), /^Error: limit/);
});
