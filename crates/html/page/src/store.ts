/** What the person at the page has chosen: filters, an order, a finding, a way to see it, and a review. */

import type { Mode, Verdict } from "./data/document";
import { Orders, type By } from "./data/orders";
import type { Finding, Issue, Report } from "./data/report";
import { Review } from "./review";

export type Order = "issue" | By;

/** Everything that decides which findings are listed. */
export interface Filters {
  verdicts: Set<Verdict>;
  text: string;
  type: string;
  status: string;
  model: string;
  storey: string;
}

/** The state of the page, and those who want to know of its changes. */
export class Store {
  readonly filters: Filters;
  readonly open = new Set<Issue>();
  readonly review = new Review();
  readonly orders: Orders;
  order: Order;
  selected: Finding | null = null;
  mode: Mode = "whole";
  private readonly listeners: (() => void)[] = [];

  constructor(readonly report: Report) {
    const { counts } = report.head;
    this.orders = new Orders(report);
    if (report.body.review) this.review.read(JSON.stringify(report.body.review));
    this.order = hasIssues(report) ? "issue" : "depth";
    const verdicts = (Object.keys(counts) as Verdict[]).filter((verdict) => verdict !== "contact");
    this.filters = { verdicts: new Set(verdicts), text: "", type: "", status: "", model: "", storey: "" };
    // If all that was found are contacts, hiding them would leave nothing.
    if (verdicts.every((verdict) => !counts[verdict])) this.filters.verdicts.add("contact");
  }

  /** Calls a listener after each change. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Applies a change and tells of it. */
  change(apply: (store: Store) => void): void {
    apply(this);
    for (const listener of this.listeners) listener();
  }

  /** Selects a finding, seen as it is seen best; or nothing, which shows the whole model. */
  select(finding: Finding | null): void {
    this.change(() => {
      this.selected = finding;
      this.mode = finding ? bestMode(finding) : "whole";
      if (finding) this.open.add(finding.issue);
    });
  }

  /** Shows the selected finding, or the scene, in another way. */
  show(mode: Mode): void {
    if (this.canShow(mode)) this.change(() => (this.mode = mode));
  }

  /** True if there is something to show in a way. */
  canShow(mode: Mode): boolean {
    if (mode === "heat") return this.report.body.heat !== undefined;
    return this.selected !== null || mode === "whole";
  }
}

/** True if the findings are in groups. */
export function hasIssues({ body }: Report): boolean {
  return body.groups.length > 0;
}

/** Returns the way in which a finding is seen best: cut, if that shows how the parts lie. */
export function bestMode({ view, verdict, measure }: Finding): Mode {
  if (view) return view.mode;
  return measure && (verdict === "clash" || verdict === "clearance") ? "section" : "xray";
}
