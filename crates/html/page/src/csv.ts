/** The findings that are listed, as a table for spreadsheets. */

import type { Finding } from "./data/report";
import type { Review } from "./review";

const COLUMNS = [
  "key",
  "issue",
  "rule",
  "verdict",
  "status",
  "comment",
  "name_a",
  "name_b",
  "type_a",
  "type_b",
  "guid_a",
  "guid_b",
  "storey_a",
  "storey_b",
  "model_a",
  "model_b",
  "unit",
  "at_least",
  "at_most",
  "x",
  "y",
  "z",
];

/** Returns the text of a CSV file, for spreadsheets that expect a mark of UTF-8. */
export function csvOf(findings: Finding[], review: Review, unit: string | null): string {
  const rows = findings.map((finding) => cells(finding, review, unit));
  return "\ufeff" + [COLUMNS, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

function cells(finding: Finding, review: Review, unit: string | null): (string | number | null)[] {
  const [a, b] = finding.parts;
  const { status, comment } = review.of(finding);
  return [
    finding.key,
    finding.issue.title,
    finding.rule,
    finding.verdict,
    finding.accepted ?? status,
    comment ?? "",
    a.name,
    b.name,
    a.type,
    b.type,
    a.guid,
    b.guid,
    a.storey,
    b.storey,
    a.model,
    b.model,
    unit,
    finding.size?.[0] ?? null,
    finding.size?.[1] ?? null,
    ...(finding.at ?? [null, null, null]),
  ];
}

/** Returns a cell. Text that a spreadsheet would run as a formula gets an apostrophe in front. */
function cell(value: string | number | null): string {
  if (value === null || typeof value === "number") return String(value ?? "");
  const inert = /^[=+\-@\t\r＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
