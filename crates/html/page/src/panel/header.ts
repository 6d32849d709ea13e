/** The head of the page: what was checked, the verdicts as filters, and the ledger in one sentence. */

import { excludedOf, VERDICTS, type Head, type RuleRow, type Verdict } from "../data/document";
import { button, el } from "../dom";
import { icon } from "../icons";
import { count, counted, Times, type Lengths } from "../numbers";
import type { Store } from "../store";
import { WORDS } from "../words";

/** Makes the head. Actions are the buttons on the right. */
export function header(
  head: Head,
  lengths: Lengths,
  actions: HTMLElement[],
): { element: HTMLElement; verdicts: HTMLElement } {
  const verdicts = el("div", { class: "verdicts", role: "group", "aria-label": "Verdicts shown" });
  const title = el(
    "div",
    { class: "title" },
    el("h1", {}, head.title),
    el("p", { class: "muted" }, facts(head, lengths)),
  );
  const first = el(
    "div",
    { class: "head-row" },
    title,
    verdicts,
    el("div", { class: "actions" }, ...actions),
  );
  const element = el("header", {}, first, accounted(head, lengths));
  for (const line of notes(head)) element.append(line);
  return { element, verdicts };
}

function facts({ parts, triangles, settings, command, unit }: Head, lengths: Lengths): string {
  const { clearance, tolerance, at, from = 0, to = 0, joint } = settings;
  const times = new Times(joint, unit);
  return [
    `${counted(parts, "part")}, ${counted(triangles, "triangle")}`,
    command === "sweep" && `${joint ? `${joint.name} ` : ""}from ${times.one(from)} to ${times.one(to)}`,
    at !== undefined && `at ${times.one(at)}`,
    clearance > 0 && `clearance ${lengths.one(clearance)}`,
    `tolerance ${lengths.one(tolerance)}`,
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Returns the sentence that accounts for every pair. */
function accounted({ ledger, settings: { precision } }: Head, lengths: Lengths): HTMLElement {
  const { pairs, excluded, apart, decided, undecided } = ledger;
  const left = excludedOf(ledger);
  const be = (number: number) =>
    `${number === 0 ? "none" : count(number)} ${number === 1 || number === 0 ? "was" : "were"}`;
  const reasons = Object.entries(excluded).map(([reason, number]) => `${reason} ${count(number)}`);
  const why =
    reasons.length > 0 ? ` (${reasons.slice(0, 4).join(", ")}${reasons.length > 4 ? ", …" : ""})` : "";
  const how = precision === undefined ? "exactly" : `to within ${lengths.one(precision)}`;
  const open = undecided === 0 ? "none was left undecided" : `${count(undecided)} could not be decided`;
  return el(
    "p",
    { class: "ledger muted" },
    pairs === 1 ? "The only pair is accounted for: " : "Every one of ",
    ...(pairs === 1 ? [] : [el("b", {}, `${count(pairs)} pairs`), " is accounted for: "]),
    `${count(apart)} ${apart === 1 ? "is" : "are"} apart, ${be(decided)} decided ${how}, ${be(left)} excluded${why}, ${open}.`,
  );
}

/** Returns lines on rules, claims, and what the page leaves out. */
function notes({ rules, claims, left_out }: Head): HTMLElement[] {
  const lines: HTMLElement[] = [];
  const parts: string[] = [];
  if (rules.length > 0) lines.push(rulesTable(rules));
  if (claims.length > 0) {
    const states = new Map<string, number>();
    for (const { state } of claims) states.set(state, (states.get(state) ?? 0) + 1);
    const failing = claims.filter(({ state }) => state !== "holds").map(({ id }) => id);
    const told = [...states].map(([state, number]) => `${count(number)} ${state}`).join(", ");
    parts.push(
      `${counted(claims.length, "claim")}: ${told}${failing.length > 0 ? ` (${failing.join(", ")})` : ""}`,
    );
  }
  if (parts.length > 0) lines.push(el("p", { class: "ledger muted" }, `${parts.join(" · ")}.`));
  if (left_out.length > 0) lines.push(el("p", { class: "banner", role: "note" }, left_out.join(" ")));
  return lines;
}

/** Returns the rules as a table below their number, which opens and closes it. */
function rulesTable(rules: RuleRow[]): HTMLElement {
  const clashes = rules.reduce((sum, { clash }) => sum + clash, 0);
  const row = (tag: "th" | "td", cells: string[]) => el("tr", {}, ...cells.map((cell) => el(tag, {}, cell)));
  const rows = rules.map(({ id, pairs, clash }) => row("td", [id.slice(0, 100), count(pairs), count(clash)]));
  return el(
    "details",
    { class: "ledger muted" },
    el("summary", {}, `${counted(rules.length, "rule")}, ${counted(clashes, "clash", "clashes")}`),
    el("table", { class: "rules" }, row("th", ["rule", "pairs", "clashes"]), ...rows),
  );
}

/** Fills in the buttons of the verdicts, which show and hide findings. */
export function verdictButtons(element: HTMLElement, head: Head, store: Store): void {
  const buttons = VERDICTS.filter((verdict) => head.counts[verdict] !== undefined).map((verdict) => {
    const made = button("", () => toggle(store, verdict), { class: "verdict" });
    const words = WORDS[verdict];
    const number = head.counts[verdict] ?? 0;
    const word = number === 1 ? words.one.toLowerCase() : words.many;
    made.append(icon(verdict), el("span", {}, el("b", {}, count(number)), el("small", {}, word)));
    return { verdict, made };
  });
  const update = () => {
    for (const { verdict, made } of buttons)
      made.setAttribute("aria-pressed", String(store.filters.verdicts.has(verdict)));
  };
  element.replaceChildren(...buttons.map(({ made }) => made));
  store.onChange(update);
  update();
}

function toggle(store: Store, verdict: Verdict): void {
  store.change(({ filters: { verdicts } }) => {
    if (!verdicts.delete(verdict)) verdicts.add(verdict);
  });
}
