/** Names of parts, split into what kind of thing a part is and which one. */

/** The family of a part, and its number among its kind. */
export interface ShortName {
  family: string;
  number: string;
}

/** Splits a name such as `Basic Wall:Party Wall:139234`, `bolt_4`, or `bolt#1:5:2`, where CAD counts instances. */
export function shortName(name: string): ShortName {
  const [, counted, instance] = /^([^#]*[^#\s])#(\d+)(?::\d+)*$/.exec(name) ?? [];
  if (counted) return { family: counted, number: instance };
  const segments = name
    .split(":")
    .map((segment) => segment.trim())
    .filter(Boolean);
  const last = segments.at(-1) ?? name;
  const at = segments.findLastIndex((segment) => !/^\d+$/.test(segment));
  if (at >= 0 && at < segments.length - 1) {
    // A size says nothing alone: `M_Range:760 x 650mm` is a `Range 760 x 650mm`.
    const [kind] = segments;
    const isSize = /^\d/.test(segments[at]) && kind !== segments[at];
    const family = isSize ? `${kind.replace(/^M_/, "")} ${segments[at]}` : segments[at];
    return { family, number: segments.slice(at + 1).join(":") };
  }
  const [, family, number] = /^(.*[^\s_#.-])[\s_#.-]+(\d+)$/.exec(last) ?? [];
  return family ? { family, number } : { family: last, number: "" };
}

/** Returns a short name as one text. */
export function inOne({ family, number }: ShortName): string {
  return number ? `${family} ${number}` : family;
}
