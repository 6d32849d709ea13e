//! Filters of pairs of bodies: groups, and excluded pairs.

use hashbrown::{HashMap, HashSet};

use closefit_geometry::ids::BodyId;

/// The groups that a body is in, and those that it meets. There are 32 groups, a bit each.
///
/// Two bodies meet if each of them is in a group that the other one meets. By default a body is in all
/// groups, and meets all of them.
///
/// ```
/// use closefit::BodyGroups;
///
/// const ROBOT: u32 = 1 << 0;
/// const TOOL: u32 = 1 << 1;
/// let robot = BodyGroups { memberships: ROBOT, filter: !TOOL };
/// let tool = BodyGroups { memberships: TOOL, filter: !ROBOT };
/// assert!(!robot.meets(tool) && !tool.meets(robot));
/// assert!(robot.meets(robot) && robot.meets(BodyGroups::ALL));
/// assert!(!BodyGroups::NONE.meets(BodyGroups::ALL));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyGroups {
    /// The groups that the body is in.
    pub memberships: u32,
    /// The groups whose bodies it meets.
    pub filter: u32,
}

impl BodyGroups {
    /// A body in all groups that meets all of them.
    pub const ALL: Self = Self { memberships: u32::MAX, filter: u32::MAX };
    /// A body in no group that meets none: its pairs are never checked.
    pub const NONE: Self = Self { memberships: 0, filter: 0 };

    /// True when two bodies of these groups meet.
    pub const fn meets(self, other: Self) -> bool {
        self.memberships & other.filter != 0 && other.memberships & self.filter != 0
    }
}

impl Default for BodyGroups {
    fn default() -> Self {
        Self::ALL
    }
}

/// Excluded pairs of bodies. Each is kept under both of its bodies, so that either can be forgotten.
#[derive(Default)]
pub(super) struct ExcludedPairs(HashMap<BodyId, HashSet<BodyId>>);

impl ExcludedPairs {
    /// Adds a pair.
    pub fn insert(&mut self, a: BodyId, b: BodyId) {
        for (from, to) in [(a, b), (b, a)] {
            self.0.entry(from).or_default().insert(to);
        }
    }

    /// Removes a pair, if it is there.
    pub fn remove(&mut self, a: BodyId, b: BodyId) {
        for (from, to) in [(a, b), (b, a)] {
            if let Some(partners) = self.0.get_mut(&from) {
                partners.remove(&to);
                if partners.is_empty() {
                    self.0.remove(&from);
                }
            }
        }
    }

    /// Removes all pairs of a body.
    pub fn forget(&mut self, body: BodyId) {
        for partner in self.0.remove(&body).unwrap_or_default() {
            self.remove(partner, body);
        }
    }

    /// Returns all pairs, each in both orders.
    pub fn pairs(&self) -> impl Iterator<Item = (BodyId, BodyId)> {
        self.0.iter().flat_map(|(&a, partners)| partners.iter().map(move |&b| (a, b)))
    }

    /// True when the pair is excluded.
    pub fn contains(&self, a: BodyId, b: BodyId) -> bool {
        self.0.get(&a).is_some_and(|partners| partners.contains(&b))
    }

    /// True when no pair is excluded.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
