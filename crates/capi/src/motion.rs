//! Questions about two meshes that move: when they meet, and how close they come.

use closefit::{
    Between, Clearance, DVec3, Keyframe, Motion, TimeOfImpact, TimesOfImpact, closest_approach,
    time_of_impact,
};

use crate::border::{Refusal, call, cf_status, free, hand_over, list, object, place, rows};
use crate::mesh::cf_mesh;

/// A motion through keyframes. Before the first and after the last one, it is at rest.
pub struct cf_motion(Motion);

/// The way from one keyframe to the next.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cf_between {
    /// A screw: a turn about an axis together with a shift along it, at constant rate.
    CF_SCREW = 0,
    /// A straight line at constant rate, and a turn at constant rate.
    CF_LINEAR = 1,
    /// Rest, and a jump at the next keyframe.
    CF_STEP = 2,
}

/// The time at which two meshes come near, within half of the precision: a bracket.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct cf_time {
    /// They are apart until then, from the start or since they last parted.
    pub after: f64,
    /// They are near at this time.
    pub before: f64,
    /// Their distance then; 0 in contact.
    pub distance: f64,
    /// The closest triangle of a, and of b.
    pub triangles: [u32; 2],
    /// The point between the closest points; in contact, a shared point.
    pub point: [f64; 3],
    /// The unit vector from a to b there; zero if there is no direction.
    pub normal: [f64; 3],
}

/// The times at which two moving meshes meet. Those that there are not have NaN, and UINT32_MAX for
/// triangles.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct cf_times {
    /// True if they meet.
    pub meets: bool,
    /// True if they are near from the start.
    pub at_start: bool,
    /// True if they are near from the start, part, and meet again.
    pub again: bool,
    /// The first time.
    pub first: cf_time,
    /// The next time, if they meet again.
    pub next: cf_time,
}

/// A bracket of the smallest distance over a motion, no wider than the precision.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct cf_approach {
    /// No distance at any time is smaller.
    pub at_least: f64,
    /// The distance at a time.
    pub at_most: f64,
    /// That time.
    pub at: f64,
}

/// Creates a motion from keyframes: for each a time in seconds, later than the one before; a rotation as a
/// quaternion x, y, z, w of any length but zero; and a translation. `between` is a cf_between. One keyframe
/// makes a motion at rest. All arrays are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_motion_new(
    times: *const f64,
    rotations: *const f64,
    translations: *const f64,
    count: usize,
    between: u32,
    motion: *mut *mut cf_motion,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let motion = unsafe { place(motion, "motion") }?;
        motion.write(std::ptr::null_mut());
        // SAFETY: the caller's promises.
        let (times, rotations, translations) = unsafe {
            let rotations = rows::<f64, 4>(rotations, count, "rotations")?;
            (list(times, count, "times")?, rotations, rows::<f64, 3>(translations, count, "translations")?)
        };
        let keyframe = |(&time, (&rotation, &translation)): (&f64, (&[f64; 4], &[f64; 3]))| Keyframe {
            time,
            rotation,
            translation: DVec3::from_array(translation),
        };
        let keyframes: Vec<Keyframe> =
            times.iter().zip(rotations.iter().zip(translations)).map(keyframe).collect();
        hand_over(cf_motion(Motion::through(&keyframes, way(between)?, [1.0; 3])?), motion);
        Ok(())
    })
}

/// Frees a motion.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_motion_free(motion: *mut cf_motion) {
    // SAFETY: the caller's promises.
    unsafe { free(motion) };
}

/// Finds when two moving meshes first come within half of `precision` of each other, between the first
/// keyframe of either and the last. No contact is missed, however brief. One solid inside another, without
/// contact of their surfaces, does not count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_time_of_impact(
    a: *const cf_mesh,
    motion_a: *const cf_motion,
    b: *const cf_mesh,
    motion_b: *const cf_motion,
    precision: f64,
    answer: *mut cf_times,
) -> cf_status {
    // SAFETY: the caller's promises.
    unsafe { ask(a, motion_a, b, motion_b, precision, answer, time_of_impact) }
}

/// Finds the smallest distance of two moving meshes and its time, as a bracket no wider than `precision`.
/// If they come into contact, the bracket is from 0 to the distance at the time of contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_closest_approach(
    a: *const cf_mesh,
    motion_a: *const cf_motion,
    b: *const cf_mesh,
    motion_b: *const cf_motion,
    precision: f64,
    answer: *mut cf_approach,
) -> cf_status {
    // SAFETY: the caller's promises.
    unsafe { ask(a, motion_a, b, motion_b, precision, answer, closest_approach) }
}

/// Asks a question about two meshes along a motion each.
///
/// # Safety
/// The pointers are null, or to meshes, motions, and the place of the answer.
unsafe fn ask<T, U: From<T>>(
    a: *const cf_mesh,
    motion_a: *const cf_motion,
    b: *const cf_mesh,
    motion_b: *const cf_motion,
    precision: f64,
    answer: *mut U,
    question: impl FnOnce(&closefit::MovingMesh, &closefit::MovingMesh, f64) -> Result<T, closefit::ApproachError>,
) -> cf_status {
    call(|| {
        if !(precision > 0.0 && precision.is_finite()) {
            return Err(Refusal::argument(format!("precision: {precision} is not a length above 0")));
        }
        // SAFETY: the caller's promises.
        let (a, motion_a) = unsafe { (object(a, "a")?, object(motion_a, "motion_a")?) };
        // SAFETY: the caller's promises.
        let (b, motion_b) = unsafe { (object(b, "b")?, object(motion_b, "motion_b")?) };
        // SAFETY: the caller's promises.
        let answer = unsafe { place(answer, "answer") }?;
        answer.write(question(&a.0.along(&motion_a.0), &b.0.along(&motion_b.0), precision)?.into());
        Ok(())
    })
}

fn way(between: u32) -> Result<Between, Refusal> {
    const SCREW: u32 = cf_between::CF_SCREW as u32;
    const LINEAR: u32 = cf_between::CF_LINEAR as u32;
    const STEP: u32 = cf_between::CF_STEP as u32;
    match between {
        SCREW => Ok(Between::Screw),
        LINEAR => Ok(Between::Linear),
        STEP => Ok(Between::Step),
        _ => Err(Refusal::argument(format!("between: {between} is no cf_between"))),
    }
}

impl From<Option<TimesOfImpact>> for cf_times {
    fn from(found: Option<TimesOfImpact>) -> Self {
        let first = found.map(|found| found.first);
        let next = found.and_then(|found| found.again);
        Self {
            meets: first.is_some(),
            at_start: found.is_some_and(|found| found.at_start),
            again: next.is_some(),
            first: first.into(),
            next: next.into(),
        }
    }
}

impl From<Option<TimeOfImpact>> for cf_time {
    fn from(found: Option<TimeOfImpact>) -> Self {
        const NONE: cf_time = cf_time {
            after: f64::NAN,
            before: f64::NAN,
            distance: f64::NAN,
            triangles: [u32::MAX; 2],
            point: [f64::NAN; 3],
            normal: [f64::NAN; 3],
        };
        found.map_or(NONE, |TimeOfImpact { after, before, touch }| Self {
            after,
            before,
            distance: touch.distance,
            triangles: touch.triangles,
            point: touch.point.to_array(),
            normal: touch.normal.to_array(),
        })
    }
}

impl From<Clearance> for cf_approach {
    fn from(Clearance { at_least, at_most, at }: Clearance) -> Self {
        Self { at_least, at_most, at }
    }
}
