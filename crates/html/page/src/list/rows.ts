/** The rows of the list as elements. */

import { el } from "../dom";
import { icon } from "../icons";
import type { Finding, Part } from "../data/report";
import type { Said } from "../review";
import { issueWords, shortOf, WORDS } from "../words";
import type { Entry } from "./entries";

/** The heights of rows in pixels. */
export const HEIGHTS = { issue: 36, finding: 46 } as const;

/** What rows are made with. */
export interface RowContext {
  /** The largest depth of all findings. */
  deepest: number;
  said(finding: Finding): Said;
}

/** Returns the contents of a row. */
export function contents(entry: Entry, context: RowContext): Node[] {
  return entry.kind === "issue" ? issueContents(entry) : findingContents(entry.finding, context);
}

function issueContents({ findings, isOpen }: Extract<Entry, { kind: "issue" }>): Node[] {
  const { host, number, others } = issueWords({ findings });
  const title = el(
    "span",
    { class: "issue-title" },
    el("b", {}, host),
    ` ${number} `,
    el("span", { class: "muted" }, others),
  );
  return [
    el("span", { class: "fold", "aria-hidden": "true" }, isOpen ? "▾" : "▸"),
    title,
    el("span", { class: "times muted" }, `×${findings.length}`),
    el("span", { class: "issue-value" }, shortOf(findings[0])),
  ];
}

function findingContents(finding: Finding, context: RowContext): Node[] {
  const value = el("span", { class: "value" }, el("span", { class: "number" }, shortOf(finding)));
  if (finding.verdict === "clash" && finding.size && !finding.contact)
    value.append(bar(finding.size[0] / context.deepest));
  const tag = tagOf(finding, context.said(finding));
  if (tag) value.append(tag);
  else if (finding.verdict === "undecided") value.append(el("span", { class: "tag muted" }, "not decided"));
  return [
    icon(finding.verdict),
    el("span", { class: "unseen" }, `${WORDS[finding.verdict].one}: `),
    el("span", { class: "names" }, name(finding.parts[0], "a"), name(finding.parts[1], "b")),
    value,
  ];
}

function tagOf({ accepted }: Finding, { status }: Said): HTMLElement | null {
  if (accepted === "accepted") return el("span", { class: "tag good" }, "accepted");
  if (accepted) return el("span", { class: "tag bad" }, accepted);
  return status === "open" ? null : el("span", { class: "tag good" }, status);
}

function name({ short, name }: Part, side: "a" | "b"): HTMLElement {
  return el(
    "span",
    { class: `name ${side}`, title: name.slice(0, 500) },
    el("span", { class: "family" }, short.family.slice(0, 200)),
    el("span", { class: "part-number muted" }, short.number),
  );
}

function bar(share: number): HTMLElement {
  const bar = el("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", `${Math.round(100 * Math.min(1, share))}%`);
  return bar;
}
