//! Placement of a file's nodes: their poses, and frames for those that move.

use glam::DVec3;

use super::error::Fault;
use super::finite;
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::{FrameId, Frames, Joint, Motion};

/// Largest deviation from a similarity of a frame in which a joint may turn: the deviation of the products of
/// its axes, divided by their mean square, from the identity. In a stretched frame a turn would not be rigid.
/// A matrix stored in f32 has every entry off by up to 2^-24 of itself, which changes a product of two axes,
/// and their mean square, by 2^-23 each: four such matrices in a row are admitted.
const SKEW: f64 = 1.0 / (1 << 20) as f64;

/// The refusal of a motion in such a frame.
const UNEVEN: &str = "its parent frame is scaled unevenly or sheared, so the motion is not rigid";

/// The placement of a node, on which its children build.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// World-from-node pose, as given in the file.
    pub rest: Pose,
    /// World-from-node pose with every motion at its first keyframe.
    pub start: Pose,
    /// The frame that carries the node; `None` if nothing moves it.
    pub frame: Option<FrameId>,
}

impl Place {
    /// Creates a node at rest in its parent's frame, or in the world.
    pub fn standing(frames: &mut Frames, above: Option<&Self>, local: Pose) -> Result<Self, Fault> {
        let frame = above.and_then(|above| above.frame);
        let frame = frame.map(|frame| frames.add(Some(frame), Joint::Fixed(local)));
        Self::below(above, local, local, frame)
    }

    /// Creates a node that moves in its parent's frame; `rest` is its pose in the file.
    pub fn moving(
        frames: &mut Frames,
        above: Option<&Self>,
        rest: Pose,
        motion: Motion,
    ) -> Result<Self, Fault> {
        let start = motion.pose(motion.times()[0]);
        if start == rest && !motion.moves() {
            return Self::standing(frames, above, rest);
        }
        if above.is_some_and(|above| skew(&above.start) > SKEW) {
            return Err(Fault::at("motion", UNEVEN));
        }
        let placed = Self::below(above, rest, start, None)?;
        let parent =
            above.map(|above| above.frame.unwrap_or_else(|| frames.add(None, Joint::Fixed(above.start))));
        Ok(Self { frame: Some(frames.add(parent, Joint::Moving(motion))), ..placed })
    }

    /// Adds the frames of a scene that is placed here, and returns the number of frames before them.
    pub fn carry(&self, frames: &mut Frames, scene: &Frames) -> Result<u32, Fault> {
        if !scene.all().is_empty() && skew(&self.start) > SKEW {
            return Err(Fault::at("motion", UNEVEN));
        }
        let root = match self.frame {
            None if scene.all().is_empty() => None,
            None => Some(frames.add(None, Joint::Fixed(self.start))),
            frame => frame,
        };
        let before = to_u32(frames.all().len());
        for frame in scene.all() {
            let parent = frame.parent.map(|FrameId(id)| FrameId(id + before)).or(root);
            frames.add(parent, frame.joint.clone());
        }
        Ok(before)
    }

    fn below(above: Option<&Self>, rest: Pose, start: Pose, frame: Option<FrameId>) -> Result<Self, Fault> {
        let Some(above) = above else {
            return Ok(Self { rest: finite(rest)?, start: finite(start)?, frame });
        };
        let rest = finite(Pose::compose(&above.rest, &rest))?;
        let start = finite(Pose::compose(&above.start, &start))?;
        Ok(Self { rest, start, frame })
    }
}

/// Returns the deviation of a pose's linear part from a similarity.
fn skew(pose: &Pose) -> f64 {
    let axis = |j: usize| DVec3::from_array(pose.rows.map(|row| row[j]));
    let axes = [axis(0), axis(1), axis(2)];
    let square = axes.iter().map(|axis| axis.length_squared()).sum::<f64>() / 3.0;
    let off = |(i, j): (usize, usize)| (axes[i].dot(axes[j]) / square - if i == j { 1.0 } else { 0.0 }).abs();
    // A NaN, from a frame squeezed to a point, counts as the worst.
    let worst = |most: f64, x: f64| if x.is_nan() { f64::INFINITY } else { most.max(x) };
    [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().map(off).fold(0.0, worst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::motion::{Between, Keyframe};

    fn motion() -> Motion {
        let key = |time: f64| Keyframe {
            time,
            rotation: [0.0, 0.0, 0.6, 0.8],
            translation: DVec3::new(time, 0.0, 1.0),
        };
        Motion::through(&[key(1.0), key(3.0)], Between::Linear, [1.0, 2.0, 3.0]).unwrap()
    }

    #[test]
    fn frames_stand_for_moving_nodes_only() {
        let mut frames = Frames::default();
        let place = |rotation, scale| Pose::from_trs(rotation, [scale; 3], [1.0, 2.0, 3.0]).unwrap();
        let root = Place::standing(&mut frames, None, place([0.1, 0.2, 0.3, 0.9], 2.0)).unwrap();
        let shelf = Place::standing(&mut frames, Some(&root), place([0.5; 4], 1.0)).unwrap();
        assert!(shelf.frame.is_none() && frames.all().is_empty());
        let arm = Place::moving(&mut frames, Some(&shelf), Pose::IDENTITY, motion()).unwrap();
        let hand = Place::standing(&mut frames, Some(&arm), place([0.5; 4], -1.0)).unwrap();
        assert_eq!(frames.all().len(), 3);
        assert_eq!((arm.rest, hand.rest), (shelf.rest, Pose::compose(&shelf.rest, &place([0.5; 4], -1.0))));
        // At any time before its first keyframe a chain is at its start, to the last bit.
        assert_eq!(frames.pose(hand.frame.unwrap(), 0.5), hand.start);
        assert_eq!(frames.poses(2.5)[2], frames.pose(hand.frame.unwrap(), 2.5));
        // The arm's own scale is uneven, so nothing may move below it.
        let error = Place::moving(&mut frames, Some(&hand), Pose::IDENTITY, motion()).err().unwrap();
        assert!(error.to_string().contains("scaled unevenly"), "{error}");
    }

    #[test]
    fn a_motion_that_stays_at_rest_is_none() {
        let mut frames = Frames::default();
        let key = Keyframe { time: 0.0, rotation: [0.0, 0.0, 0.6, 0.8], translation: DVec3::X };
        let still = Motion::through(&[key], Between::Screw, [1.0; 3]).unwrap();
        let rest = still.pose(0.0);
        assert!(Place::moving(&mut frames, None, rest, still.clone()).unwrap().frame.is_none());
        // A motion that holds another pose than the rest pose counts, because a sweep uses it.
        let elsewhere = Place::moving(&mut frames, None, Pose::IDENTITY, still).unwrap();
        assert_eq!((elsewhere.rest, elsewhere.start), (Pose::IDENTITY, rest));
    }

    #[test]
    fn matrices_in_f32_are_rigid_enough() {
        for i in 0..1000 {
            let angle = 0.0123 * f64::from(i);
            let q = [angle.sin() * 0.3, angle.cos(), 0.2, (2.0 * angle).sin()];
            let mut pose = Pose::from_trs(q, [0.01; 3], [5.0; 3]).unwrap();
            pose.rows = pose.rows.map(|row| row.map(|x| f64::from(x as f32)));
            assert!(skew(&pose) < SKEW, "{}", skew(&pose));
        }
        assert_eq!(skew(&Pose { rows: [[0.0; 4]; 3] }), f64::INFINITY);
        assert!(skew(&Pose::from_trs([0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.00001], [0.0; 3]).unwrap()) > SKEW);
    }
}
