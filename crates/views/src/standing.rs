//! Findings of a check.

use closefit::Verdict;
use closefit_geometry::scene::Scene;
use closefit_geometry::units::Unit;
use closefit_picture::Kind;
use closefit_report::document::{ContainedRow, DepthRow, PairRow};
use closefit_report::table::measured;
use glam::DVec3;

use crate::shown::Shown;

impl Shown for PairRow {
    fn time(&self) -> Option<f64> {
        None
    }

    fn kind(&self) -> Kind {
        match self.verdict {
            Verdict::Clash if self.duplicate || self.depth.is_some() => Kind::Overlap,
            Verdict::Clearance => Kind::Gap,
            _ => Kind::Meeting,
        }
    }

    fn measure(&self, _: &Scene) -> Option<[DVec3; 2]> {
        match self.verdict {
            // They fill the same space, so no length says how far one is in the other.
            _ if self.duplicate => None,
            Verdict::Clash | Verdict::Undecided => {
                let place = self.location.as_ref()?;
                Some([place.point, *place.to.as_deref()?].map(DVec3::from))
            }
            Verdict::Clearance => self.points.as_ref().map(|points| points.map(DVec3::from)),
            Verdict::Meets | Verdict::Contact | Verdict::Clear => None,
        }
    }

    fn label(&self, unit: Option<Unit>) -> String {
        match (self.verdict, self.depth) {
            _ if self.duplicate => "same space".to_owned(),
            (Verdict::Clash | Verdict::Undecided, Some(DepthRow { at_least, at_most })) => {
                measured([at_least, at_most], unit)
            }
            (Verdict::Clash, None) if self.crossing => "crossing".to_owned(),
            (Verdict::Clash, None) => "clash".to_owned(),
            (Verdict::Clearance, _) => measured([self.distance; 2], unit),
            (Verdict::Contact | Verdict::Meets, _) => "contact".to_owned(),
            (Verdict::Undecided, None) => undecided(self.contained.as_deref()).to_owned(),
            (Verdict::Clear, _) => String::new(),
        }
    }
}

/// Returns the few words for a pair that is not decided.
pub fn undecided(contained: Option<&ContainedRow>) -> &'static str {
    match contained {
        Some(ContainedRow::Unknown { .. }) => "perhaps inside",
        _ => "depth unknown",
    }
}
