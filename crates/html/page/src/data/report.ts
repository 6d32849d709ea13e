/** Findings, parts and issues, as the page works with them. */

import type { Body, Head, Kind, Point, Verdict, ViewRow } from "./document";
import { shortName, type ShortName } from "./names";
import { Times } from "../numbers";
import { rank } from "./rank";

/** A part of the scene. */
export interface Part {
  id: number;
  name: string;
  short: ShortName;
  type: string | null;
  guid: string | null;
  model: string;
  file: string;
  path: string;
  storey: string | null;
}

/** A finding: a pair of parts that is not clear. */
export interface Finding {
  index: number;
  /** Its place among all findings, the worst first. */
  rank: number;
  key: string;
  parts: [Part, Part];
  issue: Issue;
  verdict: Verdict;
  kind: Kind;
  label: string;
  size: [number, number] | null;
  contacts: number;
  how: string | null;
  why: string | null;
  rule: string | null;
  accepted: string | null;
  at: Point | null;
  bounds: [Point, Point] | null;
  measure: [Point, Point] | null;
  view: ViewRow | null;
  time: number | null;
  contact: [number, number] | null;
  /** The stretches of contact and those of nearness, if they are known. */
  intervals: [contact: [number, number][], near: [number, number][]] | null;
  pressed: [number, number, number] | null;
  /** All that can be searched, in lower case. */
  searched: string;
}

/** Findings that a person treats as one. */
export interface Issue {
  key: string;
  title: string;
  findings: Finding[];
}

export interface Report {
  head: Head;
  body: Body;
  parts: Part[];
  findings: Finding[];
  issues: Issue[];
  /** The meaning of the times of a sweep. */
  times: Times;
}

/** Joins the columns of a document to rows. */
export function reportOf(head: Head, body: Body): Report {
  const parts = partsOf(body);
  const times = new Times(head.settings.joint, head.unit);
  const issues: Issue[] = body.groups.map(({ key, title }) => ({ key, title, findings: [] }));
  const issueOf = new Map(body.groups.flatMap((group, i) => group.pairs.map((pair) => [pair, issues[i]])));
  const views = new Map(body.views.map((view) => [view.pair, view]));
  const findings = body.pairs.key.map((key, index): Finding => {
    const { pairs } = body;
    const sides: [Part, Part] = [parts[pairs.a[index]], parts[pairs.b[index]]];
    let issue = issueOf.get(index);
    if (!issue) issues.push((issue = { key, title: "", findings: [] }));
    return {
      index,
      rank: index,
      key,
      parts: sides,
      issue,
      verdict: pairs.verdict[index],
      kind: pairs.kind[index],
      label: labelOf(body, index, times),
      size: pairs.size[index],
      contacts: pairs.contacts[index],
      how: pairs.how[index],
      why: pairs.why[index],
      rule: pairs.rule[index],
      accepted: pairs.status[index],
      at: placeOf(body, index),
      bounds: pairs.bounds[index],
      measure: pairs.measure[index],
      view: views.get(index) ?? null,
      time: pairs.time?.[index] ?? null,
      contact: pairs.contact?.[index] ?? null,
      intervals: pairs.intervals?.[index] ?? null,
      pressed: pairs.pressed?.[index] ?? null,
      searched: sides.map(searchedOf).join("\n") + `\n${key}`,
    };
  });
  for (const group of body.groups.keys()) {
    issues[group].findings = body.groups[group].pairs.map((pair) => findings[pair]);
  }
  for (const finding of findings) {
    if (finding.issue.findings.length === 0) finding.issue.findings.push(finding);
  }
  rank(findings);
  return { head, body, parts, findings, issues, times };
}

/** Returns the label of a pair, whose time is in seconds, in the unit of the times. */
function labelOf({ pairs }: Body, index: number, times: Times): string {
  const label = pairs.label[index].replace(" to ", "–");
  const [contact, pressed] = [pairs.contact?.[index], pairs.pressed?.[index]];
  const time = label.startsWith("pressed ") ? pressed?.[2] : contact?.[1];
  return time === undefined ? label : label.replace(/ at [^ ]+ s$/, ` at ${times.one(time)}`);
}

/** Returns the place of a pair: the deepest point or the middle of a gap, unless another one is given. */
function placeOf({ pairs, middle }: Body, index: number): Point | null {
  const [measure, kind] = [pairs.measure[index], pairs.kind[index]];
  if (pairs.at[index] || !measure || kind === "meeting") return pairs.at[index];
  const [p, q] = kind === "overlap" ? [measure[0], measure[0]] : measure;
  return middle.map((m, k) => m + 0.5 * p[k] + 0.5 * q[k]) as Point;
}

function partsOf({ parts }: Body): Part[] {
  return parts.name.map((name, id) => ({
    id,
    name,
    short: shortName(name),
    type: parts.type[id],
    guid: parts.guid[id],
    model: parts.model[id],
    file: parts.file[id],
    path: parts.path[id],
    storey: parts.storey[id],
  }));
}

function searchedOf(part: Part): string {
  return [part.name, part.type, part.guid, part.storey, part.model].filter(Boolean).join("\n").toLowerCase();
}
