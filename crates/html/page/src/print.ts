/** The page on paper: every listed finding with its picture, since a list of rows in sight would not do. */

import { el } from "./dom";
import type { Finding } from "./data/report";
import { listed } from "./list/entries";
import { counted, type Lengths } from "./numbers";
import type { Store } from "./store";
import { inOne } from "./data/names";
import { meetingOf, placeOf, sentenceOf, shortOf, whyOf, WORDS } from "./words";

/** The largest number of findings that are printed, and the number up to which they get pictures. */
const MOST = 500;
const PICTURES = 60;

/** What draws findings for paper, once there is a picture in 3D. */
export interface Paper {
  viewer: { numbered(findings: Finding[]): HTMLElement; stills(findings: Finding[]): HTMLElement[] } | null;
}

/** Writes the findings for paper before each print, and takes them away after it. */
export function printing(
  store: Store,
  lengths: Lengths,
  picture: (finding: Finding) => string | null,
  paper: Paper,
): HTMLElement {
  const sheet = el("div", { class: "sheet" });
  addEventListener("beforeprint", () => {
    const { findings } = listed(store);
    const printed = findings.slice(0, MOST);
    const seen = pictures(printed, picture, paper);
    const rows = printed.map((finding, at) => row(finding, at + 1, store, lengths, seen.get(finding)));
    // The browser's own date depends on the language of the machine.
    const today = new Date().toISOString().slice(0, 10);
    const overview = findings.length > 0 && paper.viewer?.numbered(printed);
    if (overview) rows.unshift(overview);
    rows.unshift(el("p", {}, `${counted(findings.length, "finding")}, printed ${today}`));
    const rest = findings.length - printed.length;
    if (rest > 0)
      rows.push(el("p", {}, `${counted(rest, "more finding")} ${rest === 1 ? "is" : "are"} in the page.`));
    sheet.replaceChildren(...rows);
  });
  addEventListener("afterprint", () => sheet.replaceChildren());
  return sheet;
}

/** Returns the pictures of findings: those that the page carries, and others drawn now. */
function pictures(
  findings: Finding[],
  picture: (finding: Finding) => string | null,
  { viewer }: Paper,
): Map<Finding, HTMLElement> {
  const carried = findings.flatMap((finding): [Finding, HTMLElement][] => {
    const source = picture(finding);
    return source ? [[finding, el("img", { src: source, alt: "" })]] : [];
  });
  const seen = new Map(carried);
  const others = findings.filter((finding) => !seen.has(finding)).slice(0, Math.max(0, PICTURES - seen.size));
  for (const [at, still] of (viewer?.stills(others) ?? []).entries()) seen.set(others[at], still);
  return seen;
}

function row(
  finding: Finding,
  number: number,
  { review, report: { times, head } }: Store,
  lengths: Lengths,
  picture: HTMLElement | undefined,
): HTMLElement {
  const { status, comment } = review.of(finding);
  const lines = [
    `${number}. ${WORDS[finding.verdict].one}: ${shortOf(finding)}`,
    ...finding.parts.map((part) =>
      [inOne(part.short), part.type, part.guid, part.storey].filter(Boolean).join(" · "),
    ),
    placeOf(finding, lengths),
    whyOf(finding),
    sentenceOf(finding, lengths, times, head.command === "sweep"),
    meetingOf(finding),
    finding.accepted ?? (status === "open" ? null : status),
    comment,
  ];
  const texts = lines
    .filter((line) => line)
    .map((line, i) => el(i === 0 ? "b" : "span", {}, (line as string).slice(0, 400)));
  const article = el("article", {}, el("div", {}, ...texts));
  if (picture) article.prepend(picture);
  return article;
}
