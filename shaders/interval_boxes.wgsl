// Tests boxes of a block against a box of the other tree over a part of a stretch of time along fifteen axes, each fixed to the
// tree whose axis it is: the interval separating axes of Redon et al. 2002. Matches `bvh/wide_obb/stretch/interval_boxes`, but
// halves time by itself, as `swept_boxes` does.
//
// An interval is a value and half a path: over the stretch, a number x is within |x'| of x, and what is left is added. An
// edge axis is the product of an axis of the single box and of the path of an axis of the other one, along a straight line.
// So it needs no bound on how that axis turns, but is longer at the ends.

@compute @workgroup_size(32)
fn interval_boxes(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    ask(lane, group.x, groups.x);
}

// The single box, and how it and the block's boxes pass each other, along its axes.
struct Passing {
    single: Single,
    is_leaf: bool,
    // The path of a moving point at the single box's centre, and the turn.
    way: vec3<f32>,
    turn: vec3<f32>,
    // Bound of the turn's length.
    turned: f32,
    // Added to radii along the block's axes, where the single box moves; and along its own, where the block's boxes do.
    for_single: f32,
    for_block: f32,
    // Rounding of what moves, added to all radii.
    rounding: f32,
    // The middle of the part, negative where the single box moves, and half its length.
    middle: f32,
    half: f32,
}

// Adds the motion to the single box, a box `other` of the other tree in the frame of a block of `side` at `origin`.
fn passing_of(p: u32, side: u32, single: Single, origin: vec3<f32>, other: Box, part: u32) -> Passing {
    let turn = turn_of(p, side);
    let way = way_past(p, side, single, origin);
    let reach = reach_of(p, side, single, origin, other);
    let block_moves = motions[p].mover == side;
    let added = motions[p].added[side];
    let added_back = motions[p].added_back[side];
    let for_single = select(added, added_back, block_moves);
    let for_block = select(added_back, added, block_moves);
    var passing: Passing;
    passing.single = single;
    passing.is_leaf = (other.child & LEAF_BIT) != 0u;
    passing.way = along(single, way);
    passing.turn = along(single, turn);
    passing.turned = motions[p].turned;
    passing.for_single = for_single + WIDER * for_single;
    passing.for_block = for_block + WIDER * for_block;
    passing.rounding = WIDER * (size(way) + size(turn) * reach);
    passing.middle = select(-middle_of(part), middle_of(part), block_moves);
    passing.half = half_of(part);
    return passing;
}

// Returns APART only if an axis keeps the single box and a box of the opened block apart throughout the part. Otherwise returns
// LONG if the single box's path is long for the extents of both boxes along it, and ENDS if they turn by as much.
fn told(passing: Passing, other: Box, leaf: bool) -> u32 {
    let single = passing.single;
    let w = passing.turn;
    let ha = single.half;
    let hb = other.half;
    let ta = along(single, other.center - single.center);
    let c0 = along(single, other.axes[0]);
    let c1 = along(single, other.axes[1]);
    let c2 = along(single, fence(outer(other.axes[0], other.axes[1])));
    let r0 = abs(c0) + vec3<f32>(PARALLEL);
    let r1 = abs(c1) + vec3<f32>(PARALLEL);
    let r2 = abs(c2) + vec3<f32>(PARALLEL);
    // The paths of the other box's axes and of its centre, as seen from the single box.
    let p0 = fence(outer(w, c0));
    let p1 = fence(outer(w, c1));
    let p2 = fence(outer(w, c2));
    let path = fence(passing.way + outer(w, ta));
    let q0 = abs(p0);
    let q1 = abs(p1);
    let q2 = abs(p2);
    let rounding = passing.rounding + WIDER * (size(w) * (size(ta) + size(hb)));

    let of_block = fence(hb.x * r0 + hb.y * r1 + hb.z * r2);
    let moved_a = fence(abs(path) * passing.half + hb.x * q0 + hb.y * q1 + hb.z * q2);
    if any(abs(fence(ta + path * passing.middle)) - fence(ha + of_block) > moved_a + vec3<f32>(passing.for_block + rounding)) {
        return APART;
    }

    let tb = vec3<f32>(inner(ta, c0), inner(ta, c1), inner(ta, c2));
    let way_b = vec3<f32>(inner(passing.way, c0), inner(passing.way, c1), inner(passing.way, c2));
    let of_single = fence(vec3<f32>(inner(ha, r0), inner(ha, r1), inner(ha, r2)));
    let moved_b = fence(abs(way_b) * passing.half + vec3<f32>(inner(ha, q0), inner(ha, q1), inner(ha, q2)));
    if any(abs(fence(tb + way_b * passing.middle)) - fence(hb + of_single) > moved_b + vec3<f32>(passing.for_single + rounding)) {
        return APART;
    }

    // Axes are longer at the ends, and there the ends of paths are seen along them.
    let longer = 1.0 + 0.5 * passing.turned * passing.turned;
    let farther = passing.turned * (size(path) + passing.turned * size(hb) + rounding);
    let added = (passing.for_block + rounding) * longer + farther;
    if edges_stay_apart(passing, EdgeAxes(ta, path, c0, p0), r0, hb.y * r2 + hb.z * r1, hb.y * q2 + hb.z * q1, added)
        || edges_stay_apart(passing, EdgeAxes(ta, path, c1, p1), r1, hb.z * r0 + hb.x * r2, hb.z * q0 + hb.x * q2, added)
        || edges_stay_apart(passing, EdgeAxes(ta, path, c2, p2), r2, hb.x * r1 + hb.y * r0, hb.x * q1 + hb.y * q0, added) {
        return APART;
    }

    if passing.is_leaf && leaf {
        return NEAR;
    }
    let squared = inner(passing.way, passing.way);
    let extent = inner(ha, abs(passing.way)) + inner(hb, abs(way_b));
    let flat = FLAT * sqrt(max(squared, 1e-30)) * (size(ha) + size(hb));
    let found = select(NEAR, LONG, squared * passing.half > SUBDIVISION * (extent + flat));
    return select(found, ENDS, passing.turned > SUBDIVISION);
}

// The products of the single box's axes and an axis of the other one: the difference and the path of the centres, and the other
// axis with its path.
struct EdgeAxes {
    ta: vec3<f32>,
    path: vec3<f32>,
    c: vec3<f32>,
    turned: vec3<f32>,
}

// Returns true only if one of these products separates the two boxes. `of_block` is the radius of the other box, and
// `moved_block` its movement.
fn edges_stay_apart(passing: Passing, along: EdgeAxes, r: vec3<f32>, of_block: vec3<f32>, moved_block: vec3<f32>, added: f32) -> bool {
    let ha = passing.single.half;
    let q = abs(along.turned);
    // The path of the difference of the centres, along axes that move.
    let way = fence(outer(along.turned, along.ta) + outer(along.c, along.path));
    let moved = fence(abs(way) * passing.half + (ha.yzx * q.zxy + ha.zxy * q.yzx) + moved_block);
    return edges_apart(fence(outer(along.c, along.ta) + way * passing.middle), ha, r, of_block, moved, added);
}
