// Plans the next round: as many chunks as have room for their pairs, if each of their tests finds one. So the buffer cannot
// overflow, and the CPU submits many rounds without looking. A single thread.

@group(0) @binding(0) var<uniform> settings: SweepSettings;
// The number of chunks before each row, and of all behind the last.
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> sweep: Sweep;

@compute @workgroup_size(1)
fn plan_sweep() {
    let chunks = starts[settings.rows];
    let begin = atomicLoad(&sweep.begin) + atomicLoad(&sweep.slice);
    let room = (settings.pairs - atomicLoad(&sweep.found)) / CHUNK;
    atomicStore(&sweep.chunks, chunks);
    atomicStore(&sweep.begin, begin);
    atomicStore(&sweep.slice, min(min(room, settings.round), chunks - begin));
}
