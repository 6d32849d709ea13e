/** The lines of the list: which findings match the filters, in which order, under which issues. */

import type { Finding, Issue } from "../data/report";
import { inOne } from "../data/names";
import { worstFirst } from "../data/rank";
import type { Filters, Order, Store } from "../store";

/** A line of the list. */
export type Entry =
  | { kind: "issue"; issue: Issue; findings: Finding[]; isOpen: boolean }
  | { kind: "finding"; finding: Finding; level: 1 | 2 };

/** The findings that match, and the lines that show them. */
export interface Listed {
  findings: Finding[];
  issues: number;
  entries: Entry[];
}

/** Returns what the list shows. */
export function listed(store: Store): Listed {
  const findings = store.report.findings.filter((finding) => matches(finding, store));
  const issues = new Map<Issue, Finding[]>();
  for (const finding of findings) {
    const members = issues.get(finding.issue);
    if (members) members.push(finding);
    else issues.set(finding.issue, [finding]);
  }
  if (store.order === "issue") return byIssue(store, issues);
  ORDERS[store.order](findings);
  return {
    findings,
    issues: issues.size,
    entries: findings.map((finding) => ({ kind: "finding", finding, level: 1 })),
  };
}

/** Lists issues, the worst first; an issue with one finding is that finding. */
function byIssue({ report, open }: Store, members: Map<Issue, Finding[]>): Listed {
  const [findings, entries]: [Finding[], Entry[]] = [[], []];
  for (const issue of report.issues) {
    const matching = members.get(issue)?.sort(worstFirst);
    if (!matching) continue;
    findings.push(...matching);
    if (matching.length === 1) {
      entries.push({ kind: "finding", finding: matching[0], level: 1 });
      continue;
    }
    const isOpen = open.has(issue);
    entries.push({ kind: "issue", issue, findings: matching, isOpen });
    if (isOpen) entries.push(...matching.map((finding): Entry => ({ kind: "finding", finding, level: 2 })));
  }
  return { findings, issues: members.size, entries };
}

/** True if a finding passes all filters. */
export function matches(finding: Finding, { filters, review }: Pick<Store, "filters" | "review">): boolean {
  const { verdicts, text, type, status, model }: Filters = filters;
  const [a, b] = finding.parts;
  return (
    verdicts.has(finding.verdict) &&
    (!type || a.type === type || b.type === type) &&
    (!model || models(finding) === model) &&
    (!status ||
      (status === "accepted" ? finding.accepted === status : review.of(finding).status === status)) &&
    text
      .toLowerCase()
      .split(/\s+/)
      .every((word) => finding.searched.includes(word))
  );
}

/** Returns the models of a finding, in a fixed order. */
export function models({ parts: [a, b] }: Finding): string {
  return a.model <= b.model ? `${a.model} and ${b.model}` : `${b.model} and ${a.model}`;
}

/** Orders findings by a text of each, which is made once. */
function byText(findings: Finding[], of: (finding: Finding) => string): void {
  const texts = new Map(findings.map((finding) => [finding, of(finding)]));
  findings.sort((p, q) => {
    const [a, b] = [texts.get(p)!, texts.get(q)!];
    return a < b ? -1 : a > b ? 1 : worstFirst(p, q);
  });
}

const ORDERS: Record<Exclude<Order, "issue">, (findings: Finding[]) => void> = {
  depth: (findings) => findings.sort(worstFirst),
  name: (findings) => byText(findings, ({ parts }) => parts.map(({ short }) => inOne(short)).join("\n")),
  type: (findings) => byText(findings, ({ parts }) => parts.map(({ type }) => type ?? "").join("\n")),
};
