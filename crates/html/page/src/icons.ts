/** The icons of verdicts: two circles in the colours of the two parts. Shape tells, not colour. */

import type { Verdict } from "./data/document";
import { svg } from "./dom";

const MIDDLES: Record<Verdict, [number, number]> = {
  clash: [8.3, 13.7],
  meets: [7.2, 14.8],
  undecided: [8.2, 13.8],
  clearance: [5.1, 16.9],
  contact: [6, 16],
};

const RADIUS = 5;

/** Returns the icon of a verdict. */
export function icon(verdict: Verdict): SVGSVGElement {
  const [left, right] = MIDDLES[verdict];
  const circle = (cx: number, kind: string) =>
    svg("circle", { cx, cy: 7, r: RADIUS, class: `${kind}${verdict === "undecided" ? " dashed" : ""}` });
  const picture = svg("svg", { viewBox: "0 0 22 14", class: "icon", "aria-hidden": "true" });
  if (verdict === "clash") picture.append(svg("path", { d: lens(left, right), class: "icon-shared" }));
  picture.append(circle(left, "icon-a"), circle(right, "icon-b"));
  if (verdict === "clearance") picture.append(svg("path", { d: "M10.2 7H11.8", class: "icon-gap" }));
  return picture;
}

/** Returns the outline of what two circles share. */
function lens(left: number, right: number): string {
  const middle = 0.5 * (left + right);
  const half = Math.sqrt(RADIUS ** 2 - (middle - left) ** 2);
  const arc = `A${RADIUS} ${RADIUS} 0 0 1`;
  return `M${middle} ${7 - half}${arc} ${middle} ${7 + half}${arc} ${middle} ${7 - half}Z`;
}
