// What a person does with closefit.html, from files to findings.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { assertAccessible, assertFits, downloaded, drop, inPage, result } from "./browser.mjs";
import { BOXES, large, MOVING, ROBOT } from "./made.mjs";

const example = (name) => fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
const SAYS = ".failure:not([hidden])";

inPage("dropped files are checked, and the model is seen before the result", {}, async (page) => {
  await drop(page, [example("Duplex_A.glb"), example("Duplex_E.glb")]);
  await page.fill("#clearance", "10mm");
  await page.click(".go");
  await page.waitForSelector('iframe[title="The model: Duplex_A and 1 more"]:not(.waiting)');
  assert.equal(await page.locator(".headline").count(), 0, "the check is still running");
  const { headline, frame } = await result(page);
  assert.match(headline, /clash/);
  const report = JSON.parse(await downloaded(page, "report.json"));
  assert.equal(report.ledger.pairs, (318 * 317) / 2);
  assert.equal(await frame.textContent(".ledger b"), "50\u2009403 pairs");
  assert.equal((await downloaded(page, "BCF")).subarray(0, 2).toString(), "PK");
  assert.match((await downloaded(page, "pairs.csv")).toString(), /Duplex_E/);
  assert.match((await downloaded(page, "issues.csv")).toString(), /Duplex_A/);
  assert.match((await downloaded(page, "Page")).toString(), /^<!doctype html>/);
});

