// The test of two boxes along fifteen axes.

// Returns true only if an axis separates the single box from a box of the opened block.
fn apart(single: Single, other: Box) -> bool {
    let ha = single.half;
    let hb = other.half;
    let ta = along(single, other.center - single.center);
    let c0 = along(single, other.axes[0]);
    let c1 = along(single, other.axes[1]);
    let c2 = along(single, fence(outer(other.axes[0], other.axes[1])));
    let r0 = abs(c0) + vec3<f32>(PARALLEL);
    let r1 = abs(c1) + vec3<f32>(PARALLEL);
    let r2 = abs(c2) + vec3<f32>(PARALLEL);
    if any(abs(ta) > ha + hb.x * r0 + hb.y * r1 + hb.z * r2) {
        return true;
    }
    let tb = vec3<f32>(inner(ta, c0), inner(ta, c1), inner(ta, c2));
    if any(abs(tb) > hb + vec3<f32>(inner(ha, r0), inner(ha, r1), inner(ha, r2))) {
        return true;
    }
    if any(abs(outer(ta, c0)) > ha.yzx * r0.zxy + ha.zxy * r0.yzx + hb.y * r2 + hb.z * r1) {
        return true;
    }
    if any(abs(outer(ta, c1)) > ha.yzx * r1.zxy + ha.zxy * r1.yzx + hb.z * r0 + hb.x * r2) {
        return true;
    }
    return any(abs(outer(ta, c2)) > ha.yzx * r2.zxy + ha.zxy * r2.yzx + hb.x * r1 + hb.y * r0);
}
