// Corners of two leaves of which one moves past the other: directions that keep them apart over a part of the stretch.
// Shaders that use this declare `motions`. Lengths are those of the grid.

// The motion of one leaf past the other: a point at p from the first corner of the home leaf moves by way + turn x p, and
// by no more than `added` besides.
struct Passing {
    way: vec3<f32>,
    turn: vec3<f32>,
    added: f32,
    guest_moves: bool,
    zero: u32,
}

// A triangle standing and another that moves past it, over a part of the stretch: corners as seen from the standing
// triangle's first one, its second and third, and the other's in the middle of that part with their paths in half of it.
struct Moving {
    standing: array<vec3<f32>, 2>,
    middle: array<vec3<f32>, 3>,
    paths: array<vec3<f32>, 3>,
    // How far apart they must be: the limit, the deviation, and the bounds of all errors.
    added: f32,
}

// What a direction proves: nothing, that two triangles are farther apart than the limit in the middle of a part of the
// stretch, or that they are so throughout.
const NOTHING = 0u;
const NOW = 1u;
const THROUGHOUT = 2u;

fn passing_of(p: u32, leaf: Leaves) -> Passing {
    let turn = turn_of(p, 0u);
    let way = way_of(p, 0u) + outer(turn, leaf.first);
    let added = motions[p].added[0];
    let moved = added + size(way) + size(turn) * size(leaf.first);
    return Passing(way / leaf.unit, turn, (added + WIDER * moved) / leaf.unit + leaf.blur, motions[p].mover == 1u, leaf.zero);
}

// Returns the path of a corner in half of the stretch.
fn path_of(passing: Passing, corner: vec3<i32>) -> vec3<f32> {
    return passing.way + outer(passing.turn, from_to(vec3<i32>(0), corner));
}

// Returns the largest extent of the box around two triangles.
fn reach_of(a: array<vec3<i32>, 3>, b: array<vec3<i32>, 3>) -> f32 {
    let lo = min(min(a[0], min(a[1], a[2])), min(b[0], min(b[1], b[2])));
    let hi = max(max(a[0], max(a[1], a[2])), max(b[0], max(b[1], b[2])));
    return greatest(from_to(lo, hi));
}

// Returns the largest coordinate of three paths.
fn longest(paths: array<vec3<f32>, 3>) -> f32 {
    return greatest(max(abs(paths[0]), max(abs(paths[1]), abs(paths[2]))));
}

// Returns `added` with the errors of the test: some of the extents, and those of the paths of the mover's corners, which
// are at most 2 along each axis from the first corner of the home leaf.
fn with_errors(passing: Passing, errors: f32) -> f32 {
    return (passing.added + errors + WIDER * (6.0 * size(passing.turn))) * (1.0 + WIDER);
}

// Returns what a direction of any length, which must be fenced, proves.
fn told(moving: Moving, direction: vec3<f32>) -> u32 {
    let squared = inner(direction, direction);
    let p = vec3<f32>(0.0, inner(direction, moving.standing[0]), inner(direction, moving.standing[1]));
    let q = vec3<f32>(
        inner(direction, moving.middle[0]),
        inner(direction, moving.middle[1]),
        inner(direction, moving.middle[2]),
    );
    let way = abs(vec3<f32>(
        inner(direction, moving.paths[0]),
        inner(direction, moving.paths[1]),
        inner(direction, moving.paths[2]),
    ));
    if squared < SHORTEST {
        return NOTHING;
    }
    let wanted = sqrt(squared) * moving.added;
    if max(least(q - way) - greatest(p), least(p) - greatest(q + way)) > wanted {
        return THROUGHOUT;
    }
    return select(NOTHING, NOW, max(least(q) - greatest(p), least(p) - greatest(q)) > wanted);
}
