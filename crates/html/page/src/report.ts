/** The page of a report, from the data in it. */

import type { Body, Head } from "./data/document";
import { json, packedBytes, packedJson } from "./data/packed";
import { reportOf } from "./data/report";
import { acceptReviews } from "./drop";
import { button, download, el } from "./dom";
import { iconShapes } from "./icons";
import { actions, page, type Page } from "./layout";
import { Lengths } from "./numbers";
import { header, verdictButtons } from "./panel/header";
import { selftest } from "./selftest";
import { showModel } from "./model_page";
import { followHost, themeButton } from "./theme";
import { distancesOf, shapesOf } from "./view3d/geometry";
import { Heat } from "./view3d/heat";
import { Model } from "./view3d/model";
import { slider } from "./view3d/slider";
import { Viewer } from "./view3d/viewer";

async function start(): Promise<void> {
  const head = json<Head>("head");
  if (head.command === "model") return showModel(head);
  const lengths = new Lengths(head.unit);
  let [found, viewer]: [Page | null, Viewer | null] = [null, null];
  const repaint = () => viewer?.repaint();
  const theme = followHost(repaint) ? [] : [themeButton(repaint)];
  const { element, verdicts } = header(head, lengths, [...actions(() => found, head.unit), ...theme]);
  document.body.append(element, iconShapes());
  const report = reportOf(head, await packedJson<Body>("body"));
  const pictures = json<Record<string, string>>("pictures");
  const picture = (pair: number) => (pictures[pair] ? `data:image/png;base64,${pictures[pair]}` : null);
  found = page(report, lengths, picture);
  const { store, list, view } = found;
  verdictButtons(verdicts, head, store);
  acceptReviews(store);
  openLink(found);
  addEventListener("hashchange", () => openLink(found as Page));
  const still = stillPicture(found, picture);
  // The list is there before the picture is.
  await new Promise((resolve) => setTimeout(resolve, 0));
  try {
    const bytes = await packedBytes("geometry");
    const model = new Model(report.body, head, shapesOf(report.body, bytes));
    const { heat } = report.body;
    viewer = new Viewer(
      store,
      model,
      list,
      heat ? new Heat(heat, distancesOf(report.body, bytes), model) : null,
    );
    found.paper.viewer = viewer;
    viewer.repaint();
    view.prepend(viewer.element);
    view.append(saving(store, viewer));
    if (head.command === "sweep") view.append(slider(store, viewer));
    still.remove();
  } catch (error) {
    document.body.classList.add("is-flat");
    store.change(() => {});
    console.info(`no picture in 3D: ${String(error)}`);
  }
  if (location.hash === "#selftest") await selftest(found, viewer);
  document.documentElement.dataset.ready = "";
}

/** Makes the button that saves the picture. */
function saving(store: Page["store"], viewer: Viewer): HTMLElement {
  const save = async () => download(`${store.selected?.key ?? "model"}.png`, await viewer.save());
  return button("Save picture", () => void save(), { class: "save" });
}

/** Selects the finding that the address names. */
function openLink({ store }: Page): void {
  const key = /^#pair=([0-9a-f]+)$/.exec(location.hash)?.[1];
  const finding = key && store.report.findings.find((finding) => finding.key === key);
  if (finding) store.select(finding);
}

/** Shows the pictures that the page carries, until there are better ones. */
function stillPicture({ store, view }: Page, picture: (pair: number) => string | null): HTMLElement {
  const still = el("div", { class: "still" });
  const update = () => {
    const { selected } = store;
    const source = selected && picture(selected.index);
    const isFlat = document.body.classList.contains("is-flat");
    const text = !isFlat
      ? ""
      : selected
        ? "This finding has no picture in the page."
        : "This browser does not draw in 3D. Many findings have a picture: choose one.";
    still.replaceChildren(source ? el("img", { src: source, alt: "" }) : el("p", { class: "muted" }, text));
  };
  store.onChange(update);
  update();
  view.prepend(still);
  return still;
}

void start();
