//! Findings of a sweep: each at its time of contact, or when its parts are closest.

use closefit::{CollisionMesh, Verdict, distance};
use closefit_geometry::ids::PartId;
use closefit_geometry::scene::Scene;
use closefit_geometry::units::Unit;
use closefit_picture::Kind;
use closefit_report::document::{ContainedRow, MovingPairRow, PressedRow, Word};
use closefit_report::table::{measured, seconds};
use glam::DVec3;

use crate::shown::Shown;
use crate::standing::undecided;

impl Shown for MovingPairRow {
    fn time(&self) -> Option<f64> {
        let met = self.contact().map(|contact| contact.before);
        met.or(self.clearance.map(|clearance| clearance.at))
    }

    fn kind(&self) -> Kind {
        if self.verdict == Verdict::Clearance { Kind::Gap } else { Kind::Meeting }
    }

    /// Returns the closest points at the time of the smallest distance, of parts that never meet.
    fn measure(&self, scene: &Scene) -> Option<[DVec3; 2]> {
        if self.kind() != Kind::Gap || self.contact().is_some() {
            return None;
        }
        let parts = self.sides.ids.map(PartId);
        let [a, b] = parts.map(|part| CollisionMesh::build(scene.mesh(part)));
        let [pose_a, pose_b] = parts.map(|part| &scene.parts[part.index()].pose);
        let (a, b) = (a.at(pose_a).ok()?, b.at(pose_b).ok()?);
        distance(&a, &b).closest.map(|closest| closest.points)
    }

    fn label(&self, unit: Option<Unit>) -> String {
        match (self.contact(), self.clearance, &self.contained) {
            (_, _, Some(ContainedRow::Known(inside))) => inside.word().to_owned(),
            _ if self.verdict == Verdict::Undecided => undecided(self.contained.as_ref()).to_owned(),
            (Some(contact), ..) => match self.pressed.flatten().filter(|found| found.at_least > 0.0) {
                Some(PressedRow { at_least, at_most, at }) if self.again.is_none() => {
                    format!("pressed {} at {} s", measured([at_least, at_most], unit), seconds(at))
                }
                _ => format!("contact at {} s", seconds(contact.before)),
            },
            (None, Some(clearance), _) => measured([clearance.at_least, clearance.at_most], unit),
            (None, None, _) => String::new(),
        }
    }
}
