/** The chosen files: which are scenes, on which side, and what else is there. */

import { button, el } from "../../../html/page/src/dom";
import { counted } from "../../../html/page/src/numbers";
import { nameOf } from "./files";
import type { Source } from "./messages";
import type { Role } from "./roles";

export type Side = 1 | 2;

/** What the list shows and changes. */
export interface Listing {
  roles: Map<Source, Role>;
  /** The side of each scene; null if all parts are checked with each other. */
  sides: Map<Source, Side> | null;
  setSide(source: Source, side: Side): void;
  remove(source: Source): void;
}

/** Returns the rows of scenes and rules, and a line about the others. */
export function fileList(listing: Listing): HTMLElement[] {
  const of = (wanted: Role) =>
    [...listing.roles].filter(([, role]) => role === wanted).map(([source]) => source);
  const rows = [...of("scene"), ...of("rules")].map((source) => row(source, listing));
  const others: [Source[], string, string][] = [
    [of("referred"), "file that scenes can refer to", "files that scenes can refer to"],
    [of("other"), "file that the check does not need", "files that the check does not need"],
  ];
  const lines = others
    .filter(([sources]) => sources.length > 0)
    .map(([sources, one, many]) =>
      el(
        "details",
        { class: "small muted others" },
        el("summary", {}, counted(sources.length, one, many)),
        el("ul", {}, ...sources.slice(0, MOST).map(({ path }) => el("li", {}, path))),
      ),
    );
  return [el("ul", { class: "files" }, ...rows), ...lines];
}

/** The largest number of other files that are named. */
const MOST = 200;

function row(source: Source, listing: Listing): HTMLElement {
  const { path, file } = source;
  const folder = path.slice(0, path.length - nameOf(path).length);
  const isRules = listing.roles.get(source) === "rules";
  const remove = button("✕", () => listing.remove(source), {
    class: "remove",
    "aria-label": `Remove ${path}`,
    title: "Remove",
  });
  return el(
    "li",
    {},
    el("span", { class: "file-name", title: path }, el("span", { class: "muted" }, folder), nameOf(path)),
    el("span", { class: "muted small size" }, isRules ? "rules" : sizeOf(file.size)),
    ...(listing.sides && !isRules ? [sideOf(source, listing)] : []),
    remove,
  );
}

function sideOf(source: Source, { sides, setSide }: Listing): HTMLElement {
  const side = (number: Side) =>
    button(`Side ${number}`, () => setSide(source, number), {
      "aria-pressed": String(sides?.get(source) === number),
      class: `side-${number}`,
    });
  return el(
    "span",
    { class: "sides", role: "group", "aria-label": `Side of ${nameOf(source.path)}` },
    side(1),
    side(2),
  );
}

/** Returns a number of bytes as people say it. */
export function sizeOf(bytes: number): string {
  if (bytes < 1000) return counted(bytes, "byte");
  const [value, unit] =
    bytes < 1e6 ? [bytes / 1e3, "kB"] : bytes < 1e9 ? [bytes / 1e6, "MB"] : [bytes / 1e9, "GB"];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
