/** Files that are dropped or chosen, with their paths below the folder that was given. */

import type { Source } from "./messages";

/** Returns the files of a choice. */
export function chosen(files: FileList): Source[] {
  return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** Returns the files of a drop, and all those in its folders. */
export async function dropped({ items }: DataTransfer): Promise<Source[]> {
  // The items are gone once the event is over, so all are taken before the first is waited for.
  const found = [...items]
    .filter(({ kind }) => kind === "file")
    .map((item) => {
      const [entry, file] = [item.webkitGetAsEntry(), item.getAsFile()];
      if (!entry?.isDirectory) return file ? [{ path: file.name, file }] : [];
      // Chromium reads entries of folders in pages from the web alone, and handles in all pages; others have no handles.
      return item.getAsFileSystemHandle?.().then((handle) => inHandle(handle, handle.name)) ?? inEntry(entry);
    });
  return (await Promise.all(found)).flat();
}

async function inHandle(handle: FileSystemHandle, path: string): Promise<Source[]> {
  if (handle.kind === "file") return [{ path, file: await (handle as FileSystemFileHandle).getFile() }];
  const inside: Promise<Source[]>[] = [];
  for await (const below of (handle as FileSystemDirectoryHandle).values()) {
    inside.push(inHandle(below, `${path}/${below.name}`));
  }
  return (await Promise.all(inside)).flat();
}

async function inEntry(entry: FileSystemEntry): Promise<Source[]> {
  if (entry.isFile) {
    const file = new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path: entry.fullPath.slice(1), file: await file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const next = () => new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
  const inside: Promise<Source[]>[] = [];
  // A folder is told in pieces; an empty piece is the end.
  for (let piece = await next(); piece.length > 0; piece = await next()) inside.push(...piece.map(inEntry));
  return (await Promise.all(inside)).flat();
}

/** Returns a list with files added; a file takes the place of an earlier one of the same path. */
export function joined(before: Source[], added: Source[]): Source[] {
  const all = new Map([...before, ...added].map((source) => [source.path, source]));
  return [...all.values()].sort((p, q) => (p.path < q.path ? -1 : 1));
}

/** Returns the name of a file without its folders, and the end of it that says its format. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function extensionOf(path: string): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : "";
}
