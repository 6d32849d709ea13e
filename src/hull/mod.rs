//! Convex hulls, exact for every input.

pub mod convex_hull;
mod quickhull;

/// Cuts a convex polygon into a fan of triangles.
fn fan(polygon: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    polygon.windows(2).skip(1).map(|edge| [polygon[0], edge[0], edge[1]])
}
