/** The lines of the list: which findings match the filters, in which order, under which issues. */

import type { Finding, Issue } from "../data/report";
import type { Filters, Store } from "../store";

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
  const { order, orders } = store;
  const findings = orders.by(order === "issue" ? "depth" : order).filter(filterOf(store));
  if (order === "issue") return byIssue(store, findings);
  return {
    findings,
    issues: new Set(findings.map(({ issue }) => issue)).size,
    entries: findings.map((finding) => ({ kind: "finding", finding, level: 1 })),
  };
}

/** Lists issues, the worst first; an issue with one finding is that finding. */
function byIssue({ report, open }: Store, worstFirst: Finding[]): Listed {
  const members = new Map<Issue, Finding[]>();
  for (const finding of worstFirst) {
    const known = members.get(finding.issue);
    if (known) known.push(finding);
    else members.set(finding.issue, [finding]);
  }
  const [findings, entries]: [Finding[], Entry[]] = [[], []];
  for (const issue of report.issues) {
    const matching = members.get(issue);
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

/** Returns a test of whether a finding passes all filters. */
function filterOf({ filters, review }: Pick<Store, "filters" | "review">): (finding: Finding) => boolean {
  const { verdicts, text, type, status, model, storey }: Filters = filters;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (finding) => {
    const [a, b] = finding.parts;
    return (
      verdicts.has(finding.verdict) &&
      (!type || a.type === type || b.type === type) &&
      (!model || models(finding) === model) &&
      (!storey || a.storey === storey || b.storey === storey) &&
      (!status ||
        (status === "accepted" ? finding.accepted === status : review.of(finding).status === status)) &&
      words.every((word) => finding.searched.includes(word))
    );
  };
}

/** Returns the models of a finding, in a fixed order. */
export function models({ parts: [a, b] }: Finding): string {
  return a.model <= b.model ? `${a.model} and ${b.model}` : `${b.model} and ${a.model}`;
}