const PROGRAM = process.env.CLOSEFIT_PROGRAM;
for (const [names, clearance] of [
  [["gearbox.glb"], "0.1mm"],
  [["Duplex_A.glb", "Duplex_E.glb"], "10mm"],
]) {
  inPage(`${names.join(" and ")}: the program's report, byte for byte`, {}, async (page) => {
    assert.ok(PROGRAM, "CLOSEFIT_PROGRAM does not say where the program is");
    const folder = mkdtempSync(join(tmpdir(), "closefit-"));
    try {
      const flags = ["--clearance", clearance, "--out", folder];
      const cwd = dirname(example("gearbox.glb"));
      const { status, stderr } = spawnSync(resolve(PROGRAM), ["check", ...names, ...flags], { cwd, encoding: "utf8" });
      assert.ok(status < 2, stderr);
      await page.setInputFiles(".choose-files", names.map(example));
      await page.fill("#clearance", clearance);
      await page.click(".go");
      await result(page);
      for (const name of ["report.json", "pairs.csv", "issues.csv"])
        assert.ok((await downloaded(page, name)).equals(readFileSync(join(folder, name))), `${name} differs`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

inPage("one side is checked with the other", {}, async (page) => {
  await page.setInputFiles(".choose-files", [
    example("Duplex_A.glb"),
    example("Duplex_E.glb"),
    example("duplex.toml"),
  ]);
  await page.check("#apart");
  await page.click('[aria-label="Side of Duplex_A.glb"] .side-2');
  await page.click(".go");
  assert.equal(await page.textContent(SAYS), "Each side needs a model.");
  await page.click('[aria-label="Side of Duplex_E.glb"] .side-1');
  await page.click(".go");
  await result(page);
  const { parts, pairs, rules } = JSON.parse(await downloaded(page, "report.json"));
  assert.equal(parts[0].model, "Duplex_E", "the first side comes first");
  assert.ok(pairs.length > 0 && pairs.every(({ ids: [a, b] }) => parts[a].model !== parts[b].model));
  assert.ok(rules.rules.length > 0);
});

inPage("a dropped folder brings what its robot refers to", { inChromium: true }, async (page) => {
  const folder = mkdtempSync(join(tmpdir(), "closefit-"));
  try {
    for (const [path, text] of Object.entries(ROBOT)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    await drop(page, [join(folder, "robot")]);
    await page.waitForSelector(".go");
    assert.deepEqual(await page.locator(".files .file-name").allTextContents(), ["robot/arm.urdf"]);
    assert.deepEqual(await page.locator(".others summary").allTextContents(), [
      "2 files that scenes can refer to",
      "1 file that the check does not need",
    ]);
    await page.click(".go");
    await result(page);
    const { parts } = JSON.parse(await downloaded(page, "report.json"));
    assert.deepEqual(
      parts.map(({ name }) => name),
      ["base/a", "rod/b", "post/a"],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

inPage("a motion is checked through all of its time, or at rest", {}, async (page) => {
  await page.setInputFiles(".choose-files", MOVING);
  await page.click(".go");
  const { frame } = await result(page);
  assert.ok(await frame.isVisible(".slider"));
  const { command, pairs } = JSON.parse(await downloaded(page, "report.json"));
  assert.equal(command, "sweep");
  assert.equal(pairs.length, 1);
  await page.click("button:text('New check')");
  await page.selectOption("#motion", "rest");
  await page.click(".go");
  await result(page);
  const atRest = JSON.parse(await downloaded(page, "report.json"));
  assert.deepEqual([atRest.command, atRest.pairs], ["check", []]);
});

inPage("a check can be cancelled, and the next one runs", {}, async (page) => {
  await page.setInputFiles(".choose-files", [example("Duplex_A.glb")]);
  await page.click(".go");
  await page.click("button:text('Cancel')");
  assert.ok(await page.isVisible(".go"));
  assert.equal(await page.locator("iframe").count(), 0);
  await page.click("button:text('Remove all')");
  await page.setInputFiles(".choose-files", BOXES);
  await page.click(".go");
  const { headline } = await result(page);
  assert.match(headline, /^1 clash/);
});

inPage("a file in no known format gives the program's error", {}, async (page) => {
  await page.setInputFiles(".choose-files", [
    { name: "bad.glb", mimeType: "", buffer: Buffer.from("hello") },
  ]);
  await page.click(".go");
  assert.match(await page.textContent(SAYS), /^bad\.glb: /);
  await page.setInputFiles(".choose-files", BOXES);
  assert.equal(await page.locator(SAYS).count(), 0, "with other files, it is forgotten");
  await page.fill("#clearance", "much");
  await page.click('[aria-label="Remove bad.glb"]');
  await page.click(".go");
  assert.match(await page.textContent(SAYS), /much/);
});

inPage("a check that needs too much memory says so", {}, async (page) => {
  await page.setInputFiles(".choose-files", [example("Duplex_A.glb")]);
  await page.click("summary:text('More settings')");
  await page.fill("#memory", "1");
  await page.click(".go");
  assert.match(await page.textContent(SAYS), /memory/);
  await page.fill("#memory", "");
  await page.click(".go");
  await result(page);
});

/** Takes all of the 4 GiB of each module but 32 MiB: enough for two boxes, and not for a file of 10 MB. */
const TAKING = () => {
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(...all) {
      super(...all);
      const { memory } = this.exports;
      memory.grow(2 ** 16 - memory.buffer.byteLength / 2 ** 16 - 2 ** 9);
    }
  };
};
const FILLING = `{
  const make = URL.createObjectURL;
  const begin = ${JSON.stringify(`(${TAKING})();\n`)};
  URL.createObjectURL = (blob) =>
    make.call(URL, blob.type === "text/javascript" ? new Blob([begin, blob], { type: blob.type }) : blob);
}`;

inPage("a module without memory ends, its files stay, and the next check runs", { before: FILLING }, async (page) => {
  await page.setInputFiles(".choose-files", large(240));
  await page.click(".go");
  assert.match(await page.textContent(SAYS), /no more memory .* Your files are still here/);
  assert.deepEqual(await page.locator(".files .file-name").allTextContents(), ["box.stl", "sphere.stl"]);
  await page.click('[aria-label="Remove sphere.stl"]');
  await page.setInputFiles(".choose-files", BOXES);
  await page.click(".go");
  const { headline } = await result(page);
  assert.match(headline, /^1 clash/);
});

/** Ends the worker of a check by a trap that has nothing to do with memory. */
const BREAKING = `{
  let isFirst = true;
  window.Worker = class extends Worker {
    constructor(address) {
      super(address);
      if (!isFirst) return;
      isFirst = false;
      setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data: { kind: "broken", isFull: false } })), 0);
    }
  };
}`;

inPage("a defect of the module is said to be one, and the next check has a new module", { before: BREAKING }, async (page) => {
  await page.setInputFiles(".choose-files", BOXES);
  await page.click(".go");
  assert.match(await page.textContent(SAYS), /a defect in closefit.* Your files are still here/);
  await page.click(".go");
  await result(page);
});

for (const [megabytes, steps] of [[10, 240], [100, 730]]) {
  inPage(`a file of ${megabytes} MB is checked`, { seconds: 600 }, async (page) => {
    const folder = mkdtempSync(join(tmpdir(), "closefit-"));
    try {
      const files = large(steps);
      assert.ok(files[0].buffer.length > 1e6 * megabytes);
      for (const { name, buffer } of files) writeFileSync(join(folder, name), buffer);
      await page.setInputFiles(".choose-files", files.map(({ name }) => join(folder, name)));
      await page.click(".go");
      const { headline } = await result(page);
      assert.match(headline, /^1 clash/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

inPage("all can be done with the keyboard alone", {}, async (page) => {
  const reach = async (text, key = "Tab") => {
    for (let i = 0; i < 40; i += 1) {
      await page.keyboard.press(key);
      if ((await page.evaluate(() => document.activeElement.textContent)) === text) return;
    }
    assert.fail(`${text} cannot be reached`);
  };
  await reach("Try an example");
  await page.keyboard.press("Enter");
  const { frame } = await result(page);
  await page.waitForFunction(() => document.activeElement.tagName === "IFRAME");
  await page.keyboard.press("j");
  assert.match(await frame.textContent(".panel .large"), /^1\.00/);
  await reach("Download", "Shift+Tab");
  await page.keyboard.press("Enter");
  assert.ok(await page.isVisible(".menu[open]"));
  await page.keyboard.press("Escape");
  assert.ok(!(await page.isVisible(".menu[open]")));
  await reach("New check");
  await page.keyboard.press("Enter");
  await reach("Remove all", "Shift+Tab");
  await page.keyboard.press("Enter");
  assert.ok(await page.isVisible("text=Drop 3D models here"));
});

for (const isDark of [false, true]) {
  for (const isPhone of [false, true]) {
    const name = `${isDark ? "dark" : "light"}, ${isPhone ? "on a phone" : "on a desk"}`;
    inPage(`every state fits and is accessible, ${name}`, { isDark, isPhone }, async (page) => {
      const states = async () => {
        await assertFits(page);
        await assertAccessible(page);
      };
      await states();
      await page.click("button:text('Licences')");
      // The text is unpacked when the dialog opens.
      await page.waitForSelector(".licences pre:not(:empty)");
      assert.match(await page.textContent(".licences pre"), /three\.js/);
      await states();
      await page.click("button:text('Close')");
      await page.setInputFiles(".choose-files", BOXES);
      await page.setInputFiles(".choose-files", example("duplex.toml"));
      await page.check("#apart");
      await page.click("summary:text('More settings')");
      await states();
      await page.selectOption("#rules", "");
      await page.fill("#clearance", "much");
      await page.click(".go");
      await page.waitForSelector(SAYS);
      await states();
      await page.fill("#clearance", "1mm");
      await page.click(".go");
      const { frame } = await result(page);
      assert.equal(
        await frame.evaluate(() => document.documentElement.dataset.theme),
        isDark ? "dark" : "light",
      );
      await page.click("summary:text('Download')");
      await states();
      await page.click(".theme");
      assert.equal(
        await frame.evaluate(() => document.documentElement.dataset.theme),
        isDark ? "light" : "dark",
      );
    });
  }
}
