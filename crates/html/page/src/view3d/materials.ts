/** Materials. Colours are written as they are given, so that the page and the pictures of the program agree. */

import { DoubleSide, ShaderMaterial, Vector3, type Plane, type ShaderMaterialParameters } from "three";
import type { Rgb } from "./palette";

const VERTEX = `
#include <batching_pars_vertex>
#include <clipping_planes_pars_vertex>
varying vec3 place;
void main() {
  #include <batching_vertex>
  #include <begin_vertex>
  #include <project_vertex>
  #include <clipping_planes_vertex>
  place = mvPosition.xyz;
}`;

// The normal is that of the triangle, lit from both sides: the triangles of some files face inwards.
const LIT = `
#include <clipping_planes_pars_fragment>
uniform vec3 colour;
uniform float opacity;
uniform float shade;
varying vec3 place;
void main() {
  #include <clipping_planes_fragment>
  vec3 normal = normalize(cross(dFdx(place), dFdy(place)));
  float tone = min(1.0, abs(dot(normal, normalize(vec3(-0.35, 0.55, 1.0)))));
  gl_FragColor = vec4(colour * (1.0 - shade + shade * tone), opacity);
}`;

const VERTEX_WITH_DISTANCE = `
#include <clipping_planes_pars_vertex>
attribute float away;
varying vec3 place;
varying float far;
void main() {
  #include <begin_vertex>
  #include <project_vertex>
  #include <clipping_planes_vertex>
  place = mvPosition.xyz;
  far = away;
}`;

// A band changes within a pixel, wherever the triangles end.
const BANDS = `
#include <clipping_planes_pars_fragment>
uniform vec3 inner;
uniform vec3 middle;
uniform vec3 outer;
uniform float clearance;
varying vec3 place;
varying float far;
void main() {
  #include <clipping_planes_fragment>
  vec3 normal = normalize(cross(dFdx(place), dFdy(place)));
  float tone = min(1.0, abs(dot(normal, normalize(vec3(-0.35, 0.55, 1.0)))));
  float hair = 0.5 * fwidth(far) + 1e-30;
  float first = smoothstep(clearance - hair, clearance + hair, far);
  float second = smoothstep(2.0 * clearance - hair, 2.0 * clearance + hair, far);
  vec3 colour = mix(mix(inner, middle, first), outer, second);
  gl_FragColor = vec4(colour * (0.7 + 0.3 * tone), 1.0);
}`;

const FLAT = `
#include <clipping_planes_pars_fragment>
uniform vec3 colour;
uniform float opacity;
void main() {
  #include <clipping_planes_fragment>
  gl_FragColor = vec4(colour, opacity);
}`;

// Lines at 45 degrees, as wide on a fine screen as on a coarse one.
const HATCHED = `
uniform vec3 paper;
uniform vec3 line;
uniform float rise;
uniform float ratio;
void main() {
  float along = mod((gl_FragCoord.x + rise * gl_FragCoord.y) / ratio, 8.0);
  gl_FragColor = vec4(mix(paper, line, step(along, 2.0)), 1.0);
}`;

/** Returns the material of surfaces in the light, which takes a share of the colour of those that turn away. */
export function surface(
  colour: Rgb,
  options: ShaderMaterialParameters = {},
  opacity = 1,
  shade = 0.3,
): ShaderMaterial {
  return made(LIT, { colour, opacity, shade }, options);
}

/** Returns a material of one colour. */
export function flat(colour: Rgb, options: ShaderMaterialParameters = {}, opacity = 1): ShaderMaterial {
  return made(FLAT, { colour, opacity }, options);
}

/** Returns the material of a heat map: the colours of three bands, which the clearance and its double separate. */
export function banded(
  [inner, middle, outer]: readonly [Rgb, Rgb, Rgb],
  clearance: number,
  options: ShaderMaterialParameters,
): ShaderMaterial {
  return made(
    BANDS,
    { inner, middle, outer, clearance },
    { ...options, vertexShader: VERTEX_WITH_DISTANCE },
  );
}

/** Returns the material of a cut; `rise` is 1 or -1. */
export function hatched(
  paper: Rgb,
  line: Rgb,
  rise: number,
  options: ShaderMaterialParameters,
): ShaderMaterial {
  return made(HATCHED, { paper, line, rise, ratio: 1 }, options);
}

function made(
  fragmentShader: string,
  values: Record<string, Rgb | number>,
  options: ShaderMaterialParameters,
): ShaderMaterial {
  const uniforms = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      { value: typeof value === "number" ? value : new Vector3(...value) },
    ]),
  );
  return new ShaderMaterial({
    uniforms,
    vertexShader: VERTEX,
    fragmentShader,
    side: DoubleSide,
    clipping: true,
    ...options,
  });
}

/** Gives a material another colour. */
export function paint(material: ShaderMaterial, [r, g, b]: Rgb): void {
  (material.uniforms.colour.value as Vector3).set(r, g, b);
}

/** Clips materials by planes; none if there are none. */
export function clip(materials: ShaderMaterial[], planes: Plane[]): void {
  for (const material of materials) material.clippingPlanes = planes.length > 0 ? planes : null;
}
