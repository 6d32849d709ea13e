/** The time of a sweep: a slider that knows where the finding is, and plays the moments around it. */

import { button, el } from "../dom";
import type { Store } from "../store";
import { seconds } from "../numbers";
import type { Viewer } from "./viewer";

/** Seconds that are played before and after a contact. */
const AROUND = 0.5;

/** Makes the slider of a sweep. */
export function slider(store: Store, viewer: Viewer): HTMLElement {
  const { from = 0, to = 0 } = store.report.head.settings;
  const text = el("output", { class: "time" });
  const input = el("input", {
    type: "range",
    class: "slider",
    min: from,
    max: to,
    step: "any",
    "aria-label": "Time in seconds",
  });
  const tick = el("i", { class: "moment", "aria-hidden": "true" });
  let playing = 0;
  const set = (time: number) => {
    viewer.setTime(time);
    input.value = String(time);
    const { selected } = store;
    const isThere = selected?.contact && time === selected.time;
    text.textContent = isThere
      ? seconds(...selected.contact!)
      : seconds(Number(time.toFixed(4)), Number(time.toFixed(4)));
  };
  const play = () => {
    cancelAnimationFrame(playing);
    const { selected } = store;
    const [first, last] =
      selected?.time != null ? [Math.max(from, selected.time - AROUND), selected.time] : [from, to];
    const begin = performance.now();
    const step = () => {
      const time = Math.min(last, first + (performance.now() - begin) / 1000);
      set(time);
      if (time < last) playing = requestAnimationFrame(step);
    };
    step();
  };
  input.addEventListener("input", () => {
    cancelAnimationFrame(playing);
    set(input.valueAsNumber);
  });
  let shown = store.selected;
  store.onChange(() => {
    if (store.selected === shown) return;
    shown = store.selected;
    cancelAnimationFrame(playing);
    const time = shown?.time ?? null;
    tick.hidden = time === null;
    if (time === null) return;
    tick.style.left = `${(100 * (time - from)) / Math.max(to - from, 1e-12)}%`;
    set(time);
  });
  tick.hidden = true;
  set(from);
  const track = el("span", { class: "track" }, input, tick);
  return el(
    "div",
    { class: "sweep" },
    button("▶", play, { "aria-label": "Play", title: "Play up to the contact" }),
    track,
    text,
  );
}
