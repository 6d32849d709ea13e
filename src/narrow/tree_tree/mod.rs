//! Two trees against each other (Lin et al. 1997, section 4.2): pairs of boxes that a separating axis proves
//! far enough apart are skipped with all that is in them; the triangles that remain are settled.

pub mod binary;
pub mod wide;

use glam::DVec3;

use crate::exact::distance;
use crate::hierarchy::body::{Body, Standing};

/// Work done by a traversal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Pairs of boxes tested.
    pub box_tests: u64,
    /// Pairs of triangles looked at.
    pub triangle_tests: u64,
    /// Of those, settled beyond f64 filters.
    pub settled: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.box_tests += other.box_tests;
        self.triangle_tests += other.triangle_tests;
        self.settled += other.settled;
    }
}

/// The closest pair of triangles of two bodies without contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Their distance, correctly rounded.
    pub distance: f64,
    /// Triangle of a, triangle of b: the lowest among equals.
    pub triangles: [u32; 2],
}

impl Nearest {
    fn is_before(&self, other: &Self) -> bool {
        self.distance.total_cmp(&other.distance).then(self.triangles.cmp(&other.triangles)).is_lt()
    }
}

/// All pairs of triangles in contact, sorted.
///
/// # Panics
/// For bodies of different backends, as the functions below.
pub fn contacts(a: &Body, b: &Body, work: &mut Work) -> Vec<[u32; 2]> {
    match (&a.tree, &b.tree) {
        (Standing::Binary(..), Standing::Binary(..)) => binary::contacts(a, b, work),
        (Standing::Wide(a), Standing::Wide(b)) => {
            wide::contacts::contacts_in_parallel(a, b, &mut wide::contacts::Scratch::default(), work)
        }
        _ => mixed(),
    }
}

/// True when [`contacts`] is not empty: stops at the first.
pub fn touches(a: &Body, b: &Body, work: &mut Work) -> bool {
    match (&a.tree, &b.tree) {
        (Standing::Binary(..), Standing::Binary(..)) => binary::touches(a, b, work),
        (Standing::Wide(a), Standing::Wide(b)) => {
            wide::contacts::touches(a, b, &mut wide::contacts::Scratch::default(), work)
        }
        _ => mixed(),
    }
}

/// The closest pair of triangles, if their distance is at most `bound`. The bodies must not be in contact.
pub fn nearest(a: &Body, b: &Body, bound: f64, work: &mut Work) -> Option<Nearest> {
    match (&a.tree, &b.tree) {
        (Standing::Binary(..), Standing::Binary(..)) => binary::nearest(a, b, bound, work),
        (Standing::Wide(a), Standing::Wide(b)) => {
            wide::nearest::nearest_apart(a, b, bound, &mut wide::nearest::Scratch::default(), work)
        }
        _ => mixed(),
    }
}

fn mixed() -> ! {
    panic!("one backend builds all trees of a run")
}

/// Lower bounds must exceed the best value by this much before they exclude a pair of triangles: 1 + 2^-39.
const SLACK: f64 = 1.0 + 1.0 / (1u64 << 39) as f64;

/// A point on each of the closest triangles.
pub fn witness(a: &Body, b: &Body, nearest: &Nearest) -> [DVec3; 2] {
    distance::witness(&a.triangle(nearest.triangles[0]), &b.triangle(nearest.triangles[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Backend;
    use crate::bounds::aabb::Aabb;
    use crate::hierarchy::body::Model;
    use crate::math::pose::Pose;
    use crate::scene::generate::{Request, generate};

    #[test]
    fn touching_is_having_contacts_and_stops_early() {
        let request = Request { name: "tori".to_owned(), size: Some(400), seed: 0, soup: false };
        let scene = generate(&request).unwrap();
        let model = Model::of(&scene.meshes[0], Backend::Scalar, Default::default());
        let [mut seen_apart, mut seen_touching] = [false; 2];
        for step in 0..24 {
            let [a, b] = [0.0, 0.1 * f64::from(step)].map(|shift| {
                let mut pose = Pose::IDENTITY;
                pose.rows[0][3] = shift;
                pose.rows[2][3] = 0.31 * shift;
                let posed = scene.meshes[0].vertices().iter().map(|&v| pose.apply(v));
                Body::new(&scene.meshes[0], &model, pose, Aabb::of(posed))
            });
            let [mut all, mut first] = [Work::default(); 2];
            let found = contacts(&a, &b, &mut all);
            assert_eq!(touches(&a, &b, &mut first), !found.is_empty(), "step {step}");
            assert!(first.box_tests <= all.box_tests && first.settled <= all.settled);
            seen_apart |= found.is_empty();
            seen_touching |= found.len() > 1 && first.box_tests < all.box_tests;
        }
        assert!(seen_apart && seen_touching);
    }
}
