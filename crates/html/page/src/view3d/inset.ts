/** The whole model in a corner, with a dot where the finding is. */

import { el } from "../dom";

/** The width and height, in pixels. */
const SIDE = 112;
/** A picture that is narrower or lower has no room for it. */
const NARROW = 600;
const LOW = 330;

export class Inset {
  /** The finest that screens show. */
  private readonly canvas = el("canvas", { width: 2 * SIDE, height: 2 * SIDE });
  private readonly dot = el("i", {});
  readonly element = el("div", { class: "inset", "aria-hidden": "true", hidden: true }, this.canvas, this.dot);

  /** Shows a picture, made with the side that it is given, in a picture of a size. The dot is at a place, in pixels
   * of a picture with another side. */
  show(
    [width, height]: [number, number],
    picture: (side: number) => ImageData,
    place: (side: number) => [number, number],
  ): void {
    if (width < NARROW || height < LOW) return this.hide();
    this.canvas.getContext("2d")?.putImageData(picture(2 * SIDE), 0, 0);
    [this.dot.style.left, this.dot.style.top] = place(SIDE).map((at) => `${at}px`);
    this.element.hidden = false;
  }

  hide(): void {
    this.element.hidden = true;
  }
}
