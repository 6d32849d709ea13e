// A binary glTF: two tetrahedra. One moves along the x axis for two seconds.

export function moving() {
  const arrays = [
    new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]),
    new Uint32Array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]),
    new Float32Array([0, 2]),
    new Float32Array([3, 0, 0, -1, 0, 0]),
  ];
  const kinds = [[5126, "VEC3", 4], [5125, "SCALAR", 12], [5126, "SCALAR", 2], [5126, "VEC3", 2]];
  let end = 0;
  const bufferViews = arrays.map(({ byteLength }) => ({ buffer: 0, byteOffset: (end += byteLength) - byteLength, byteLength }));
  const accessors = kinds.map(([componentType, type, count], bufferView) => ({ bufferView, componentType, type, count }));
  Object.assign(accessors[0], { min: [0, 0, 0], max: [1, 1, 1] });
  Object.assign(accessors[2], { min: [0], max: [2] });
  const json = JSON.stringify({
    asset: { version: "2.0" },
    scenes: [{ nodes: [0, 1] }],
    nodes: [{ name: "still", mesh: 0 }, { name: "coming", mesh: 0, translation: [3, 0, 0] }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    animations: [{
      channels: [{ sampler: 0, target: { node: 1, path: "translation" } }],
      samplers: [{ input: 2, output: 3 }],
    }],
    buffers: [{ byteLength: end }],
    bufferViews,
    accessors,
  });
  const text = Buffer.from(json.padEnd(Math.ceil(json.length / 4) * 4));
  const chunk = (name, bytes) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(bytes.length, 0);
    head.write(name, 4);
    return Buffer.concat([head, bytes]);
  };
  const chunks = [chunk("JSON", text), chunk("BIN\0", Buffer.concat(arrays.map((a) => Buffer.from(a.buffer))))];
  const head = Buffer.alloc(12);
  head.write("glTF");
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + chunks[0].length + chunks[1].length, 8);
  return Buffer.concat([head, ...chunks]);
}
