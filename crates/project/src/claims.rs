//! Claims: what must hold between two sides, such as a clearance over a motion.

use crate::fault::{Fault, quoted};
use crate::rules::{GivenLength, GivenVolume, sides, visible};
use crate::selector::{GroupNames, Selector};
use crate::source::{Fields, Node, Value};
use closefit_geometry::units::Unit;

/// A claim. It changes no answer about a pair.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    pub id: String,
    pub at: usize,
    sides: [Selector; 2],
    over: Over,
    asks: GivenAsks,
    tolerance: Option<GivenLength>,
    deflection: Option<GivenLength>,
}

/// The times at which a claim must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The parts at rest.
    Rest,
    /// All times of a sweep.
    Motion,
}

impl Over {
    /// Both with their words.
    pub const WORDS: [(Self, &str); 2] = [(Self::Rest, "rest"), (Self::Motion, "motion")];
}

/// The question of a claim, with lengths as they are given.
#[derive(Clone, Debug)]
enum GivenAsks {
    Clearance(GivenLength),
    Contact,
    Volume(GivenVolume),
}

/// The question of a claim, with lengths in the scene's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asks {
    /// Is no part of one side closer than this to one of the other?
    Clearance(f64),
    /// Does each part of the first side touch one of the second, and none deeper than the tolerance?
    Contact,
    /// Does no part of one side share more than this volume with one of the other?
    Volume(f64),
}

/// A claim for one scene.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledClaim {
    /// The id.
    pub id: String,
    /// The times at which it must hold.
    pub over: Over,
    /// The question.
    pub asks: Asks,
    /// Its own tolerance, if it has one.
    pub tolerance: Option<f64>,
    /// The largest distance of a part's triangles from the surface that they stand for, if that is known.
    pub deflection: Option<f64>,
    /// True for each part of either side.
    pub sides: [Vec<bool>; 2],
}

impl Claim {
    pub fn read(node: &Node, unit: Option<Unit>, groups: &GroupNames) -> Result<Self, Fault> {
        let mut fields = Fields::of("a require", node)?;
        let id = fields.require("id")?;
        let name = visible(id)?;
        let read = |mut fields: Fields| {
            let sides = sides(&mut fields, groups)?.ok_or_else(|| Fault::new(node.at, "it needs 'a'"))?;
            let over = fields.take("over").map(over).transpose()?.unwrap_or(Over::Rest);
            let asks = asks(&mut fields, node.at, unit)?;
            let tolerance = GivenLength::take(&mut fields, "tolerance", unit)?;
            let deflection = GivenLength::take(&mut fields, "deflection", unit)?;
            fields.finish()?;
            let is_clearance = matches!(asks, GivenAsks::Clearance(_));
            if over == Over::Motion && !is_clearance {
                let asked = if matches!(asks, GivenAsks::Contact) { "contact is" } else { "volumes are" };
                let why = format!("over = \"motion\" needs 'clearance': {asked} asked of parts at rest");
                return Err(Fault::new(node.at, why));
            }
            if let Some(deflection) = deflection.as_ref().filter(|_| !is_clearance) {
                let why = match asks {
                    GivenAsks::Volume(_) => "'deflection' needs 'clearance': a volume is about the triangles",
                    _ => "'deflection' needs 'clearance': surfaces near their triangles may touch or not",
                };
                return Err(Fault::new(deflection.at, why));
            }
            if let (Some(tolerance), GivenAsks::Volume(_)) = (&tolerance, &asks) {
                let why = "'tolerance' needs 'clearance' or 'verdict': no volume depends on it";
                return Err(Fault::new(tolerance.at, why));
            }
            Ok(Self { id: name.clone(), at: id.at, sides, over, asks, tolerance, deflection })
        };
        read(fields).map_err(|fault: Fault| fault.of(&format!("claim {}", quoted(&name))))
    }

    /// Makes the claim for a scene with this unit; `select` says which parts a selector means.
    ///
    /// # Errors
    /// [`Fault`] if a side has no part, if there is no pair, or if the length has no value in the unit.
    pub fn compiled(
        &self,
        unit: Option<Unit>,
        select: impl FnMut(&Selector) -> Vec<bool>,
    ) -> Result<CompiledClaim, Fault> {
        let made = || {
            let sides = self.sides.each_ref().map(select);
            if let Some(side) = sides.iter().position(|set| !set.contains(&true)) {
                return Err(Fault::new(
                    self.at,
                    format!("{} matches no part of the scene", ["a", "b"][side]),
                ));
            }
            let count = |set: &[bool]| set.iter().filter(|is_in| **is_in).count();
            if sides[0] == sides[1] && count(&sides[0]) == 1 {
                return Err(Fault::new(self.at, "both sides are one part: there is no pair"));
            }
            let length = |length: &GivenLength, key| length.in_unit(unit).map_err(|fault| fault.of(key));
            let asks = match &self.asks {
                GivenAsks::Clearance(least) => Asks::Clearance(length(least, "clearance")?),
                GivenAsks::Contact => Asks::Contact,
                GivenAsks::Volume(most) => {
                    Asks::Volume(most.in_unit(unit).map_err(|fault| fault.of("volume_at_most"))?)
                }
            };
            let tolerance = self.tolerance.as_ref().map(|given| length(given, "tolerance")).transpose()?;
            let deflection = self.deflection.as_ref().map(|given| length(given, "deflection")).transpose()?;
            Ok(CompiledClaim { id: self.id.clone(), over: self.over, asks, tolerance, deflection, sides })
        };
        made().map_err(|fault| fault.of(&format!("claim {}", quoted(&self.id))))
    }
}

fn over(node: &Node) -> Result<Over, Fault> {
    match node.value {
        Value::Table(_) => Err(Fault::new(
            node.at,
            "over = { joint, range } is not supported yet: use \"rest\", or \"motion\" and a trajectory",
        )),
        _ => node.word(&Over::WORDS).map_err(|fault| fault.of("over")),
    }
}

fn asks(fields: &mut Fields, at: usize, unit: Option<Unit>) -> Result<GivenAsks, Fault> {
    let clearance = GivenLength::take(fields, "clearance", unit)?;
    let verdict = fields.take("verdict");
    let volume = GivenVolume::take(fields, "volume_at_most", unit)?;
    match (clearance, verdict, volume) {
        (Some(length), None, None) => Ok(GivenAsks::Clearance(length)),
        (None, Some(node), None) => {
            node.word(&[((), "contact")]).map_err(|fault| fault.of("verdict"))?;
            Ok(GivenAsks::Contact)
        }
        (None, None, Some(volume)) => Ok(GivenAsks::Volume(volume)),
        _ => Err(Fault::new(at, "it needs one of 'clearance', 'verdict' and 'volume_at_most'")),
    }
}
