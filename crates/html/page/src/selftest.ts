/** The test that the page makes of itself at the address `#selftest`: it walks through what a person would do. */

import { Triangle, Vector3 } from "three";
import { excludedOf, VERDICTS } from "./data/document";
import { inOne, shortName } from "./data/names";
import { rank } from "./data/rank";
import type { Finding } from "./data/report";
import type { Page } from "./layout";
import { listed } from "./list/entries";
import { Review } from "./review";
import type { Order } from "./store";
import { csvOf } from "./csv";
import { callouts, spotsOf, type Pixel } from "./view3d/callouts";
import type { Placed } from "./view3d/model";
import { slider } from "./view3d/slider";
import { measureOf } from "./view3d/views";
import type { Viewer } from "./view3d/viewer";

/** The result, as an attribute of the document says it. */
interface Result {
  passed: number;
  failed: string[];
}

/** Walks through the page, and writes what it found. */
export async function selftest(page: Page, viewer: Viewer | null): Promise<void> {
  const result: Result = { passed: 0, failed: [] };
  const check = (what: string, holds: boolean) => (holds ? (result.passed += 1) : result.failed.push(what));
  try {
    counts(page, check);
    filters(page, check);
    orders(page, check);
    ranks(page, check);
    list(page, check);
    review(page, check);
    names(check);
    numbers(check);
    check("there is a picture", viewer !== null);
    if (viewer) {
      places(page, viewer, check);
      times(page, viewer, check);
      await pictures(page, viewer, check);
      paper(page, viewer, check);
    }
  } catch (error) {
    result.failed.push(String(error));
  }
  document.documentElement.dataset.selftest = JSON.stringify(result);
}

type Check = (what: string, holds: boolean) => void;

function counts({ store: { report } }: Page, check: Check): void {
  const { head, findings } = report;
  const { ledger } = head;
  check("the ledger adds up", ledger.pairs === excludedOf(ledger) + ledger.apart + ledger.decided + ledger.undecided);
  for (const verdict of VERDICTS) {
    const number = findings.filter((finding) => finding.verdict === verdict).length;
    check(`the number of ${verdict} is that of the head`, number === (head.counts[verdict] ?? 0));
  }
  const members = report.issues.reduce((sum, issue) => sum + issue.findings.length, 0);
  check("every finding is in one issue", members === findings.length);
}

function filters({ store }: Page, check: Check): void {
  const { filters, report } = store;
  const before = [...filters.verdicts];
  for (const verdict of VERDICTS) {
    store.change(() => {
      filters.verdicts.clear();
      filters.verdicts.add(verdict);
    });
    check(`only ${verdict} is listed`, listed(store).findings.length === (report.head.counts[verdict] ?? 0));
  }
  store.change(() => {
    for (const verdict of VERDICTS) filters.verdicts.add(verdict);
  });
  check("all are listed", listed(store).findings.length === report.findings.length);
  const [first] = report.findings;
  if (first) {
    store.change(() => (filters.text = first.key));
    check("a key finds its finding", listed(store).findings.length === 1);
    store.change(() => (filters.text = ""));
  }
  const storey = report.parts.find(({ storey }) => storey)?.storey;
  if (storey) {
    store.change(() => (filters.storey = storey));
    const isThere = ({ parts }: Finding) => parts.some((part) => part.storey === storey);
    check("a storey lists its findings", listed(store).findings.length === report.findings.filter(isThere).length);
    store.change(() => (filters.storey = ""));
  }
  store.change(() => {
    filters.verdicts.clear();
    for (const verdict of before) filters.verdicts.add(verdict);
  });
}

function orders({ store }: Page, check: Check): void {
  const before = store.order;
  const sizes = new Set(
    (["issue", "depth", "name", "type"] as Order[]).map((order) => {
      store.change((store) => (store.order = order));
      return new Set(listed(store).findings).size;
    }),
  );
  check("every order lists the same findings", sizes.size === 1);
  store.change((store) => (store.order = "depth"));
  const depths = listed(store)
    .findings.filter(({ verdict, size, contact }) => verdict === "clash" && size && !contact)
    .map(({ size }) => size![0]);
  check(
    "the deepest come first",
    depths.every((depth, i) => i === 0 || depth <= depths[i - 1]),
  );
  store.change((store) => (store.order = before));
}

function list({ list }: Page, check: Check): void {
  check("few elements are in the document", document.querySelectorAll("body *").length <= 500);
  check(
    "rows are elements of the tree",
    list.listed.entries.length === 0 || list.element.querySelector("[role=treeitem]") !== null,
  );
}

