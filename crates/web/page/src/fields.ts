/** The fields of the settings. What they take is what the flags of the program take, which also says what is wrong. */

import { el } from "../../../html/page/src/dom";
import type { Settings } from "./messages";

/** What the fields depend on. */
export interface Shown {
  /** The paths of the rules files. */
  rules: string[];
  /** True if a scene moves. */
  moves: boolean;
  /** True if a scene has no unit of its own. */
  isUnitless: boolean;
}

const UNITS: [string, string][] = [
  ["mm", "millimetres"],
  ["cm", "centimetres"],
  ["m", "metres"],
  ["in", "inches"],
  ["ft", "feet"],
];

const MEGABYTE = 1 << 20;

/** The fields, and what they say. */
export class Fields {
  readonly element: HTMLElement;
  private readonly clearance = text("clearance", "such as 5mm");
  private readonly tolerance = text("tolerance", "automatic");
  private readonly unit = choice("unit", UNITS);
  private readonly motion = choice("motion", [
    ["sweep", "The whole motion"],
    ["rest", "The pose at rest"],
  ]);
  private readonly from = text("from", "start");
  private readonly to = text("to", "end");
  private readonly precision = text("precision", "automatic");
  private readonly rules = choice("rules", []);
  private readonly memory = el("input", {
    type: "number",
    id: "memory",
    min: 1,
    placeholder: "2048",
    "aria-describedby": "memory-hint",
  });
  private readonly wayOut = box("way-out");
  private readonly volume = box("volume");
  private readonly conditional: [HTMLElement, (shown: Shown) => boolean][];
  private shown: Shown = { rules: [], moves: false, isUnitless: false };

  constructor() {
    const unit = field("Unit of STL, OBJ, PLY and OFF", this.unit, "These files do not say it");
    const motion = field("Motion", this.motion, "Moving parts are checked through all the time in between");
    const times = [
      field("From", this.from, "Seconds"),
      field("To", this.to, "Seconds"),
      field("Precision", this.precision, "The width of times of contact, as a length"),
    ];
    const rules = field("Rules", this.rules, "Which parts to check, and how near they may come");
    this.conditional = [
      [unit, ({ isUnitless }) => isUnitless],
      [motion, ({ moves }) => moves],
      [rules, ({ rules }) => rules.length > 0],
      ...times.map((time): [HTMLElement, (shown: Shown) => boolean] => [time, () => this.sweeps]),
    ];
    this.motion.addEventListener("change", () => this.show(this.shown));
    this.element = el(
      "div",
      { class: "settings" },
      el(
        "div",
        { class: "fields" },
        field("Clearance", this.clearance, "Parts that are nearer are found, too"),
        field("Tolerance", this.tolerance, "A depth up to this is a contact, not a clash"),
        unit,
        motion,
        rules,
      ),
      el(
        "details",
        {},
        el("summary", {}, "More settings"),
        el(
          "div",
          { class: "fields" },
          ...times,
          field("Memory, in MB", this.memory, "The most that a check may take"),
        ),
        tick("Find a way out of each clash", this.wayOut),
        tick("Find the volume that parts share", this.volume),
      ),
    );
    this.show(this.shown);
  }

  /** Shows the fields that have a meaning. */
  show(shown: Shown): void {
    if (shown.rules.join() !== this.shown.rules.join()) {
      const options = [["", "none"], ...shown.rules.map((path) => [path, path])];
      this.rules.replaceChildren(...options.map(([value, text]) => el("option", { value }, text)));
      this.rules.value = shown.rules.at(-1) ?? "";
    }
    this.shown = shown;
    for (const [element, isShown] of this.conditional) element.hidden = !isShown(shown);
  }

  /** Fills in a clearance. */
  setClearance(clearance: string): void {
    this.clearance.value = clearance;
  }

  /** Returns what the fields say; what is empty is left to the program. */
  settings(): Omit<Settings, "scenes" | "against"> {
    const said = (input: HTMLInputElement) => input.value.trim() || undefined;
    const { shown, sweeps } = this;
    const memory = said(this.memory);
    return {
      clearance: said(this.clearance),
      tolerance: said(this.tolerance),
      unit: shown.isUnitless ? this.unit.value : undefined,
      rules: (shown.rules.length > 0 && this.rules.value) || undefined,
      wayOut: !sweeps && this.wayOut.checked,
      volume: !sweeps && this.volume.checked,
      sweep: sweeps,
      ...(sweeps ? { from: said(this.from), to: said(this.to), precision: said(this.precision) } : {}),
      memory: memory === undefined ? undefined : Number(memory) * MEGABYTE,
    };
  }

  private get sweeps(): boolean {
    return this.shown.moves && this.motion.value === "sweep";
  }
}

function text(id: string, placeholder: string): HTMLInputElement {
  return el("input", {
    type: "text",
    id,
    placeholder,
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": `${id}-hint`,
  });
}

function choice(id: string, options: [string, string][]): HTMLSelectElement {
  return el(
    "select",
    { id, "aria-describedby": `${id}-hint` },
    ...options.map(([value, text]) => el("option", { value }, text)),
  );
}

function box(id: string): HTMLInputElement {
  return el("input", { type: "checkbox", id });
}

function field(label: string, control: HTMLElement, hint: string): HTMLElement {
  return el(
    "p",
    { class: "field" },
    el("label", { for: control.id }, label),
    control,
    el("small", { class: "muted", id: `${control.id}-hint` }, hint),
  );
}

function tick(label: string, control: HTMLElement): HTMLElement {
  return el("p", { class: "tick" }, control, el("label", { for: control.id }, label));
}
