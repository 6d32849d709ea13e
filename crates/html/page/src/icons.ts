/** The icons of verdicts: two circles in the colours of the two parts. Shape tells, not colour. */

import { VERDICTS, type Verdict } from "./data/document";
import { svg } from "./dom";

const MIDDLES: Record<Verdict, [number, number]> = {
  clash: [8.3, 13.7],
  meets: [7.2, 14.8],
  undecided: [8.2, 13.8],
  clearance: [5.1, 16.9],
  contact: [6, 16],
};

const RADIUS = 5;

/** Returns the icon of a verdict, which `iconShapes` must have drawn. */
export function icon(verdict: Verdict): SVGSVGElement {
  return svg(
    "svg",
    { viewBox: "0 0 22 14", class: "icon", "aria-hidden": "true" },
    svg("use", { href: `#icon-${verdict}` }),
  );
}

/** Returns the shapes of all icons, to be put into the document once. */
export function iconShapes(): SVGSVGElement {
  const symbols = VERDICTS.map((verdict) =>
    svg("symbol", { id: `icon-${verdict}`, viewBox: "0 0 22 14" }, ...shapes(verdict)),
  );
  return svg("svg", { class: "unseen", "aria-hidden": "true" }, ...symbols);
}

function shapes(verdict: Verdict): SVGElement[] {
  const [left, right] = MIDDLES[verdict];
  const dashed = verdict === "undecided" ? " dashed" : "";
  const circle = (cx: number, kind: string) =>
    svg("circle", { cx, cy: 7, r: RADIUS, class: `icon-ring ${kind}${dashed}` });
  const circles = [circle(left, "icon-a"), circle(right, "icon-b")];
  if (verdict === "clash") return [svg("path", { d: lens(left, right), class: "icon-shared" }), ...circles];
  return verdict === "clearance"
    ? [...circles, svg("path", { d: "M10.2 7H11.8", class: "icon-gap" })]
    : circles;
}

/** Returns the outline of what two circles share. */
function lens(left: number, right: number): string {
  const middle = 0.5 * (left + right);
  const half = Math.sqrt(RADIUS ** 2 - (middle - left) ** 2);
  const arc = `A${RADIUS} ${RADIUS} 0 0 1`;
  return `M${middle} ${7 - half}${arc} ${middle} ${7 + half}${arc} ${middle} ${7 - half}Z`;
}
