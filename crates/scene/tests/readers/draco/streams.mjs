// Writes streams.txt: on each line the componentType, a stream of the reference encoder, and the id of the positions, the
// positions and the corners that the reference decoder finds in it. `npm install draco3d@1.5.9 && node streams.mjs > streams.txt`
import draco3d from "draco3d";
const encoders = await draco3d.createEncoderModule({});
const decoders = await draco3d.createDecoderModule({});
const rounded = (x) => Math.round(x * 1e6) / 1e6;
const hex = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("hex");

/** A torus of n by m quads. With a seam, the places of its first and last vertices around differ, and nothing else. */
function surface(n, m, hasSeam) {
	const [points, normals, places, faces] = [[], [], [], []];
	const rows = hasSeam ? m + 1 : m;
	for (let i = 0; i < n; i++) {
		for (let j = 0; j < rows; j++) {
			const [u, v] = [(i / n) * 2 * Math.PI, (j / m) * 2 * Math.PI];
			const radius = 3 + Math.cos(v);
			points.push(...[radius * Math.cos(u), radius * Math.sin(u), Math.sin(v)].map(rounded));
			normals.push(...[Math.cos(v) * Math.cos(u), Math.cos(v) * Math.sin(u), Math.sin(v)].map(rounded));
			places.push(i / n, j / m);
		}
	}
	for (let i = 0; i < n; i++) {
		for (let j = 0; j < m; j++) {
			const at = (i, j) => (i % n) * rows + (j % rows);
			const [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
			faces.push(a, b, c, a, c, d);
		}
	}
	return { points, normals, places, faces };
}

function write({ points, normals, places, faces }, { bits, method, speed, shorts, more }) {
	const [builder, mesh, encoder] = [new encoders.MeshBuilder(), new encoders.Mesh(), new encoders.Encoder()];
	const position = shorts ? Int16Array.from(points, (x) => Math.round(x * 5000)) : Float32Array.from(points);
	const count = points.length / 3;
	builder.AddFacesToMesh(mesh, faces.length / 3, Uint32Array.from(faces));
	if (more) builder.AddFloatAttribute(mesh, encoders.NORMAL, count, 3, Float32Array.from(normals));
	const add = shorts ? "AddInt16Attribute" : "AddFloatAttribute";
	const id = builder[add](mesh, encoders.POSITION, count, 3, position);
	if (more) builder.AddFloatAttribute(mesh, encoders.TEX_COORD, count, 2, Float32Array.from(places));
	encoder.SetEncodingMethod(encoders[method]);
	encoder.SetSpeedOptions(speed, speed);
	if (bits) encoder.SetAttributeQuantization(encoders.POSITION, bits);
	encoder.SetAttributeQuantization(encoders.NORMAL, 8);
	encoder.SetAttributeQuantization(encoders.TEX_COORD, 10);
	const list = new encoders.DracoInt8Array();
	const length = encoder.EncodeMeshToDracoBuffer(mesh, list);
	const stream = Uint8Array.from({ length }, (_, i) => list.GetValue(i));

	const [decoder, found, buffer] = [new decoders.Decoder(), new decoders.Mesh(), new decoders.DecoderBuffer()];
	buffer.Init(new Int8Array(stream.buffer), length);
	if (!decoder.DecodeBufferToMesh(buffer, found).ok()) throw new Error("the reference cannot read its stream");
	const attribute = decoder.GetAttributeByUniqueId(found, id);
	const values = shorts ? new decoders.DracoInt16Array() : new decoders.DracoFloat32Array();
	decoder[shorts ? "GetAttributeInt16ForAllPoints" : "GetAttributeFloatForAllPoints"](found, attribute, values);
	const kind = shorts ? Int16Array : Float32Array;
	const plain = kind.from({ length: 3 * found.num_points() }, (_, i) => values.GetValue(i));
	const face = new decoders.DracoInt32Array();
	const corners = Uint32Array.from({ length: 3 * found.num_faces() }, (_, i) => {
		if (i % 3 == 0) decoder.GetFaceFromMesh(found, i / 3, face);
		return face.GetValue(i % 3);
	});
	console.log(shorts ? 5122 : 5126, hex(stream), id, hex(plain), hex(corners));
}

const [torus, seamed] = [surface(7, 5, false), surface(6, 4, true)];
const sheet = { ...seamed, faces: seamed.faces.slice(0, 60) };
for (const method of ["MESH_EDGEBREAKER_ENCODING", "MESH_SEQUENTIAL_ENCODING"]) {
	for (const speed of method.includes("SEQ") ? [10] : [0, 3, 5, 7]) {
		write(torus, { method, speed, bits: 11 });
		write(seamed, { method, speed, bits: 14, more: true });
		write(sheet, { method, speed, bits: 14, more: true });
		write(torus, { method, speed, shorts: true });
	}
	write(torus, { method, speed: 5, more: true });
}
