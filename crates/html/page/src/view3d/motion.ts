/** Motions at a time, by the rule that defines them: between two keyframes a turn at a constant rate, and a
 * straight path or that of a screw. Blending the poses of two samples would bend what turns. */

import type { FrameRow } from "../data/document";

type Quaternion = [number, number, number, number];
type Vector = [number, number, number];

/** Rows of a pose: nine numbers of its linear part and three of its translation, row by row. */
export type Pose = number[];

/** Returns the poses of all frames at a time, parents first. */
export function posesAt(frames: FrameRow[], time: number): Pose[] {
  const poses: Pose[] = [];
  for (const frame of frames) {
    const local = frame.pose ?? movingPose(frame, time);
    poses.push(frame.parent === null ? local : composed(poses[frame.parent], local));
  }
  return poses;
}

/** Returns the product of two poses: first `b`, then `a`. */
export function composed(a: Pose, b: Pose): Pose {
  const out: Pose = [];
  for (let row = 0; row < 12; row += 4) {
    for (let column = 0; column < 4; column += 1) {
      const shift = column === 3 ? a[row + 3] : 0;
      out.push(a[row] * b[column] + a[row + 1] * b[4 + column] + a[row + 2] * b[8 + column] + shift);
    }
  }
  return out;
}

function movingPose({ times = [], stops = [], spans = [], scale = [1, 1, 1] }: FrameRow, time: number): Pose {
  const after = times.findIndex((key) => key > time);
  const key = after < 0 ? times.length - 1 : Math.max(0, after - 1);
  const rotation = stops[key].slice(0, 4) as Quaternion;
  const translation = stops[key].slice(4) as Vector;
  if (after <= 0 || times[key] === time) return poseOf(rotation, scale, translation);
  const share = (time - times[key]) / (times[key + 1] - times[key]);
  const span = spanOf(spans[key]);
  return poseOf(turned(rotation, span.axis, span.angle * share), scale, travelled(translation, span, share));
}

interface Span {
  end: Vector;
  axis: Vector;
  angle: number;
  isScrew: boolean;
}

function spanOf([x, y, z, u, v, w, angle, screw]: number[]): Span {
  return { end: [x, y, z], axis: [u, v, w], angle, isScrew: screw === 1 };
}

function turned([x, y, z, w]: Quaternion, axis: Vector, angle: number): Quaternion {
  if (angle === 0) return [x, y, z, w];
  const [sin, c] = [Math.sin(0.5 * angle), Math.cos(0.5 * angle)];
  const [a, b, d] = axis.map((coordinate) => coordinate * sin);
  return [
    c * x + a * w + b * z - d * y,
    c * y - a * z + b * w + d * x,
    c * z + a * y - b * x + d * w,
    c * w - a * x - b * y - d * z,
  ];
}

/** Returns where a translation is on its way: on a line, or on the helix about the axis of the turn. */
function travelled(start: Vector, { end, axis, angle, isScrew }: Span, share: number): Vector {
  const by = end.map((x, k) => x - start[k]);
  if (!isScrew || angle === 0) return start.map((x, k) => x + share * by[k]) as Vector;
  const advance = dot(axis, by);
  const chord = by.map((x, k) => x - advance * axis[k]);
  const side = cross(axis, chord);
  const along = Math.sin(0.5 * angle * share) / Math.sin(0.5 * angle);
  const [sin, cos] = [Math.sin(0.5 * angle * (share - 1)), Math.cos(0.5 * angle * (share - 1))];
  return start.map(
    (x, k) => x + share * advance * axis[k] + along * (chord[k] * cos + side[k] * sin),
  ) as Vector;
}

function dot(a: number[], b: number[]): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: number[], b: number[]): number[] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function poseOf(rotation: Quaternion, scale: Vector, translation: Vector): Pose {
  const length = Math.hypot(...rotation);
  const [x, y, z, w] = rotation.map((part) => part / length);
  const linear = [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
  return linear.flatMap((row, k) => [...row.map((entry, column) => entry * scale[column]), translation[k]]);
}
