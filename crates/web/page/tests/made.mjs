// Made files: boxes and spheres as text and as bytes.

/** Returns the triangles of a box between two corners, wound outwards. */
function box([x0, y0, z0], [x1, y1, z1]) {
  const corner = (i) => [i & 1 ? x1 : x0, i & 2 ? y1 : y0, i & 4 ? z1 : z0];
  const quads = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ];
  return quads
    .flatMap(([a, b, c, d]) => [
      [a, b, c],
      [a, c, d],
    ])
    .map((corners) => corners.map(corner));
}

/** Gives the triangles of a sphere about the origin, of so many steps from pole to pole. */
function* sphere(radius, steps) {
  const at = (i, j) => {
    const [u, v] = [(Math.PI * i) / steps, (Math.PI * (j % (2 * steps))) / steps];
    const ring = i === 0 || i === steps ? 0 : radius * Math.sin(u);
    return [ring * Math.cos(v), ring * Math.sin(v), radius * Math.cos(u)];
  };
  for (let i = 0; i < steps; i += 1) {
    for (let j = 0; j < 2 * steps; j += 1) {
      const [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
      if (i < steps - 1) yield [a, b, c];
      if (i > 0) yield [a, c, d];
    }
  }
}

/** Returns a binary STL file of so many triangles. */
function stl(triangles, count = triangles.length) {
  const bytes = Buffer.alloc(84 + 50 * count);
  bytes.writeUInt32LE(count, 80);
  let at = 84 + 12;
  for (const corners of triangles) {
    for (const value of corners.flat()) at = bytes.writeFloatLE(value, at);
    at += 50 - 36;
  }
  return bytes;
}

/** Returns a file as the browser is given it. */
const file = (name, buffer) => ({ name, mimeType: "", buffer });

/** A box from 0 to 1, and one that reaches 0.25 into it. */
export const BOXES = [
  file("a.stl", stl(box([0, 0, 0], [1, 1, 1]))),
  file("b.stl", stl(box([0.75, 0, 0], [2, 1, 1]))),
];

/** A sphere of 4 times the square of so many steps triangles, and a box that reaches into it. */
export function large(steps) {
  const bytes = stl(sphere(10, steps), 4 * steps * (steps - 1));
  return [file("sphere.stl", bytes), file("box.stl", stl(box([9, -1, -1], [12, 1, 1])))];
}

/** A scene in which the second box comes from afar, and meets the first after half a second. */
export const MOVING = [
  ...BOXES,
  file(
    "scene.json",
    Buffer.from(
      JSON.stringify({
        unit: "m",
        parts: [
          { name: "still", mesh: "a.stl" },
          {
            name: "moving",
            mesh: "b.stl",
            motion: {
              keyframes: [
                { time: 0, translation: [1.25, 0, 0] },
                { time: 1, translation: [0.25, 0, 0] },
              ],
            },
          },
        ],
      }),
    ),
  ),
];

/** The files of a robot whose links have meshes in a folder below, by their paths. */
export const ROBOT = {
  "robot/arm.urdf": `<robot name="arm">
    <link name="base"><visual><geometry><mesh filename="meshes/a.stl"/></geometry></visual></link>
    <link name="rod"><visual><geometry><mesh filename="meshes/b.stl"/></geometry></visual></link>
    <link name="post"><visual><geometry><mesh filename="meshes/a.stl"/></geometry></visual></link>
    <joint name="turn" type="fixed"><parent link="base"/><child link="rod"/><origin xyz="5 0 0"/></joint>
    <joint name="stand" type="fixed"><parent link="rod"/><child link="post"/><origin xyz="5 0 0"/></joint>
  </robot>`,
  "robot/meshes/a.stl": BOXES[0].buffer,
  "robot/meshes/b.stl": BOXES[1].buffer,
  "robot/README.md": "An arm.",
};
