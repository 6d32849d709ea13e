/** Lines and texts over the picture: the dimension with its label, or a ring around the place. */

import type { Vector3 } from "three";
import { svg } from "../dom";
import { pixel, type Look } from "./look";

type Pixel = [number, number];

// As attributes rather than in the style of the page: the lines are also drawn into pictures that are saved.
const HALO = { fill: "none", stroke: "#ffffff", "stroke-width": 5, "stroke-linecap": "round" } as const;
const STROKE = { fill: "none", stroke: "#15181e", "stroke-width": 2 } as const;
const TAG = { fill: "#15181e", stroke: "#ffffff", "stroke-opacity": 0.35, rx: 6 } as const;
const TEXT = {
  fill: "#ffffff",
  "font-size": 14,
  "font-weight": 600,
  "text-anchor": "middle",
  "font-family": "system-ui, sans-serif",
} as const;

/** What is drawn over the picture. */
export interface Marks {
  /** The ends of the dimension, in the plane of the cut if there is one. */
  ends: [Vector3, Vector3] | null;
  /** A place without a dimension. */
  place: Vector3 | null;
  label: string;
  /** The circle with a closer look, its own view, and the ends in its plane. */
  circle: { middle: Pixel; radius: number; look: Look; ends: [Vector3, Vector3] } | null;
}

export class Overlay {
  readonly element = svg("svg", { class: "overlay", "aria-hidden": "true" });

  /** Draws marks in a picture of a size. */
  draw(marks: Marks | null, look: Look, size: [number, number]): void {
    const parts = marks ? this.parts(marks, look, size) : [];
    this.element.replaceChildren(...parts);
  }

  private parts({ ends, place, label, circle }: Marks, look: Look, size: [number, number]): SVGElement[] {
    if (!ends) return place ? this.ring(pixel(place, look, size), label, size) : [];
    const at = ends.map((end) => pixel(end, look, size)) as [Pixel, Pixel];
    if (!circle) return [...dimension(at), ...tag(label, at, size, place && pixel(place, look, size))];
    const { middle, radius } = circle;
    const inside = circle.ends.map((end) => pixel(end, circle.look, [2 * radius, 2 * radius])) as [
      Pixel,
      Pixel,
    ];
    const close = inside.map(([x, y]): Pixel => [x + middle[0] - radius, y + middle[1] - radius]) as [
      Pixel,
      Pixel,
    ];
    const from: Pixel = [0.5 * (at[0][0] + at[1][0]), 0.5 * (at[0][1] + at[1][1])];
    return [...joined(from, middle, radius), ...dimension(close), ...tag(label, close, size)];
  }

  private ring(at: Pixel, label: string, size: [number, number]): SVGElement[] {
    return [
      ...circles(at, 14),
      ...tag(
        label,
        [
          [at[0], at[1] - 10],
          [at[0], at[1] - 10],
        ],
        size,
      ),
    ];
  }
}

/** Returns a line with a tick at each end, and a white halo. */
function dimension([p, q]: [Pixel, Pixel]): SVGElement[] {
  const [dx, dy] = [q[0] - p[0], q[1] - p[1]];
  const length = Math.hypot(dx, dy);
  const [x, y] = length > 0 ? [(-7 * dy) / length, (7 * dx) / length] : [0, 7];
  const tick = ([u, v]: Pixel) => `M${u - x} ${v - y}L${u + x} ${v + y}`;
  const d = `M${p}L${q}${tick(p)}${tick(q)}`;
  return [svg("path", { d, ...HALO }), svg("path", { d, ...STROKE })];
}

function circles([cx, cy]: Pixel, r: number): SVGElement[] {
  return [HALO, STROKE].map((look) => svg("circle", { cx, cy, r, ...look }));
}

/** Returns a ring around a place, and a line from it to the circle that shows it closer. */
function joined(from: Pixel, middle: Pixel, radius: number): SVGElement[] {
  const [dx, dy] = [middle[0] - from[0], middle[1] - from[1]];
  const length = Math.max(1, Math.hypot(dx, dy));
  const on = (distance: number, [x, y]: Pixel): Pixel => [
    x + (dx / length) * distance,
    y + (dy / length) * distance,
  ];
  const d = `M${on(12, from)}L${on(-radius, middle)}`;
  const line = [
    svg("path", { d, ...HALO, "stroke-width": 3 }),
    svg("path", { d, ...STROKE, "stroke-width": 1.2 }),
  ];
  return [...line, ...circles(from, 12), ...circles(middle, radius)];
}

/** Returns a label beside a line, inside the picture, and away from the middle of what is measured. */
function tag(
  label: string,
  [p, q]: [Pixel, Pixel],
  [width, height]: [number, number],
  middle: Pixel | null = null,
): SVGElement[] {
  if (!label) return [];
  const half = 0.5 * (8.7 * label.length + 20);
  const [dx, dy] = [q[0] - p[0], q[1] - p[1]];
  const length = Math.max(1, Math.hypot(dx, dy));
  // Across the line, as far as its box and the ticks need: above it or on the right, unless the overlap is there.
  const [u, v] = length > 1 ? [dy / length, -dx / length] : [0, -1];
  const usual = v > 0.02 || (Math.abs(v) <= 0.02 && u < 0) ? -1 : 1;
  const off = middle ? (middle[0] - 0.5 * (p[0] + q[0])) * u + (middle[1] - 0.5 * (p[1] + q[1])) * v : 0;
  const sign = Math.abs(off) > 8 ? -Math.sign(off) : usual;
  const far = sign * (half * Math.abs(u) + 13 * Math.abs(v) + 13);
  const [x, y] = [far * u, far * v];
  const within = (value: number, margin: number, most: number) =>
    Math.min(Math.max(value, margin), Math.max(margin, most - margin));
  const [cx, cy] = [
    within(0.5 * (p[0] + q[0]) + x, half + 4, width),
    within(0.5 * (p[1] + q[1]) + y, 16, height),
  ];
  return [
    svg("rect", { x: cx - half, y: cy - 13, width: 2 * half, height: 26, ...TAG }),
    svg("text", { x: cx, y: cy + 5, ...TEXT }, label),
  ];
}
