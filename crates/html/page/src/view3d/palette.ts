/** The colours of the picture. Parts keep theirs in light and dark. */

import type { Theme } from "../theme";

/** Red, green and blue, from 0 to 1, as the screen shows them. */
export type Rgb = [number, number, number];

export const FIRST = rgb("d55e00");
export const SECOND = rgb("0072b2");
export const SHARED = rgb("ffdd28");
export const INK = rgb("15181e");
const WHITE = rgb("ffffff");
const GAP = rgb("8b93a1");
const UNDECIDED = rgb("8f5bd0");
const TOUCHING = rgb("c9ced6");

/** Colours of everything but the two parts of a finding. */
export const CONTEXT: Record<Theme, { surface: Rgb; edge: Rgb }> = {
  light: { surface: rgb("ecedf0"), edge: rgb("a8abb1") },
  dark: { surface: rgb("3d424c"), edge: rgb("6e737d") },
};

/** Colours of dots by verdict. */
export const DOTS = {
  clash: SHARED,
  meets: SHARED,
  undecided: UNDECIDED,
  clearance: GAP,
  contact: TOUCHING,
} as const;

/** Colours of a heat map: below the clearance, up to twice, and beyond. */
export const HEAT = [FIRST, SHARED, rgb("dcdee4")] as const;

/** Returns a mixture: all of the first colour at 0, all of the second at 1. */
export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  return [0, 1, 2].map((k) => from[k] + share * (to[k] - from[k])) as Rgb;
}

/** Returns the pale colour of a cut, and that of its hatching. */
export function cutColours(part: Rgb): { paper: Rgb; line: Rgb } {
  return { paper: mix(part, WHITE, 0.72), line: mix(part, WHITE, 0.15) };
}

/** Returns the colour of the edges of a part. */
export function edgeOf(part: Rgb): Rgb {
  return mix(part, INK, 0.75);
}

function rgb(hexadecimal: string): Rgb {
  return [0, 2, 4].map((at) => parseInt(hexadecimal.slice(at, at + 2), 16) / 255) as Rgb;
}

/** Returns a colour as style sheets write it. */
export function css(colour: Rgb): string {
  return `rgb(${colour.map((share) => Math.round(255 * share)).join(" ")})`;
}
