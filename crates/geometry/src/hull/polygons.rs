//! A list of convex polygons, in flat arrays.

/// Convex polygons by their corners.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polygons {
    corners: Vec<u32>,
    /// The end of each polygon in `corners`.
    ends: Vec<usize>,
}

impl Polygons {
    /// Adds a polygon.
    pub fn push(&mut self, corners: impl IntoIterator<Item = u32>) {
        self.corners.extend(corners);
        self.ends.push(self.corners.len());
    }

    /// Returns the number of polygons.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True when there are no polygons.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the corners of all polygons, one polygon after the other.
    pub fn corners(&self) -> &[u32] {
        &self.corners
    }

    /// Returns a polygon.
    pub fn get(&self, polygon: u32) -> &[u32] {
        let polygon = polygon as usize;
        let start = if polygon == 0 { 0 } else { self.ends[polygon - 1] };
        &self.corners[start..self.ends[polygon]]
    }

    /// Iterates over the polygons.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.corners[start..end])
    }
}

impl<P: IntoIterator<Item = u32>> FromIterator<P> for Polygons {
    fn from_iter<I: IntoIterator<Item = P>>(polygons: I) -> Self {
        let mut list = Self::default();
        polygons.into_iter().for_each(|polygon| list.push(polygon));
        list
    }
}

/// Cuts a convex polygon into a fan of triangles.
pub(super) fn fan(polygon: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    polygon.windows(2).skip(1).map(|edge| [polygon[0], edge[0], edge[1]])
}
