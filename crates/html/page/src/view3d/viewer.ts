/** The picture: the whole model with its dots, or a finding cut open or seen through. */

import { OrthographicCamera, Plane, Scene, Vector3 } from "three";
import type { Mode } from "../data/document";
import { inOne } from "../data/names";
import { el } from "../dom";
import type { Finding } from "../data/report";
import type { List } from "../list/list";
import { bestMode, type Store } from "../store";
import { theme } from "../theme";
import { Circle } from "./circle";
import { Context } from "./context";
import { Controls } from "./controls";
import { Dots } from "./dots";
import type { Heat } from "./heat";
import { Inset } from "./inset";
import { aim, between, fitted, pixel, type Look } from "./look";
import type { Model } from "./model";
import { numbered, SIZE } from "./numbered";
import { Overlay, type Marks } from "./overlay";
import { Painter } from "./painter";
import { Pair } from "./pair";
import { saved } from "./saved";
import { lookAt, measureOf, placeOf, pointOf, shotOf, wholeLook, type Shot } from "./views";

/** Milliseconds of a flight from one view to another, and of the longest frame with which one is flown. */
const FLIGHT = 300;
const LONGEST_FRAME = 90;

/** The width and height of pictures for paper, and the pixels of each of their units. */
const STILL: [number, number] = [400, 300];
const FINE = 1.6;

/** The share of a sweep, before and after the time that is shown, of whose findings dots are shown. */
const NEAR = 0.03;

export class Viewer {
  readonly element = el("div", { class: "canvas" });
  readonly painter: Painter;
  shot: Shot;
  private look: Look;
  private readonly scene = new Scene();
  private readonly camera = new OrthographicCamera();
  private readonly context: Context;
  private readonly dots: Dots;
  private readonly overlay = new Overlay();
  private readonly circle = new Circle(true);
  private readonly inset = new Inset();
  private pair: Pair | null = null;
  private finding: Finding | null = null;
  private size: [number, number] = [1, 1];
  private flight = 0;
  private time = -Infinity;
  private isAsked = false;

  constructor(
    private readonly store: Store,
    readonly model: Model,
    private readonly list: List,
    private readonly heat: Heat | null,
  ) {
    this.painter = new Painter((ratio) => this.setPixelRatio(ratio));
    this.context = new Context(model);
    this.dots = new Dots(model);
    this.look = wholeLook(model);
    this.shot = { mode: "whole", look: this.look, plane: null, closer: null };
    this.scene.add(this.context.group, this.dots.points);
    if (heat) this.scene.add(heat.group);
    this.element.append(this.painter.canvas, this.circle.element, this.overlay.element, this.inset.element);
    new Controls(
      this.element,
      model.up,
      () => this.look,
      (look) => this.turn(look),
      (at) => this.hit(at),
    );
    new ResizeObserver(() => this.resize()).observe(this.element);
    store.onChange(() => this.update());
    this.resize();
    this.update();
    this.jump();
  }

  /** Moves what moves to a time. Of the dots, those remain whose findings are there, or at no time. */
  setTime(time: number): void {
    this.time = time;
    this.showDots();
    this.context.move(this.model.at(time));
    this.pair?.move();
    if (this.shot.plane) this.pair?.moveCut(this.shot.plane);
    this.circle.hide();
    this.ask();
  }

  /** Draws everything anew in the colours of the theme. */
  repaint(): void {
    this.context.paint(theme());
    this.drawInset();
    this.drawCircle(this.circle, this.size);
    this.ask();
  }

  /** Draws a frame now. */
  draw(): void {
    this.isAsked = false;
    const { model, look, size } = this;
    this.clipContext(look);
    aim(this.camera, look, size[0] / size[1], model.radius);
    this.painter.paint(this.scene, this.camera);
    this.overlay.draw(this.marks(this.circle), look, size);
  }

  /** Returns the picture as a PNG file. */
  save(): Promise<Blob> {
    this.draw();
    const circle = this.circle.isShown ? this.circle.element : null;
    const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper-top");
    const names = this.finding?.parts.map(({ short }) => inOne(short).slice(0, 80)) ?? [];
    return saved(this.painter.canvas, circle, this.overlay.element, this.size, paper, names);
  }

  private update(): void {
    const { selected, mode } = this.store;
    if (mode === "whole") this.showDots();
    if (selected !== this.finding || mode !== this.shot.mode) {
      this.present(selected, mode);
      this.drawInset();
      this.drawCircle(this.circle, this.size);
      this.fly(fitted(this.shot.look, this.size[0] / this.size[1]));
    }
    this.ask();
  }

