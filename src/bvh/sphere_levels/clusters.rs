//! Clusters of points: each starts at the point farthest from the others' starts (Gonzalez 1985), then its
//! centre goes to the mean of the points closest to it, again and again (Lloyd 1982). Clusters are split, so
//! the clusters of one level nest in the clusters of the level before. Ties go to the lowest index, and all
//! sums have a fixed order.

use glam::DVec3;

use closefit_geometry::parallel;

/// Largest number of rounds in which centres move.
const ROUNDS: usize = 32;

/// Splits clusters of points, given by sorted indices, until there are `count` of them, or until all points
/// of each are equal. Returns the parts of each cluster.
pub(super) fn split(points: &[DVec3], clusters: &[Vec<u32>], count: usize) -> Vec<Vec<Vec<u32>>> {
    let mut starts: Vec<Starts> = clusters.iter().map(|cluster| Starts::new(points, cluster)).collect();
    for _ in clusters.len()..count {
        let farthest = starts.iter_mut().reduce(|a, b| if b.farthest.0 > a.farthest.0 { b } else { a });
        let Some(cluster) = farthest.filter(|cluster| cluster.farthest.0 > 0.0) else { break };
        cluster.add(points);
    }
    parallel::map_owned(starts, 1, |_, cluster| cluster.settle(points))
}

/// A cluster, and the points of it at which its parts start.
struct Starts<'a> {
    members: &'a [u32],
    centers: Vec<DVec3>,
    /// The squared distance of each member from the closest start.
    squared: Vec<f64>,
    /// The largest of these distances, and the place of its member.
    farthest: (f64, usize),
}

impl<'a> Starts<'a> {
    fn new(points: &[DVec3], members: &'a [u32]) -> Self {
        let squared = vec![f64::INFINITY; members.len()];
        let mut starts = Self { members, centers: Vec::new(), squared, farthest: (0.0, 0) };
        starts.add(points);
        starts
    }

    /// Adds the member farthest from all starts.
    fn add(&mut self, points: &[DVec3]) {
        let start = points[self.members[self.farthest.1] as usize];
        self.centers.push(start);
        self.farthest = (0.0, 0);
        for (place, (squared, &member)) in self.squared.iter_mut().zip(self.members).enumerate() {
            *squared = squared.min(points[member as usize].distance_squared(start));
            if *squared > self.farthest.0 {
                self.farthest = (*squared, place);
            }
        }
    }

    /// Moves the centres, and returns the members closest to each.
    fn settle(mut self, points: &[DVec3]) -> Vec<Vec<u32>> {
        let mut closest = vec![0; self.members.len()];
        for _ in 0..ROUNDS {
            let mut sums = vec![(DVec3::ZERO, 0.0); self.centers.len()];
            let mut has_moved = false;
            for (place, &member) in closest.iter_mut().zip(self.members) {
                let p = points[member as usize];
                let at = self.closest(p);
                has_moved |= at != *place;
                *place = at;
                sums[at] = (sums[at].0 + p, sums[at].1 + 1.0);
            }
            if !has_moved {
                break;
            }
            for (center, (sum, count)) in self.centers.iter_mut().zip(sums).filter(|(_, sum)| sum.1 > 0.0) {
                *center = sum / count;
            }
        }
        let mut parts = vec![Vec::new(); self.centers.len()];
        for (place, &member) in closest.into_iter().zip(self.members) {
            parts[place].push(member);
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    fn closest(&self, p: DVec3) -> usize {
        let mut best = (f64::INFINITY, 0);
        for (place, center) in self.centers.iter().enumerate() {
            let squared = center.distance_squared(p);
            if squared < best.0 {
                best = (squared, place);
            }
        }
        best.1
    }
}
