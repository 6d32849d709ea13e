//! Steps of a world: what happens while its bodies move to their next poses.

use closefit::{AdvanceError, AdvanceRequest, BodyId, ContactChange, ContactEvent, Step};

use crate::border::{
    Refusal, call, cf_status, free, hand_over, list, object, object_mut, place, places, write_first,
};
use crate::mesh::poses as read_poses;
use crate::motion::cf_times;
use crate::world::cf_world;

/// The events of a step of a world.
pub struct cf_step(Step);

/// The change of a contact in a step.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cf_change {
    /// The bodies are in contact at the end, and not at the start.
    CF_BEGAN = 0,
    /// The bodies are in contact at the start, and not at the end.
    CF_ENDED = 1,
    /// The bodies are in contact, or within half of the precision, only between.
    CF_BRIEF = 2,
}

/// A contact that began, ended, or was there only between.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct cf_event {
    /// The two bodies; the one added first in front.
    pub bodies: [u32; 2],
    /// The change of the contact.
    pub change: cf_change,
    /// The precision of the times: the step's, or a finer one if the bodies are close at the start.
    pub precision: f64,
    /// The times of contact, from 0 at the poses before the step to 1 at the next ones.
    pub times: cf_times,
}

/// Moves bodies to their next poses, each along the screw between its two poses, and finds the contacts that
/// began, ended, or were there only between. Other bodies stay where they are. No contact is missed, however
/// brief: between the poses, contact counts within half of `precision`. After `budget` tests of boxes and
/// triangles no further pair is looked at; UINT64_MAX is no limit. If the call fails, no body has moved.
/// The step is freed by cf_step_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_world_advance(
    world: *mut cf_world,
    bodies: *const u32,
    poses: *const f64,
    count: usize,
    precision: f64,
    budget: u64,
    step: *mut *mut cf_step,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let step = unsafe { place(step, "step") }?;
        step.write(std::ptr::null_mut());
        // SAFETY: the caller's promises.
        let (world, bodies) = unsafe { (object_mut(world, "world")?, list(bodies, count, "bodies")?) };
        // SAFETY: the caller's promises.
        let poses = unsafe { read_poses(poses, count, "poses") }?;
        let next: Vec<_> = bodies.iter().map(|&body| BodyId(body)).zip(poses).collect();
        let request = AdvanceRequest::default().precision(precision).budget(self::budget(budget));
        hand_over(cf_step(world.0.advance(&next, &request)?), step);
        Ok(())
    })
}

/// Reads a budget.
pub(crate) fn budget(tests: u64) -> Option<u64> {
    Some(tests).filter(|tests| *tests < u64::MAX)
}

/// Frees a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_step_free(step: *mut cf_step) {
    // SAFETY: the caller's promises.
    unsafe { free(step) };
}

/// Finds the contacts that began, ended, or were there only between, ordered by the time of contact, then by
/// the bodies. There is room for `room` of them at `events`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_step_events(
    step: *const cf_step,
    events: *mut cf_event,
    room: usize,
    count: *mut usize,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (step, count) = unsafe { (object(step, "step")?, place(count, "count")?) };
        // SAFETY: the caller's promises.
        let events = unsafe { places(events, room, "events") }?;
        count.write(step.0.events.len());
        write_first(step.0.events.iter().map(cf_event::from), events);
        Ok(())
    })
}

/// Finds the pairs that a spent budget left, sorted: two numbers for each. Nothing is known of them. There is
/// room for `room` pairs at `pairs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cf_step_open(
    step: *const cf_step,
    pairs: *mut u32,
    room: usize,
    count: *mut usize,
) -> cf_status {
    call(|| {
        // SAFETY: the caller's promises.
        let (step, count) = unsafe { (object(step, "step")?, place(count, "count")?) };
        // SAFETY: the caller's promises; an array of two has the alignment of its entries and no gaps.
        let pairs = unsafe { places(pairs.cast::<[u32; 2]>(), room, "pairs") }?;
        count.write(step.0.open.len());
        write_first(step.0.open.iter().map(|bodies| bodies.map(|body| body.0)), pairs);
        Ok(())
    })
}

impl From<Step> for cf_step {
    fn from(step: Step) -> Self {
        Self(step)
    }
}

impl From<&ContactEvent> for cf_event {
    fn from(event: &ContactEvent) -> Self {
        Self {
            bodies: event.bodies.map(|body| body.0),
            change: match event.change {
                ContactChange::Began => cf_change::CF_BEGAN,
                ContactChange::Ended => cf_change::CF_ENDED,
                ContactChange::Brief => cf_change::CF_BRIEF,
            },
            precision: event.precision,
            times: Some(event.times).into(),
        }
    }
}

impl From<AdvanceError> for Refusal {
    fn from(error: AdvanceError) -> Self {
        let message = error.to_string();
        match error {
            AdvanceError::World(error) => error.into(),
            AdvanceError::Pose { .. } | AdvanceError::OutOfRange { .. } => Self::pose(message),
            AdvanceError::Motion { .. } | AdvanceError::TooFine { .. } => Self::motion(message),
            _ => Self::argument(message),
        }
    }
}
