/** Views of findings: that of the program where it gives one, else one by a simple rule. */

import { Box3, Plane, Vector3 } from "three";
import type { Mode, PlaneRow } from "../data/document";
import type { Finding } from "../data/report";
import type { Look } from "./look";
import type { Model } from "./model";

/** A closer look at a section, with a plane of its own. */
export interface Closer {
  plane: Plane;
  look: Look;
}

/** What is shown, and how. What lies in front of the plane is cut away. */
export interface Shot {
  mode: Mode;
  look: Look;
  plane: Plane | null;
  closer: Closer | null;
}

/** Returns the view of a finding in a mode. */
export function shotOf(finding: Finding, mode: Mode, model: Model): Shot {
  const { view } = finding;
  if (mode === "whole") return { mode, look: wholeLook(model), plane: null, closer: null };
  if (view?.mode === mode) return given(finding);
  return mode === "section" ? section(finding, model) : xray(finding, model);
}

/** Returns the view that the program has chosen. */
function given({ view }: Finding): Shot {
  const { mode, direction, up, centre, height, plane, detail } = view!;
  const look = {
    direction: new Vector3(...direction),
    up: new Vector3(...up),
    centre: new Vector3(...centre),
    height,
  };
  const planeOf = ({ point, normal }: PlaneRow) => behind(new Vector3(...normal), new Vector3(...point));
  const closer = detail && {
    plane: planeOf(detail.plane),
    look: { ...look, centre: new Vector3(...detail.centre), height: detail.diameter },
  };
  return { mode, look, plane: plane ? planeOf(plane) : null, closer: closer ?? null };
}

/** Returns the view of all parts, from above and from the right. */
export function wholeLook(model: Model): Look {
  return lookAt(model.box(), model);
}

/** Returns the view of a box, from above and from the right. */
export function lookAt(box: Box3, { up }: Model): Look {
  const right = new Vector3(1, 0, 0);
  const toward = right.clone().multiplyScalar(0.55).addScaledVector(up, 0.5);
  toward.addScaledVector(right.clone().cross(up), 0.67).normalize();
  return framing(box, toward, up, 1.08);
}

/** Returns a cut along the dimension, across the axis that is most perpendicular to it. */
function section(finding: Finding, model: Model): Shot {
  const box = placeOf(finding);
  const [p, q] = measureOf(finding) ?? [box.getCenter(new Vector3()), box.max.clone()];
  const along = q.clone().sub(p).normalize();
  const axes = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
  // A plan is harder to read than an elevation.
  const fitness = (axis: Vector3) =>
    axis.clone().cross(along).length() * (Math.abs(axis.dot(model.up)) > 0.9 ? 0.6 : 1);
  const normal = axes.sort((a, b) => fitness(b) - fitness(a))[0];
  normal.addScaledVector(along, -normal.dot(along)).normalize();
  const up = upright(normal, model.up);
  const toward = normal
    .clone()
    .addScaledVector(up, 0.28)
    .addScaledVector(up.clone().cross(normal), 0.22)
    .normalize();
  const length = p.distanceTo(q);
  const height =
    3 *
    Math.max(2.2 * length, Math.min(box.getSize(new Vector3()).length(), 14 * length), 1e-9 * model.radius);
  const centre = p.clone().add(q).multiplyScalar(0.5);
  const look = { direction: toward.clone().negate(), up: upright(toward, up), centre, height };
  return { mode: "section", look, plane: behind(normal, p), closer: null };
}

/** Returns a view from above, across the dimension. */
function xray(finding: Finding, model: Model): Shot {
  const measure = measureOf(finding);
  const along = measure ? measure[1].sub(measure[0]).normalize() : new Vector3();
  let [best, most] = [model.up, -Infinity];
  for (const x of [1, -1]) {
    for (const y of [1, -1]) {
      for (const z of [1, -1]) {
        const toward = new Vector3(x, y, z).normalize();
        const score =
          (toward.dot(model.up) < 0 ? 0.6 : 1) * (0.25 + 0.75 * toward.clone().cross(along).length());
        if (score > most) [best, most] = [toward, score];
      }
    }
  }
  const sizes = finding.parts.map(({ id }) => model.placed.get(id)?.box.getSize(new Vector3()).length() ?? 0);
  const box = placeOf(finding);
  const extent = Math.min(
    Math.max(box.getSize(new Vector3()).length(), 0.25 * Math.min(...sizes)),
    0.9 * Math.max(...sizes),
  );
  const look = framing(box, best, model.up, 1);
  return {
    mode: "xray",
    look: { ...look, height: 2.5 * Math.max(extent, 1e-9 * model.radius) },
    plane: null,
    closer: null,
  };
}

/** Returns a view from a direction that holds a box, with a margin. */
function framing(box: Box3, toward: Vector3, upwards: Vector3, margin: number): Look {
  const up = upright(toward, upwards);
  const right = up.clone().cross(toward);
  const [centre, half] = [box.getCenter(new Vector3()), box.getSize(new Vector3()).multiplyScalar(0.5)];
  const reach = (axis: Vector3) =>
    Math.abs(axis.x) * half.x + Math.abs(axis.y) * half.y + Math.abs(axis.z) * half.z;
  const height = 2 * margin * Math.max(reach(up), 0.75 * reach(right), 1e-12);
  return { direction: toward.clone().negate(), up, centre, height };
}

/** Returns the ends of the dimension of a finding, if it has one. */
export function measureOf({ measure }: Finding): [Vector3, Vector3] | null {
  return measure && [new Vector3(...measure[0]), new Vector3(...measure[1])];
}

/** Returns the point of a finding that the report gives, or the middle of its place. */
export function pointOf(finding: Finding, model: Model): Vector3 {
  return finding.at ? model.point(finding.at) : placeOf(finding).getCenter(new Vector3());
}

/** Returns a box around the place of a finding. */
export function placeOf(finding: Finding): Box3 {
  const place = new Box3();
  for (const point of finding.bounds ?? []) place.expandByPoint(new Vector3(...point));
  for (const point of measureOf(finding) ?? []) place.expandByPoint(point);
  return place;
}

function upright(toward: Vector3, up: Vector3): Vector3 {
  const projected = up.clone().addScaledVector(toward, -toward.dot(up));
  if (projected.length() > 0.2) return projected.normalize();
  const north = Math.abs(up.y) > 0.5 ? new Vector3(0, 0, -1) : new Vector3(0, 1, 0);
  return north.addScaledVector(toward, -toward.dot(north)).normalize();
}

/** Returns the plane through a point that keeps what is behind it. */
function behind(normal: Vector3, point: Vector3): Plane {
  return new Plane().setFromNormalAndCoplanarPoint(normal.negate(), point);
}
