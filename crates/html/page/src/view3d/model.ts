/** The parts as shapes at places, at a time. */

import { Box3, Matrix4, Vector3 } from "three";
import type { Body, Head, Point } from "../data/document";
import type { Shape } from "./geometry";
import { composed, posesAt } from "./motion";

/** A part with a shape. */
export interface Placed {
  id: number;
  shape: Shape;
  /** From coordinates of the mesh to those of the page. */
  matrix: Matrix4;
  box: Box3;
  moves: boolean;
}

/** All parts that are drawn. The origin of the page is the middle of the scene. */
export class Model {
  readonly up: Vector3;
  readonly placed = new Map<number, Placed>();
  readonly radius: number;
  time: number | null;

  constructor(
    private readonly body: Body,
    head: Head,
    shapes: Shape[],
  ) {
    this.up = head.up === "y" ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
    for (const [id, mesh] of body.parts.mesh.entries()) {
      if (mesh === null) continue;
      const moves = body.parts.frame[id] !== null;
      this.placed.set(id, { id, shape: shapes[mesh], matrix: new Matrix4(), box: new Box3(), moves });
    }
    this.time = head.settings.from ?? null;
    this.place([...this.placed.values()]);
    const { min, max } = this.box();
    this.radius = Math.max(min.length(), max.length(), 1e-12);
  }

  /** Returns a point of the scene in coordinates of the page. */
  point([x, y, z]: Point): Vector3 {
    const [u, v, w] = this.body.middle;
    return new Vector3(x - u, y - v, z - w);
  }

  /** Returns the box of all parts. */
  box(): Box3 {
    const all = new Box3();
    for (const { box } of this.placed.values()) all.union(box);
    return all;
  }

  /** Moves the parts that move to where they are at a time, and returns them. */
  at(time: number): Placed[] {
    this.time = time;
    const moving = [...this.placed.values()].filter(({ moves }) => moves);
    this.place(moving);
    return moving;
  }

  private place(parts: Placed[]): void {
    const { frame, pose } = this.body.parts;
    const poses = this.body.frames.length > 0 ? posesAt(this.body.frames, this.time ?? 0) : [];
    const [u, v, w] = this.body.middle;
    for (const part of parts) {
      const carrier = frame[part.id];
      const m = carrier === null ? pose[part.id] : composed(poses[carrier], pose[part.id]);
      part.matrix.set(
        m[0],
        m[1],
        m[2],
        m[3] - u,
        m[4],
        m[5],
        m[6],
        m[7] - v,
        m[8],
        m[9],
        m[10],
        m[11] - w,
        0,
        0,
        0,
        1,
      );
      part.box.copy(part.shape.box).applyMatrix4(part.matrix);
    }
  }
}
