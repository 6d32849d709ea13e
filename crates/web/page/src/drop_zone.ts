/** Where files come in: dropped anywhere on the page, or chosen. */

import { button, el, svg } from "../../../html/page/src/dom";
import { chosen, dropped } from "./files";
import type { Source } from "./messages";

/** Those who take what comes in. */
export interface Takers {
  added(sources: Source[]): void;
  /** A file or a folder cannot be read. */
  failed(error: unknown): void;
  /** The example is wanted. */
  example(): void;
}

/** Makes the zone. It is small once there are files. */
export function dropZone({ added, failed, example }: Takers): HTMLElement {
  const [files, folder] = [chooser(false, added), chooser(true, added)];
  const first = button("Choose files", () => files.click(), { class: "choose" });
  const zone = el(
    "section",
    { class: "drop", "aria-label": "Files" },
    circles(),
    el("p", { class: "drop-title" }, "Drop 3D models here"),
    el("p", { class: "muted drop-hint" }, "Files or whole folders. Several models are checked together."),
    el(
      "p",
      { class: "drop-buttons" },
      first,
      button("Choose a folder", () => folder.click()),
      button("Try an example", example, { class: "drop-example" }),
    ),
    files,
    folder,
  );
  listen(zone, { added, failed });
  return zone;
}

function listen(zone: HTMLElement, { added, failed }: Pick<Takers, "added" | "failed">): void {
  // Elements inside the page are entered and left in turn: what was entered last is left last.
  let over: EventTarget | null = null;
  const mark = (target: EventTarget | null) => {
    over = target;
    zone.classList.toggle("over", over !== null);
  };
  addEventListener("dragenter", ({ target }) => mark(target));
  addEventListener("dragleave", ({ target }) => target === over && mark(null));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    mark(null);
    // The page of a result takes reviews itself; a running check takes nothing.
    if (event.dataTransfer && zone.checkVisibility()) dropped(event.dataTransfer).then(added, failed);
  });
}

function chooser(isFolder: boolean, added: (sources: Source[]) => void): HTMLInputElement {
  const input = el("input", {
    type: "file",
    multiple: true,
    hidden: true,
    webkitdirectory: isFolder,
    class: isFolder ? "choose-folder" : "choose-files",
    change: () => {
      if (input.files) added(chosen(input.files));
      // The same files can be chosen again.
      input.value = "";
    },
  });
  return input;
}

/** Returns two circles that overlap, as in the icons of verdicts. */
export function circles(): SVGSVGElement {
  return svg(
    "svg",
    { viewBox: "0 0 64 40", class: "circles", "aria-hidden": "true" },
    svg("path", { d: "M32 10.2A14 14 0 0 1 32 33.8A14 14 0 0 1 32 10.2Z", class: "icon-shared" }),
    svg("circle", { cx: 24.5, cy: 22, r: 14, class: "icon-ring icon-a" }),
    svg("circle", { cx: 39.5, cy: 22, r: 14, class: "icon-ring icon-b" }),
  );
}
