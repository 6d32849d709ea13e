/** Findings in words. */

import { excludedOf, type Head, type Verdict } from "./data/document";
import type { Finding } from "./data/report";
import { counted, type Lengths, type Times } from "./numbers";

interface VerdictWords {
  /** One finding, as a heading. */
  one: string;
  /** Several findings, under their number. */
  many: string;
}

export const WORDS: Record<Verdict, VerdictWords> = {
  clash: { one: "Clash", many: "clashes" },
  meets: { one: "Meets", many: "meet" },
  undecided: { one: "Undecided", many: "undecided" },
  clearance: { one: "Too near", many: "too near" },
  contact: { one: "Contact", many: "contacts" },
};

/** Splits the label of a finding into a number and its unit; a label of words has no unit. */
export function valueOf(
  { label, verdict, contact }: Finding,
  times: Times,
): { text: string; unit: string } {
  if (verdict === "undecided") return { text: "Not decided", unit: "" };
  if (contact) return { text: times.digits(...contact), unit: times.unit };
  const [, text, unit] = /^([\d.,–\u2009\u202f-]+) ?(mm|cm|m|in|ft)?$/.exec(label) ?? [];
  if (!text) return { text: label.charAt(0).toUpperCase() + label.slice(1), unit: "" };
  return { text, unit: [unit, verdict === "clearance" ? "apart" : "deep"].filter(Boolean).join(" ") };
}

/** Returns the text of a finding in a list. */
export function shortOf({ label, verdict, contact }: Finding): string {
  if (verdict === "undecided") return "?";
  return contact ? label.replace(/^(contact at|pressed) /, "") : label;
}

/** Returns one sentence about a finding. */
export function sentenceOf(
  finding: Finding,
  lengths: Lengths,
  times: Times,
  isSweep: boolean,
): string {
  const { verdict, how, size, contact, pressed } = finding;
  const [a, b] = finding.parts.map(({ short }) => short.family);
  if (verdict === "undecided") return "Whether these parts clash could not be decided.";
  if (how === "duplicate") return "The two parts fill the same space.";
  if (how === "a in b") return `${a} lies inside ${b}.`;
  if (how === "b in a") return `${b} lies inside ${a}.`;
  if (how === "crossing") return "Their open surfaces pass through each other.";
  if (pressed && pressed[0] > 0 && verdict === "clash") {
    const [atLeast, atMost, at] = pressed;
    return `They are in contact from the start, and pressed ${lengths.range(atLeast, atMost)} deep at ${times.one(at)}.`;
  }
  if (contact)
    return contact[0] < contact[1]
      ? `They come into contact within ${times.range(...contact)}.`
      : `They are in contact at ${times.range(...contact)}.`;
  if (verdict === "contact")
    return isSweep ? "They touch from the start." : "They touch, and do not overlap.";
  if (verdict === "meets") return "Their surfaces meet. How deep was not asked.";
  if (verdict === "clash" && isSweep) return "They are in contact from the start.";
  if (!size) return "";
  const length = lengths.range(...size);
  if (verdict === "clearance") return `The smallest distance between them is ${length}.`;
  return `The two solids overlap; the deepest point lies ${length} inside.`;
}

/** Returns where a finding is: its coordinates, rounded; nothing if it has no place. */
export function placeOf({ at }: Finding, lengths: Lengths): string | null {
  const coordinates = at?.map((x, axis) => `${"xyz"[axis]} ${lengths.digits(x, x)}`);
  return coordinates ? [coordinates.join(", "), lengths.name].filter(Boolean).join(" ") : null;
}

/** Returns why something is not known, with names in place of `a` and `b`. */
export function whyOf({ why, parts: [a, b] }: Finding): string | null {
  return why && why.replace(/^a\b/, a.short.family).replace(/^b\b/, b.short.family);
}

/** Returns what a report without findings says: that all pairs are apart, or how many of them were not checked. */
export function allClear({ ledger }: Head): string {
  const left = excludedOf(ledger);
  if (left === 0) return "Every pair of parts was found apart.";
  const checked = counted(ledger.pairs - left, "checked pair");
  return `Nothing was found in ${checked}; ${counted(left, "pair was", "pairs were")} excluded.`;
}

/** Returns how many triangles meet in a finding; nothing if none do. */
export function meetingOf({ contacts }: Finding): string {
  return contacts > 0 ? `${counted(contacts, "pair")} of triangles meet` : "";
}

/** Returns how a finding was proven, in full. */
export function proofOf(finding: Finding, lengths: Lengths, times: Times): string {
  const [after, before] = finding.contact ?? [];
  const contact =
    after !== undefined &&
    before !== undefined &&
    after !== before &&
    `Apart until ${times.proven(after)}, together at ${times.proven(before)}`;
  const pressed = finding.pressed && `Pressed: ${lengths.proven([finding.pressed[0], finding.pressed[1]])}`;
  const size = finding.verdict !== "undecided" && finding.size && `Proven: ${lengths.proven(finding.size)}`;
  return [finding.contact ? contact : size, pressed, meetingOf(finding)].filter(Boolean).join(" · ");
}

/** Returns the title of an issue with the part that its findings share, and what that part meets. */
export function issueWords({ findings }: { findings: Finding[] }): {
  host: string;
  number: string;
  others: string;
} {
  const [first] = findings;
  const isShared = (side: number) => findings.every(({ parts }) => parts.includes(first.parts[side]));
  const host = first.parts[isShared(0) ? 0 : isShared(1) ? 1 : 0];
  const families = new Set(
    findings
      .flatMap(({ parts }) => parts)
      .filter((part) => part !== host)
      .map(({ short }) => short.family),
  );
  const [other, ...more] = families;
  const others =
    more.length > 0 ? `with ${other} and ${counted(more.length, "other kind")}` : `with ${other}`;
  return { host: host.short.family, number: host.short.number, others };
}
