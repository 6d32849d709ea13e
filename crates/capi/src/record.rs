//! The verdict on two meshes at rest: everything that a check reports on a pair.

use std::ffi::c_char;

use closefit::{
    CheckRequest, Containment, OverlapVolume, PairRecord, Unobserved, Verdict, VolumeUnknown, overlap_volume,
    verdict,
};

use crate::border::{Refusal, call, cf_status};
use crate::mesh::cf_mesh;
use crate::pair::{ask, ask_many, length};

/// The verdict on a pair, worst first.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cf_verdict_kind {
    /// They share space: deeper than the tolerance, contained, duplicate or crossing.
    CF_CLASH = 0,
    /// A mesh is open, so that it cannot be decided if one contains the other, or how deep they overlap.
    CF_UNDECIDED = 1,
    /// They touch, or come within the tolerance.
    CF_CONTACT = 2,
    /// They come within the clearance.
    CF_CLEARANCE = 3,
    /// They are farther apart than the clearance.
    CF_CLEAR = 4,
}

/// The containment of one mesh in the other's solid, without contact.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cf_containment {
    /// Neither contains the other.
    CF_NOT_CONTAINED = 0,
    /// a, or at least one of its components, lies in b.
    CF_A_IN_B = 1,
    /// b, or at least one of its components, lies in a.
    CF_B_IN_A = 2,
    /// A shell that might contain the other mesh is open.
    CF_UNDECIDABLE = 3,
}

/// Length of the text in a cf_record, a cf_overlap or a cf_volume, with the zero at its end.
pub const CF_REASON: usize = 128;

/// Everything that a check reports on a pair. Numbers that do not apply, or are not known, are NaN.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cf_record {
    /// The verdict.
    pub verdict: cf_verdict_kind,
    /// The containment.
    pub containment: cf_containment,
    /// True if they fill the same space although no surface point is deep.
    pub is_duplicate: bool,
    /// True if open surfaces pass through each other.
    pub is_crossing: bool,
    /// The number of pairs of triangles in contact.
    pub contacts: u64,
    /// The smallest distance of the surfaces; 0 in contact, and NaN for a clear pair.
    pub distance: f64,
    /// A point on each surface at that distance, where they do not touch.
    pub points: [[f64; 3]; 2],
    /// Some point lies at least this deep in the other solid.
    pub depth_at_least: f64,
    /// No point lies deeper than this.
    pub depth_at_most: f64,
    /// The deepest point found; for mere contact, a shared point.
    pub at: [f64; 3],
    /// The lowest and the highest corner of a box around the contact.
    pub around: [[f64; 3]; 2],
    /// Why containment or depth is not known, in UTF-8; an empty text if they are.
    pub reason: [c_char; CF_REASON],
}

/// The depth of an overlap. Numbers that do not apply, or are not known, are NaN.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cf_overlap {
    /// Some point lies at least this deep in the other solid; 0 if they are apart.
    pub at_least: f64,
    /// No point lies deeper than this.
    pub at_most: f64,
    /// The deepest point found; for mere contact, a shared point.
    pub at: [f64; 3],
    /// Why the depth is not known, or only partly known, in UTF-8; an empty text if it is known.
    pub reason: [c_char; CF_REASON],
}

impl From<cf_record> for cf_overlap {
    fn from(found: cf_record) -> Self {
        let is_apart = found.contacts == 0 && found.containment == cf_containment::CF_NOT_CONTAINED;
        let [at_least, at_most] =
            if is_apart { [0.0; 2] } else { [found.depth_at_least, found.depth_at_most] };
        Self { at_least, at_most, at: found.at, reason: found.reason }
    }
}

/// The volume that two solids share. Numbers that are not known are NaN.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cf_volume {
    /// The volume is no smaller than this.
    pub at_least: f64,
    /// The volume is no larger than this.
    pub at_most: f64,
    /// The centroid; NaN unless the volume is certainly positive.
    pub centroid: [f64; 3],
    /// Why the volume is not known, in UTF-8; an empty text if it is known.
    pub reason: [c_char; CF_REASON],
}

impl From<Result<OverlapVolume, VolumeUnknown>> for cf_volume {
    fn from(found: Result<OverlapVolume, VolumeUnknown>) -> Self {
        let nowhere = [f64::NAN; 3];
        match found {
            Ok(OverlapVolume { at_least, at_most, centroid }) => Self {
                at_least,
                at_most,
                centroid: centroid.map_or(nowhere, |centroid| centroid.to_array()),
                reason: text(""),
            },
            Err(unknown) => Self {
                at_least: f64::NAN,
                at_most: f64::NAN,
                centroid: nowhere,
                reason: text(&unknown.with_names(["a", "b"])),
            },
        }
    }
}

/// Finds the volume that the solids of two meshes share. The bracket includes all rounding.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_overlap_volume(
    a: *const cf_mesh,
    pose_a: *const f64,
    b: *const cf_mesh,
    pose_b: *const f64,
    volume: *mut cf_volume,
) -> cf_status {
    // SAFETY: the caller's promises.
    unsafe { ask((a, pose_a), (b, pose_b), (volume, "volume"), |a, b| Ok(overlap_volume(a, b).into())) }
}

