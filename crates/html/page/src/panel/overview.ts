/** What is seen before a finding is chosen: how many there are, the worst, and the parts in most of them. */

import { el } from "../dom";
import type { Finding, Part, Report } from "../data/report";
import { excludedOf, VERDICTS } from "../data/document";
import { inOne } from "../data/names";
import { worstFirst } from "../data/rank";
import { count, counted } from "../numbers";
import { hasIssues, type Store } from "../store";
import { allClear, shortOf, WORDS } from "../words";

/** The number of lines of each table. */
const LINES = 5;

/** Returns the panel of the whole model; a part that is clicked is searched for. */
export function overview(store: Store, search: (text: string) => void): HTMLElement[] {
  const { findings, head } = store.report;
  const worst = VERDICTS.find((verdict) => head.counts[verdict]);
  if (!worst)
    return [
      el(
        "section",
        { class: "found" },
        el("h2", { class: "kind muted" }, "Overview"),
        el("p", { class: "large" }, excludedOf(head.ledger) === 0 ? "All clear" : "No findings"),
        el("p", {}, allClear(head)),
      ),
    ];
  const those = findings.filter(({ verdict }) => verdict === worst).sort(worstFirst);
  const panels = [summary(worst, those, store.report)];
  const heading = worst === "clash" ? (head.command === "sweep" ? "First" : "Deepest") : WORDS[worst].one;
  const lines = those
    .slice(0, LINES)
    .map((finding) =>
      line(finding.parts.map(({ short }) => inOne(short)).join(" – "), shortOf(finding), () =>
        store.select(finding),
      ),
    );
  panels.push(table(heading, lines));
  const most = partsInMost(those).map(([part, number]) =>
    line(
      inOne(part.short),
      `${count(number)} ${number === 1 ? WORDS[worst].one.toLowerCase() : WORDS[worst].many}`,
      () => search(part.name),
    ),
  );
  panels.push(table("Parts in most of them", most));
  return panels;
}

function summary(worst: (typeof VERDICTS)[number], those: Finding[], report: Report): HTMLElement {
  const issues = new Set(those.map(({ issue }) => issue)).size;
  const inIssues = hasIssues(report) ? `in ${counted(issues, "issue")}. ` : "";
  const word = those.length === 1 ? WORDS[worst].one.toLowerCase() : WORDS[worst].many;
  const heat = report.body.heat ? ", h heat map" : "";
  return el(
    "section",
    { class: "found" },
    el("h2", { class: "kind muted" }, "Overview"),
    el("p", { class: "large" }, count(those.length), el("small", {}, ` ${word}`)),
    el("p", {}, `${inIssues}Each dot is a finding; choose one here or in the list.`),
    el(
      "p",
      { class: "small muted keys" },
      `Keys: j and k next and previous, / search, s section, x x-ray, w whole model${heat}`,
    ),
  );
}

function partsInMost(findings: Finding[]): [Part, number][] {
  const counts = new Map<Part, number>();
  for (const part of findings.flatMap(({ parts }) => parts)) counts.set(part, (counts.get(part) ?? 0) + 1);
  return [...counts].sort(([p, m], [q, n]) => n - m || p.id - q.id).slice(0, LINES);
}

function table(heading: string, lines: HTMLElement[]): HTMLElement {
  return el("section", { class: "lines" }, el("h2", { class: "kind muted" }, heading), ...lines);
}

function line(text: string, value: string, click: () => void): HTMLElement {
  return el(
    "button",
    { type: "button", class: "line", click },
    el("span", {}, text.slice(0, 200)),
    el("b", {}, value),
  );
}
