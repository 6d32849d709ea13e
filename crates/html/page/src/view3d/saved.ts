/** The picture as a file: what is drawn, the closer look, and the lines and texts over it. */

/** Paints layers of a picture over each other, and returns them as one PNG. */
export async function saved(
  drawn: HTMLCanvasElement,
  circle: HTMLCanvasElement | null,
  overlay: SVGSVGElement,
  [width, height]: [number, number],
  paper: string,
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
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture")))),
  );
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
