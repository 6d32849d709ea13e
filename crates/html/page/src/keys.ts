/** The keyboard: from the list to a finding, ways to see it, and the search. */

import type { List } from "./list/list";
import type { Store } from "./store";

/** Listens to keys that no control takes for itself. */
export function listen(store: Store, list: List, search: HTMLInputElement): void {
  const actions: Record<string, () => void> = {
    j: () => list.step(1),
    k: () => list.step(-1),
    ArrowDown: () => list.step(1),
    ArrowUp: () => list.step(-1),
    s: () => store.show("section"),
    x: () => store.show("xray"),
    w: () => store.show("whole"),
    h: () => store.show("heat"),
    "/": () => search.focus(),
    Escape: () => store.select(null),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) {
      if (event.key === "Escape" && event.target instanceof HTMLElement) event.target.blur();
      return;
    }
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** True if a control takes keys for itself. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input, textarea, select, .slider");
}
