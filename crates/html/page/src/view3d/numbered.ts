/** The whole model on paper, with the numbers of findings at their places. */

import { el } from "../dom";
import { css, INK } from "./palette";

/** The side of the picture and the radius of a number's disc, in pixels. */
export const SIDE = 900;
const RADIUS = 17;

/** Returns a picture, of this side, with discs at places in it: 1 at the first, and so on. */
export function numbered(picture: ImageData, places: [number, number][]): HTMLCanvasElement {
  const canvas = el("canvas", { width: SIDE, height: SIDE });
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  context.putImageData(picture, 0, 0);
  context.font = "600 19px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineWidth = 2.5;
  context.strokeStyle = css(INK);
  // Where discs overlap, the worst finding is in front.
  for (const [i, [x, y]] of [...places.entries()].reverse()) {
    context.beginPath();
    context.arc(x, y, RADIUS, 0, 2 * Math.PI);
    context.fillStyle = "#ffffff";
    context.fill();
    context.stroke();
    context.fillStyle = css(INK);
    context.fillText(String(i + 1), x, y + 1);
  }
  return canvas;
}
