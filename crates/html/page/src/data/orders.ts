/** The orders of findings. Each is found once, from numbers: texts are compared once per part, not per finding. */

import { inOne } from "./names";
import { worstFirst } from "./rank";
import type { Finding, Part, Report } from "./report";

/** What findings can be ordered by. */
export type By = "depth" | "name" | "type";

/** The orders of all findings of a report, each from when it is first asked for. */
export class Orders {
  private readonly found = new Map<By, Finding[]>();

  constructor(private readonly report: Report) {}

  /** Returns all findings in an order; of those that are equal in it, the worst first. */
  by(what: By): Finding[] {
    const known = this.found.get(what) ?? ORDERS[what](this.report.findings);
    this.found.set(what, known);
    return known;
  }
}

const ORDERS: Record<By, (findings: Finding[]) => Finding[]> = {
  depth: (findings) => [...findings].sort(worstFirst),
  name: (findings) => byText(findings, ({ short }) => inOne(short)),
  type: (findings) => byText(findings, ({ type }) => type ?? ""),
};

/** Orders findings by a text of their first part, then of their second. */
function byText(findings: Finding[], of: (part: Part) => string): Finding[] {
  const texts = new Map(findings.flatMap(({ parts }) => parts).map((part) => [part, of(part)]));
  const sorted = [...new Set(texts.values())].sort();
  const places = new Map(sorted.map((text, place) => [text, place]));
  const placeOf = new Map([...texts].map(([part, text]) => [part, places.get(text)!]));
  const keys = new Float64Array(findings.length);
  for (const { index, parts } of findings) {
    keys[index] = placeOf.get(parts[0])! * sorted.length + placeOf.get(parts[1])!;
  }
  return [...findings].sort((p, q) => keys[p.index] - keys[q.index] || worstFirst(p, q));
}
