//! The leaves of trees whose leaves have one or two triangles.

/// The one or two triangles of a leaf, by their places in the tree.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// The first triangle.
    pub first: u32,
    /// Number of triangles.
    pub count: u32,
}

impl Leaf {
    /// Returns its triangles among all of a tree.
    #[inline(always)]
    pub fn of(self, corners: &[[u32; 3]]) -> &[[u32; 3]] {
        &corners[self.first as usize..(self.first + self.count) as usize]
    }
}

/// Returns the lanes in which two leaves have a pair of triangles.
#[inline(always)]
pub fn all_lanes([a, b]: [Leaf; 2]) -> u32 {
    let of_a = if a.count == 2 { 0b1111 } else { 0b0011 };
    let of_b = if b.count == 2 { 0b1111 } else { 0b0101 };
    of_a & of_b
}