  /** Shows the dots of what is listed. At the start of a sweep they are all there. */
  private showDots(): void {
    const { from = 0, to = 0 } = this.store.report.head.settings;
    const isNear = ({ time }: Finding) =>
      time === null || this.time <= from || Math.abs(time - this.time) <= NEAR * (to - from);
    this.dots.show(this.list.listed.findings.filter(isNear));
  }

  /** Puts a finding, or nothing, into the scene in a mode. */
  private present(finding: Finding | null, mode: Mode): void {
    const { model } = this;
    if (finding?.time != null && finding !== this.finding) this.context.move(model.at(finding.time));
    this.finding = finding;
    this.shot = this.shotOf(finding, mode);
    this.dots.points.visible = mode === "whole";
    const isHeat = this.shot.mode === "heat";
    if (this.heat) this.heat.group.visible = isHeat;
    this.context.group.visible = !isHeat;
    this.pair?.dispose();
    this.pair?.group.removeFromParent();
    this.pair =
      finding && !isHeat
        ? new Pair(
            [model.placed.get(finding.parts[0].id), model.placed.get(finding.parts[1].id)],
            model,
            finding.kind === "overlap",
          )
        : null;
    this.context.hide(this.pair?.parts.map(({ id }) => id) ?? []);
    if (this.pair) {
      this.scene.add(this.pair.group);
      if (this.shot.plane) this.pair.showCut(this.shot.plane);
      else if (this.shot.mode === "xray") this.pair.showThrough();
      else this.pair.showWhole();
      this.pair.setPixelRatio(this.painter.ratio);
    }
  }

  private shotOf(finding: Finding | null, mode: Mode): Shot {
    const { model, heat } = this;
    if (mode === "heat" && heat) {
      return { mode: "heat", look: lookAt(heat.parts[0].box, model), plane: null, closer: null };
    }
    return finding
      ? shotOf(finding, mode, model)
      : { mode: "whole", look: wholeLook(model), plane: null, closer: null };
  }

  /** Draws the whole model in the corner, if a finding is seen closer. */
  private drawInset(): void {
    const { finding, shot, model } = this;
    this.inset.hide();
    if (finding && (shot.mode === "section" || shot.mode === "xray")) {
      const look = fitted(wholeLook(model), 1);
      this.inset.show(
        this.size,
        (side) => this.whole(look, [side, side]),
        (side) => pixel(pointOf(finding, model), look, [side, side]),
      );
    }
  }

  /** Draws the whole model, uncut and without a finding, whatever the picture shows. */
  private whole(look: Look, size: [number, number]): ImageData {
    const { context, camera, pair, heat, dots } = this;
    const others = [dots.points, pair?.group, heat?.group].filter((group) => group?.visible);
    const isShown = context.group.visible;
    for (const group of others) if (group) group.visible = false;
    context.group.visible = true;
    context.hide([]);
    context.clip([]);
    aim(camera, look, size[0] / size[1], this.model.radius);
    const picture = this.painter.picture(this.scene, camera, size);
    for (const group of others) if (group) group.visible = true;
    context.group.visible = isShown;
    context.hide(pair?.parts.map(({ id }) => id) ?? []);
    return picture;
  }

  /** Returns the whole model for paper, with the numbers of findings at their places. */
  numbered(findings: Finding[]): HTMLElement {
    const look = fitted(wholeLook(this.model), SIZE[0] / SIZE[1]);
    const places = findings.map((finding) => ({
      at: pixel(pointOf(finding, this.model), look, SIZE),
      verdict: finding.verdict,
    }));
    const made = numbered(this.onPaper(() => this.whole(look, SIZE)), places);
    this.ask();
    return made;
  }

  /** Draws in the colours of paper. */
  private onPaper<T>(draw: () => T): T {
    this.context.paint("light");
    const drawn = draw();
    this.context.paint(theme());
    return drawn;
  }

  /** Returns pictures of findings for paper, each as it is seen best. */
  stills(findings: Finding[]): HTMLElement[] {
    const { time } = this.model;
    const stills = this.onPaper(() => findings.map((finding) => this.still(finding)));
    this.present(this.store.selected, this.store.mode);
    if (time !== null) this.setTime(time);
    this.drawCircle(this.circle, this.size);
    this.ask();
    return stills;
  }

