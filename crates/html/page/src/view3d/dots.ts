/** A dot at each finding in the whole model, the worst on top. */

import { BufferAttribute, BufferGeometry, Points, ShaderMaterial, Vector3 } from "three";
import type { Finding } from "../data/report";
import { worstFirst } from "../data/rank";
import { pixel, type Look } from "./look";
import { pointOf } from "./views";
import type { Model } from "./model";
import { DOTS } from "./palette";

const VERTEX = `
attribute vec3 tint;
uniform float ratio;
varying vec3 colour;
void main() {
  colour = tint;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = 15.0 * ratio;
}`;

const FRAGMENT = `
varying vec3 colour;
uniform float ratio;
void main() {
  float radius = length(gl_PointCoord - 0.5) * 15.0;
  float hair = 0.5 / ratio;
  vec3 inside = mix(colour, vec3(0.082, 0.094, 0.118), smoothstep(5.0 - hair, 5.0 + hair, radius));
  vec3 shown = mix(inside, vec3(1.0), smoothstep(6.2 - hair, 6.2 + hair, radius));
  gl_FragColor = vec4(shown, 1.0 - smoothstep(7.2 - hair, 7.2 + hair, radius));
}`;

/** The distance in pixels within which a dot is hit. */
const REACH = 14;

export class Dots {
  readonly points: Points<BufferGeometry, ShaderMaterial>;
  private shown: { finding: Finding; at: Vector3 }[] = [];

  constructor(private readonly model: Model) {
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { ratio: { value: 1 } },
      transparent: true,
      depthTest: false,
      depthWrite: false,
    });
    this.points = new Points(new BufferGeometry(), material);
    this.points.frustumCulled = false;
    this.points.renderOrder = 9;
  }

  /** Shows the dots of these findings only. The same ones in another order change nothing. */
  show(findings: Finding[]): void {
    const isShown = new Set(this.shown.map(({ finding }) => finding));
    if (isShown.size === findings.length && findings.every((finding) => isShown.has(finding))) return;
    const bestFirst = [...findings].sort(worstFirst).reverse();
    this.shown = bestFirst.map((finding) => ({ finding, at: pointOf(finding, this.model) }));
    const places = new Float32Array(3 * this.shown.length);
    const tints = new Float32Array(3 * this.shown.length);
    for (const [i, { finding, at }] of this.shown.entries()) {
      at.toArray(places, 3 * i);
      tints.set(DOTS[finding.verdict], 3 * i);
    }
    this.points.geometry.dispose();
    this.points.geometry = new BufferGeometry()
      .setAttribute("position", new BufferAttribute(places, 3))
      .setAttribute("tint", new BufferAttribute(tints, 3));
  }

  setPixelRatio(ratio: number): void {
    this.points.material.uniforms.ratio.value = ratio;
  }

  /** Returns the finding whose dot is hit at a pixel: the nearest, and of those at one place the worst. */
  at([x, y]: [number, number], look: Look, size: [number, number]): Finding | null {
    let [best, least]: [Finding | null, number] = [null, REACH];
    for (const { finding, at } of this.shown) {
      const [u, v] = pixel(at, look, size);
      const distance = Math.hypot(u - x, v - y);
      if (distance <= least) [best, least] = [finding, distance];
    }
    return best;
  }
}
