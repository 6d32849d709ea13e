/** The page of a scene whose check has not ended: the model alone. */

import type { Body, Head } from "./data/document";
import { packedBytes, packedJson } from "./data/packed";
import { reportOf } from "./data/report";
import { el } from "./dom";
import { List } from "./list/list";
import { Store } from "./store";
import { followHost } from "./theme";
import { shapesOf } from "./view3d/geometry";
import { Model } from "./view3d/model";
import { Viewer } from "./view3d/viewer";

/** Fills the page with the model. */
export async function showModel(head: Head): Promise<void> {
  const report = reportOf(head, await packedJson<Body>("body"));
  const store = new Store(report);
  try {
    const shapes = shapesOf(report.body, await packedBytes("geometry"));
    const viewer = new Viewer(store, new Model(report.body, head, shapes), new List(store), null);
    followHost(() => viewer.repaint());
    document.body.append(el("main", { class: "view alone", "aria-label": head.title }, viewer.element));
  } catch (error) {
    console.info(`no picture in 3D: ${String(error)}`);
  }
  document.documentElement.dataset.ready = "";
}
