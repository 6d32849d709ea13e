/** The circle with a closer look at a dimension that would be too short to be seen. */

import { el } from "../dom";

/** Pixels between the circle and the border of the picture. */
const MARGIN = 14;
/** Smaller circles show nothing: the picture may be out of sight. */
const SMALLEST = 20;
/** Where a picture is so narrow, the controls are below it. */
const NARROW = 600;
const CONTROLS = 48;

export class Circle {
  readonly element = el("canvas", { class: "circle", "aria-hidden": "true" });
  middle: [number, number] = [0, 0];
  radius = 0;

  /** Makes a circle for a picture that has controls, or for paper. */
  constructor(private readonly hasControls: boolean) {}

  get isShown(): boolean {
    return !this.element.hidden;
  }

  /** Shows a picture, made with the side that it is given, in a corner of a picture of a size. */
  show([width, height]: [number, number], picture: (side: number) => ImageData): void {
    this.radius = Math.round(0.2 * Math.min(width, height));
    if (this.radius < SMALLEST) return;
    const below = MARGIN + (this.hasControls && width < NARROW ? CONTROLS : 0);
    this.middle = [width - this.radius - MARGIN, height - this.radius - below];
    const side = 4 * this.radius;
    this.element.width = this.element.height = side;
    this.element.getContext("2d")?.putImageData(picture(side), 0, 0);
    const { style } = this.element;
    style.width = style.height = `${2 * this.radius}px`;
    [style.left, style.top] = this.middle.map((middle) => `${middle - this.radius}px`);
    this.element.hidden = false;
  }

  hide(): void {
    this.element.hidden = true;
  }
}
