/** The worker: it runs one check, and keeps its outcome for files that are made when someone wants them. */

import { initSync, Run, type Outcome } from "closefit_web";
import type { Answer, Question, Result } from "./messages";

/** Milliseconds between two messages about progress. */
const PAUSE = 50;

let memory: WebAssembly.Memory | null = null;
let outcome: Outcome | null = null;

addEventListener("message", ({ data }: MessageEvent<Question>) => void answer(data));

async function answer(question: Question): Promise<void> {
  try {
    if (question.kind === "check") await check(question);
    else if (outcome) say({ kind: "bcf", bytes: outcome.bcf() });
  } catch (error) {
    // A trap of the module: a defect, or the end of memory. All else is a sentence of the program.
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
      say({ kind: "broken", isFull: memory !== null && isFull(memory) });
    else say({ kind: "refused", line: error instanceof Error ? error.message : String(error) });
  }
}

async function check({ module, sources, settings }: Extract<Question, { kind: "check" }>): Promise<void> {
  const begin = performance.now();
  memory = initSync({ module }).memory;
  const reading = sources.map(async ({ path, file }) => ({ path, bytes: await bytesOf(path, file) }));
  const run = Run.read(await Promise.all(reading), settings, told());
  say({ kind: "model", page: run.model() });
  outcome = run.check(told());
  const { summary, notes, page, reportJson, pairsCsv, issuesCsv } = outcome;
  const result: Result = {
    headline: summary.headline,
    notes,
    page,
    reportJson,
    pairsCsv,
    issuesCsv,
    seconds: (performance.now() - begin) / 1000,
  };
  say({ kind: "result", result });
}

/** True if a memory cannot become twice as large, which is what a list wants that has no more room. */
function isFull(memory: WebAssembly.Memory): boolean {
  try {
    memory.grow(memory.buffer.byteLength / 2 ** 16);
    return false;
  } catch {
    return true;
  }
}

/** Reads a file. It may have changed or vanished since it was chosen. */
async function bytesOf(path: string, file: File): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    throw new Error(
      `${path}: the browser cannot read this file (${error instanceof Error ? error.message : error})`,
    );
  }
}

/** Returns an observer that tells the page, a few times a second. */
function told(): (stage: string, done: number, total: number) => void {
  let [last, at] = ["", 0];
  return (stage, done, total) => {
    const now = performance.now();
    if (stage === last && now - at < PAUSE) return;
    [last, at] = [stage, now];
    say({ kind: "progress", stage, done, total });
  };
}

function say(answer: Answer): void {
  postMessage(answer);
}
