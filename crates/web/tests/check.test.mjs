// The module gives the bytes of the program, and its sentences.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { moving } from "./glb.mjs";
import { check, closefit, run } from "./module.mjs";

const folder = mkdtempSync(join(tmpdir(), "closefit-"));
after(() => rmSync(folder, { recursive: true }));

/** Writes a box as an OBJ, with a material and two groups. */
const box = (name, [x, y, z], size = 1) => {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [x + size * (i & 1), y + size * ((i >> 1) & 1), z + size * (i >> 2)]);
  const faces = ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"];
  const lines = ["mtllib box.mtl", ...corners.map((c) => `v ${c.join(" ")}`), "usemtl red", ...faces.map((f) => `f ${f}`)];
  writeFileSync(join(folder, name), lines.join("\n"));
};

mkdirSync(join(folder, "examples"));
for (const name of ["gearbox.glb", "gearbox.toml"])
  cpSync(fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url)), join(folder, "examples", name));
writeFileSync(join(folder, "box.mtl"), "newmtl red\nKd 1 0 0\n");
mkdirSync(join(folder, "meshes"));
box("a.obj", [0, 0, 0]);
box("b.obj", [0.9, 0.2, 0.3]);
box("c.obj", [2.1, 0, 0]);
box("meshes/link.obj", [0, 0, 0], 0.2);
const visual = '<visual><geometry><mesh filename="meshes/link.obj"/></geometry></visual>';
writeFileSync(
  join(folder, "robot.urdf"),
  `<robot name="r"><link name="base">${visual}</link><link name="arm">${visual}</link><link name="hand">${visual}</link>
  <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0.15 0 0"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="k" type="fixed"><parent link="arm"/><child link="hand"/><origin xyz="-0.05 0.1 0"/></joint></robot>`,
);
// The wrong value is the file's; a rule that names no part is only noted.
writeFileSync(join(folder, "cut.glb"), readFileSync(join(folder, "examples/gearbox.glb")).subarray(0, 5000));
writeFileSync(join(folder, "text.stl"), "solid a\nfacet\nvertex 0 0 nan\n");
writeFileSync(join(folder, "far.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
writeFileSync(join(folder, "bad.toml"), "closefit-rules = 1\nclearence = 3\n");
writeFileSync(join(folder, "lost.urdf"), readFileSync(join(folder, "robot.urdf"), "utf8").replaceAll("link.obj", "none.obj"));
writeFileSync(join(folder, "latin.toml"), Buffer.from([0xe9, 0x0a]));
writeFileSync(join(folder, "one.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
writeFileSync(join(folder, "moving.glb"), moving());

const gearbox = "examples/gearbox.glb";
const same = [
  ["a page with pictures", [gearbox], {}, []],
  ["a clearance and rules", [gearbox, "examples/gearbox.toml"], { clearance: "1mm", rules: "examples/gearbox.toml", pictures: false }, ["--clearance", "1mm", "--rules", "examples/gearbox.toml"]],
  ["two sides", ["a.obj", "b.obj", "c.obj"], { against: 1, unit: "m", clearance: "20cm", tolerance: "0.001mm" }, ["--against", "c.obj", "--unit", "m", "--clearance", "20cm", "--tolerance", "0.001mm"]],
  ["ways out and volumes", ["a.obj", "b.obj"], { unit: "in", wayOut: true, volume: true }, ["--unit", "in", "--way-out", "--volume"]],
  ["a robot with its meshes", ["robot.urdf", "meshes/link.obj"], { scenes: ["robot.urdf"], tolerance: "2mm" }, ["--tolerance", "2mm"]],
  ["a sweep", ["moving.glb"], { sweep: true, clearance: "1cm", to: "1.5" }, ["--clearance", "1cm", "--to", "1.5"]],
];
for (const [name, paths, settings, flags] of same) {
  test(`${name}: the program's bytes`, () => {
    const scenes = (settings.scenes ?? paths).filter((path) => path !== settings.rules);
    const sides = settings.against ? scenes.slice(0, -settings.against) : scenes;
    const page = settings.pictures === false ? [] : ["--html", "page.html"];
    const command = settings.sweep ? "sweep" : "check";
    const { status, line } = run(folder, command, ...sides, ...flags, "--out", "out", ...page);
    assert.ok(status < 2, line);
    const outcome = check(folder, [...paths, ...(scenes.some((path) => path.endsWith(".obj")) ? ["box.mtl"] : [])], {
      scenes,
      ...settings,
    });
    const bytes = (path) => readFileSync(join(folder, path));
    const equal = (found, path) => assert.ok(bytes(path).equals(found), `${path} differs`);
    equal(outcome.reportJson, "out/report.json");
    equal(outcome.pairsCsv, "out/pairs.csv");
    equal(outcome.issuesCsv, "out/issues.csv");
    if (page.length > 0) equal(outcome.page, "page.html");
    assert.match(outcome.summary.headline, /\d/);
    rmSync(join(folder, "out"), { recursive: true });
  });
}

const refused = [
  ["a file that is cut", ["cut.glb"], {}, []],
  ["a number that is none", ["text.stl"], { unit: "mm" }, ["--unit", "mm"]],
  ["an index without a vertex", ["far.obj"], { unit: "mm" }, ["--unit", "mm"]],
  ["a file that does not exist", ["lost.urdf"], {}, []],
  ["a key of rules that is none", [gearbox, "bad.toml"], { rules: "bad.toml" }, ["--rules", "bad.toml"]],
  ["rules that are no text", [gearbox, "latin.toml"], { rules: "latin.toml" }, ["--rules", "latin.toml"]],
  ["a length that is none", [gearbox], { clearance: "5 parsecs" }, ["--clearance", "5 parsecs"]],
  ["a length without a unit of the scene", ["a.obj", "b.obj"], { clearance: "5mm" }, ["--clearance", "5mm"]],
  ["too little memory", [gearbox], { memory: 100000 }, ["--memory", "100000"]],
];
for (const [name, paths, settings, flags] of refused) {
  test(`${name}: the program's sentence`, () => {
    const scenes = paths.filter((path) => path !== settings.rules);
    const { status, line } = run(folder, "check", ...scenes, ...flags);
    assert.equal(status, 2);
    assert.throws(() => check(folder, paths, settings), { message: line });
  });
}

test("an unknown setting gives an error that names it", () => {
  assert.throws(() => check(folder, [gearbox], { clearence: "1mm" }), /unknown field `clearence`/);
  assert.throws(() => check(folder, ["a.obj"], { against: 1, unit: "m" }), /--against: 1 of 1 files/);
  assert.throws(() => closefit.Run.read([{ path: "a.obj" }], {}, () => {}), /files\[0\]/);
});

test("a run tells its stages, and issues become BCF", () => {
  const stages = new Set();
  const outcome = check(folder, [gearbox], { pictures: false }, (stage, done, total) => {
    stages.add(stage);
    assert.ok(done <= total || total === 0, `${stage}: ${done} of ${total}`);
  });
  for (const stage of ["reading", "pairing", "building", "deciding"]) assert.ok(stages.has(stage), stage);
  assert.equal(Buffer.from(outcome.bcf()).subarray(0, 2).toString(), "PK");
  assert.deepEqual(Object.keys(outcome.seconds), ["read", "check", "report", "page"]);
});
