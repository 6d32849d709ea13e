/** The list of issues and findings. Only the rows in sight are elements, so any number can be listed. */

import { el } from "../dom";
import type { Finding } from "../data/report";
import type { Store } from "../store";
import { allClear } from "../words";
import { listed, type Entry, type Listed } from "./entries";
import { contents, HEIGHTS, type RowContext } from "./rows";

/** Rows above and below those in sight. */
const MARGIN = 2;

export class List {
  readonly element: HTMLElement;
  listed: Listed;
  private readonly space = el("div", { class: "list-space", role: "none" });
  private readonly context: RowContext;
  private tops: number[] = [];
  private shown: Finding | null = null;

  constructor(private readonly store: Store) {
    const depths = store.report.findings
      .filter(({ verdict }) => verdict === "clash")
      .map(({ size }) => size?.[0] ?? 0);
    const deepest = depths.reduce((most, depth) => Math.max(most, depth), Number.MIN_VALUE);
    this.context = { deepest, said: (finding) => store.review.of(finding) };
    this.listed = listed(store);
    this.element = el(
      "div",
      { class: "list", role: "tree", tabindex: 0, "aria-label": "Findings" },
      this.space,
    );
    this.element.addEventListener("scroll", () => this.draw());
    this.element.addEventListener("click", ({ target }) => this.clicked(target as Element));
    new ResizeObserver(() => this.draw()).observe(this.element);
    store.onChange(() => this.update());
    this.update();
  }

  /** Selects the finding that comes a number of findings after the selected one. */
  step(by: number): void {
    const { findings } = this.listed;
    const at = findings.indexOf(this.store.selected as Finding);
    const next = at < 0 ? (by > 0 ? 0 : findings.length - 1) : at + by;
    if (findings[next]) this.store.select(findings[next]);
  }

  private update(): void {
    this.listed = listed(this.store);
    this.tops = [0];
    for (const { kind } of this.listed.entries) this.tops.push(this.tops.at(-1)! + HEIGHTS[kind]);
    this.space.style.height = `${this.tops.at(-1)}px`;
    if (this.store.selected !== this.shown) {
      this.shown = this.store.selected;
      this.reveal();
    }
    this.draw();
  }

  /** Scrolls as little as needed to show the selected finding. */
  private reveal(): void {
    const at = this.listed.entries.findIndex(
      (entry) => entry.kind === "finding" && entry.finding === this.shown,
    );
    if (at < 0) return;
    const [top, bottom, box] = [this.tops[at], this.tops[at + 1], this.element];
    if (top < box.scrollTop) box.scrollTop = Math.max(0, top - HEIGHTS.issue);
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
  }

  private draw(): void {
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, this.rowAt(scrollTop) - MARGIN);
    const last = Math.min(this.listed.entries.length, this.rowAt(scrollTop + clientHeight) + 1 + MARGIN);
    const rows = this.listed.entries.slice(first, last).map((entry, i) => this.row(entry, first + i));
    const empty = el("p", { class: "empty", role: "none" }, ...this.emptyText());
    this.space.replaceChildren(...(this.listed.entries.length > 0 ? rows : [empty]));
    const selected = rows.find((row) => row.getAttribute("aria-selected") === "true");
    if (selected) this.element.setAttribute("aria-activedescendant", selected.id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  private emptyText(): Node[] {
    const { findings, head } = this.store.report;
    const [title, hint] =
      findings.length > 0
        ? ["Nothing matches these filters", "Clear the search or show more verdicts above."]
        : [allClear(head), ""];
    return [el("b", {}, title), el("br"), document.createTextNode(hint)];
  }

  /** Returns the row at a height, by halving. */
  private rowAt(height: number): number {
    let [low, high] = [0, this.listed.entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tops[middle + 1] <= height) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private row(entry: Entry, index: number): HTMLElement {
    const isIssue = entry.kind === "issue";
    const isSelected = !isIssue && entry.finding === this.store.selected;
    const isAccepted = !isIssue && entry.finding.accepted === "accepted";
    const level = isIssue ? 1 : entry.level;
    const row = el(
      "div",
      {
        id: `row-${index}`,
        class: `row ${entry.kind} level-${level}${isAccepted ? " accepted" : ""}`,
        role: "treeitem",
        "aria-level": level,
        "aria-setsize": this.listed.entries.length,
        "aria-posinset": index + 1,
        "aria-expanded": isIssue && String(entry.isOpen),
        "aria-selected": String(isSelected),
        "data-row": index,
      },
      ...contents(entry, this.context),
    );
    row.style.top = `${this.tops[index]}px`;
    return row;
  }

  private clicked(target: Element): void {
    const row = target.closest<HTMLElement>("[data-row]");
    const entry = row && this.listed.entries[Number(row.dataset.row)];
    if (entry?.kind === "finding") this.store.select(entry.finding);
    if (entry?.kind === "issue") this.toggle(entry.issue);
  }

  private toggle(issue: Finding["issue"]): void {
    this.store.change(({ open }) => {
      if (!open.delete(issue)) open.add(issue);
    });
  }
}
