// The package, as a program in Node uses it: node --test test.mjs, in the folder that `build` has made.

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
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

/** An attribute of three.js. */
const attribute = (array) => ({
  count: array.length / 3,
  getX: (i) => array[3 * i],
  getY: (i) => array[3 * i + 1],
  getZ: (i) => array[3 * i + 2],
});
const index = { count: triangles.length, getX: (i) => triangles[i] };
// Columns, as three.js has them: a shift by 3 along y.
const matrix = { elements: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 3, 0, 1] };

test("a geometry of three.js, with an index and without one", () => {
  const soup = [...triangles].flatMap((i) => [...vertices.subarray(3 * i, 3 * i + 3)]);
  const indexed = treeOf({ attributes: { position: attribute(vertices) }, index });
  const plain = treeOf({ attributes: { position: attribute(soup) }, index: null });
  assert.deepEqual([indexed.triangles, plain.triangles], [4, 4]);
  assert.equal(distance(indexed, undefined, plain, poseOf(matrix)).distance, 2);
});

test("a whole scene", () => {
  const text = (x) => `v ${x} 0 0\nv ${x + 2} 0 0\nv ${x} 2 0\nf 1 2 3\n`;
  const files = [0, 1].map((x) => ({ path: `${x}.obj`, bytes: new TextEncoder().encode(text(x)) }));
  const { summary, reportJson } = check(files, { unit: "mm" });
  assert.deepEqual(summary.counts, { contact: 1 });
  assert.equal(JSON.parse(new TextDecoder().decode(reportJson)).pairs.length, 1);
  assert.throws(() => check(files, { unit: "ell" }), /unknown unit 'ell'/);
});

// What the examples of README.md take as given.
const mesh = { geometry: { attributes: { position: attribute(vertices) }, index }, matrixWorld: matrix };
const gearbox = process.env.CLOSEFIT_GEARBOX;
globalThis.given = {
  meshA: mesh,
  meshB: mesh,
  file: { name: "gearbox.glb", arrayBuffer: async () => new Uint8Array(readFileSync(gearbox)).buffer },
};
const examples = readFileSync(new URL("README.md", import.meta.url), "utf8").matchAll(/```js\n(.*?)```/gs);
for (const [i, [, example]] of [...examples].entries()) {
  const skip = example.includes("file.") && !gearbox && "CLOSEFIT_GEARBOX does not say where the model is";
  test(`example ${i + 1} of README.md`, { skip }, async () => {
    // The value of an expression is what the comment behind it says.
    const checked = example.replaceAll(/^(?!const|import)(.+); \/\/ (.+)$/gm, "assert.deepEqual($1, $2);");
    const begin = 'import assert from "node:assert/strict";\nconst { meshA, meshB, file } = globalThis.given;\n';
    // Beside the package, so that it can import it by its name.
    const path = new URL(`example-${i}.mjs`, import.meta.url);
    writeFileSync(path, begin + checked);
    try {
      await import(path);
    } finally {
      rmSync(path);
    }
  });
}
