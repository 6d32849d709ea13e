/** What the page and its worker say to each other. */

/** A file, by its path as the user sees it: with folders if a folder was chosen. */
export interface Source {
  path: string;
  file: File;
}

/** The settings of a check, named as the flags of the program. */
export interface Settings {
  /** The paths of the scene files, in order. All other files are there to be referred to. */
  scenes: string[];
  /** The number of the last scene files that are the second side; without it, all parts are checked with each other. */
  against?: number;
  clearance?: string;
  tolerance?: string;
  unit?: string;
  /** The path of the file that holds rules. */
  rules?: string;
  wayOut?: boolean;
  volume?: boolean;
  /** The whole motion of an animated scene rather than its rest. */
  sweep?: boolean;
  from?: string;
  to?: string;
  precision?: string;
  /** False: the page draws a picture when someone looks at it. */
  pictures?: boolean;
  /** The memory that a check may take, in bytes. */
  memory?: number;
}

export type Question =
  | { kind: "check"; module: WebAssembly.Module; sources: Source[]; settings: Settings }
  | { kind: "bcf" };

export type Answer =
  | { kind: "progress"; stage: string; done: number; total: number }
  | { kind: "model"; page: Uint8Array<ArrayBuffer> }
  | { kind: "result"; result: Result }
  | { kind: "bcf"; bytes: Uint8Array<ArrayBuffer> }
  /** The program's sentence about files or settings that it cannot take. */
  | { kind: "refused"; line: string }
  /** The module has ended, and the worker with it: for lack of memory if that was full. */
  | { kind: "broken"; isFull: boolean };

/** What a check has found, as files. */
export interface Result {
  headline: string;
  notes: string[];
  page: Uint8Array<ArrayBuffer>;
  reportJson: Uint8Array<ArrayBuffer>;
  pairsCsv: Uint8Array<ArrayBuffer>;
  issuesCsv: Uint8Array<ArrayBuffer>;
  /** Seconds from the question to the answer. */
  seconds: number;
}
