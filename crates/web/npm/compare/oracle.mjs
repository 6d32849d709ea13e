// Whether two triangles meet, and how far apart they are, by enumeration. Corners are integers below 2^10, so that determinants are exact
// in double precision. Triangles may have no area.

const minus = (p, q) => [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
const dot = (p, q) => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const cross = (p, q) => [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
const isZero = (p) => p[0] === 0 && p[1] === 0 && p[2] === 0;
const det = (p, q, r) => dot(p, cross(q, r));

/**
 * Triangles meet if and only if the hull of the nine differences of their corners has the origin. By Carathéodory's theorem, it then is in the
 * hull of at most four of them that are not in a plane, three not on a line, two that differ, or one.
 */
export function meet(a, b) {
  const points = a.flatMap((p) => b.map((q) => minus(p, q)));
  const n = points.length;
  for (let i = 0; i < n; i++) {
    const p = points[i];
    if (isZero(p)) return true;
    for (let j = i + 1; j < n; j++) {
      const q = points[j];
      const normal = cross(p, q);
      if (isZero(normal)) {
        if (dot(p, q) < 0) return true;
        continue;
      }
      for (let k = j + 1; k < n; k++) {
        const r = points[k];
        const side = dot(normal, r);
        if (side === 0) {
          // In one plane with the origin: it is inside if it is on the same side of all three edges.
          const turns = [dot(normal, cross(q, r)), dot(normal, cross(r, p))];
          if (turns[0] >= 0 && turns[1] >= 0 && (turns[0] > 0 || turns[1] > 0)) return true;
          continue;
        }
        for (let l = k + 1; l < n; l++) {
          const s = points[l];
          const volumes = [det(q, r, s), -det(p, r, s), det(p, q, s), -side];
          if (volumes.every((v) => v >= 0) || volumes.every((v) => v <= 0)) return true;
        }
      }
    }
  }
  return false;
}

const clamp = (t) => Math.min(1, Math.max(0, t));
const along = (p, d, t) => [p[0] + t * d[0], p[1] + t * d[1], p[2] + t * d[2]];
const apart = (p, q) => Math.sqrt(dot(minus(p, q), minus(p, q)));

function pointToSegment(p, [a, b]) {
  const d = minus(b, a);
  const length = dot(d, d);
  return apart(p, along(a, d, length === 0 ? 0 : clamp(dot(minus(p, a), d) / length)));
}

/** The distance of the lines if it is inside both segments, and the distance of an end otherwise. */
function segments([a, b], [c, d]) {
  const ends = [pointToSegment(a, [c, d]), pointToSegment(b, [c, d]), pointToSegment(c, [a, b]), pointToSegment(d, [a, b])];
  const [u, v, w] = [minus(b, a), minus(d, c), minus(c, a)];
  const normal = cross(u, v);
  const square = dot(normal, normal);
  if (square > 0) {
    const [s, t] = [det(w, v, normal) / square, det(w, u, normal) / square];
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) ends.push(apart(along(a, u, s), along(c, v, t)));
  }
  return Math.min(...ends);
}

const edges = ([a, b, c]) => [[a, b], [b, c], [c, a]];

/** The distance of a point to the inside of a triangle, if it is above it. */
function pointToFace(p, [a, b, c]) {
  const normal = cross(minus(b, a), minus(c, a));
  const square = dot(normal, normal);
  const isInside = square > 0 && edges([a, b, c]).every(([q, r]) => dot(normal, cross(minus(r, q), minus(p, q))) >= 0);
  return isInside ? Math.abs(dot(minus(p, a), normal)) / Math.sqrt(square) : Infinity;
}

/** Returns the distance of two triangles that do not meet. */
export function distanceOf(a, b) {
  const pairs = edges(a).flatMap((e) => edges(b).map((f) => segments(e, f)));
  return Math.min(...pairs, ...a.map((p) => pointToFace(p, b)), ...b.map((p) => pointToFace(p, a)));
}