  private still(finding: Finding): HTMLElement {
    const [circle, overlay] = [new Circle(false), new Overlay()];
    this.present(finding, bestMode(finding));
    this.drawCircle(circle, STILL);
    const look = fitted(this.shot.look, STILL[0] / STILL[1]);
    this.clipContext(look);
    this.pair?.setPixelRatio(FINE);
    aim(this.camera, look, STILL[0] / STILL[1], this.model.radius);
    const [width, height] = STILL.map((side) => FINE * side);
    const canvas = el("canvas", { width, height });
    const picture = this.painter.picture(this.scene, this.camera, [width, height]);
    canvas.getContext("2d")?.putImageData(picture, 0, 0);
    overlay.draw(this.marks(circle), look, STILL);
    return el("div", { class: "drawn" }, el("div", {}, canvas, circle.element, overlay.element));
  }

  /** Draws the closer look of a picture of a size once: it does not turn with the picture. */
  private drawCircle(circle: Circle, size: [number, number]): void {
    const { closer, plane } = this.shot;
    circle.hide();
    if (!closer || !plane || !this.pair) return;
    this.pair.moveCut(closer.plane);
    this.context.clip([closer.plane]);
    aim(this.camera, closer.look, 1, this.model.radius);
    this.pair.setPixelRatio(2);
    circle.show(size, (side) => this.painter.picture(this.scene, this.camera, [side, side]));
    this.pair.setPixelRatio(this.painter.ratio);
    this.pair.moveCut(plane);
  }

  /** Cuts away what lies in front: of the section, or of the smaller part. */
  private clipContext(look: Look): void {
    const { shot, pair } = this;
    if (shot.plane) return this.context.clip([shot.plane]);
    if (shot.mode !== "xray" || !pair) return this.context.clip([]);
    const boxes = pair.parts
      .map(({ box }) => box)
      .sort((p, q) => p.min.distanceTo(p.max) - q.min.distanceTo(q.max));
    const [middle, half] = [
      boxes[0].getCenter(new Vector3()),
      boxes[0].getSize(new Vector3()).multiplyScalar(0.5),
    ];
    const { direction: d } = look;
    const reach = Math.abs(d.x) * half.x + Math.abs(d.y) * half.y + Math.abs(d.z) * half.z;
    this.context.clip([new Plane(d.clone(), reach - d.dot(middle))]);
  }

  private marks(circle: Circle): Marks | null {
    const { finding, shot } = this;
    if (!finding || shot.mode === "whole" || shot.mode === "heat") return null;
    const measure = measureOf(finding);
    const onto = (plane: Plane | null) =>
      measure && (measure.map((end) => plane?.projectPoint(end, new Vector3()) ?? end) as [Vector3, Vector3]);
    const place = placeOf(finding).getCenter(new Vector3());
    const { label } = finding;
    const ends = shot.closer ? onto(shot.closer.plane) : null;
    const close =
      ends && shot.closer && circle.isShown
        ? { middle: circle.middle, radius: circle.radius, look: shot.closer.look, ends }
        : null;
    return { ends: onto(shot.plane), place, label, circle: close };
  }

  private fly(to: Look): void {
    cancelAnimationFrame(this.flight);
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (isStill || this.painter.frame > LONGEST_FRAME || this.painter.frame === 0) {
      this.look = to;
      return this.ask();
    }
    const [from, begin] = [this.look, performance.now()];
    const step = () => {
      const share = Math.min(1, (performance.now() - begin) / FLIGHT);
      this.look = share < 1 ? between(from, to, share * share * (3 - 2 * share)) : to;
      this.draw();
      if (share < 1) this.flight = requestAnimationFrame(step);
    };
    step();
  }

  private turn(look: Look): void {
    cancelAnimationFrame(this.flight);
    const most = 20 * this.model.radius;
    this.look = { ...look, height: Math.min(Math.max(look.height, 1e-7 * most), most) };
    this.ask();
  }

  private hit(at: [number, number]): void {
    const found = this.dots.points.visible && this.dots.at(at, this.look, this.size);
    if (found) this.store.select(found);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.element;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.size = [clientWidth, clientHeight];
    this.painter.resize(this.size);
    this.jump();
    this.drawInset();
    this.drawCircle(this.circle, this.size);
  }

  private jump(): void {
    cancelAnimationFrame(this.flight);
    this.look = fitted(this.shot.look, this.size[0] / this.size[1]);
    this.ask();
  }

  private setPixelRatio(ratio: number): void {
    this.dots.setPixelRatio(ratio);
    this.pair?.setPixelRatio(ratio);
  }

  /** Asks for one frame, however often it is asked. */
  private ask(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => this.isAsked && this.draw());
  }
}
