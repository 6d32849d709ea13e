/** A list that opens below its title, and closes when something else is clicked, or with Escape. */

import { el } from "../../../html/page/src/dom";

/** Makes a list of elements. */
export function menu(title: string, entries: HTMLElement[]): HTMLDetailsElement {
  const summary = el("summary", { class: "as-button" }, title);
  const made = el("details", { class: "menu" }, summary, el("div", { class: "menu-list" }, ...entries));
  const close = () => (made.open = false);
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    close();
    summary.focus();
  });
  made.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && made.contains(relatedTarget))) close();
  });
  addEventListener("pointerdown", ({ target }) => {
    if (!made.contains(target as Node)) close();
  });
  return made;
}