function review({ store }: Page, check: Check): void {
  const [first, second] = store.report.findings;
  if (!first) return;
  const said = { status: "approved", comment: 'as agreed, "<b>"\n\u2028' } as const;
  const review = new Review();
  review.say(first.key, said);
  const again = new Review();
  again.read(review.file());
  check("a review comes back as it was saved", JSON.stringify(again.of(first)) === JSON.stringify(said));
  check("others stay open", !second || again.of(second).status === "open");
  check("the CSV has a line per finding", csvOf([first], review, null).includes(first.key));
  let refused = false;
  try {
    again.read('{"closefit-review": 1, "statuses": {"k": {"status": "maybe"}}}');
  } catch {
    refused = true;
  }
  check("a status that does not exist is refused", refused);
}

/** Checks that findings of unknown size come after the others with their verdict. */
function ranks({ store }: Page, check: Check): void {
  const [first] = store.report.findings;
  if (!first) return;
  const clash = { ...first, verdict: "clash" as const, kind: "overlap" as const, contact: null };
  const made: Finding[] = [null, [1, 1], [2, 2]].map((size) => ({ ...clash, size: size as Finding["size"] }));
  rank(made);
  check("what has no depth comes last", made.map((finding) => finding.rank).join() === "2,1,0");
}

function names(check: Check): void {
  const expected: [string, string][] = [
    ["M_Range:760 x 650mm:760 x 650mm:575492", "Range 760 x 650mm 575492"],
    ["M_Pump:3.9 LPS - 0.8 Meter Head:3.9 LPS - 0.8 Meter Head:1234", "Pump 3.9 LPS - 0.8 Meter Head 1234"],
    ["Basic Wall:Party Wall:139234", "Party Wall 139234"],
    ["M_Duplex Receptacle:Duplex Receptacle:Duplex Receptacle:7001", "Duplex Receptacle 7001"],
    ["bolt#1:57:54", "bolt 1"],
    ["bolt_4", "bolt 4"],
  ];
  for (const [name, short] of expected) check(`${name} is ${short}`, inOne(shortName(name)) === short);
}

/** Checks the numbers of 250 findings, most of them in a small part of a picture. */
function numbers(check: Check): void {
  const [size, half]: [Pixel, Pixel] = [
    [1440, 1080],
    [22, 14],
  ];
  const places = Array.from({ length: 250 }, (_, i): Pixel => {
    const [reach, turn] = [i < 200 ? 10 * Math.sqrt(i) : 500, 2.4 * i];
    return [720 + reach * Math.cos(turn), 540 + reach * Math.sin(turn)];
  });
  places.push(places[0], places[7]);
  const spots = spotsOf(places);
  const told = spots.flatMap((spot) => spot.places).sort((p, q) => p - q);
  check("every place is in one spot", told.length === places.length && told.every((place, i) => place === i));
  check("equal places share a spot", spots[0].places.includes(250));
  const labels = callouts(spots, Array(spots.length).fill(half), size);
  const isOver = (i: number, j: number) =>
    [0, 1].every((k) => Math.abs(labels[i]!.middle[k] - labels[j]!.middle[k]) < 2 * half[k]);
  check("every spot has its numbers", !labels.includes(null));
  if (labels.includes(null)) return;
  const pairs = labels.flatMap((_, i) => Array.from({ length: i }, (_, j): Pixel => [i, j]));
  check("no numbers are over others", !pairs.some(([i, j]) => isOver(i, j)));
  const isIn = (label: (typeof labels)[number]) =>
    [0, 1].every((k) => Math.abs(label!.middle[k] - size[k] / 2) <= size[k] / 2 - half[k]);
  check("numbers are in the picture", labels.every(isIn));
}

/** Checks that a slider begins at the finding that a link has selected, and counts in the unit of the times. */
function times({ store }: Page, viewer: Viewer, check: Check): void {
  const { head, findings, times } = store.report;
  const finding = findings.find(({ time }) => time !== null && time !== head.settings.from);
  if (head.command !== "sweep" || !finding) return;
  store.select(finding);
  const made = slider(store, viewer);
  const input = made.querySelector("input");
  // The element keeps the decimals of a number for itself.
  const off = Math.abs((input?.valueAsNumber ?? NaN) - finding.time!);
  check("a slider begins at the selected finding", off < 1e-6);
  check("and so do the parts", viewer.model.time === finding.time);
  const unit = head.settings.joint?.kind === "turning" ? "deg" : head.settings.joint ? times.unit : "s";
  check("it counts in the unit", made.querySelector("output")?.textContent?.endsWith(` ${unit}`) === true);
  check("so does the head", document.querySelector("header")?.textContent?.includes(` ${unit}`) === true);
  const known = finding.intervals?.flat().length ?? 0;
  check("every stretch has a bar", made.querySelectorAll(".stretches i").length === known);
  store.select(null);
}

