//! The work of a run, by stage.

use std::ops::AddAssign;
use std::time::Duration;

use crate::narrow::Spent;
use closefit_geometry::hull::closest_features::HullWork;
use closefit_geometry::hull::contact_region::RegionWork;

/// Names the stages once: a field for each, and the same name in `run.json`.
macro_rules! stages {
    ($($(#[$doc:meta])* $stage:ident,)*) => {
        /// The work of each stage: of finding candidate pairs, and of every question about a pair.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct StageWork {
            $($(#[$doc])* pub $stage: Spent,)*
            /// The work of the stage `hull` in its own units.
            pub walks: HullWork,
            /// The work on contact regions in its own units.
            pub regions: RegionWork,
        }

        impl StageWork {
            /// Returns the stages with their names, in the order of a run.
            pub fn named(&self) -> impl Iterator<Item = (&'static str, Spent)> {
                [$((stringify!($stage), self.$stage)),*].into_iter()
            }
        }

        impl AddAssign for StageWork {
            fn add_assign(&mut self, other: Self) {
                $(self.$stage += other.$stage;)*
                self.walks += other.walks;
                self.regions += other.regions;
            }
        }
    };
}

stages! {
    /// Finding candidate pairs from the boxes of parts.
    broad,
    /// Proving pairs apart by their convex hulls.
    hull,
    /// Finding the triangles in contact.
    contacts,
    /// Measuring the distance of parts that are not in contact.
    distance,
    /// Finding the closest points, on the closest triangles and at the deepest point.
    witness,
    /// Deciding whether one part contains the other.
    containment,
    /// Searching the depth of an overlap.
    depth,
    /// Deciding whether two parts fill the same space.
    duplicate,
    /// Deciding whether open surfaces cross.
    crossing,
    /// Locating a contact.
    location,
    /// Searching a motion: times of contact, and the smallest distance.
    continuous,
}

impl StageWork {
    /// Returns the sum of all stages.
    pub fn total(&self) -> Spent {
        self.named().fold(Spent::default(), |mut total, (_, spent)| {
            total += spent;
            total
        })
    }

    /// Books the part of a time that no stage has claimed under `continuous`.
    pub fn add_rest_to_continuous(&mut self, time: Duration) {
        self.continuous.time += time.saturating_sub(self.total().time);
    }
}
