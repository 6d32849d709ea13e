// The triangles of two leaves of which one moves past the other: the parts of a stretch in which directions keep them apart.
// Matches `continuous/moving_triangles`, but in f32 on differences of integers, and halves time. Shaders that use this declare
// `motions`. Lengths are those of the grid.

// Longest path of a corner. Over longer paths nothing would be excluded, and products of such numbers stay finite.
const LONGEST = 64.0;

// If a corner moves farther than this share of the triangles' extent, time is halved before their closest points are computed:
// the directions of these prove little over so long a time.
const FAR_FOR_CLOSEST = 0.05;

// The motion of one leaf past the other: a point at p from the first corner of the home leaf moves by way + turn x p, and
// by no more than `added` besides.
struct Crossing {
    way: vec3<f32>,
    turn: vec3<f32>,
    added: f32,
    guest_moves: bool,
    zero: u32,
}

// A triangle standing and another that moves past it: the corners of both in the middle of the stretch, and the paths of the
// latter's in half of it.
struct Meeting {
    standing: array<vec3<i32>, 3>,
    moving: array<vec3<i32>, 3>,
    paths: array<vec3<f32>, 3>,
    // The longest coordinate of a path, and the largest extent of the box around both triangles.
    farthest: f32,
    extent: f32,
    // How far apart they must be: the limit, the deviation, and the bounds of all errors.
    added: f32,
    zero: u32,
}

// The same over a part of the stretch: corners as seen from the standing triangle's first one, its second and third, and the
// other's in the middle of that part with their paths in half of it.
struct Moving {
    standing: array<vec3<f32>, 2>,
    middle: array<vec3<f32>, 3>,
    paths: array<vec3<f32>, 3>,
    added: f32,
}

// Returns the bits of the parts within a part in which some triangles of two leaves may come within the limit; those that are
// open already are among them.
fn open_parts(item: LeafItem, part: u32, known: u32) -> u32 {
    let levels = motions[item.pair].levels;
    let of_home = 1u + (item.two & 1u);
    let of_guest = 1u + (item.two >> 1u);
    let leaf = corners(item, of_home, of_guest);
    let crossing = crossing_of(item.pair, leaf);
    let all = bits_of(part, levels);
    var found = all & known;
    var tested = 0u;
    for (var i = 0u; i < of_home; i++) {
        for (var j = 0u; j < of_guest; j++) {
            let a = array<vec3<i32>, 3>(leaf.home[3u * i], leaf.home[3u * i + 1u], leaf.home[3u * i + 2u]);
            let b = array<vec3<i32>, 3>(leaf.guest[3u * j], leaf.guest[3u * j + 1u], leaf.guest[3u * j + 2u]);
            found |= all & ~parts_apart(meeting_of(a, b, crossing), part, levels, found);
            tested += 1u;
        }
    }
    // Nothing is proven of triangles that a loop left out.
    return select(all, found, tested == of_home * of_guest);
}

// Returns the bits of the parts within a part in which two triangles are proven to stay farther apart than the limit. Visits
// the parts in order, the longest first, but those that are `known` to be open.
fn parts_apart(meeting: Meeting, part: u32, levels: u32, known: u32) -> u32 {
    var found = 0u;
    if meeting.farthest > LONGEST {
        return found;
    }
    var at = part;
    loop {
        let bits = bits_of(at, levels);
        let is_shortest = level_of(at) == levels;
        if (bits & ~known) != 0u {
            if stay_apart(meeting, at, is_shortest) {
                found |= bits;
            } else if !is_shortest {
                at *= 2u;
                continue;
            }
        }
        // The next part: up from all second halves, and to the other half.
        at = (at >> countTrailingZeros(~at)) + 1u;
        if at < 2u * part {
            break;
        }
    }
    return found;
}

