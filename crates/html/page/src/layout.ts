/** The page around the list and the picture. */

import { button, download, el } from "./dom";
import type { Report } from "./data/report";
import { inOne } from "./data/names";
import { csvOf } from "./csv";
import { listen } from "./keys";
import { List } from "./list/list";
import type { Lengths } from "./numbers";
import { detail } from "./panel/detail";
import { filterControls } from "./panel/filters";
import { overview } from "./panel/overview";
import { printing, type Paper } from "./print";
import { Store } from "./store";
import type { Mode } from "./data/document";

/** The parts of the page that others need. */
export interface Page {
  store: Store;
  list: List;
  /** The place of the picture. */
  view: HTMLElement;
  paper: Paper;
}

/** Fills the page with findings. The picture comes later. */
export function page(report: Report, lengths: Lengths, picture: (pair: number) => string | null): Page {
  const store = new Store(report);
  const list = new List(store);
  const { element: filters, search } = filterControls(store, list);
  const view = el("div", { class: "view" }, modes(store), steps(list), back(store), legend(store, lengths));
  const panel = el("div", { class: "panel", "aria-label": "Finding", role: "region", tabindex: 0 });
  const searchFor = (text: string) => {
    search.value = text;
    store.change((store) => (store.filters.text = text));
  };
  let shown: unknown = search;
  const update = () => {
    document.body.classList.toggle("has-finding", store.selected !== null);
    // A panel that is being typed into stays as it is.
    if (store.selected === shown) return;
    shown = store.selected;
    panel.replaceChildren(
      ...(store.selected ? detail(store.selected, store, lengths) : overview(store, searchFor)),
    );
    panel.classList.toggle("is-overview", !store.selected);
    panel.scrollTop = 0;
  };
  store.onChange(update);
  update();
  const side = el("section", { class: "side", "aria-label": "Findings" }, filters, list.element);
  const main = el("main", {}, side, el("section", { class: "right", "aria-label": "Picture" }, view, panel));
  const paper: Paper = { viewer: null };
  document.body.append(
    main,
    printing(store, lengths, (finding) => picture(finding.index), paper),
  );
  listen(store, list, search);
  addEventListener("beforeunload", (event) => store.review.isUnsaved && event.preventDefault());
  return { store, list, view, paper };
}

const MODES: [Mode, string][] = [
  ["section", "Section"],
  ["xray", "X-ray"],
  ["whole", "Whole model"],
  ["heat", "Heat map"],
];

function modes(store: Store): HTMLElement {
  const { heat } = store.report.body;
  const buttons = MODES.filter(([mode]) => heat || mode !== "heat").map(([mode, text]) => ({
    mode,
    made: button(text, () => store.show(mode), { title: `Key ${mode[0]}` }),
  }));
  const update = () => {
    for (const { mode, made } of buttons) {
      made.setAttribute("aria-pressed", String(store.mode === mode));
      made.disabled = !store.canShow(mode);
    }
  };
  store.onChange(update);
  update();
  return el(
    "div",
    { class: "modes", role: "group", "aria-label": "Ways to see it" },
    ...buttons.map(({ made }) => made),
  );
}

function steps(list: List): HTMLElement {
  const up = button("↑", () => list.step(-1), { "aria-label": "Previous finding", title: "Key k" });
  return el(
    "div",
    { class: "steps" },
    up,
    button("↓", () => list.step(1), { "aria-label": "Next finding", title: "Key j" }),
  );
}

function back(store: Store): HTMLElement {
  return button("‹ Issues", () => store.select(null), { class: "back" });
}

/** Makes the legend of the colours. */
function legend(store: Store, lengths: Lengths): HTMLElement {
  const element = el("div", { class: "legend" });
  const update = () => {
    const { selected } = store;
    const isHeat = store.mode === "heat";
    element.classList.toggle("of-heat", isHeat);
    element.hidden = !selected && !isHeat;
    if (isHeat) return element.replaceChildren(...bands(store, lengths));
    if (!selected) return;
    const items = selected.parts.map(({ short }, i) => swatch(i === 0 ? "a" : "b", inOne(short)));
    const isShared = selected.kind === "overlap" && store.mode !== "whole";
    element.replaceChildren(...items, ...(isShared ? [swatch("shared", "overlap")] : []));
  };
  store.onChange(update);
  update();
  return element;
}

/** Returns the legend of a heat map: whose distances they are, and the lengths of its bands. */
function bands({ report }: Store, lengths: Lengths): HTMLElement[] {
  const { part, other, clearance } = report.body.heat!;
  const name = (id: number) => inOne(report.parts[id].short).slice(0, 60);
  const [once, twice] = [lengths.one(clearance), lengths.one(2 * clearance)];
  return [
    el("b", {}, `${name(part)} from ${other === null ? "all others" : name(other)}`),
    swatch("a", `closer than ${once}`),
    swatch("shared", `up to ${twice}`),
    swatch("beyond", "beyond"),
  ];
}

function swatch(kind: string, text: string): HTMLElement {
  return el("span", {}, el("i", { class: `swatch ${kind}`, "aria-hidden": "true" }), text.slice(0, 60));
}

/** Returns the buttons on the right of the head; they work once there are findings. */
export function actions(found: () => Page | null, unit: string | null): HTMLElement[] {
  const review = button(
    "Save review",
    () => {
      const page = found();
      if (!page) return;
      download("review.json", new Blob([page.store.review.file()], { type: "application/json" }));
      page.store.review.isUnsaved = false;
    },
    { title: "Drop a saved review onto the page to go on with it" },
  );
  const table = button(
    "Export CSV",
    () => {
      const page = found();
      if (page)
        download(
          "findings.csv",
          new Blob([csvOf(page.list.listed.findings, page.store.review, unit)], { type: "text/csv" }),
        );
    },
    { title: "The findings that are listed" },
  );
  return [review, table];
}
