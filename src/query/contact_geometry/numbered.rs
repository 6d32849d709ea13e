//! Numbers for exact points: equal points get one number, and numbers are in the order of the points.

use closefit_geometry::exact::shared_point::SharedPoint;
use closefit_geometry::ids::to_u32;
use closefit_geometry::parallel;

/// Lists of points by their numbers, and the points.
pub(super) struct Numbered {
    pub(super) sets: Vec<Vec<u32>>,
    pub(super) points: Vec<SharedPoint>,
}

impl Numbered {
    /// Numbers the points of some lists.
    pub(super) fn of(lists: Vec<Vec<SharedPoint>>) -> Self {
        let mut sets: Vec<Vec<u32>> = lists.iter().map(|list| vec![0; list.len()]).collect();
        let mut all: Vec<(SharedPoint, u32, u32)> = Vec::new();
        for (set, list) in lists.into_iter().enumerate() {
            all.extend(list.into_iter().enumerate().map(|(k, p)| (p, to_u32(set), to_u32(k))));
        }
        parallel::sort_unstable_by(&mut all, |x, y| x.0.compare(&y.0));
        let mut points: Vec<SharedPoint> = Vec::new();
        for (point, set, k) in all {
            if points.last().is_none_or(|last| last.compare(&point).is_ne()) {
                points.push(point);
            }
            sets[set as usize][k as usize] = to_u32(points.len() - 1);
        }
        Self { sets, points }
    }
}
