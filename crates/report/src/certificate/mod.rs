//! `certificate.json`: what a rules file claims of a scene, and what was found. It is a pure function of the
//! scene, the settings and the rules: no clock, no path, no machine. `schema/certificate.schema.json`
//! describes it.

mod changes;

use std::collections::{BTreeMap, HashMap};

use blake3::Hash;
use serde::{Deserialize, Serialize};

use crate::digest::Digests;
use crate::document::part::hexadecimal;
use crate::document::word::{self, Word};
use crate::document::{CheckSettings, Command, DepthRow, DocumentError, JointRow, Report, SweepSettings};
use closefit::Verdict;
use closefit_geometry::motion::LATEST;
use closefit_geometry::scene::Scene;
use closefit_geometry::units::Unit;
use closefit_scene::keys::PartKeys;

/// The version of closefit's answers: it grows when any answer about an unchanged scene does change.
pub const ANSWERS: u32 = 5;

/// The version of the format of certificates.
const FORMAT: u32 = 1;

/// The claims of a rules file, and the findings about them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The version of the format.
    pub closefit_certificate: u32,
    /// The version of closefit's answers.
    pub answers: u32,
    /// The command: a check for claims about rest, a sweep for claims about motion.
    #[serde(with = "word")]
    pub command: Command,
    /// The unit of all lengths.
    pub unit: Option<Unit>,
    /// The settings that the answers depend on.
    pub settings: CertifiedSettings,
    /// The digest of the text of the rules.
    #[serde(with = "hexadecimal")]
    pub rules: Hash,
    /// The claims that were checked, in the order of the rules.
    pub claims: Vec<ClaimRow>,
    /// The ids of the other claims of the rules: another command asks them.
    pub not_asked: Vec<String>,
    /// The parts that the claims are about, by their keys.
    pub parts: Vec<CertifiedPart>,
    /// The trees that agree about the claims' pairs, if they were compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cross_check: Vec<String>,
}

/// The settings that the answers to claims depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CertifiedSettings {
    /// The tolerance.
    pub tolerance: f64,
    /// The time at which moving parts were checked, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// The values of a robot's joints, without those that follow another, if it was checked at some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joints: Option<BTreeMap<String, f64>>,
    /// The sweep, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<CertifiedSweep>,
    /// The joint whose value stands for the time, if it was a sweep along a joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<JointRow>,
    /// True if winding and seams of meshes were not repaired.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_is: bool,
}

impl CertifiedSettings {
    /// Refuses settings that no run can have.
    fn admissible(&self) -> Result<(), DocumentError> {
        let refuse = |name: &str, why: String| {
            Err(DocumentError::Inconsistent { place: format!("settings: {name}"), why })
        };
        let length = |name: &str, value: f64| match value.is_finite() && value >= 0.0 {
            true => Ok(()),
            false => refuse(name, format!("'{value}' is not a length")),
        };
        let time = |name: &str, value: f64| match value.abs() <= LATEST {
            true => Ok(()),
            false => refuse(name, format!("'{value}' is not a number of seconds, within 2^200")),
        };
        length("tolerance", self.tolerance)?;
        self.at.map_or(Ok(()), |at| time("at", at))?;
        let Some(CertifiedSweep { precision, from, to }) = self.sweep else {
            return match &self.joint {
                None => Ok(()),
                Some(joint) => {
                    refuse("joint", format!("'{}' is given although there was no sweep", joint.name))
                }
            };
        };
        length("precision", precision)?;
        time("from", from)?;
        time("to", to)
    }
}

impl From<&CheckSettings> for CertifiedSettings {
    fn from(settings: &CheckSettings) -> Self {
        Self {
            tolerance: settings.tolerance,
            at: settings.at,
            joints: settings.joints.clone(),
            sweep: None,
            joint: None,
            as_is: settings.as_is,
        }
    }
}

impl From<&SweepSettings> for CertifiedSettings {
    fn from(settings: &SweepSettings) -> Self {
        let SweepSettings { precision, from, to, .. } = *settings;
        Self {
            tolerance: settings.tolerance,
            at: None,
            joints: None,
            sweep: Some(CertifiedSweep { precision, from, to }),
            joint: settings.joint.clone(),
            as_is: settings.as_is,
        }
    }
}

/// The settings of a sweep. Times are in seconds or, of a sweep along a joint, values of that joint: radians
/// or a length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CertifiedSweep {
    /// The precision: the largest width of brackets of distances.
    pub precision: f64,
    /// The start.
    pub from: f64,
    /// The end.
    pub to: f64,
}

/// A claim, and the finding about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimRow {
    /// The id.
    pub id: String,
    /// The distance that is claimed, if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clearance: Option<f64>,
    /// The verdict that is claimed, if one is.
    #[serde(default, with = "word::optional", skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The volume that no pair shares more of, if one is claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_at_most: Option<f64>,
    /// Its own tolerance, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// The number of parts of the first side.
    pub parts_a: u64,
    /// The number of parts of the second side.
    pub parts_b: u64,
    /// The pairs that the scene excludes, by reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<ExcludedRow>,
    /// The outcome.
    #[serde(with = "word")]
    pub outcome: Outcome,
    /// The reason, if the numbers do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The measure that `found` brackets.
    #[serde(with = "word")]
    pub measure: Measure,
    /// The bracket of the smallest distance, of the largest depth, or of the largest volume.
    pub found: DepthRow,
    /// The bracket for the surfaces that the triangles approximate, if it is known how well they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surfaces: Option<SurfacesRow>,
    /// A time at which it is so, if parts moved: as in the settings of the sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// The pairs that decide.
    pub pairs: Vec<ClaimedPair>,
    /// Points on the first of these pairs: the closest two, or one at which they meet.
    pub points: Vec<[f64; 3]>,
}

