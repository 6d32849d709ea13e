/** The search, the filters and the order above the list. */

import { el } from "../dom";
import type { List } from "../list/list";
import { models } from "../list/entries";
import { count, counted } from "../numbers";
import { STATUSES } from "../review";
import { hasIssues, type Order, type Store } from "../store";
import { WORDS } from "../words";
import { VERDICTS } from "../data/document";

/** The largest number of types that a choice lists. */
const MOST_CHOICES = 200;

/** Makes the controls above a list. */
export function filterControls(store: Store, list: List): { element: HTMLElement; search: HTMLInputElement } {
  const { findings } = store.report;
  const types = sorted(findings.flatMap(({ parts }) => parts.map(({ type }) => type ?? "")));
  const pairsOfModels = sorted(findings.map(models));
  const storeys = sorted(findings.flatMap(({ parts }) => parts.map(({ storey }) => storey ?? "")));
  const search = el("input", {
    type: "search",
    placeholder: "Search names, types, ids",
    "aria-label": "Search names, types, ids",
    input: () => store.change(({ filters }) => (filters.text = search.value)),
  });
  const order = choice(
    "Order",
    hasIssues(store.report) ? [["issue", "By issue"], ...ORDERS] : ORDERS,
    (value) => store.change((store) => (store.order = value as Order)),
  );
  const controls = [search, order];
  if (types.length > 1) {
    controls.push(
      choice("Type", anyOf("Any type", types), (type) =>
        store.change(({ filters }) => (filters.type = type)),
      ),
    );
  }
  const statuses = [...STATUSES, ...(findings.some(({ accepted }) => accepted) ? ["accepted"] : [])];
  controls.push(
    choice("Status", anyOf("Any status", statuses), (status) =>
      store.change(({ filters }) => (filters.status = status)),
    ),
  );
  if (pairsOfModels.length > 1) {
    controls.push(
      choice("Models", anyOf("Any models", pairsOfModels), (model) =>
        store.change(({ filters }) => (filters.model = model)),
      ),
    );
  }
  if (storeys.length > 1) {
    controls.push(
      choice("Storey", anyOf("Any storey", storeys), (storey) =>
        store.change(({ filters }) => (filters.storey = storey)),
      ),
    );
  }
  const tally = el("p", { class: "tally muted", role: "status" });
  const update = () => tally.replaceChildren(tallyOf(store, list));
  store.onChange(update);
  update();
  return { element: el("div", { class: "filters" }, ...controls, tally), search };
}

const ORDERS: [string, string][] = [
  ["depth", "Worst first"],
  ["name", "By name"],
  ["type", "By type"],
];

function anyOf(all: string, values: string[]): [string, string][] {
  return [["", all], ...values.slice(0, MOST_CHOICES).map((value): [string, string] => [value, value])];
}

function sorted(values: string[]): string[] {
  return [...new Set(values)].filter(Boolean).sort();
}

function choice(label: string, options: [string, string][], chosen: (value: string) => void): HTMLElement {
  const select = el("select", { "aria-label": label, change: () => chosen(select.value) });
  select.append(...options.map(([value, text]) => el("option", { value }, text.slice(0, 80))));
  return select;
}

function tallyOf({ report, filters }: Store, { listed }: List): string {
  const issues = hasIssues(report) ? ` in ${counted(listed.issues, "issue")}` : "";
  const shown = `${count(listed.findings.length)} of ${counted(report.findings.length, "finding")}${issues}`;
  const hidden = VERDICTS.filter((verdict) => report.head.counts[verdict] && !filters.verdicts.has(verdict));
  const told = hidden.map(
    (verdict) => `${count(report.head.counts[verdict] ?? 0)} ${WORDS[verdict].many} hidden`,
  );
  return [shown, ...told].join(" · ");
}
