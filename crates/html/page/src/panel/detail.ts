/** The selected finding in words and numbers, and what people say about it. */

import { button, el } from "../dom";
import { icon } from "../icons";
import type { Finding, Part } from "../data/report";
import { inOne } from "../data/names";
import { counted, type Lengths } from "../numbers";
import { STATUSES, type Status } from "../review";
import type { Store } from "../store";
import { placeOf, proofOf, sentenceOf, valueOf, whyOf, WORDS } from "../words";

/** Returns the panel of a finding. */
export function detail(finding: Finding, store: Store, lengths: Lengths): HTMLElement[] {
  return [
    found(finding, store, lengths),
    ...finding.parts.map((part, i) => about(part, i === 0 ? "a" : "b")),
    review(finding, store),
  ];
}

function found(finding: Finding, store: Store, lengths: Lengths): HTMLElement {
  const { times } = store.report;
  const { text, unit } = valueOf(finding, times);
  const isSweep = store.report.head.command === "sweep";
  const panel = el(
    "section",
    { class: "found" },
    el("h2", { class: "kind muted" }, icon(finding.verdict), WORDS[finding.verdict].one),
    el("p", { class: "large" }, text, el("small", {}, unit && ` ${unit}`)),
    el("p", {}, sentenceOf(finding, lengths, times, isSweep)),
  );
  const why = whyOf(finding);
  if (why) panel.append(el("p", { class: "why" }, why));
  if (finding.accepted) panel.append(el("p", { class: "why" }, `Status: ${finding.accepted}`));
  const where = placeOf(finding, lengths);
  const rule = finding.rule && `Rule ${finding.rule}`;
  const facts = [where && `At ${where}`, rule].filter(Boolean).join(" · ");
  if (facts) panel.append(el("p", { class: "small muted of-place" }, facts));
  const proof = proofOf(finding, lengths, times);
  // All digits only for those who want them.
  if (proof)
    panel.append(
      el("details", { class: "small muted" }, el("summary", {}, "Exact values"), el("p", {}, proof)),
    );
  return panel;
}

function about(part: Part, side: "a" | "b"): HTMLElement {
  const heading = el(
    "h3",
    {},
    el("i", { class: `swatch ${side}`, "aria-hidden": "true" }),
    el("b", {}, part.short.family.slice(0, 200)),
  );
  heading.append(el("span", { class: "muted" }, ` ${part.short.number}`));
  const rows: [string, string | null][] = [
    ["name", part.name],
    ["type", part.type],
    ["file", part.file],
    ["guid", part.guid],
    ["storey", part.storey],
    ["path", part.guid ? null : part.path],
  ];
  const list = el("dl");
  for (const [label, text] of rows) {
    if (!text) continue;
    const shown = text.slice(0, 300);
    list.append(
      el("dt", { class: "muted" }, label),
      el("dd", { title: text.slice(0, 1000), class: `of-${label}` }, shown),
    );
  }
  return el("section", { class: "about" }, heading, list);
}

function review(finding: Finding, store: Store): HTMLElement {
  const said = store.review.of(finding);
  const isOfMany = finding.issue.findings.length > 1;
  const status = el(
    "select",
    { id: "status" },
    ...STATUSES.map((status) => el("option", { value: status, selected: status === said.status }, status)),
  );
  const comment = el(
    "textarea",
    { id: "comment", placeholder: "Kept in this page until you save the review" },
    said.comment ?? "",
  );
  const all = el("input", { type: "checkbox", id: "of-issue" });
  const say = () => {
    const now = { status: status.value as Status, comment: comment.value.trim() };
    store.change(({ review }) =>
      all.checked ? review.sayOfIssue(finding, now) : review.say(finding.key, now),
    );
  };
  for (const control of [status, comment, all]) control.addEventListener("change", say);
  const panel = el(
    "section",
    { class: "review" },
    el("label", { for: "status" }, "Status"),
    status,
    el("label", { for: "comment" }, "Comment"),
    comment,
  );
  if (isOfMany)
    panel.append(
      el(
        "label",
        { class: "of-issue" },
        all,
        ` for all ${counted(finding.issue.findings.length, "finding")} of the issue`,
      ),
    );
  panel.append(
    el(
      "p",
      { class: "copies" },
      copy("Copy ids", () => idsOf(finding)),
      // A page inside another one has no address.
      ...(location.protocol === "about:" ? [] : [copy("Copy link", () => linkTo(finding))]),
    ),
  );
  return panel;
}

function copy(label: string, text: () => string): HTMLButtonElement {
  const made = button(label, () => {
    navigator.clipboard.writeText(text()).then(
      () => {
        made.textContent = "Copied";
        setTimeout(() => (made.textContent = label), 1200);
      },
      () => prompt(label, text()),
    );
  });
  return made;
}

function idsOf({ parts, key }: Finding): string {
  return [...parts.map((part) => `${part.guid ?? part.path}\t${inOne(part.short)}`), key].join("\n");
}

function linkTo({ key }: Finding): string {
  return `${location.href.split("#")[0]}#pair=${key}`;
}
