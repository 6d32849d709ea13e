/** What each file is for: a scene to check, a file that a scene refers to, rules, or nothing that closefit knows. */

import { extensionOf, nameOf } from "./files";
import type { Source } from "./messages";

export type Role = "scene" | "referred" | "rules" | "other";

/** What is known of the files before they are read. */
export interface Sorted {
  roles: Map<Source, Role>;
  /** The scenes that move. */
  animated: Set<Source>;
}

/** Formats whose files have no unit. */
const UNITLESS = new Set(["stl", "obj", "ply", "off"]);

/** Files that name other files, as text. */
const NAMING = new Set(["urdf", "xml", "mjcf", "sdf", "json", "gltf"]);

/** What scenes refer to, and what no check needs but lies in the same folders. */
const REFERRED = new Set(["bin", "mtl", "msh"]);
const OTHERS = new Set(
  " txt md rst pdf html csv yaml yml log py srdf bcf png jpg jpeg webp ktx2 tga bmp gif svg".split(" "),
);

/** The longest text that is searched for names of other files, in bytes. */
const LONGEST = 4 << 20;

/** Finds out what each file is for. */
export async function sortedOut(sources: Source[]): Promise<Sorted> {
  const texts = new Map<Source, string>();
  for (const source of sources) {
    if (NAMING.has(extensionOf(source.path)) && source.file.size <= LONGEST) {
      texts.set(source, await source.file.text().catch(() => ""));
    }
  }
  const roles = new Map(sources.map((source) => [source, roleOf(source, texts)]));
  const animated = new Set<Source>();
  for (const source of sources)
    if (roles.get(source) === "scene" && (await moves(source, texts))) animated.add(source);
  return { roles, animated };
}

/** True if a scene needs a unit from the user. */
export function isUnitless({ path }: Source): boolean {
  return UNITLESS.has(extensionOf(path));
}

function roleOf(source: Source, texts: Map<Source, string>): Role {
  const extension = extensionOf(source.path);
  const name = nameOf(source.path);
  if (extension === "toml") return "rules";
  if (name.startsWith(".") || OTHERS.has(extension)) return "other";
  if (REFERRED.has(extension)) return "referred";
  for (const [other, text] of texts) if (other !== source && isNamed(name, text)) return "referred";
  const text = texts.get(source);
  if (extension === "json")
    return text?.includes('"parts"') && !text.includes('"closefit"') ? "scene" : "other";
  if (extension === "xml") return text?.includes("<mujoco") ? "scene" : "referred";
  return "scene";
}

/** True if a text names a file; a longer name may end with the same letters. */
function isNamed(name: string, text: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!/[\w.-]/.test(text[at - 1] ?? "")) return true;
  }
  return false;
}

/** True if a scene has motions. */
async function moves(source: Source, texts: Map<Source, string>): Promise<boolean> {
  const extension = extensionOf(source.path);
  if (extension === "json") return texts.get(source)?.includes('"motion"') ?? false;
  const text =
    extension === "glb" ? await jsonOf(source.file) : extension === "gltf" ? texts.get(source) : undefined;
  return text !== undefined && /"animations"\s*:\s*\[\s*\{/.test(text);
}

/** Returns the JSON of a binary glTF: its first chunk, whose length follows the head of 12 bytes. */
async function jsonOf(file: File): Promise<string> {
  const head = new DataView(await file.slice(0, 20).arrayBuffer());
  if (head.byteLength < 20) return "";
  return file.slice(20, 20 + head.getUint32(12, true)).text();
}
