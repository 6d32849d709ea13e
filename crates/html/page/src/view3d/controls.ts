/** The pointer: drag to turn, with two fingers or the other button to shift, wheel or pinch to come closer.
 *
 * The state is a view, so any view can be a start, with any direction up; the pivot is the middle of the picture. */

import { Vector3 } from "three";
import type { Look } from "./look";

/** Radians per pixel. */
const TURN = 0.006;
/** The steepest view, as the cosine between the direction and the vertical, beyond which a view is a plan. */
const PLAN = 0.95;

export class Controls {
  private readonly fingers = new Map<number, [number, number]>();
  private moved = 0;

  /** Listens to an element. A view that the pointer has changed, and where it has clicked, are told. */
  constructor(
    private readonly element: HTMLElement,
    private readonly up: Vector3,
    private readonly look: () => Look,
    private readonly changed: (look: Look) => void,
    private readonly clicked: (at: [number, number]) => void,
  ) {
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.release(event));
    element.addEventListener("pointercancel", ({ pointerId }) => this.fingers.delete(pointerId));
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  private down(event: PointerEvent): void {
    this.element.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
    this.moved = 0;
  }

  private move(event: PointerEvent): void {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now: [number, number] = [event.clientX, event.clientY];
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    this.moved += Math.abs(dx) + Math.abs(dy);
    const others = [...this.fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    this.fingers.set(event.pointerId, now);
    if (others.length > 0) return this.pinch(before, now, others[0], [dx, dy]);
    this.changed(event.buttons > 1 || event.shiftKey ? this.shifted(dx, dy) : this.turned(dx, dy));
  }

  private release(event: PointerEvent): void {
    this.fingers.delete(event.pointerId);
    if (this.moved < 5) this.clicked(this.inside(event.clientX, event.clientY));
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
    this.changed(
      this.closer(Math.exp(0.0015 * event.deltaY * lines), this.inside(event.clientX, event.clientY)),
    );
  }

  private pinch(
    before: [number, number],
    now: [number, number],
    other: [number, number],
    [dx, dy]: [number, number],
  ): void {
    const apart = (at: [number, number]) => Math.max(1, Math.hypot(at[0] - other[0], at[1] - other[1]));
    this.changed(this.shifted(0.5 * dx, 0.5 * dy));
    const middle = this.inside(0.5 * (now[0] + other[0]), 0.5 * (now[1] + other[1]));
    this.changed(this.closer(apart(before) / apart(now), middle));
  }

  private inside(x: number, y: number): [number, number] {
    const { left, top } = this.element.getBoundingClientRect();
    return [x - left, y - top];
  }

  private turned(dx: number, dy: number): Look {
    const { direction, up, ...rest } = this.look();
    const axis = Math.abs(direction.dot(this.up)) > PLAN ? up : this.up;
    const around = (v: Vector3) => v.clone().applyAxisAngle(axis, -TURN * dx);
    const [ahead, above] = [around(direction), around(up)];
    const right = new Vector3().crossVectors(ahead, above);
    const tilted = (v: Vector3) => v.clone().applyAxisAngle(right, -TURN * dy);
    const turned = { direction: tilted(ahead), up: tilted(above), ...rest };
    // Past the vertical, left and right would change places.
    const isOver = turned.up.dot(this.up) < 0.02 && turned.up.dot(this.up) < above.dot(this.up);
    return isOver ? { direction: ahead, up: above, ...rest } : turned;
  }

  private shifted(dx: number, dy: number): Look {
    const look = this.look();
    const scale = look.height / this.element.clientHeight;
    const right = new Vector3().crossVectors(look.direction, look.up);
    const centre = look.centre
      .clone()
      .addScaledVector(right, -dx * scale)
      .addScaledVector(look.up, dy * scale);
    return { ...look, centre };
  }

  /** Returns the view with another height, and the same point at a pixel. */
  private closer(factor: number, [x, y]: [number, number]): Look {
    const look = this.look();
    const scale = (look.height / this.element.clientHeight) * (1 - factor);
    const right = new Vector3().crossVectors(look.direction, look.up);
    const centre = look.centre
      .clone()
      .addScaledVector(right, (x - 0.5 * this.element.clientWidth) * scale)
      .addScaledVector(look.up, (0.5 * this.element.clientHeight - y) * scale);
    return { ...look, centre, height: look.height * factor };
  }
}
