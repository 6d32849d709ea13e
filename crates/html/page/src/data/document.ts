/** The document in the page, as the writer of the page makes it. */

export type Unit = "mm" | "cm" | "m" | "in" | "ft";
export type Point = [number, number, number];

/** Verdicts, the worst first. */
export const VERDICTS = ["clash", "meets", "undecided", "clearance", "contact"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Kinds of findings. */
export type Kind = "overlap" | "gap" | "meeting";

/** Ways to show a finding, or the scene. */
export type Mode = "section" | "xray" | "whole" | "heat";

/** What the head of the page shows, before anything is unpacked. */
export interface Head {
  closefit: string;
  /** The command; `model` in the page of a scene whose check has not ended, which has no settings and no pairs. */
  command: "check" | "sweep" | "model";
  title: string;
  unit: Unit | null;
  up: "y" | "z" | null;
  parts: number;
  triangles: number;
  settings: Settings;
  ledger: Ledger;
  counts: Partial<Record<Verdict, number>>;
  rules: RuleRow[];
  claims: ClaimRow[];
  left_out: string[];
}

export interface Settings {
  clearance: number;
  tolerance: number;
  at?: number;
  precision?: number;
  from?: number;
  to?: number;
  /** The joint along which parts were swept: all times are then its values. */
  joint?: JointRow;
}

export interface JointRow {
  name: string;
  /** Values of a turning joint are radians, those of a sliding one lengths of the scene. */
  kind: "turning" | "sliding";
}

export interface Ledger {
  pairs: number;
  excluded: Record<string, number>;
  apart: number;
  decided: number;
  undecided: number;
}

/** Returns the number of pairs that nobody asked about. */
export function excludedOf({ excluded }: Ledger): number {
  return Object.values(excluded).reduce((sum, number) => sum + number, 0);
}

export interface RuleRow {
  id: string;
  pairs: number;
  clash: number;
}

export interface ClaimRow {
  id: string;
  state: string;
}

/** Rows, parts, groups and views. Columns have one value per row or part. */
export interface Body {
  middle: Point;
  parts: PartColumns;
  pairs: PairColumns;
  groups: GroupRow[];
  views: ViewRow[];
  meshes: [vertices: number, triangles: number, edges: number][];
  frames: FrameRow[];
  /** What people have said before, as a review file has it. */
  review?: unknown;
  heat?: HeatRow;
}

/** A part whose points have distances from another one, or from all others. */
export interface HeatRow {
  part: number;
  other: number | null;
  clearance: number;
}

export interface PartColumns {
  name: string[];
  type: (string | null)[];
  guid: (string | null)[];
  model: string[];
  file: string[];
  path: string[];
  storey: (string | null)[];
  /** The mesh; null for a part that is left out of the drawing. */
  mesh: (number | null)[];
  /** Rows of the pose of a part that does not move, from coordinates of the mesh to those of the page. */
  pose: number[][];
  /** The frame that carries a moving part. */
  frame: (number | null)[];
}

export interface PairColumns {
  a: number[];
  b: number[];
  key: string[];
  verdict: Verdict[];
  /** What is marked: shared space, the gap, or nothing. */
  kind: Kind[];
  /** The text at the dimension line. */
  label: string[];
  /** Bounds of the depth, or of the distance. */
  size: ([number, number] | null)[];
  contacts: number[];
  /** What is special: `a in b`, `b in a`, `duplicate` or `crossing`. */
  how: (string | null)[];
  why: (string | null)[];
  rule: (string | null)[];
  status: (string | null)[];
  /** The place in the scene, unless the dimension tells it. */
  at: (Point | null)[];
  /** In coordinates of the page; none if it is the box of the ends of the dimension. */
  bounds: ([Point, Point] | null)[];
  /** The ends of the dimension, in coordinates of the page. */
  measure: ([Point, Point] | null)[];
  /** In a sweep: the time at which the finding is shown, and the time of contact. */
  time?: (number | null)[];
  contact?: ([number, number] | null)[];
  /** The stretches of contact and those of nearness, if they were asked for. */
  intervals?: ([contact: [number, number][], near: [number, number][]] | null)[];
  /** Of parts in contact from the start: bounds of how deep they are pressed, and when. */
  pressed?: ([number, number, number] | null)[];
}

export interface GroupRow {
  key: string;
  title: string;
  pairs: number[];
}

/** The view of a finding, in coordinates of the page: relative to the middle. */
export interface ViewRow {
  pair: number;
  mode: Mode;
  direction: Point;
  up: Point;
  centre: Point;
  height: number;
  plane?: PlaneRow;
  detail?: { plane: PlaneRow; centre: Point; diameter: number };
}

export interface PlaneRow {
  point: Point;
  normal: Point;
}

/** A frame: at rest in its parent at a pose, or moving through stops. */
export interface FrameRow {
  parent: number | null;
  pose?: number[];
  scale?: Point;
  times?: number[];
  /** Rotation and translation at each time. */
  stops?: number[][];
  /** Between two times: where the translation ends, the axis, the angle, and 1 for a screw. */
  spans?: number[][];
}
