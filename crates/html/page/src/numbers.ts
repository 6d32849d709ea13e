/** Numbers for people: at least one decimal, else three significant digits, and ranges rounded outwards. */

import type { JointRow, Unit } from "./data/document";

const THIN_SPACE = "\u2009";

/** A unit for display, and the number by which lengths of the scene are multiplied. */
interface Shown {
  factor: number;
  name: string;
}

const SHOWN: Record<Unit, Shown> = {
  m: { factor: 1000, name: "mm" },
  cm: { factor: 10, name: "mm" },
  mm: { factor: 1, name: "mm" },
  in: { factor: 1, name: "in" },
  ft: { factor: 12, name: "in" },
};

/** Writes lengths of a scene. */
export class Lengths {
  private readonly shown: Shown;

  constructor(private readonly unit: Unit | null) {
    this.shown = unit ? SHOWN[unit] : { factor: 1, name: "" };
  }

  /** Returns the name of the unit for display; empty if the scene has none. */
  get name(): string {
    return this.shown.name;
  }

  /** Returns a length with its unit. */
  one(length: number): string {
    return this.range(length, length);
  }

  /** Returns a range with its unit: one number if it is narrower than the last digit. */
  range(low: number, high: number): string {
    return [this.digits(low, high), this.name].filter(Boolean).join(" ");
  }

  /** Returns the digits of a range. */
  digits(low: number, high: number): string {
    return range(low * this.shown.factor, high * this.shown.factor);
  }

  /** Returns a range with all digits, in the unit of the report. */
  proven([low, high]: readonly [number, number]): string {
    const text = low === high ? `${low}` : `${low} to ${high}`;
    return [text, this.unit].filter(Boolean).join(" ");
  }
}

function range(low: number, high: number): string {
  if (high === 0) return "0";
  const decimals = decimalsOf(high);
  if (decimals > 12) return high.toExponential(1);
  const step = 10 ** -decimals;
  if (high - low < 0.5 * step) return grouped((0.5 * (low + high)).toFixed(decimals));
  // A hair more or less, so that 0.3 / 0.1 does not become the next step.
  const down = Math.floor(low / step + 1e-9) * step;
  const up = Math.ceil(high / step - 1e-9) * step;
  return `${grouped(down.toFixed(decimals))}–${grouped(up.toFixed(decimals))}`;
}

function decimalsOf(value: number): number {
  return Math.max(1, 2 - Math.floor(Math.log10(Math.abs(value))));
}

/** Returns a count with thin spaces between thousands. */
export function count(number: number): string {
  return grouped(String(number));
}

function grouped(digits: string): string {
  const [whole, ...fraction] = digits.split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, THIN_SPACE), ...fraction].join(".");
}

/** Writes the times of a sweep or, of a sweep along a joint, the values of that joint. */
export class Times {
  /** The name of the unit: seconds, degrees, or that of lengths; empty for lengths without a unit. */
  readonly unit: string;
  private readonly factor: number;
  private readonly exact: string;
  /** Digits after the point of a time that stands alone. */
  private readonly decimals: number;

  constructor(
    readonly joint: JointRow | undefined,
    unit: Unit | null,
  ) {
    const length = unit ? SHOWN[unit] : { factor: 1, name: "" };
    const { factor, name } =
      joint?.kind === "turning"
        ? { factor: 180 / Math.PI, name: "deg" }
        : joint
          ? length
          : { factor: 1, name: "s" };
    this.factor = factor;
    this.unit = name;
    this.decimals = joint?.kind === "turning" ? 3 : 6;
    this.exact = joint?.kind === "turning" ? "rad" : joint ? (unit ?? "") : "s";
  }

  /** Returns a time, or two between which something happens, with their unit. */
  range(after: number, before: number): string {
    return joined(this.digits(after, before), this.unit);
  }

  /** Returns a time with its unit. */
  one(time: number): string {
    return this.range(time, time);
  }

  /** Returns a time of a slider with its unit. */
  about(time: number): string {
    return joined(trimmed(time * this.factor, Math.min(4, this.decimals)), this.unit);
  }

  /** Returns the digits of a time, or of two between which something happens. */
  digits(first: number, last: number): string {
    const [after, before] = [first * this.factor, last * this.factor];
    if (first === last) return trimmed(before, this.decimals);
    const decimals = Math.min(9, Math.max(3, Math.ceil(-Math.log10(before - after)) + 1));
    const scale = 10 ** decimals;
    const [down, up] = [Math.floor(after * scale) / scale, Math.ceil(before * scale) / scale];
    return `${down.toFixed(decimals)}–${up.toFixed(decimals)}`;
  }

  /** Returns a time with all digits, in the unit of the report. */
  proven(time: number): string {
    return joined(String(time), this.exact);
  }
}

function joined(digits: string, unit: string): string {
  return [digits, unit].filter(Boolean).join(" ");
}

function trimmed(value: number, decimals: number): string {
  return String(Number(value.toFixed(decimals)));
}

/** Returns a count with its noun. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}
