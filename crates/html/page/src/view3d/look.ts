/** Where the viewer looks, without perspective: lengths across the view are true. */

import { Matrix4, OrthographicCamera, Vector3 } from "three";

/** A view. Directions have length 1 and are perpendicular. */
export interface Look {
  direction: Vector3;
  up: Vector3;
  centre: Vector3;
  /** The height of the picture. */
  height: number;
}

/** The narrowest picture, width by height, for which views are made. */
const NARROWEST = 4 / 3;

/** Sets a camera to a view. All within a reach of the middle is drawn. */
export function aim(
  camera: OrthographicCamera,
  { direction, up, centre, height }: Look,
  aspect: number,
  reach: number,
): void {
  const right = new Vector3().crossVectors(direction, up);
  camera.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(right, up, direction.clone().negate()));
  // The camera is in the middle of what it shows, where coordinates in its frame are small, and sees behind itself.
  camera.position.copy(centre);
  camera.top = 0.5 * height;
  camera.bottom = -camera.top;
  camera.right = camera.top * aspect;
  camera.left = -camera.right;
  camera.far = 1.01 * (reach + centre.length());
  camera.near = -camera.far;
  camera.updateProjectionMatrix();
  camera.updateMatrixWorld(true);
}

/** Returns the view in a picture that may be narrower than those for which views are made. */
export function fitted(look: Look, aspect: number): Look {
  return { ...look, height: look.height * Math.max(1, NARROWEST / aspect) };
}

/** Returns where a point is in a picture of a size, in pixels from its upper left corner. */
export function pixel(
  point: Vector3,
  { direction, up, centre, height }: Look,
  size: [number, number],
): [number, number] {
  const scale = size[1] / height;
  const off = point.clone().sub(centre);
  const right = new Vector3().crossVectors(direction, up);
  return [0.5 * size[0] + scale * off.dot(right), 0.5 * size[1] - scale * off.dot(up)];
}

/** Returns a view on the way from one to another. */
export function between(from: Look, to: Look, share: number): Look {
  const direction = from.direction.clone().lerp(to.direction, share).normalize();
  const up = from.up.clone().lerp(to.up, share);
  up.addScaledVector(direction, -up.dot(direction)).normalize();
  if (!(direction.length() > 0.5 && up.length() > 0.5)) return to;
  const height = from.height * (to.height / from.height) ** share;
  return { direction, up, centre: from.centre.clone().lerp(to.centre, share), height };
}
