/** The picture as a file: what is drawn, the closer look, the lines and texts over it, and the names of the parts. */

import { css, FIRST, INK, SECOND } from "./palette";

/** The height of a line of the legend, its margin, and the side of a swatch, in pixels. */
const [LINE, MARGIN, SWATCH] = [22, 14, 12];

/** Paints layers of a picture over each other, and returns them as one PNG. */
export async function saved(
  drawn: HTMLCanvasElement,
  circle: HTMLCanvasElement | null,
  overlay: SVGSVGElement,
  [width, height]: [number, number],
  paper: string,
  names: string[],
): Promise<Blob> {
  const canvas = document.createElement("canvas");
  const scale = drawn.width / width;
  [canvas.width, canvas.height] = [drawn.width, drawn.height];
  const context = canvas.getContext("2d")!;
  context.fillStyle = paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(drawn, 0, 0);
  context.scale(scale, scale);
  if (circle) inCircle(context, circle);
  const lines = overlay.cloneNode(true) as SVGSVGElement;
  lines.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  lines.setAttribute("width", String(width));
  lines.setAttribute("height", String(height));
  const image = new Image(width, height);
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(lines))}`;
  await image.decode();
  context.drawImage(image, 0, 0, width, height);
  legend(context, names, height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture")))),
  );
}

/** Writes the names of the parts in the corner below on the left, each with the colour of its part. */
function legend(context: CanvasRenderingContext2D, names: string[], height: number): void {
  if (names.length === 0) return;
  context.font = "600 13px system-ui, sans-serif";
  context.textBaseline = "middle";
  const width = Math.max(...names.map((name) => context.measureText(name).width));
  const top = height - MARGIN - LINE * names.length;
  context.fillStyle = "#ffffff";
  context.fillRect(MARGIN, top - 4, width + SWATCH + 28, LINE * names.length + 8);
  for (const [i, name] of names.entries()) {
    const middle = top + LINE * (i + 0.5);
    context.fillStyle = css(i === 0 ? FIRST : SECOND);
    context.fillRect(MARGIN + 10, middle - 0.5 * SWATCH, SWATCH, SWATCH);
    context.fillStyle = css(INK);
    context.fillText(name, MARGIN + SWATCH + 18, middle + 1);
  }
}

function inCircle(context: CanvasRenderingContext2D, circle: HTMLCanvasElement): void {
  const { clientWidth: side, offsetLeft: left, offsetTop: top } = circle;
  context.save();
  context.beginPath();
  context.arc(left + 0.5 * side, top + 0.5 * side, 0.5 * side, 0, 2 * Math.PI);
  context.clip();
  context.drawImage(circle, left, top, side, side);
  context.restore();
}
