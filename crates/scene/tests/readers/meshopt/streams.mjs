// Writes streams.txt: on each line the mode, filter, stride and count, what the reference decoder unpacks, and streams of
// the reference encoder that unpack to it.
// `npm install meshoptimizer@1.1.1 && node streams.mjs > streams.txt`
import { MeshoptDecoder, MeshoptEncoder } from "meshoptimizer";
await Promise.all([MeshoptDecoder.ready, MeshoptEncoder.ready]);

let state = 1;
const random = (below) => {
	state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
	return Math.floor((state / 2 ** 32) * below);
};
const bytes = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
const hex = (array) => Buffer.from(array).toString("hex");

function write(mode, filter, stride, count, ...streams) {
	const plain = new Uint8Array(count * stride);
	MeshoptDecoder.decodeGltfBuffer(plain, count, stride, streams[0], mode, filter);
	console.log(mode, filter, stride, count, hex(plain), ...new Set(streams.map(hex)));
}

function attributes(source, stride, filter = "NONE") {
	const count = source.byteLength / stride;
	const encode = (version, level) => MeshoptEncoder.encodeVertexBufferLevel(bytes(source), count, stride, level, version);
	write("ATTRIBUTES", filter, stride, count, encode(0, 2), encode(1, 0), encode(1, 2), encode(1, 3));
}

const ball = (count) => Float32Array.from({ length: 3 * count }, (_, i) => Math.sin(0.1 * Math.floor(i / 3) + (i % 3) * 1.57) * 1000);
attributes(ball(27), 12);
attributes(Uint16Array.from({ length: 4 * 60 }, (_, i) => (i % 4 == 3 ? 0 : 3000 * (i % 4) + 37 * i + random(40))), 8);
// Groups of every number of bits: differences of 0, of one bit, of two, of four, of all eight, and of all of these.
const steps = [1, 2, 4, 12, 256].flatMap((below) => Array.from({ length: 48 }, () => random(below)));
const mixed = Array.from({ length: 48 }, (_, i) => (i % 5 ? random(2) : random(256)));
const sums = (list) => list.reduce((all, step) => [...all, (all.length ? all[all.length - 1] : 0) + step], []);
attributes(Uint8Array.from(sums([...steps, ...mixed]).flatMap((sum, i) => [sum, 7, i % 3 ? sum : -sum, i])), 4);
// Words of which few bits change, blocks that are full, and long elements.
attributes(Uint32Array.from({ length: 90 }, (_, i) => (random(4) << 29) | (random(4) << 3) | (i % 2)), 4);
attributes(Uint8Array.from({ length: 300 * 4 }, (_, i) => (i < 1036 ? i >> 6 : random(256))), 4);
attributes(Uint8Array.from({ length: 33 * 252 }, (_, i) => (i % 252 < 246 ? 5 : i / 252)), 252);
for (const count of [3, 15, 16, 17]) attributes(Uint8Array.from({ length: count * 4 }, () => random(9)), 4);
for (const mode of ["Separate", "SharedVector", "SharedComponent"]) {
	attributes(MeshoptEncoder.encodeFilterExp(ball(12), 12, 12, 15, mode), 12, "EXPONENTIAL");
}
attributes(MeshoptEncoder.encodeFilterExp(Float32Array.from([0, -0, 1e-30, -1e30, 1, -1, 3e20, 0.1, 7e-20]), 3, 12, 23), 12, "EXPONENTIAL");
const turns = Float32Array.from({ length: 15 * 4 }, () => random(2001) - 1000);
for (let i = 0; i < turns.length; i += 4) {
	const length = Math.hypot(...turns.subarray(i, i + 4));
	for (let k = i; k < i + 4; k++) turns[k] /= length;
}
for (const bits of [4, 12, 16]) attributes(MeshoptEncoder.encodeFilterQuat(turns, 15, 8, bits), 8, "QUATERNION");

function indices(list) {
	for (const [stride, array] of [[2, Uint16Array.from(list)], [4, Uint32Array.from(list)]]) {
		if (list.length % 3 == 0) write("TRIANGLES", "NONE", stride, list.length, MeshoptEncoder.encodeIndexBuffer(bytes(array), list.length, stride));
		write("INDICES", "NONE", stride, list.length, MeshoptEncoder.encodeIndexSequence(bytes(array), list.length, stride));
	}
}

const grid = [];
for (let i = 0; i < 5; i++) {
	for (let j = 0; j < 5; j++) grid.push(6 * i + j, 6 * i + j + 1, 6 * i + j + 6, 6 * i + j + 6, 6 * i + j + 1, 6 * i + j + 7);
}
indices(grid);
const [remap] = MeshoptEncoder.reorderMesh(Uint32Array.from(grid), true, true);
const ordered = grid.map((index) => remap[index]);
indices(ordered);
indices([...ordered, ...ordered]);
indices(Array.from({ length: 240 }, () => random(200)));
indices(Array.from({ length: 60 }, (_, i) => [i, i + 1, i + 2]).flat());
indices([0, 1, 2, 1, 2, 0, 2, 0, 1, 60000, 60001, 60002, 59999, 60002, 60003, 4, 5, 60003, 3, 60004, 2]);
indices(Array.from({ length: 40 }, (_, i) => (i % 2 ? 500 + (i >> 1) : i >> 1)));
