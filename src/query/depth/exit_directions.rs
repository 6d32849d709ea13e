//! Directions in which to move one part out of the other.

use glam::DVec3;

use super::polygon::Plane;
use super::search::DepthSearch;

/// The approximate number of contacts whose faces are examined, and the largest number of mating directions.
const MOST_LOOKED_AT: usize = 64;
const MOST_DIRECTIONS: usize = 6;

impl DepthSearch<'_> {
    /// Returns directions in which to move the first part, most promising first.
    pub fn exit_directions(&self) -> Vec<DVec3> {
        let mut exit_directions: Vec<DVec3> = Vec::new();
        let mut add = |way: DVec3| {
            if exit_directions.iter().all(|known| known.dot(way) < 0.999) {
                exit_directions.push(way);
            }
        };
        if let Some(way) = self.direction_of_deepest {
            add(way);
        }
        let mating = self.mating_directions();
        let opposed = mating.iter().any(|way| mating.iter().any(|other| way.dot(*other) < -0.9));
        // Opposed faces hold a part in place.
        if !opposed {
            let sum: DVec3 = mating.iter().sum();
            sum.try_normalize().into_iter().chain(mating).for_each(&mut add);
        }
        let [a, b] = self.parts.each_ref().map(|part| *part.body.bounds());
        let (up, down) = (b.hi - a.lo, a.hi - b.lo);
        let k = up.min(down).min_position();
        add(DVec3::AXES[k] * if up[k] < down[k] { 1.0 } else { -1.0 });
        exit_directions
    }

    /// Returns directions that move the first part away from faces of the second that mate with its own,
    /// within the limit.
    fn mating_directions(&self) -> Vec<DVec3> {
        let list = usize::from(self.contacts[0].is_empty());
        let faces = |part: usize| {
            let contacts = &self.contacts[list];
            let mut faces: Vec<Plane> = Vec::new();
            for pair in contacts.iter().step_by(contacts.len() / MOST_LOOKED_AT + 1) {
                let triangle = self.parts[part].triangle(pair[usize::from(part != list)]);
                if let Some(face) = Plane::of(&triangle)
                    && !faces.iter().any(|known| self.agree(known, &face, face.normal))
                {
                    faces.push(face);
                }
            }
            faces
        };
        let (own, others) = (faces(0), faces(1));
        let mut exit_directions: Vec<DVec3> = Vec::new();
        for face in &others {
            let mates = own.iter().any(|own| self.agree(own, face, -face.normal));
            if mates && exit_directions.iter().all(|known| known.dot(face.normal) < 0.999) {
                exit_directions.push(face.normal);
            }
        }
        exit_directions.truncate(MOST_DIRECTIONS);
        exit_directions
    }

    /// True when a plane has approximately the given normal, and passes within the limit of the other's
    /// origin.
    fn agree(&self, plane: &Plane, other: &Plane, normal: DVec3) -> bool {
        plane.normal.dot(normal) > 0.999 && plane.height(other.origin).abs() <= self.limit()
    }
}
