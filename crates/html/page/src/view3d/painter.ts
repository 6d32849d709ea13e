/** The canvas, and how finely it is drawn: as finely as the machine can while it moves, and finer when it stands. */

import { WebGLRenderer, WebGLRenderTarget, type Camera, type Scene } from "three";

/** A frame that takes fewer milliseconds is drawn fine at once. */
const FAST = 20;
/** A frame that takes more is never drawn finer than it is shown. */
const SLOW = 400;
/** Milliseconds without a new frame before a finer one is drawn. */
const PAUSE = 180;

export class Painter {
  readonly canvas: HTMLCanvasElement;
  /** Milliseconds that the last coarse frame took. */
  frame = 0;
  ratio = 1;
  private readonly renderer: WebGLRenderer;
  private size: [number, number] = [1, 1];
  private waiting = 0;

  /** Makes the canvas. Throws an error where the machine cannot draw. */
  constructor(private readonly ratioChanged: (ratio: number) => void) {
    this.renderer = new WebGLRenderer({ antialias: false, alpha: true, stencil: true });
    this.renderer.localClippingEnabled = true;
    this.canvas = this.renderer.domElement;
  }

  resize(size: [number, number]): void {
    this.size = size;
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(...size);
  }

  /** Draws a frame now, and a finer one once nothing more is drawn. */
  paint(scene: Scene, camera: Camera): void {
    clearTimeout(this.waiting);
    this.setRatio(this.frame > 0 && this.frame < FAST ? this.finest() : Math.min(devicePixelRatio, 1.5));
    this.render(scene, camera);
    if (this.ratio < this.finest()) this.waiting = window.setTimeout(() => this.refine(scene, camera), PAUSE);
  }

  /** Draws the last frame finer, if that does not take too long. */
  private refine(scene: Scene, camera: Camera): void {
    if (this.frame > SLOW) return;
    this.setRatio(this.finest());
    this.render(scene, camera);
  }

  /** Returns the numbers of calls and triangles of the last frame. */
  get drawn(): { calls: number; triangles: number } {
    return { calls: this.renderer.info.render.calls, triangles: this.renderer.info.render.triangles };
  }

  /** Returns a picture of a size in pixels. */
  picture(scene: Scene, camera: Camera, [width, height]: [number, number]): ImageData {
    const target = new WebGLRenderTarget(width, height, { stencilBuffer: true, samples: 4 });
    const pixels = new Uint8ClampedArray(4 * width * height);
    this.renderer.setRenderTarget(target);
    this.renderer.render(scene, camera);
    this.renderer.readRenderTargetPixels(target, 0, 0, width, height, pixels as unknown as Uint8Array);
    this.renderer.setRenderTarget(null);
    target.dispose();
    const upright = new ImageData(width, height);
    // The rows of a target begin at the bottom.
    for (let row = 0; row < height; row += 1) {
      upright.data.set(pixels.subarray(4 * width * row, 4 * width * (row + 1)), 4 * width * (height - 1 - row));
    }
    return upright;
  }

  private finest(): number {
    return Math.max(2, devicePixelRatio);
  }

  private render(scene: Scene, camera: Camera): void {
    const [begin, ratio] = [performance.now(), this.ratio];
    this.renderer.render(scene, camera);
    this.timed(begin, ratio);
  }

  /** Notes how long a frame took once it is drawn: until then, only commands have been given. */
  private timed(begin: number, ratio: number): void {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    const look = () => {
      if (!fence || gl.isContextLost()) return;
      if (gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) return void setTimeout(look, 4);
      gl.deleteSync(fence);
      const took = performance.now() - begin;
      // A fine frame tells only that fine frames have become too slow.
      if (ratio < this.finest() || took > 3 * FAST) this.frame = took;
    };
    gl.flush();
    setTimeout(look, 0);
  }

  private setRatio(ratio: number): void {
    if (ratio === this.ratio) return;
    this.ratio = ratio;
    this.ratioChanged(ratio);
    this.resize(this.size);
  }
}
