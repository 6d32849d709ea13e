// The package, as a program in Node uses it: node --test test.mjs, in the folder that `build` has made.

import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "closefit";
import { Tree, distance, intersects } from "closefit/core";
import { poseOf, treeOf } from "closefit/three";

const vertices = new Float64Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]);
const triangles = new Uint32Array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]);

test("questions about meshes", () => {
  const tree = new Tree(vertices, triangles);
  const moved = [1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1, 0];
  assert.equal(intersects(tree, undefined, tree, moved), false);
  assert.equal(distance(tree, undefined, tree, moved).distance, 1);
});

test("a geometry of three.js, with an index and without one", () => {
  const attribute = (array) => ({
    count: array.length / 3,
    getX: (i) => array[3 * i],
    getY: (i) => array[3 * i + 1],
    getZ: (i) => array[3 * i + 2],
  });
  const index = { count: triangles.length, getX: (i) => triangles[i] };
  const soup = [...triangles].flatMap((i) => [...vertices.subarray(3 * i, 3 * i + 3)]);
  const indexed = treeOf({ attributes: { position: attribute(vertices) }, index });
  const plain = treeOf({ attributes: { position: attribute(soup) }, index: null });
  assert.deepEqual([indexed.triangles, plain.triangles], [4, 4]);
  // Columns, as three.js has them: a shift by 3 along y.
  const elements = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 3, 0, 1];
  assert.equal(distance(indexed, undefined, plain, poseOf({ elements })).distance, 2);
});

test("a whole scene", () => {
  const text = (x) => `v ${x} 0 0\nv ${x + 2} 0 0\nv ${x} 2 0\nf 1 2 3\n`;
  const files = [0, 1].map((x) => ({ path: `${x}.obj`, bytes: new TextEncoder().encode(text(x)) }));
  const { summary, reportJson } = check(files, { unit: "mm" });
  assert.deepEqual(summary.counts, { contact: 1 });
  assert.equal(JSON.parse(new TextDecoder().decode(reportJson)).pairs.length, 1);
  assert.throws(() => check(files, { unit: "ell" }), /unknown unit 'ell'/);
});
