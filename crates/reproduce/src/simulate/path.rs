//! Poses of two bodies, frame by frame, and the digest of poses.

use closefit::Pose;

/// The poses of two bodies in each frame, and whether they are in contact there.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// The frames.
    pub frames: Vec<([Pose; 2], bool)>,
}

impl Path {
    /// Returns every `every`-th pair of poses.
    pub fn sampled(&self, every: usize) -> impl Iterator<Item = [Pose; 2]> + '_ {
        self.frames.iter().step_by(every).map(|(poses, _)| *poses)
    }

    /// Returns the share of frames with a contact.
    pub fn contact_share(&self) -> f64 {
        let touching = self.frames.iter().filter(|(_, touches)| *touches).count();
        touching as f64 / self.frames.len().max(1) as f64
    }

    /// Adds all frames to a digest.
    pub fn digest(&self, digest: &mut blake3::Hasher) {
        for (poses, touches) in &self.frames {
            add_poses(digest, poses);
            digest.update(&[u8::from(*touches)]);
        }
    }
}

/// Adds all numbers of poses to a digest.
pub fn add_poses<'a>(digest: &mut blake3::Hasher, poses: impl IntoIterator<Item = &'a Pose>) {
    for number in poses.into_iter().flat_map(|pose| pose.rows.iter().flatten()) {
        digest.update(&number.to_le_bytes());
    }
}
