/** Light and dark: as the system says, until the button says otherwise. */

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
    { "aria-label": "Light or dark", title: "Light or dark" },
  );
}

/** Returns the theme of the page. */
export function theme(): Theme {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

function set(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}
