/** A check: a worker of its own, from files to a result. */

import { packedBytes } from "../../../html/page/src/data/packed";
import type { Answer, Question, Result, Settings, Source } from "./messages";

/** Those who follow a check. */
export interface Follower {
  progress(stage: string, done: number, total: number): void;
  /** The model can be seen, and its pairs are being decided. */
  model(page: Uint8Array<ArrayBuffer>): void;
  result(result: Result): void;
  /** The check has ended without a result. */
  failed(line: string): void;
}

let compiled: Promise<WebAssembly.Module> | null = null;

/** Compiles the module that the page carries, once for all checks. */
export function compile(): Promise<WebAssembly.Module> {
  return (compiled ??= parsed()
    .then(() => packedBytes("module"))
    .then((bytes) => WebAssembly.compile(bytes)));
}

/** Waits for the end of the page: it is seen before the module in it is there. */
function parsed(): Promise<unknown> {
  return new Promise((resolve) => {
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", resolve);
    else resolve(null);
  });
}

const SCRIPT = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));

export class Check {
  private readonly worker = new Worker(SCRIPT);
  /** Those who wait for the BCF file. */
  private waiting: PromiseWithResolvers<Uint8Array<ArrayBuffer>> | null = null;
  /** Why nothing can be asked any more. */
  private ended: string | null = null;

  constructor(
    sources: Source[],
    settings: Settings,
    private readonly follower: Follower,
  ) {
    this.worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.hear(data));
    this.worker.addEventListener("error", () => this.end(broken(false)));
    compile().then(
      (module) => this.ask({ kind: "check", module, sources, settings }),
      (error) =>
        this.end(`This browser cannot run the check: ${error instanceof Error ? error.message : error}`),
    );
  }

  /** Stops, whatever is being done. */
  stop(): void {
    this.worker.terminate();
  }

  /** Makes the BCF file of the result. Throws an error with a sentence if that is not possible. */
  bcf(): Promise<Uint8Array<ArrayBuffer>> {
    if (this.ended) return Promise.reject(new Error(this.ended));
    if (!this.waiting) {
      this.waiting = Promise.withResolvers();
      this.ask({ kind: "bcf" });
    }
    return this.waiting.promise;
  }

  private ask(question: Question): void {
    this.worker.postMessage(question);
  }

  private hear(answer: Answer): void {
    switch (answer.kind) {
      case "progress":
        return this.follower.progress(answer.stage, answer.done, answer.total);
      case "model":
        return this.follower.model(answer.page);
      case "result":
        return this.follower.result(answer.result);
      case "bcf":
        return this.taken()?.resolve(answer.bytes);
      case "refused":
        return this.fail(answer.line);
      case "broken":
        return this.end(broken(answer.isFull));
    }
  }

  private end(line: string): void {
    this.stop();
    this.ended = line;
    this.fail(line);
  }

  private fail(line: string): void {
    const waiting = this.taken();
    if (waiting) waiting.reject(new Error(line));
    else this.follower.failed(line);
  }

  /** Returns what is waited for, which has its answer now. */
  private taken(): typeof this.waiting {
    const { waiting } = this;
    this.waiting = null;
    return waiting;
  }
}

/** Says why a module has ended whose memory was full, or was not. */
function broken(isFull: boolean): string {
  const why =
    isFull
      ? "this browser has no more memory for it. The program for the command line can use all memory of the machine"
      : "of a defect in closefit, or a lack of memory. Please report it, with the files if you can";
  return `The check has ended early, because ${why}. Your files are still here, and you can start another check.`;
}
