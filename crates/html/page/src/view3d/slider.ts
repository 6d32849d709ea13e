/** The time of a sweep, or the value of its joint: a slider that knows where the finding is, and plays the moments
 * around it. */

import { button, el } from "../dom";
import type { Finding } from "../data/report";
import type { Store } from "../store";
import type { Viewer } from "./viewer";

/** Seconds that are played up to a contact. */
const AROUND = 0.5;

/** Seconds in which a joint is moved through its whole range. */
const WHOLE_RANGE = 5;

/** Makes the slider of a sweep. */
export function slider(store: Store, viewer: Viewer): HTMLElement {
  const { from = 0, to = 0, joint } = store.report.head.settings;
  const { times } = store.report;
  // Values of a joint that pass in a second.
  const rate = joint ? (to - from) / WHOLE_RANGE : 1;
  const text = el("output", { class: "time" });
  const input = el("input", {
    type: "range",
    class: "slider",
    min: from,
    max: to,
    step: "any",
    "aria-label": joint ? joint.name : "Time in seconds",
  });
  const tick = el("i", { class: "moment", "aria-hidden": "true" });
  let playing = 0;
  const set = (time: number) => {
    viewer.setTime(time);
    input.value = String(time);
    const { selected } = store;
    const isThere = selected?.contact && time === selected.time;
    text.textContent = isThere ? times.range(...selected.contact!) : times.about(time);
  };
  const play = () => {
    cancelAnimationFrame(playing);
    const { selected } = store;
    const [first, last] =
      selected?.time != null ? [Math.max(from, selected.time - AROUND * rate), selected.time] : [from, to];
    const begin = performance.now();
    const step = () => {
      const time = Math.min(last, first + (rate * (performance.now() - begin)) / 1000);
      set(time);
      if (time < last) playing = requestAnimationFrame(step);
    };
    step();
  };
  input.addEventListener("input", () => {
    cancelAnimationFrame(playing);
    set(input.valueAsNumber);
  });
  const percent = (time: number) => (100 * (time - from)) / Math.max(to - from, 1e-12);
  const bars = el("span", { class: "stretches", "aria-hidden": "true" });
  const bar = (kind: string) => (stretch: [number, number]) => {
    const [begin, end] = stretch.map(percent);
    const made = el("i", { class: kind });
    made.style.left = `${begin}%`;
    made.style.width = `${end - begin}%`;
    return made;
  };
  let shown: Finding | null | undefined;
  const follow = () => {
    if (store.selected === shown) return;
    shown = store.selected;
    cancelAnimationFrame(playing);
    const known = (shown ? [shown] : store.report.findings).flatMap(({ intervals }) => intervals ?? []);
    const stretches = (kind: number) => known.filter((_, at) => at % 2 === kind).flat();
    bars.replaceChildren(...stretches(1).map(bar("near")), ...stretches(0).map(bar("met")));
    const time = shown?.time ?? null;
    tick.hidden = time === null;
    if (time === null) return;
    tick.style.left = `${percent(time)}%`;
    set(time);
  };
  store.onChange(follow);
  set(from);
  // A link may have selected a finding before there was a slider.
  follow();
  const track = el("span", { class: "track" }, input, bars, tick);
  return el(
    "div",
    { class: "sweep" },
    button("▶", play, { "aria-label": "Play", title: "Play up to the contact" }),
    track,
    text,
  );
}
