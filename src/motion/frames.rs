//! A forest of frames, each placed in its parent's.

use super::joint::{Joint, Motion};
use crate::ids::to_u32;
use crate::math::pose::Pose;

/// Position of a frame in [`Frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(pub u32);

/// One frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// In which it is placed; the world where there is none.
    pub parent: Option<FrameId>,
    /// How.
    pub joint: Joint,
}

/// Frames, parents before children: that makes them acyclic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frames(Vec<Frame>);

impl Frames {
    /// Adds a frame.
    ///
    /// # Panics
    /// For a parent that is not there yet.
    pub fn add(&mut self, parent: Option<FrameId>, joint: Joint) -> FrameId {
        let id = FrameId(to_u32(self.0.len()));
        assert!(parent.is_none_or(|parent| parent < id), "parents come first");
        self.0.push(Frame { parent, joint });
        id
    }

    /// Adds another forest's frames; what is added to their ids.
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

    /// All, parents first.
    pub fn all(&self) -> &[Frame] {
        &self.0
    }

    /// One frame.
    pub fn get(&self, id: FrameId) -> &Frame {
        &self.0[id.0 as usize]
    }

    /// A frame and its ancestors, the root first.
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

    /// World from frame at a time, composed root to leaf.
    pub fn pose(&self, id: FrameId, time: f64) -> Pose {
        let mut poses = self.chain(id).into_iter().map(|id| self.get(id).joint.pose(time));
        let root = poses.next().expect("a chain has a frame");
        poses.fold(root, |above, local| Pose::compose(&above, &local))
    }

    /// World from frame at a time, of all frames.
    pub fn poses(&self, time: f64) -> Vec<Pose> {
        let mut poses: Vec<Pose> = Vec::with_capacity(self.0.len());
        for Frame { parent, joint } in &self.0 {
            let local = joint.pose(time);
            let world = parent.map_or(local, |FrameId(above)| Pose::compose(&poses[above as usize], &local));
            poses.push(world);
        }
        poses
    }

    /// The last frame that moves on the way to one: frames that share it stand still to each other.
    pub fn mover(&self, id: FrameId) -> Option<FrameId> {
        let moves = |id: &FrameId| self.get(*id).joint.motion().is_some_and(Motion::moves);
        self.chain(id).into_iter().rev().find(moves)
    }

    /// What moves, of all frames.
    pub fn motions(&self) -> impl Iterator<Item = &Motion> {
        self.0.iter().filter_map(|frame| frame.joint.motion())
    }

    /// First and last keyframe of all.
    pub fn time_range(&self) -> Option<[f64; 2]> {
        self.motions().map(Motion::times).fold(None, |range, times| {
            let (first, last) = (times[0], times[times.len() - 1]);
            let [from, to] = range.unwrap_or([first, last]);
            Some([f64::min(from, first), f64::max(to, last)])
        })
    }
}

impl Joint {
    /// How it moves, if it does not stand.
    pub fn motion(&self) -> Option<&Motion> {
        match self {
            Self::Fixed(_) => None,
            Self::Moving(motion) => Some(motion),
        }
    }

    /// Parent from frame at a time.
    pub fn pose(&self, time: f64) -> Pose {
        match self {
            Self::Fixed(pose) => *pose,
            Self::Moving(motion) => motion.pose(time),
        }
    }
}
