/** What the page carries: JSON as it is, and compressed bytes as text. */

/** Returns the JSON of an element. */
export function json<T>(id: string): T {
  return JSON.parse(text(id)) as T;
}

/** Unpacks the JSON of an element. */
export async function packedJson<T>(id: string): Promise<T> {
  return JSON.parse(await unpacked(id).text()) as T;
}

/** Unpacks the bytes of an element. */
export function packedBytes(id: string): Promise<ArrayBuffer> {
  return unpacked(id).arrayBuffer();
}

function text(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

function unpacked(id: string): Response {
  const stream = new Blob([bytesOf(text(id))]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream);
}

/** Returns the bytes of a base64 text. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const characters = atob(base64.trim());
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