/** Checks that shapes are where the report found something: at rest, or at the time of the finding. */
function places({ store }: Page, { model }: Viewer, check: Check): void {
  const measured = store.report.findings.filter(({ kind, at }) => kind !== "meeting" && at).slice(0, 3);
  const met = store.report.findings.filter(({ contact, at }) => contact && at).slice(0, 3);
  const time = model.time;
  for (const finding of [...measured, ...met]) {
    if (finding.time !== null) model.at(finding.time);
    const parts = finding.parts.map(({ id }) => model.placed.get(id)!);
    const near = (point: Vector3) => parts.map((part) => distance(part, point));
    const ends = measureOf(finding);
    const off = ends
      ? apart(near(ends[0]), near(ends[1]))
      : finding.contact
        ? Math.max(...near(model.point(finding.at!)))
        : 0;
    check(`${finding.key} is on the surfaces of its parts (${off})`, off <= 1e-4 * model.radius);
  }
  if (time !== null) model.at(time);
}

/** Returns how far two points are from lying on one surface each. */
function apart(p: number[], q: number[]): number {
  return Math.min(Math.max(p[0], q[1]), Math.max(p[1], q[0]));
}

/** Returns the distance of a point from a part, triangle by triangle. */
function distance({ shape, matrix }: Placed, point: Vector3): number {
  const { positions, triangles } = shape;
  const corner = (i: number) => new Vector3().fromArray(positions, 3 * triangles[i]).applyMatrix4(matrix);
  let least = Infinity;
  for (let i = 0; i < triangles.length; i += 3) {
    const nearest = new Triangle(corner(i), corner(i + 1), corner(i + 2)).closestPointToPoint(
      point,
      new Vector3(),
    );
    least = Math.min(least, nearest.distanceTo(point));
  }
  return least;
}

async function pictures(page: Page, viewer: Viewer, check: Check): Promise<void> {
  const { store } = page;
  const findings = listed(store).findings;
  check("the whole model is drawn with few calls", drawn(viewer).calls <= 20 && drawn(viewer).triangles > 0);
  for (const finding of new Set([findings[0], findings.at(-1)])) {
    if (!finding) continue;
    store.select(finding);
    await pause();
    for (const mode of (["section", "xray", "whole", "heat"] as const).filter((mode) => store.canShow(mode))) {
      store.show(mode);
      await pause();
      const { calls } = drawn(viewer);
      check(`${finding.key} is drawn as ${mode} with few calls (${calls})`, calls > 0 && calls <= 20);
      const isCloser = mode === "section" || mode === "xray";
      check(`an inset shows where ${mode} is`, isInset() === (isCloser && innerWidth > 1100));
    }
    store.select(finding);
    await pause();
    const place = document.querySelector(".of-place")?.textContent ?? "";
    check("the panel has the place", finding.at === null || /^At x .*, y .*, z /.test(place));
    const { look, plane } = viewer.shot;
    check(
      "the view has directions of length 1",
      Math.abs(look.direction.length() - 1) < 1e-6 && Math.abs(look.up.length() - 1) < 1e-6,
    );
    check("up is across the view", Math.abs(look.direction.dot(look.up)) < 1e-6);
    const [from] = finding.measure ?? [];
    if (plane && from) {
      const off = Math.abs(plane.distanceToPoint(new Vector3(...from)));
      check(
        "the cut is near the finding",
        off <= look.height && look.centre.distanceTo(new Vector3()) < 20 * viewer.model.radius,
      );
    }
  }
  store.select(null);
  await pause();
}

/** Checks that every finding on paper has a picture, and that drawing them leaves the page as it was. */
function paper({ store }: Page, viewer: Viewer, check: Check): void {
  const [first] = listed(store).findings;
  if (!first) return;
  store.select(first);
  const before = [viewer.shot.mode, viewer.model.time];
  dispatchEvent(new Event("beforeprint"));
  const articles = [...document.querySelectorAll(".sheet article")].slice(0, 10);
  const isSeen = (article: Element) => article.querySelector("img") !== null || isDrawn(article.querySelector("canvas"));
  check("every finding on paper has a picture", articles.length > 0 && articles.every(isSeen));
  dispatchEvent(new Event("afterprint"));
  check("then the page shows what it showed", before.join() === [viewer.shot.mode, viewer.model.time].join());
  store.select(null);
}

/** True if there is something on the middle line of a canvas. */
function isDrawn(canvas: HTMLCanvasElement | null): boolean {
  const line = canvas?.getContext("2d")?.getImageData(0, canvas.height / 2, canvas.width, 1).data;
  return line?.some((value) => value > 0) ?? false;
}

/** True if the whole model is shown in the corner, with a dot in it. */
function isInset(): boolean {
  const inset = document.querySelector<HTMLElement>(".inset");
  const dot = inset?.querySelector("i");
  const [x, y] = [parseFloat(dot?.style.left ?? ""), parseFloat(dot?.style.top ?? "")];
  return inset !== null && !inset.hidden && x > 0 && y > 0 && x < inset.clientWidth && y < inset.clientHeight;
}

function drawn(viewer: Viewer): { calls: number; triangles: number } {
  viewer.draw();
  return viewer.painter.drawn;
}

/** Lets the page draw what has been asked for. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
