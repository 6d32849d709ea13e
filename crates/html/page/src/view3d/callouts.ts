/** Where numbers are written at places in a picture: close to their places, and nowhere over each other. */

/** A point of a picture, in pixels from its upper left corner. */
export type Pixel = [number, number];

/** Places so close to each other that one mark stands for them. */
export interface Spot {
  at: Pixel;
  /** The places, in their order. */
  places: number[];
}

/** A label and the line from its border to its spot. */
export interface Callout {
  /** The middle of the label. */
  middle: Pixel;
  /** Half of the label's width and height. */
  half: Pixel;
  line: [Pixel, Pixel];
}

/** The radius of the mark of a spot. */
export const MARK = 6;
/** Pixels that are left free between labels, marks and the border. */
const GAP = 3;
/** Pixels between two distances at which a label is tried, and the number of directions. */
const STEP = 7;
const DIRECTIONS = 24;
/** The distance within which spots crowd each other. */
const CROWD = 60;
/** The pixels by which a line may be longer if it passes one other line or label less. */
const TANGLE = 80;

/** Returns the spots of places: a place joins the first spot whose mark its own would cover by half. */
export function spotsOf(places: Pixel[]): Spot[] {
  const spots: Spot[] = [];
  for (const [place, at] of places.entries()) {
    const near = spots.find((spot) => distance(spot.at, at) <= MARK);
    if (near) near.places.push(place);
    else spots.push({ at, places: [place] });
  }
  return spots;
}

/** Returns a callout for each spot, or null where a picture of this size has no room for it. `halves` has half the
 * width and height of each label. No label is over another or over a mark. Lines are short, and few pass other lines or labels. */
export function callouts(spots: Spot[], halves: Pixel[], size: Pixel): (Callout | null)[] {
  const centre = [0, 1].map((k) => spots.reduce((sum, { at }) => sum + at[k], 0) / spots.length);
  const placed: (Callout | null)[] = spots.map(() => null);
  // The most crowded spots come first: others still find room around the crowd.
  const crowd = spots.map(({ at }) => spots.filter((other) => distance(at, other.at) < CROWD).length);
  const order = spots.map((_, i) => i).sort((i, j) => crowd[j] - crowd[i] || i - j);
  for (const i of order) {
    // Lines that lead away from the middle of all spots cross least.
    const outward = Math.atan2(spots[i].at[1] - centre[1], spots[i].at[0] - centre[0]);
    const others = placed.filter((callout) => callout !== null);
    let least = Infinity;
    for (const callout of around(spots[i], halves[i], outward, size)) {
      const length = distance(...callout.line);
      if (length >= least || !isInside(callout, size) || !isFree(callout, spots[i], spots, others)) continue;
      const cost = length + TANGLE * others.filter((other) => tangled(callout, other)).length;
      if (cost < least) [least, placed[i]] = [cost, callout];
    }
  }
  return placed;
}

/** Returns the callouts around a spot: the closest first, and of these the ones in a direction. */
function around(spot: Spot, half: Pixel, direction: number, size: Pixel): Callout[] {
  const found: Callout[] = [];
  for (let reach = MARK + GAP; reach < size[0]; reach += STEP)
    for (let turn = 0; turn < DIRECTIONS; turn += 1) {
      const side = turn % 2 === 0 ? turn / 2 : -(turn + 1) / 2;
      found.push(at(spot, half, direction + (2 * Math.PI * side) / DIRECTIONS, reach));
    }
  return found;
}

/** Returns the callout whose label is in a direction from its spot. */
function at({ at: [x, y] }: Spot, half: Pixel, angle: number, reach: number): Callout {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const middle: Pixel = [x + (reach + half[0]) * cos, y + (reach + half[1]) * sin];
  const nearest = ([x, y] as Pixel).map((v, k) => Math.min(Math.max(v, middle[k] - half[k]), middle[k] + half[k]));
  return { middle, half, line: [[x, y], nearest as Pixel] };
}

function isInside({ middle, half }: Callout, size: Pixel): boolean {
  return middle.every((v, k) => v - half[k] >= GAP && v + half[k] <= size[k] - GAP);
}

/** True if a label is over no other and over no mark. */
function isFree(callout: Callout, own: Spot, spots: Spot[], placed: Callout[]): boolean {
  return (
    placed.every(({ middle, half }) => !overlap(callout, middle, half)) &&
    spots.every((spot) => spot === own || !overlap(callout, spot.at, [MARK, MARK]))
  );
}

/** True if the line of one callout meets the other. */
function tangled(one: Callout, other: Callout): boolean {
  return meets(one.line, other) || meets(other.line, one) || cross(one.line, other.line);
}

function distance(p: Pixel, q: Pixel): number {
  return Math.hypot(p[0] - q[0], p[1] - q[1]);
}

function overlap({ middle, half }: Callout, at: Pixel, size: Pixel): boolean {
  return middle.every((v, k) => Math.abs(v - at[k]) < half[k] + size[k] + GAP);
}

/** True if a line meets a label: if no side of the label, and no normal of the line, separates them. */
function meets([p, q]: [Pixel, Pixel], { middle, half }: Callout): boolean {
  const inBox = [0, 1].every(
    (k) =>
      Math.min(p[k], q[k]) < middle[k] + half[k] + GAP && Math.max(p[k], q[k]) > middle[k] - half[k] - GAP,
  );
  const normal = [p[1] - q[1], q[0] - p[0]];
  const off = Math.abs(normal[0] * (middle[0] - p[0]) + normal[1] * (middle[1] - p[1]));
  return inBox && off < Math.abs(normal[0]) * (half[0] + GAP) + Math.abs(normal[1]) * (half[1] + GAP);
}

function cross([a, b]: [Pixel, Pixel], [c, d]: [Pixel, Pixel]): boolean {
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

/** Returns a number that is positive on one side of a line, and negative on the other. */
function side([ax, ay]: Pixel, [bx, by]: Pixel, [x, y]: Pixel): number {
  return (bx - ax) * (y - ay) - (by - ay) * (x - ax);
}
