/** The order of findings by how bad they are, found once. */

import { VERDICTS } from "./document";
import type { Finding } from "./report";

/** Gives each finding its rank, as the program's table does: the worst verdict first, then the deepest, the first or
 * the nearest, and last the findings whose size is not known. */
export function rank(findings: Finding[]): void {
  const keys = new Map(
    findings.map((finding) => [finding, [VERDICTS.indexOf(finding.verdict), -magnitude(finding)]]),
  );
  const ordered = [...findings].sort((p, q) => {
    const [[verdict, size], [other, otherSize]] = [keys.get(p)!, keys.get(q)!];
    return verdict - other || (size === otherSize ? (p.key < q.key ? -1 : 1) : size - otherSize);
  });
  for (const [rank, finding] of ordered.entries()) finding.rank = rank;
}

/** Orders findings, the worst first. */
export function worstFirst(p: Finding, q: Finding): number {
  return p.rank - q.rank;
}

/** Returns how bad a finding is among those with its verdict. */
function magnitude({ size, kind, contact }: Finding): number {
  if (contact) return -contact[1];
  if (!size) return -Infinity;
  return kind === "gap" ? -size[1] : size[0];
}