// Returns true only if two triangles stay farther apart than the limit throughout a part.
fn stay_apart(meeting: Meeting, part: u32, is_shortest: bool) -> bool {
    let zero = meeting.zero;
    let moving = over(meeting, middle_of(part), half_of(part));
    let s = moving.standing;
    let m = moving.middle;
    if keeps_apart(moving, fenced(m[0] + m[1] + m[2] - s[0] - s[1], zero))
        || keeps_apart(moving, fenced(outer(s[0], s[1]), zero))
        || keeps_apart(moving, fenced(outer(m[1] - m[0], m[2] - m[0]), zero)) {
        return true;
    }
    if !is_shortest && meeting.farthest * half_of(part) > FAR_FOR_CLOSEST * meeting.extent {
        return false;
    }
    // Any direction may be tested, so these corners need not be exact: they are rounded to the grid and move by 1 at most. Where
    // their differences overflow, the direction is a useless one.
    let nearest = closest(meeting.standing, moved(meeting, middle_of(part)), zero);
    return keeps_apart(moving, nearest.apart) || keeps_apart(moving, fenced(nearest.perpendicular, zero));
}

// Returns the corners of the moving triangle at a time, on the grid.
fn moved(meeting: Meeting, time: f32) -> array<vec3<i32>, 3> {
    var corners = meeting.moving;
    for (var i = 0u; i < 3u; i++) {
        corners[i] += vec3<i32>(clamp(meeting.paths[i] * time, vec3<f32>(-1.0), vec3<f32>(1.0)) / STEP);
    }
    return corners;
}

fn crossing_of(p: u32, leaf: Leaves) -> Crossing {
    let turn = turn_of(p, 0u);
    let way = way_of(p, 0u) + outer(turn, leaf.first);
    let added = motions[p].added[0];
    let moved = added + size(way) + size(turn) * size(leaf.first);
    return Crossing(way / leaf.unit, turn, (added + WIDER * moved) / leaf.unit + leaf.blur, motions[p].mover == 1u, leaf.zero);
}

fn meeting_of(home: array<vec3<i32>, 3>, guest: array<vec3<i32>, 3>, crossing: Crossing) -> Meeting {
    var meeting: Meeting;
    meeting.standing = home;
    meeting.moving = guest;
    if !crossing.guest_moves {
        meeting.standing = guest;
        meeting.moving = home;
    }
    let m = meeting.moving;
    meeting.paths = array<vec3<f32>, 3>(path_of(crossing, m[0]), path_of(crossing, m[1]), path_of(crossing, m[2]));
    meeting.farthest = longest(meeting.paths);
    meeting.extent = extent_of(home, guest);
    meeting.added = with_errors(crossing, GAP_OVER_TIME * (meeting.extent + meeting.farthest));
    meeting.zero = crossing.zero;
    return meeting;
}

// Returns two triangles over a part of the stretch.
fn over(meeting: Meeting, middle: f32, half: f32) -> Moving {
    let s = meeting.standing;
    let m = meeting.moving;
    let paths = meeting.paths;
    return Moving(
        array<vec3<f32>, 2>(from_to(s[0], s[1]), from_to(s[0], s[2])),
        array<vec3<f32>, 3>(
            fenced(from_to(s[0], m[0]) + paths[0] * middle, meeting.zero),
            fenced(from_to(s[0], m[1]) + paths[1] * middle, meeting.zero),
            fenced(from_to(s[0], m[2]) + paths[2] * middle, meeting.zero),
        ),
        array<vec3<f32>, 3>(paths[0] * half, paths[1] * half, paths[2] * half),
        meeting.added,
    );
}

// Returns the path of a corner in half of the stretch.
fn path_of(crossing: Crossing, corner: vec3<i32>) -> vec3<f32> {
    return fenced(crossing.way + outer(crossing.turn, from_to(vec3<i32>(0), corner)), crossing.zero);
}

// Returns the largest extent of the box around two triangles.
fn extent_of(a: array<vec3<i32>, 3>, b: array<vec3<i32>, 3>) -> f32 {
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
fn with_errors(crossing: Crossing, errors: f32) -> f32 {
    return (crossing.added + errors + WIDER * (6.0 * size(crossing.turn))) * (1.0 + WIDER);
}

// Returns true only if a direction of any length, which must be fenced, keeps two triangles farther apart than the limit
// throughout a part.
fn keeps_apart(moving: Moving, direction: vec3<f32>) -> bool {
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
    let wanted = sqrt(squared) * moving.added;
    return squared >= SHORTEST && max(least(q - way) - greatest(p), least(p) - greatest(q + way)) > wanted;
}
