/** The line above a model: how far its check is, or what was found. */

import { button, download, el } from "../../../html/page/src/dom";
import { count, counted } from "../../../html/page/src/numbers";
import type { Check } from "./check";
import { menu } from "./menu";
import type { Result } from "./messages";

/** What is said of each stage. */
const STAGES: Record<string, string> = {
  starting: "Starting",
  reading: "Reading files",
  pairing: "Finding pairs that are near",
  building: "Building trees",
  deciding: "Deciding pairs",
  moving: "Finding ways out",
  writing: "Writing the page",
};

/** The line of a running check. */
export class RunningBar {
  readonly element: HTMLElement;
  private readonly text = el("span", { class: "stage" });
  private readonly progress = el("progress", { "aria-label": "Progress" });

  readonly cancel: HTMLButtonElement;

  constructor(stop: () => void) {
    this.cancel = button("Cancel", stop);
    this.element = el("div", { class: "bar-row" }, this.text, this.progress, this.cancel);
    this.show("starting", 0, 0);
  }

  show(stage: string, done: number, total: number): void {
    const items = total > 0 ? `, ${count(done)} of ${count(total)}` : "";
    this.text.textContent = `${STAGES[stage] ?? stage}${items}`;
    if (total > 0) [this.progress.max, this.progress.value] = [total, done];
    else this.progress.removeAttribute("value");
  }
}

/** Returns the line of a result. */
export function resultBar(result: Result, check: Check, name: string, back: () => void): HTMLElement {
  const { headline, notes, seconds } = result;
  const refused = el("span", { class: "small refused", role: "status" });
  const bcf = async () => {
    try {
      save(`${name}.bcf`, await check.bcf(), "application/zip");
    } catch (error) {
      refused.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const { page, reportJson, pairsCsv, issuesCsv } = result;
  const files: [string, string, () => void][] = [
    ["Page", "This result as one file, offline", () => save(`${name}.html`, page, "text/html")],
    ["report.json", "All values", () => save("report.json", reportJson, "application/json")],
    ["BCF", "Issues for viewers of buildings", () => void bcf()],
    ["pairs.csv", "A row per pair", () => save("pairs.csv", pairsCsv, "text/csv")],
    ["issues.csv", "A row per issue", () => save("issues.csv", issuesCsv, "text/csv")],
  ];
  const buttons = files.map(([title, hint, click]) =>
    el("button", { type: "button", click }, el("b", {}, title), el("small", { class: "muted" }, hint)),
  );
  return el(
    "div",
    { class: "bar-row" },
    el("p", { class: "headline", role: "status", title: headline }, headline),
    el("span", { class: "muted small seconds" }, `${seconds.toFixed(1)} s`),
    refused,
    ...(notes.length > 0
      ? [
          menu(
            counted(notes.length, "note"),
            notes.map((note) => el("p", {}, note)),
          ),
        ]
      : []),
    menu("Download", buttons),
    button("New check", back),
  );
}

function save(name: string, bytes: Uint8Array<ArrayBuffer>, type: string): void {
  download(name, new Blob([bytes], { type }));
}
