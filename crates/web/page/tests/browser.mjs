// closefit.html in a browser, opened from the disk: `CLOSEFIT_PAGE` says where it is, `CLOSEFIT_CHROMIUM` or the path has the
// browser. With `CLOSEFIT_BROWSER=firefox` it is Firefox, in a window: `xvfb-run -a` has one without a screen. A request to
// anywhere, a line in the console and a violation of the policy fail a test.

import assert from "node:assert/strict";
import { accessSync, constants, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, delimiter, join, resolve } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium, firefox } from "playwright-core";

export const IS_FIREFOX = process.env.CLOSEFIT_BROWSER === "firefox";
const NAMES = IS_FIREFOX ? ["firefox-esr", "firefox"] : ["chromium", "chromium-browser", "google-chrome"];
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PAGE = process.env.CLOSEFIT_PAGE;

/** Returns the path of the browser: what the environment says is not searched for elsewhere. */
function browserPath() {
  const said = IS_FIREFOX ? process.env.CLOSEFIT_FIREFOX : process.env.CLOSEFIT_CHROMIUM;
  if (said) return said;
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
const browsers = new Map();
after(() => Promise.all([...browsers.values()].map(async (browser) => (await browser).close())));

/** Starts the browser, which all tests share; Firefox has a theme of its own. */
function started(isDark) {
  const theme = IS_FIREFOX && isDark;
  if (!browsers.has(theme)) browsers.set(theme, IS_FIREFOX ? inWindow(isDark) : headless());
  return browsers.get(theme);
}

function headless() {
  return chromium.launch({
    executablePath: path,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
}

/** Without a window, Firefox draws nothing in 3D. */
function inWindow(isDark) {
  return firefox.launch({
    channel: "moz-firefox",
    executablePath: path,
    headless: false,
    firefoxUserPrefs: {
      "webgl.force-enabled": true,
      "layout.css.prefers-color-scheme.content-override": isDark ? 0 : 1,
    },
  });
}

const skip = path ? (PAGE ? false : "CLOSEFIT_PAGE does not say where the page is") : "no browser";

/**
 * Makes a test of the page in a window; a phone is narrow. Its name says what holds. What only Chromium can be made to do is skipped
 * in Firefox.
 */
export function inPage(
  name,
  { isDark = false, isPhone = false, before = null, inChromium = false, seconds = 300 } = {},
  walk,
) {
  const not = skip || (IS_FIREFOX && inChromium && "only Chromium can do that here");
  test(name, { skip: not, timeout: 1000 * seconds }, async () => {
    const page = await (
      await started(isDark)
    ).newPage({
      viewport: isPhone ? { width: 380, height: 800 } : { width: 1400, height: 900 },
      colorScheme: isDark ? "dark" : "light",
    });
    page.setDefaultTimeout(1000 * seconds);
    try {
      const wrong = watch(page);
      if (before) await page.addInitScript(before);
      if (IS_FIREFOX) await page.addInitScript(KEEPING);
      await page.goto(pathToFileURL(resolve(PAGE)).href);
      await walk(page);
      assert.deepEqual(wrong, []);
    } finally {
      await page.close();
    }
  });
}

const DRIVERS = ["GL Driver Message (OpenGL, Performance", "WEBGL_multi_draw extension not supported"];

/** Returns a list to which everything is added that must not happen. */
function watch(page) {
  const wrong = [];
  page.on("request", (request) => {
    if (!/^(file|blob|data|about):/.test(request.url())) wrong.push(`a request to ${request.url()}`);
  });
  page.on("pageerror", (error) => wrong.push(`an error: ${error.message}`));
  page.on("console", (line) => {
    // How fast the driver is, and what else it might have, says nothing about the page.
    if (!DRIVERS.some((words) => line.text().includes(words))) wrong.push(`the console: ${line.text()}`);
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

/** Drops files and, in Chromium, folders of the disk onto the middle of the page, as a person does. */
export async function drop(page, paths) {
  if (IS_FIREFOX) return dropMade(page, paths);
  const devtools = await page.context().newCDPSession(page);
  const { width, height } = page.viewportSize();
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await devtools.send("Input.dispatchDragEvent", { type, x: width / 2, y: height / 2, data });
  }
}

/** Drops files by an event of the page's own. */
async function dropMade(page, paths) {
  const files = paths.map((path) => ({ name: basename(path), text: readFileSync(path, "base64") }));
  const dataTransfer = await page.evaluateHandle((files) => {
    const data = new DataTransfer();
    for (const { name, text } of files)
      data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
    return data;
  }, files);
  await page.dispatchEvent("main", "drop", { dataTransfer });
}

/** Waits for the result, and returns its sentence and its frame. */
export async function result(page) {
  const headline = await page.waitForSelector(".headline");
  const element = await page.waitForSelector('iframe[title^="The result"]:not(.waiting)');
  return { headline: await headline.textContent(), frame: await element.contentFrame() };
}

/** Keeps what is given a URL, since Firefox does not say here where it saves a download. */
const KEEPING = `{
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    window.kept = blob;
    return make.call(URL, blob);
  };
}`;

/** Returns the bytes that are kept, once they are there. */
async function kept(page) {
  await page.waitForFunction(() => window.kept);
  const characters = await page.evaluate(async () => {
    const bytes = new Uint8Array(await window.kept.arrayBuffer());
    return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  });
  return Buffer.from(characters, "latin1");
}

/** Saves what an entry of the menu of downloads offers, and returns its bytes. */
export async function downloaded(page, title) {
  await page.click("summary:text('Download')");
  if (IS_FIREFOX) {
    await page.evaluate(() => (window.kept = null));
    await page.click(`.menu-list button:has(b:text-is("${title}"))`);
    const bytes = await kept(page);
    await page.keyboard.press("Escape");
    return bytes;
  }
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.click(`.menu-list button:has(b:text-is("${title}"))`),
  ]);
  await page.keyboard.press("Escape");
  return readFileSync(await file.path());
}
