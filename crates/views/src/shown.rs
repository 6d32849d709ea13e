//! The common face of rows that can be shown.

use closefit::Verdict;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;
use closefit_geometry::scene::Scene;
use closefit_geometry::units::Unit;
use closefit_picture::{Finding, Kind};
use closefit_report::document;
use glam::DVec3;

/// A listed pair, of a check or of a sweep, as it is shown.
pub trait Shown: document::Finding + Sync {
    /// Returns the time at which it is shown, if its parts move.
    fn time(&self) -> Option<f64>;

    /// Returns the kind of finding, which decides what is drawn of it.
    fn kind(&self) -> Kind;

    /// Returns the ends of its dimension line in the scene at its time.
    fn measure(&self, scene: &Scene) -> Option<[DVec3; 2]>;

    /// Returns the text at the dimension line.
    fn label(&self, unit: Option<Unit>) -> String;

    /// True if it is worth a dot in the whole scene: mere contact is not.
    fn is_marked(&self) -> bool {
        self.verdict() != Verdict::Contact
    }

    /// Returns the kind of its mark in the whole scene: the kind of an overlap for every clash.
    fn mark(&self) -> Kind {
        match self.verdict() {
            Verdict::Clash | Verdict::Meets => Kind::Overlap,
            Verdict::Clearance => Kind::Gap,
            Verdict::Undecided | Verdict::Contact | Verdict::Clear => Kind::Meeting,
        }
    }

    /// Returns what a picture needs, from the scene at its time.
    fn finding(&self, scene: &Scene) -> Finding {
        let parts = self.sides().ids.map(PartId);
        let bounds = self.bounds().map(|corners| corners.map(DVec3::from));
        Finding {
            parts,
            kind: self.kind(),
            measure: self.measure(scene),
            bounds: bounds.unwrap_or_else(|| between(scene, parts)),
            label: self.label(scene.unit),
        }
    }
}

/// Returns the box that the boxes of two parts have in common or, if they have none, the gap between them.
fn between(scene: &Scene, parts: [PartId; 2]) -> [DVec3; 2] {
    let [a, b] = parts.map(|part| scene.mesh(part).posed_bounds(&scene.parts[part.index()].pose));
    let Aabb { lo, hi } = Aabb { lo: a.lo.max(b.lo), hi: a.hi.min(b.hi) };
    [lo.min(hi), lo.max(hi)]
}
