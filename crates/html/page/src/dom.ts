/** Elements. Every text from a file goes through a text node, so that none is ever read as markup. */

type Attributes = Record<string, string | number | boolean | ((event: never) => void)>;
type Child = Node | string;

/** Makes an element. A function is a listener of the event that its key names; `false` leaves an attribute out. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return dressed(document.createElement(tag), attributes, children);
}

/** Makes an element of a drawing. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return dressed(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function dressed<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name, value as (event: Event) => void);
    } else if (value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children);
  return element;
}

/** Makes a button with a text. */
export function button(text: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return el("button", { type: "button", click, ...attributes }, text);
}

/** Offers a file for download. */
export function download(name: string, contents: Blob): void {
  const address = URL.createObjectURL(contents);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
