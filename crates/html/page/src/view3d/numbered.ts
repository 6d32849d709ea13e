/** The whole model on paper, with the numbers of findings at their places. */

import type { Verdict } from "../data/document";
import { el } from "../dom";
import { counted } from "../numbers";
import { callouts, MARK, spotsOf, type Pixel } from "./callouts";
import { css, DOTS, INK } from "./palette";

/** The width and height of the picture, and half the height of a label, in pixels. */
export const SIZE: Pixel = [1440, 1080];
const HALF = 14;
/** The pixels on either side of a label's text. */
const INSET = 6;
/** The number of numbers in a label, and in the picture. */
const MOST = 4;
const MOST_OF_ALL = 150;

/** A finding in the picture. */
export interface Place {
  at: Pixel;
  verdict: Verdict;
}

/** Returns a picture of this size, with a dot at each place and numbers next to it: 1 for the first, and so on. A line
 * below it counts the places for whose numbers it has no room. */
export function numbered(picture: ImageData, places: Place[]): HTMLElement {
  const [width, height] = SIZE;
  const canvas = el("canvas", { width, height });
  const figure = el("figure", {}, canvas);
  const context = canvas.getContext("2d");
  if (!context) return figure;
  context.putImageData(picture, 0, 0);
  context.font = "600 20px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  const all = spotsOf(places.map(({ at }) => at));
  const spots = all.filter(({ places: [worst] }) => worst < MOST_OF_ALL);
  const texts = spots.map(({ places }) => numbersOf(places));
  const halves = texts.map((text): Pixel => [Math.max(HALF, context.measureText(text).width / 2 + INSET), HALF]);
  const labels = callouts(spots, halves, SIZE);
  for (const label of labels) {
    if (!label) continue;
    context.beginPath();
    for (const point of label.line) context.lineTo(...point);
    stroke(context, 4, "#ffffff");
    stroke(context, 1.5, css(INK));
  }
  // Where dots overlap, the worst finding is in front.
  for (const { at, places: [worst] } of [...all].reverse()) {
    context.beginPath();
    context.arc(...at, MARK, 0, 2 * Math.PI);
    stroke(context, 4, "#ffffff");
    context.fillStyle = css(DOTS[places[worst].verdict]);
    context.fill();
    stroke(context, 1.5, css(INK));
  }
  for (const [i, label] of labels.entries()) {
    if (!label) continue;
    const { middle: [x, y], half: [w, h] } = label;
    context.beginPath();
    context.roundRect(x - w, y - h, 2 * w, 2 * h, HALF);
    context.fillStyle = "#ffffff";
    context.fill();
    stroke(context, 1.5, css(INK));
    context.fillStyle = css(INK);
    context.fillText(texts[i], x, y + 1);
  }
  const without = all.filter((spot) => !labels[spots.indexOf(spot)]).flatMap(({ places }) => places).length;
  if (without > 0) figure.append(el("figcaption", {}, `${counted(without, "more finding")} without a number`));
  return figure;
}

function stroke(context: CanvasRenderingContext2D, width: number, colour: string): void {
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.stroke();
}

/** Returns the numbers of places as one text. */
export function numbersOf(places: number[]): string {
  const numbers = places.slice(0, MOST).map((place) => place + 1);
  const rest = places.length - numbers.length;
  return numbers.join(", ") + (rest > 0 ? ` +${rest}` : "");
}
