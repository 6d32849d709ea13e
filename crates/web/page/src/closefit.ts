/** closefit.html: from files to findings, in one page that opens no connection. */

import { packedBytes } from "../../../html/page/src/data/packed";
import { el } from "../../../html/page/src/dom";
import { themeButton } from "../../../html/page/src/theme";
import { resultBar, RunningBar } from "./bar";
import { Check, compile } from "./check";
import { nameOf } from "./files";
import { Frames } from "./frames";
import type { Settings, Source } from "./messages";
import { Start } from "./start";

const bar = el("div", { class: "bar" });
const frames = new Frames();
const start = new Start(run, example);
let check: Check | null = null;

/** Runs a check, and shows the model meanwhile. */
function run(sources: Source[], settings: Settings): void {
  if (!frames.clear()) return;
  check?.stop();
  const progress = new RunningBar(() => {
    check?.stop();
    back();
  });
  const name = titleOf(settings);
  const made = new Check(sources, settings, {
    progress: (stage, done, total) => progress.show(stage, done, total),
    model: (page) => void frames.show(page, `The model: ${name}`),
    result: async (result) => {
      await frames.show(result.page, `The result: ${name}`);
      if (check !== made) return;
      bar.replaceChildren(resultBar(result, made, name, back));
      frames.focus();
    },
    failed: (line) => {
      back();
      start.fail(line);
    },
  });
  check = made;
  bar.replaceChildren(progress.element);
  show("run");
  progress.cancel.focus();
}

/** Returns to the files and the settings. */
function back(): void {
  if (!frames.clear()) return;
  bar.replaceChildren();
  show("start");
  start.focus();
}

function show(what: "start" | "run"): void {
  document.body.dataset.shows = what;
}

/** Returns the name of the only scene without its extension, or how many more there are. */
function titleOf({ scenes: [first, ...more] }: Settings): string {
  const name = nameOf(first).replace(/\.[^.]+$/, "");
  return more.length > 0 ? `${name} and ${more.length} more` : name;
}

/** Returns the model that the page carries. */
async function example(): Promise<Source> {
  return { path: "gearbox.glb", file: new File([await packedBytes("example")], "gearbox.glb") };
}

document.body.append(
  el(
    "header",
    { class: "top" },
    el("h1", {}, "closefit"),
    bar,
    themeButton(() => {}),
  ),
  start.element,
  frames.element,
);
show("start");
// A first check need not wait for it. What is wrong is said by the check.
void compile().catch(() => {});
document.documentElement.dataset.ready = "";
