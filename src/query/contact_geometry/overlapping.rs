//! Pairs of boxes that meet.

use closefit_geometry::bounds::aabb::Aabb;

/// Calls `visit` with every two items whose boxes meet. It sweeps along the axis in which the boxes together
/// are longest.
pub(super) fn overlapping<T: Copy>(items: &[(T, Aabb)], mut visit: impl FnMut(T, T)) {
    let all = items.iter().fold(Aabb::EMPTY, |all, (_, bounds)| all.union(*bounds));
    let axis = (all.hi - all.lo).max_position();
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_unstable_by(|&i, &j| items[i].1.lo[axis].total_cmp(&items[j].1.lo[axis]).then(i.cmp(&j)));
    for (k, &i) in order.iter().enumerate() {
        let (item, bounds) = items[i];
        let near = order[k + 1..].iter().map(|&j| items[j]);
        for (other, its) in near.take_while(|(_, its)| its.lo[axis] <= bounds.hi[axis]) {
            if bounds.meets(&its) {
                visit(item, other);
            }
        }
    }
}