/// The pairs of a claim that the scene excludes for one reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExcludedRow {
    /// The reason.
    pub reason: String,
    /// The number of pairs.
    pub pairs: u64,
    /// The digest of the keys of their parts.
    #[serde(with = "hexadecimal")]
    pub digest: Hash,
}

/// A claim about the surfaces that triangles stand for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurfacesRow {
    /// The largest distance of the triangles from the surfaces.
    pub deflection: f64,
    /// The outcome for the surfaces.
    #[serde(with = "word")]
    pub outcome: Outcome,
}

/// The outcome of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It is proven.
    Holds,
    /// It is neither proven nor refuted.
    Undecided,
    /// It is refuted.
    Violated,
}

impl Outcome {
    /// Returns whether a volume with this bracket, if it is known, is proven to be at most so large. True
    /// surfaces may lie so far outside their meshes as `chords` says, and then they may share more; where
    /// these lie outside them, as `deflections` says, they may share less.
    pub fn of_volume(bracket: Option<[f64; 2]>, [chords, deflections]: [f64; 2], most: f64) -> Self {
        match bracket {
            Some([_, at_most]) if at_most <= most && chords == 0.0 => Self::Holds,
            Some([at_least, _]) if at_least > most && deflections == 0.0 => Self::Violated,
            _ => Self::Undecided,
        }
    }
}

impl Word for Outcome {
    const WORDS: &[(Self, &str)] =
        &[(Self::Holds, "holds"), (Self::Undecided, "undecided"), (Self::Violated, "violated")];
}

/// A measure of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The smallest distance between the sides.
    Distance,
    /// The largest depth of an overlap.
    Depth,
    /// The largest volume that a pair shares.
    Volume,
}

impl Word for Measure {
    const WORDS: &[(Self, &str)] =
        &[(Self::Distance, "distance"), (Self::Depth, "depth"), (Self::Volume, "volume")];
}

/// A pair that decides a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimedPair {
    /// The key of the pair.
    pub key: String,
    /// The key of its part on the first side.
    pub a: String,
    /// The key of its part on the second side.
    pub b: String,
}

/// A part that claims are about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CertifiedPart {
    /// The key.
    pub key: String,
    /// The name.
    pub name: String,
    /// True if it is declared a surface.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub surface: bool,
    /// The digest of its mesh.
    #[serde(with = "hexadecimal")]
    pub mesh: Hash,
    /// The digest of its pose or, in a sweep, of its motion.
    #[serde(with = "hexadecimal")]
    pub place: Hash,
}

impl CertifiedPart {
    /// Returns the rows of some parts of a scene, by their keys.
    pub fn some(scene: &Scene, digests: &Digests, keys: &PartKeys, is_meant: &[bool]) -> Vec<Self> {
        let row = |part: usize| {
            let of = &scene.parts[part];
            Self {
                key: keys.of_part[part].to_string(),
                name: of.name.to_string(),
                surface: of.is_surface,
                mesh: digests.parts[part].mesh,
                place: digests.parts[part].pose,
            }
        };
        let mut rows: Vec<Self> = (0..is_meant.len()).filter(|&part| is_meant[part]).map(row).collect();
        rows.sort_by(|p, q| p.key.cmp(&q.key));
        rows
    }
}

impl Certificate {
    /// The format of this version.
    pub const FORMAT: u32 = FORMAT;

    /// Reads a certificate.
    ///
    /// # Errors
    /// [`DocumentError`] if it is none, of another version of the format, or with settings that no run can
    /// have.
    pub fn read(json: &[u8]) -> Result<Self, DocumentError> {
        #[derive(Deserialize)]
        #[serde(expecting = "an object")]
        struct Head {
            closefit_certificate: Option<u32>,
        }
        let Head { closefit_certificate } = serde_json::from_slice(json)?;
        let found = closefit_certificate.ok_or(DocumentError::NoCertificate)?;
        if found != FORMAT {
            return Err(DocumentError::Certificate { found });
        }
        let certificate: Self = serde_json::from_slice(json)?;
        certificate.settings.admissible()?;
        Ok(certificate)
    }

    /// True if a run with this report finds this certificate: it is about the same rules, command, settings
    /// and parts.
    pub fn belongs_to<S, P>(&self, report: &Report<S, P>) -> bool
    where
        for<'a> CertifiedSettings: From<&'a S>,
    {
        let digests: HashMap<&str, [Hash; 2]> =
            report.parts.iter().map(|part| (&*part.key, [part.mesh_digest, part.pose_digest])).collect();
        let is_same = |part: &CertifiedPart| digests.get(&*part.key) == Some(&[part.mesh, part.place]);
        report.rules.as_ref().is_some_and(|rules| rules.digest == self.rules)
            && self.command == report.command
            && self.unit == report.scene.unit
            && self.settings == CertifiedSettings::from(&report.settings)
            && self.parts.iter().all(is_same)
    }

    /// True if every claim that was checked holds.
    pub fn holds(&self) -> bool {
        self.claims.iter().all(|claim| claim.outcome == Outcome::Holds)
    }
}

/// Returns the digest of the text of the rules.
pub fn rules_digest(text: &[u8]) -> Hash {
    blake3::hash(text)
}
