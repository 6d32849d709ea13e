// Tests boxes of a block against a box of the other tree over a part of a stretch of time. One tree moves past the other; the
// fifteen axes are fixed to the tree at rest. Matches `bvh/wide_obb/stretch/swept_boxes`, but halves time by itself: the
// centre of what moves is where it is in the middle of the part, and goes no farther than in half of the part.

@compute @workgroup_size(32)
fn swept_boxes(
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
    // 1 if the single box moves, 0 if the block's boxes do.
    moves: f32,
    // The path of a moving point at the single box's centre, and the turn.
    way: vec3<f32>,
    turn: vec3<f32>,
    // Added to all radii, and the part of it that a shorter stretch would not have.
    added: f32,
    by_acceleration: f32,
    // The middle of the part, negative where the single box moves, and half its length.
    middle: f32,
    half: f32,
}

// Adds the motion to the single box, a box `other` of the other tree in the frame of a block of `side` at `origin`.
fn passing_of(p: u32, side: u32, single: Single, origin: vec3<f32>, other: Box, part: u32) -> Passing {
    let turn = turn_of(p, side);
    let way = way_past(p, side, single, origin);
    let reach = reach_of(p, side, single, origin, other);
    let added = motions[p].added[side];
    var passing: Passing;
    passing.single = single;
    passing.is_leaf = (other.child & LEAF_BIT) != 0u;
    passing.moves = select(0.0, 1.0, motions[p].mover != side);
    passing.way = along(single, way);
    passing.turn = along(single, turn);
    passing.added = added + WIDER * (added + size(way) + size(turn) * reach);
    passing.by_acceleration = motions[p].by_acceleration[side];
    passing.middle = middle_of(part) * (1.0 - 2.0 * passing.moves);
    passing.half = half_of(part);
    return passing;
}

// Returns APART only if an axis keeps the single box and a box of the opened block apart throughout the part. Otherwise returns
// LONG or ENDS if they move far, along the face axis that separates them best, for the extents of the boxes that would be
// opened: LONG if most of that is the path of the centre, which is shorter in half the time.
fn told(passing: Passing, other: Box, leaf: bool) -> u32 {
    let single = passing.single;
    let w = passing.turn;
    let ha = single.half;
    let hb = other.half;
    // Extents of the moving box; the other one's are 0.
    let ma = ha * passing.moves;
    let mb = hb * (1.0 - passing.moves);
    let ta = along(single, other.center - single.center);
    let c0 = along(single, other.axes[0]);
    let c1 = along(single, other.axes[1]);
    let c2 = along(single, fence(outer(other.axes[0], other.axes[1])));
    let r0 = abs(c0) + vec3<f32>(PARALLEL);
    let r1 = abs(c1) + vec3<f32>(PARALLEL);
    let r2 = abs(c2) + vec3<f32>(PARALLEL);
    // The path of the moving box's centre, in half of the part, and the difference of the centres in its middle.
    let whole = fence(passing.way + outer(w, ta) * (1.0 - passing.moves));
    let way = whole * passing.half;
    let at = fence(ta + whole * passing.middle);
    let added = passing.added + WIDER * ((1.0 - passing.moves) * size(w) * (size(ta) + size(hb)));

    let lever0 = abs(outer(c0, w));
    let lever1 = abs(outer(c1, w));
    let lever2 = abs(outer(c2, w));
    let moved_a = fence(abs(way) + ma.yzx * abs(w.zxy) + ma.zxy * abs(w.yzx) + mb.x * lever0 + mb.y * lever1 + mb.z * lever2);
    let of_block = fence(hb.x * r0 + hb.y * r1 + hb.z * r2);
    let apart_a = abs(at) - fence(ha + of_block);
    if any(apart_a > moved_a + vec3<f32>(added)) {
        return APART;
    }

    let tb = vec3<f32>(inner(at, c0), inner(at, c1), inner(at, c2));
    let wb = vec3<f32>(inner(w, c0), inner(w, c1), inner(w, c2));
    let middle = vec3<f32>(inner(way, c0), inner(way, c1), inner(way, c2));
    let turned = vec3<f32>(inner(ma, lever0), inner(ma, lever1), inner(ma, lever2));
    let moved_b = fence(abs(middle) + turned + mb.yzx * abs(wb.zxy) + mb.zxy * abs(wb.yzx));
    let of_single = fence(vec3<f32>(inner(ha, r0), inner(ha, r1), inner(ha, r2)));
    let apart_b = abs(tb) - fence(hb + of_single);
    if any(apart_b > moved_b + vec3<f32>(added)) {
        return APART;
    }

    if edges_apart(outer(at, c0), ha, r0, hb.y * r2 + hb.z * r1, moved_edges(way, w, c0, ma, mb.x, wb.x, mb.y * r1 + mb.z * r2), added)
        || edges_apart(outer(at, c1), ha, r1, hb.z * r0 + hb.x * r2, moved_edges(way, w, c1, ma, mb.y, wb.y, mb.z * r2 + mb.x * r0), added)
        || edges_apart(outer(at, c2), ha, r2, hb.x * r1 + hb.y * r0, moved_edges(way, w, c2, ma, mb.z, wb.z, mb.x * r0 + mb.y * r1), added) {
        return APART;
    }

    if passing.is_leaf && leaf {
        return NEAR;
    }
    // The gap, the path of the centre and the rest of the movement, and both extents, along the best face axis.
    var gap = -1e30;
    var moved = vec2<f32>(0.0);
    var extents = vec2<f32>(0.0);
    for (var k = 0u; k < 3u; k++) {
        if apart_a[k] > gap {
            gap = apart_a[k];
            moved = vec2<f32>(abs(way[k]), moved_a[k] - abs(way[k]));
            extents = vec2<f32>(ha[k], of_block[k]);
        }
        if apart_b[k] > gap {
            gap = apart_b[k];
            moved = vec2<f32>(abs(middle[k]), moved_b[k] - abs(middle[k]));
            extents = vec2<f32>(of_single[k], hb[k]);
        }
    }
    extents += FLAT * vec2<f32>(size(ha), size(hb));
    moved.y += passing.by_acceleration;
    let extent = select(extents.x, 0.0, passing.is_leaf) + select(extents.y, 0.0, leaf);
    return select(NEAR, select(ENDS, LONG, moved.x > moved.y), moved.x + moved.y > SUBDIVISION * extent);
}

// Returns the movement along the products of the single box's axes and an axis `c` of the other one. `half` is the moving
// extent along c, `by` the turn about c, and `lever` what the other two extents add per unit of that.
fn moved_edges(way: vec3<f32>, w: vec3<f32>, c: vec3<f32>, ma: vec3<f32>, half: f32, by: f32, lever: vec3<f32>) -> vec3<f32> {
    // (x x c) x w = c (w . x) - x (w . c)
    let reach = ma * (abs(c) + vec3<f32>(PARALLEL));
    let twist = c * w;
    let of_single = ma * abs(twist.yzx + twist.zxy) + (reach.yzx + reach.zxy) * abs(w);
    return fence(abs(outer(way, c)) + of_single + half * abs(w - c * by) + lever * abs(by));
}
