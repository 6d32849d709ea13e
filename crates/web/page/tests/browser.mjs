// closefit.html in Chromium, opened from the disk: `CLOSEFIT_PAGE` says where it is, `CLOSEFIT_CHROMIUM` or the path has the
// browser. A request to anywhere, a line in the console and a violation of the policy fail a test.

import assert from "node:assert/strict";
import { accessSync, constants, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PAGE = process.env.CLOSEFIT_PAGE;

/** Returns the path of the browser: what the environment says is not searched for elsewhere. */
function browserPath() {
  if (process.env.CLOSEFIT_CHROMIUM) return process.env.CLOSEFIT_CHROMIUM;
  const paths = process.env.PATH.split(delimiter).flatMap((folder) =>
    NAMES.map((name) => join(folder, name)),
  );
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const path = browserPath();
let browser = null;
after(() => browser?.close());

/** Starts the browser, which all tests share. */
async function started() {
  browser ??= await chromium.launch({
    executablePath: path,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
  return browser;
}

const skip = path ? (PAGE ? false : "CLOSEFIT_PAGE does not say where the page is") : "no Chromium";

/** Makes a test of the page in a window; a phone is narrow. Its name says what holds. */
export function inPage(name, { isDark = false, isPhone = false, before = null } = {}, walk) {
  test(name, { skip, timeout: 120_000 }, async () => {
    const page = await (
      await started()
    ).newPage({
      viewport: isPhone ? { width: 380, height: 800 } : { width: 1400, height: 900 },
      colorScheme: isDark ? "dark" : "light",
    });
    try {
      const wrong = watch(page);
      if (before) await page.addInitScript(before);
      await page.goto(pathToFileURL(resolve(PAGE)).href);
      await walk(page);
      assert.deepEqual(wrong, []);
    } finally {
      await page.close();
    }
  });
}

/** Returns a list to which everything is added that must not happen. */
function watch(page) {
  const wrong = [];
  page.on("request", (request) => {
    if (!/^(file|blob|data|about):/.test(request.url())) wrong.push(`a request to ${request.url()}`);
  });
  page.on("pageerror", (error) => wrong.push(`an error: ${error.message}`));
  page.on("console", (line) => {
    // How fast the software driver is says nothing about the page.
    if (!line.text().includes("GL Driver Message (OpenGL, Performance"))
      wrong.push(`the console: ${line.text()}`);
  });
  return wrong;
}

/** Fails for whatever a person with impaired sight or without a pointer could not use, in all frames. */
export async function assertAccessible(page) {
  for (const frame of page.frames()) {
    await frame.evaluate(AXE);
    const { violations } = await frame.evaluate(() =>
      axe.run({ iframes: false, resultTypes: ["violations"] }),
    );
    const told = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`,
    );
    assert.deepEqual(told, [], `in ${frame === page.mainFrame() ? "the page" : "its frame"}`);
  }
}

/** Fails if a page is wider than its window. */
export async function assertFits(page) {
  for (const frame of page.frames()) {
    const [needed, width] = await frame.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(needed <= width, `${needed} pixels in ${width}`);
  }
}

/** Drops files and folders of the disk onto the middle of the page, as a person does. */
export async function drop(page, paths) {
  const devtools = await page.context().newCDPSession(page);
  const { width, height } = page.viewportSize();
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await devtools.send("Input.dispatchDragEvent", { type, x: width / 2, y: height / 2, data });
  }
}

/** Waits for the result, and returns its sentence and its frame. */
export async function result(page) {
  const headline = await page.waitForSelector(".headline");
  const element = await page.waitForSelector('iframe[title^="The result"]:not(.waiting)');
  return { headline: await headline.textContent(), frame: await element.contentFrame() };
}

/** Saves what an entry of the menu of downloads offers, and returns its bytes. */
export async function downloaded(page, title) {
  await page.click("summary:text('Download')");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.click(`.menu-list button:has(b:text-is("${title}"))`),
  ]);
  await page.keyboard.press("Escape");
  return readFileSync(await file.path());
}
