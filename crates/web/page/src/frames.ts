/** The pages that the module writes, each in a frame of its own: the model, and then the result in its place. */

import { el } from "../../../html/page/src/dom";
import { circles } from "./drop_zone";

export class Frames {
  private readonly nothing = el(
    "div",
    { class: "nothing muted" },
    circles(),
    el("p", {}, "The model appears as soon as it is read."),
  );
  readonly element = el("main", { class: "frames" }, this.nothing);
  private shown: HTMLIFrameElement | null = null;

  /** Shows a page once it is ready; until then, the page before it stays. */
  show(page: Uint8Array, title: string): Promise<void> {
    // A page as text has the origin of this one, whatever that is: its theme and its state can be seen.
    const frame = el("iframe", { srcdoc: new TextDecoder().decode(page), title, class: "waiting" });
    this.element.append(frame);
    return new Promise((resolve) => {
      frame.addEventListener("load", () => {
        const root = frame.contentDocument!.documentElement;
        const look = () => {
          if (root.dataset.ready === undefined) return;
          observer.disconnect();
          // The first picture is drawn in the next frame.
          const drawn = () => {
            this.replace(frame);
            resolve();
          };
          frame.contentWindow!.requestAnimationFrame(() => setTimeout(drawn, 0));
        };
        const observer = new MutationObserver(look);
        observer.observe(root, { attributes: true });
        look();
      });
    });
  }

  /** Takes all pages away; false if the person at the page wants to keep what is not saved. */
  clear(): boolean {
    const leaving = new Event("beforeunload", { cancelable: true });
    this.shown?.contentWindow?.dispatchEvent(leaving);
    if (leaving.defaultPrevented && !confirm("The review is not saved. Leave it?")) return false;
    this.element.replaceChildren(this.nothing);
    this.shown = null;
    return true;
  }

  focus(): void {
    this.shown?.focus();
  }

  private replace(frame: HTMLIFrameElement): void {
    // A page that was taken away before it was ready stays away, and so do those that came before a later one.
    if (!frame.isConnected) return;
    while (frame.previousSibling) frame.previousSibling.remove();
    frame.classList.remove("waiting");
    this.shown = frame;
  }
}