/// Decides everything about two meshes at a pose each. Overlap up to `tolerance` is contact, not clash. A
/// pair that comes within `clearance` is not clear.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_verdict(
    a: *const cf_mesh,
    pose_a: *const f64,
    b: *const cf_mesh,
    pose_b: *const f64,
    clearance: f64,
    tolerance: f64,
    record: *mut cf_record,
) -> cf_status {
    // SAFETY: the caller's promises.
    unsafe {
        ask((a, pose_a), (b, pose_b), (record, "record"), |a, b| {
            Ok(verdict(a, b, &request(clearance, tolerance)?).into())
        })
    }
}

/// Finds how deep two solids overlap: the largest distance from a point of one's surface inside the other's
/// solid to that solid's surface. The bracket is no wider than 1 %, or within `tolerance`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_depth(
    a: *const cf_mesh,
    pose_a: *const f64,
    b: *const cf_mesh,
    pose_b: *const f64,
    tolerance: f64,
    overlap: *mut cf_overlap,
) -> cf_status {
    // SAFETY: the caller's promises.
    unsafe {
        ask((a, pose_a), (b, pose_b), (overlap, "overlap"), |a, b| {
            Ok(cf_record::from(verdict(a, b, &request(0.0, tolerance)?)).into())
        })
    }
}

/// Answers cf_verdict at many poses, as cf_intersects_many does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_verdict_many(
    a: *const cf_mesh,
    poses_a: *const f64,
    count_a: usize,
    b: *const cf_mesh,
    poses_b: *const f64,
    count_b: usize,
    clearance: f64,
    tolerance: f64,
    records: *mut cf_record,
) -> cf_status {
    let request = match request(clearance, tolerance) {
        Ok(request) => request,
        Err(refusal) => return call(|| Err(refusal)),
    };
    let sides = [(a, poses_a, count_a), (b, poses_b, count_b)];
    // SAFETY: the caller's promises.
    unsafe { ask_many(sides, (records, "records"), |batch| batch.verdict(&request, &Unobserved)) }
}

fn request(clearance: f64, tolerance: f64) -> Result<CheckRequest, Refusal> {
    let request = CheckRequest::default().clearance(length(clearance, "clearance")?);
    Ok(request.tolerance(length(tolerance, "tolerance")?))
}

impl From<PairRecord> for cf_record {
    fn from(found: PairRecord) -> Self {
        const UNKNOWN: [f64; 3] = [f64::NAN; 3];
        let depth = found.depth.map_or([f64::NAN; 2], |depth| [depth.at_least, depth.at_most]);
        let around = found.location.map_or([UNKNOWN; 2], |location| location.bounds.map(|p| p.to_array()));
        Self {
            verdict: found.verdict.into(),
            containment: (&found.contained).into(),
            is_duplicate: found.duplicate,
            is_crossing: found.crossing,
            contacts: found.contacts,
            distance: if found.distance.is_finite() { found.distance } else { f64::NAN },
            points: found.points.map_or([UNKNOWN; 2], |points| points.map(|p| p.to_array())),
            depth_at_least: depth[0],
            depth_at_most: depth[1],
            at: found.location.map_or(UNKNOWN, |location| location.point.to_array()),
            around,
            reason: text(match (&found.contained, &found.depth_unknown) {
                (Containment::Undecidable(reason), _) | (_, Some(reason)) => reason,
                _ => "",
            }),
        }
    }
}

impl From<Verdict> for cf_verdict_kind {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Clash => Self::CF_CLASH,
            Verdict::Undecided => Self::CF_UNDECIDED,
            // Depths are always requested, so that nothing merely meets.
            Verdict::Contact | Verdict::Meets => Self::CF_CONTACT,
            Verdict::Clearance => Self::CF_CLEARANCE,
            Verdict::Clear => Self::CF_CLEAR,
        }
    }
}

impl From<&Containment> for cf_containment {
    fn from(containment: &Containment) -> Self {
        match containment {
            Containment::None => Self::CF_NOT_CONTAINED,
            Containment::AInB => Self::CF_A_IN_B,
            Containment::BInA => Self::CF_B_IN_A,
            Containment::Undecidable(_) => Self::CF_UNDECIDABLE,
        }
    }
}

/// Returns a text that ends in a zero, without what does not fit.
fn text(reason: &str) -> [c_char; CF_REASON] {
    let mut written = [0; CF_REASON];
    let mut ends = (0..CF_REASON.min(reason.len() + 1)).rev();
    let end = ends.find(|&end| reason.is_char_boundary(end)).unwrap_or(0);
    for (to, from) in written.iter_mut().zip(&reason.as_bytes()[..end]) {
        *to = c_char::from_ne_bytes([*from]);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_reasons_end_before_a_character_that_does_not_fit() {
        let bytes = |reason: &str| text(reason).map(|c| c.to_ne_bytes()[0]);
        assert_eq!(bytes("open")[..5], *b"open\0");
        let long = format!("{}äöü", "x".repeat(CF_REASON - 2));
        assert_eq!(bytes(&long)[CF_REASON - 3..], *b"x\0\0");
    }
}
