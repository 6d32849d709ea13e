//! Contacts, looked up by one of their two triangles.

/// Pairs of triangles in contact, sorted by the first.
pub struct Partners(Vec<[u32; 2]>);

impl Partners {
    /// Sorts the pairs.
    pub fn of(contacts: impl IntoIterator<Item = [u32; 2]>) -> Self {
        let mut sorted: Vec<[u32; 2]> = contacts.into_iter().collect();
        sorted.sort_unstable();
        Self(sorted)
    }

    /// Returns the triangles in contact with a triangle, ascending.
    pub fn of_triangle(&self, triangle: u32) -> impl Iterator<Item = u32> {
        let start = self.0.partition_point(|pair| pair[0] < triangle);
        self.0[start..].iter().take_while(move |pair| pair[0] == triangle).map(|pair| pair[1])
    }

    /// Returns the first triangles, each once, ascending.
    pub fn triangles(&self) -> impl Iterator<Item = u32> {
        self.0.chunk_by(|x, y| x[0] == y[0]).map(|same| same[0][0])
    }
}
