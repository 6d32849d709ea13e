/** The WebAssembly module, as the page uses it. The build says where it is. */
declare module "closefit_web" {
  import type { Settings } from "./messages";

  /** Reports progress: the name of the stage, the items done, and the total; a total of 0 means that items are not counted. */
  type Observer = (stage: string, done: number, total: number) => void;

  export function initSync(module: { module: WebAssembly.Module }): { memory: WebAssembly.Memory };

  export class Run {
    /** Reads a scene. Throws an error with the program's sentence. */
    static read(files: { path: string; bytes: Uint8Array }[], settings: Settings, observer: Observer): Run;
    /** Returns the page of the model alone. */
    model(): Uint8Array<ArrayBuffer>;
    check(observer: Observer): Outcome;
  }

  export interface Outcome {
    summary: { headline: string; counts: Record<string, number> };
    notes: string[];
    reportJson: Uint8Array<ArrayBuffer>;
    page: Uint8Array<ArrayBuffer>;
    pairsCsv: Uint8Array<ArrayBuffer>;
    issuesCsv: Uint8Array<ArrayBuffer>;
    bcf(): Uint8Array<ArrayBuffer>;
  }
}

/** The text of the worker's script, which the build puts in. */
declare const WORKER: string;

interface DataTransferItem {
  /** Not in all browsers. */
  getAsFileSystemHandle?(): Promise<FileSystemHandle>;
}
