/** The first page: what closefit is, where files come in, and what to check. */

import { button, el, svg } from "../../../html/page/src/dom";
import { counted } from "../../../html/page/src/numbers";
import { dropZone } from "./drop_zone";
import { Fields } from "./fields";
import { fileList, type Side } from "./file_list";
import { joined } from "./files";
import { licences } from "./licences";
import type { Settings, Source } from "./messages";
import { isUnitless, sortedOut, type Role, type Sorted } from "./roles";

export class Start {
  readonly element: HTMLElement;
  private readonly fields = new Fields();
  private readonly failure = el("p", { class: "failure", role: "alert", hidden: true });
  private readonly files = el("div", {});
  private readonly together = radio("together", true);
  private readonly apart = radio("apart", false);
  private readonly compare = el(
    "fieldset",
    { class: "compare" },
    el("legend", {}, "Check"),
    el("label", {}, this.together, "All parts with each other"),
    el("label", {}, this.apart, "Side 1 with side 2"),
  );
  private readonly form: HTMLFormElement;
  private readonly go = el("button", { type: "submit", class: "go" }, "Check");
  private sources: Source[] = [];
  private sorted: Sorted = { roles: new Map(), animated: new Set() };
  private sides = new Map<string, Side>();

  /** Makes the page. `check` is called with the files and the settings. */
  constructor(
    private readonly check: (sources: Source[], settings: Settings) => void,
    example: () => Promise<Source>,
  ) {
    for (const input of [this.together, this.apart]) input.addEventListener("change", () => this.update());
    this.form = el(
      "form",
      { class: "chosen", novalidate: true, "aria-label": "The check", hidden: true },
      el(
        "div",
        { class: "list-head" },
        el("h2", {}, "Models"),
        button("Remove all", () => this.set([])),
      ),
      this.files,
      this.compare,
      this.fields.element,
      this.go,
    );
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.element = el(
      "main",
      { class: "start" },
      lead(),
      this.failure,
      dropZone({
        added: (sources) => void this.set(joined(this.sources, sources)),
        failed: (error) => this.fail(`The browser cannot read what was dropped: ${error}`),
        example: () => void example().then((source) => this.tryOut(source)),
      }),
      this.form,
      facts(),
    );
  }

  /** Says why a check has ended without a result. */
  fail(line: string): void {
    this.failure.textContent = line;
    this.failure.hidden = false;
    this.failure.scrollIntoView({ block: "nearest" });
  }

  /** Moves the focus to the control that the user needs next. */
  focus(): void {
    (this.form.hidden ? this.element.querySelector("button") : this.go)?.focus();
  }

  private async set(sources: Source[]): Promise<void> {
    this.sources = sources;
    this.failure.hidden = true;
    const sorted = await sortedOut(sources);
    // Others may have come meanwhile.
    if (this.sources !== sources) return;
    this.sorted = sorted;
    this.update();
  }

  /** Checks a source alone. */
  private async tryOut(source: Source): Promise<void> {
    this.fields.setClearance("0.1mm");
    await this.set([source]);
    this.submit();
  }

  private update(): void {
    const { sorted, sides } = this;
    const [scenes, rules] = [this.of("scene"), this.of("rules")];
    const hasSides = this.apart.checked && scenes.length > 1;
    // A new scene is on the second side, unless it is the first.
    for (const [i, { path }] of scenes.entries()) if (!sides.has(path)) sides.set(path, i === 0 ? 1 : 2);
    this.compare.hidden = scenes.length < 2;
    if (!hasSides) this.together.checked = true;
    this.files.replaceChildren(
      ...fileList({
        roles: sorted.roles,
        sides: hasSides ? new Map(scenes.map((source) => [source, sides.get(source.path)!])) : null,
        setSide: (source, side) => {
          sides.set(source.path, side);
          this.update();
        },
        remove: (source) => void this.set(this.sources.filter((other) => other !== source)),
      }),
    );
    this.fields.show({
      rules: rules.map(({ path }) => path),
      moves: sorted.animated.size > 0,
      isUnitless: scenes.some(isUnitless),
    });
    const isEmpty = this.sources.length === 0;
    this.form.hidden = isEmpty;
    this.element.classList.toggle("has-files", !isEmpty);
    this.go.disabled = scenes.length === 0;
    this.go.textContent = scenes.length > 1 ? `Check ${counted(scenes.length, "model")}` : "Check";
  }

  private submit(): void {
    const { sides } = this;
    const scenes = this.of("scene");
    const settings = this.fields.settings();
    const on = (side: Side) => scenes.filter(({ path }) => sides.get(path) === side);
    const ordered = this.apart.checked ? [...on(1), ...on(2)] : scenes;
    const against = this.apart.checked ? on(2).length : undefined;
    this.failure.hidden = true;
    if (against === 0 || against === scenes.length) return this.fail("Each side needs a model.");
    const rules = this.of("rules").filter(({ path }) => path === settings.rules);
    this.check([...ordered, ...this.of("referred"), ...rules], {
      ...settings,
      scenes: ordered.map(({ path }) => path),
      against,
      pictures: false,
    });
  }

  private of(wanted: Role): Source[] {
    return this.sources.filter((source) => this.sorted.roles.get(source) === wanted);
  }
}

function radio(id: string, checked: boolean): HTMLInputElement {
  return el("input", { type: "radio", name: "compare", id, checked });
}

/** Says what closefit is. */
function lead(): HTMLElement {
  const what =
    "closefit checks 3D models: which parts overlap, touch, or come too close, how deep, how near, and where. Its answers are exact.";
  return el(
    "div",
    { class: "lead" },
    el("h2", {}, "Find where parts clash, before they are built."),
    el("p", { class: "muted" }, what),
  );
}

/** Says what becomes of files, and which there may be. */
function facts(): HTMLElement {
  const how =
    " The check runs in this page, which is one file. It cannot open a connection, stores nothing, and works offline.";
  const formats =
    "Reads glTF (.glb, .gltf), STL, OBJ, PLY, OFF, 3MF, COLLADA (.dae), robots in URDF, MJCF and SDF, and manifests (.json). For STEP and other formats, it says how to convert them.";
  return el(
    "div",
    { class: "facts" },
    el("p", { class: "safe" }, lock(), el("span", {}, el("b", {}, "Nothing leaves your machine."), how)),
    el("p", { class: "muted" }, formats),
    licences(),
  );
}

function lock(): SVGSVGElement {
  return svg(
    "svg",
    { viewBox: "0 0 20 20", class: "lock", "aria-hidden": "true" },
    svg("path", { d: "M6.5 9V6.5a3.5 3.5 0 0 1 7 0V9" }),
    svg("rect", { x: 4, y: 9, width: 12, height: 8.5, rx: 2 }),
  );
}
