/** Light and dark: as the system says, until the button says otherwise. In a page of closefit, as that page has it. */

import { button } from "./dom";

export type Theme = "light" | "dark";

/** Applies the theme, and returns the button that changes it. */
export function themeButton(changed: () => void): HTMLButtonElement {
  set(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  return button(
    "◐",
    () => {
      set(theme() === "dark" ? "light" : "dark");
      changed();
    },
    { class: "theme", "aria-label": "Light or dark", title: "Light or dark" },
  );
}

/** Applies the theme of the page of closefit that contains this one, now and when it changes; false if none does. */
export function followHost(changed: () => void): boolean {
  // Null also in a frame of a page from elsewhere.
  const host = window.frameElement?.ownerDocument.documentElement;
  if (!host?.dataset.theme) return false;
  const follow = () => {
    set(host.dataset.theme === "dark" ? "dark" : "light");
    changed();
  };
  new MutationObserver(follow).observe(host, { attributes: true, attributeFilter: ["data-theme"] });
  follow();
  return true;
}

/** Returns the theme of the page. */
export function theme(): Theme {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

function set(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}
