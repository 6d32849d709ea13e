/** A review file that is dropped onto the page takes the place of the one in it. */

import { el } from "./dom";
import type { Store } from "./store";

/** Listens to files that are dropped. */
export function acceptReviews(store: Store): void {
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) void read(file, store);
  });
}

async function read(file: File, store: Store): Promise<void> {
  try {
    const text = await file.text();
    store.change(({ review }) => review.read(text));
    // The panel shows what the review says.
    const { selected } = store;
    store.select(null);
    if (selected) store.select(selected);
    say(`${file.name}: read`);
  } catch (error) {
    say(`${file.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Says a line for a moment. */
function say(text: string): void {
  const line = el("p", { class: "said", role: "status" }, text);
  document.body.append(line);
  setTimeout(() => line.remove(), 4000);
}
