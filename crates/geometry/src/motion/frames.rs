//! A forest of frames, each placed in its parent's frame.

use std::collections::HashSet;

use glam::DMat3;

use super::joint::{Joint, Motion};
use crate::ids::to_u32;
use crate::math::pose::Pose;

/// Index of a frame in [`Frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(pub u32);

/// A frame and its placement in its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The frame in which it is placed; the world if `None`.
    pub parent: Option<FrameId>,
    /// Its placement in the parent.
    pub joint: Joint,
}

/// Frames with parents before children, which makes them acyclic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frames(Vec<Frame>);

impl Frames {
    /// Adds a frame and returns its id.
    ///
    /// # Panics
    /// If the parent has not been added yet.
    pub fn add(&mut self, parent: Option<FrameId>, joint: Joint) -> FrameId {
        let id = FrameId(to_u32(self.0.len()));
        assert!(parent.is_none_or(|parent| parent < id), "parents come first");
        self.0.push(Frame { parent, joint });
        id
    }

    /// Appends another forest's frames. Returns the amount added to their ids.
    pub fn append(&mut self, other: Self) -> u32 {
        let before = to_u32(self.0.len());
        self.0.extend(
            other
                .0
                .into_iter()
                .map(|frame| Frame { parent: frame.parent.map(|FrameId(id)| FrameId(id + before)), ..frame }),
        );
        before
    }

    /// Returns all frames, parents first.
    pub fn all(&self) -> &[Frame] {
        &self.0
    }

    /// Returns one frame.
    pub fn get(&self, id: FrameId) -> &Frame {
        &self.0[id.0 as usize]
    }

    /// Returns a frame and its ancestors, the root first.
    pub fn chain(&self, id: FrameId) -> Vec<FrameId> {
        let mut chain = vec![id];
        let mut at = id;
        while let Some(parent) = self.get(at).parent {
            chain.push(parent);
            at = parent;
        }
        chain.reverse();
        chain
    }

    /// Returns the world-from-frame pose at a time, composed from root to leaf.
    pub fn pose(&self, id: FrameId, time: f64) -> Pose {
        let mut poses = self.chain(id).into_iter().map(|id| self.get(id).joint.pose(time));
        let root = poses.next().expect("a chain has a frame");
        poses.fold(root, |above, local| Pose::compose(&above, &local))
    }

    /// Returns the world-from-frame poses of all frames at a time.
    pub fn poses(&self, time: f64) -> Vec<Pose> {
        let mut poses: Vec<Pose> = Vec::with_capacity(self.0.len());
        for Frame { parent, joint } in &self.0 {
            let local = joint.pose(time);
            let world = parent.map_or(local, |FrameId(above)| Pose::compose(&poses[above as usize], &local));
            poses.push(world);
        }
        poses
    }

    /// Returns the last moving frame on the chain to a frame. Frames that share it do not move relative to
    /// each other.
    pub fn mover(&self, id: FrameId) -> Option<FrameId> {
        let moves = |id: &FrameId| self.get(*id).joint.motion().is_some_and(Motion::moves);
        self.chain(id).into_iter().rev().find(moves)
    }

    /// Returns the scale of a moving frame's joint, and the linear map from a frame below it, which does not
    /// move in it. `time` is any.
    pub fn linear_below(&self, mover: FrameId, id: FrameId, time: f64) -> DMat3 {
        let scale = self.get(mover).joint.motion().map_or([1.0; 3], Motion::scale);
        let below = self.chain(id).into_iter().skip_while(|&at| at != mover).skip(1);
        let linear = |id: FrameId| self.get(id).joint.pose(time).linear();
        below.fold(DMat3::from_diagonal(scale.into()), |above, id| above * linear(id))
    }

    /// Returns the motions of all moving frames.
    pub fn motions(&self) -> impl Iterator<Item = &Motion> {
        self.0.iter().filter_map(|frame| frame.joint.motion())
    }

    /// Returns the approximate memory in bytes, shared keyframes counted once.
    pub fn bytes(&self) -> usize {
        let mut counted = HashSet::new();
        let own = self.motions().filter(|motion| counted.insert(motion.times().as_ptr()));
        own.map(Motion::bytes).sum::<usize>() + size_of_val(&self.0[..])
    }

    /// Returns the first and the last keyframe time of all motions.
    pub fn time_range(&self) -> Option<[f64; 2]> {
        self.motions().map(Motion::times).fold(None, |range, times| {
            let (first, last) = (times[0], times[times.len() - 1]);
            let [from, to] = range.unwrap_or([first, last]);
            Some([f64::min(from, first), f64::max(to, last)])
        })
    }
}

impl Joint {
    /// Returns the motion, or `None` for a fixed joint.
    pub fn motion(&self) -> Option<&Motion> {
        match self {
            Self::Fixed(_) => None,
            Self::Moving(motion) => Some(motion),
        }
    }

    /// Returns the parent-from-frame pose at a time.
    pub fn pose(&self, time: f64) -> Pose {
        match self {
            Self::Fixed(pose) => *pose,
            Self::Moving(motion) => motion.pose(time),
        }
    }
}
