/** The licences of all that the page contains: every copy has to include them. */

import { packedBytes } from "../../../html/page/src/data/packed";
import { button, el } from "../../../html/page/src/dom";

/** Makes the button that shows the licences. */
export function licences(): HTMLElement {
  const text = el("pre", { tabindex: 0 });
  const dialog = el("dialog", { class: "licences", "aria-label": "Licences" }, text);
  dialog.append(button("Close", () => dialog.close()));
  const show = async () => {
    text.textContent = new TextDecoder().decode(await packedBytes("licences"));
    dialog.showModal();
  };
  return el(
    "p",
    {},
    button("Licences", () => void show(), { class: "as-link" }),
    dialog,
  );
}
