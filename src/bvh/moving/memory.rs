//! Triangles that were near each other at earlier times. Nothing here changes an answer: they are tested
//! again.

/// Number of remembered pairs of triangles.
const PAIRS: usize = 8;

/// Pairs of triangles of two moving shapes that were near, the latest last.
#[derive(Clone, Debug, Default)]
pub struct Memory(Vec<[u32; 2]>);

impl Memory {
    /// True when a remembered pair passes a test. That pair becomes the latest.
    pub fn is_near(&mut self, test: impl FnMut(&[u32; 2]) -> bool) -> bool {
        let Some(back) = self.0.iter().rev().position(test) else { return false };
        let at = self.0.len() - 1 - back;
        self.0[at..].rotate_left(1);
        true
    }

    /// Returns the remembered pairs.
    pub fn pairs(&self) -> Vec<[u32; 2]> {
        self.0.clone()
    }

    /// Remembers a pair and forgets the one that has not been near for longest.
    pub fn add(&mut self, triangles: [u32; 2]) {
        if self.0.len() == PAIRS {
            self.0.remove(0);
        }
        self.0.push(triangles);
    }
}
