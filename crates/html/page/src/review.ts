/** What people say about findings, as a review file holds it. Nothing leaves the page before it is saved. */

import type { Finding } from "./data/report";

export const STATUSES = ["open", "approved", "resolved"] as const;
export type Status = (typeof STATUSES)[number];

/** What is said about a pair or a group. */
export interface Said {
  status: Status;
  comment?: string;
}

/** Statuses and comments by the keys of pairs and groups. */
export class Review {
  private statuses = new Map<string, Said>();
  /** True if something has been said since the review was saved. */
  isUnsaved = false;

  /** Returns what is said about a finding, or else about its issue. */
  of({ key, issue }: Finding): Said {
    return this.statuses.get(key) ?? this.statuses.get(issue.key) ?? { status: "open" };
  }

  /** Says something about a pair or a group. */
  say(key: string, said: Said): void {
    const { status, comment } = said;
    this.isUnsaved = true;
    if (status === "open" && !comment) this.statuses.delete(key);
    else this.statuses.set(key, comment ? { status, comment } : { status });
  }

  /** Says something about all findings of an issue, and forgets what was said about each. */
  sayOfIssue({ issue }: Finding, said: Said): void {
    for (const { key } of issue.findings) this.statuses.delete(key);
    this.say(issue.key, said);
  }

  /** Returns the text of a review file, with keys in order. */
  file(): string {
    const statuses = Object.fromEntries([...this.statuses].sort(([a], [b]) => (a < b ? -1 : 1)));
    return `${JSON.stringify({ "closefit-review": 1, statuses }, null, 2)}\n`;
  }

  /** Reads a review file in place of what was said. Throws an error in words if it is not one. */
  read(text: string): void {
    const document: unknown = JSON.parse(text);
    if (!isRecord(document) || document["closefit-review"] !== 1 || !isRecord(document.statuses)) {
      throw new Error("this is not a review of closefit, format 1");
    }
    const read = new Map<string, Said>();
    for (const [key, said] of Object.entries(document.statuses)) read.set(key, saidOf(key, said));
    this.statuses = read;
    this.isUnsaved = false;
  }
}

function saidOf(key: string, said: unknown): Said {
  const status = isRecord(said) ? STATUSES.find((status) => status === said.status) : undefined;
  if (!isRecord(said) || !status) throw new Error(`the status of ${key} is not open, approved or resolved`);
  const comment = said.comment ?? "";
  if (typeof comment !== "string") throw new Error(`the comment of ${key} is not a text`);
  return comment ? { status, comment } : { status };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
