//! The first look at a surface triangle.

use super::candidates::Candidate;
use super::part::Part;
use super::patch::{Class, Patch};
use super::polygon::Polygon;
use super::search::DepthSearch;
use closefit_geometry::bounds::aabb::Aabb;

impl DepthSearch<'_> {
    /// Turns a triangle into a patch. If the whole triangle lies inside, its corners are tried as well.
    pub fn open(&mut self, side: u8, triangle: u32, inside: bool, at_most: f64) {
        let solid = self.solid(side);
        let polygon = clipped(solid, Polygon::of(&self.surface(side).triangle(triangle)));
        // Rounding may place points inside on the part cut off.
        let cut_off = solid.error + polygon.drift;
        self.discard(cut_off);
        if polygon.is_empty() {
            return;
        }
        let way = self.solid(side).way_out_of(&polygon);
        let at_most = at_most.min(way.at_most).max(cut_off);
        if at_most <= self.limit() {
            self.discard(at_most);
            return;
        }
        let near = self.near_triangle(side, triangle);
        if inside {
            self.try_own_corners(side, triangle, near);
        }
        let class = match inside {
            true => Class::Inside,
            // Clipping has cut along all of the solid's surface.
            false if self.solid(side).is_boxed() => Class::Cell,
            false => Class::Mixed,
        };
        let contacts = &self.contacts[side as usize];
        let start = contacts.partition_point(|pair| pair[0] < triangle);
        let met = contacts[start..].iter().take_while(|pair| pair[0] == triangle).map(|pair| pair[1]);
        let cutters = self.patches.list(met.filter(|_| class != Class::Cell));
        let (at_most, _) = self.by_near(side, &polygon, [near, None], at_most);
        self.offer_patch(side, at_most, || Patch {
            triangle,
            polygon,
            class,
            way,
            near,
            cutters,
            level: 0,
            is_moved: false,
            is_looked_up: false,
        });
    }

    /// Returns a closed triangle of the solid that a surface triangle meets, or that is near one of its
    /// corners.
    fn near_triangle(&self, side: u8, triangle: u32) -> Option<u32> {
        let count = self.solid(side).body.len();
        let met = self.met_by(side, triangle).first().map(|pair| pair[1]).filter(|&met| met < count);
        let vertices = self.surface(side).body.mesh.triangles()[triangle as usize];
        met.or_else(|| vertices.iter().find_map(|&v| self.near[side as usize].get(v)))
    }

    /// Tries the corners of a triangle inside that have not been tried yet.
    fn try_own_corners(&mut self, side: u8, triangle: u32, near: Option<u32>) {
        let corners = self.surface(side).triangle(triangle);
        for (v, at) in self.surface(side).body.mesh.triangles()[triangle as usize].into_iter().zip(corners) {
            let solid = self.solid(side);
            if solid.body.bounds().strictly_contains(&Aabb { lo: at, hi: at })
                && solid.way_out(at) > self.limit()
                && self.seen.insert((side, v))
            {
                let near = self.near[side as usize].get(v).or(near);
                let (_, found) =
                    self.try_candidate(side, Candidate { at, drift: 0.0, near, is_inside: true });
                if let Some(t) = found {
                    self.near[side as usize].set(v, t);
                }
            }
        }
    }

    /// Returns the bound of a polygon, or the one from a triangle near it if that is smaller, with the nearer
    /// of the triangles.
    pub fn by_near(
        &self,
        side: u8,
        polygon: &Polygon,
        near: [Option<u32>; 2],
        at_most: f64,
    ) -> (f64, Option<u32>) {
        let solid = self.solid(side);
        if solid.is_convex() {
            return (at_most, near[0]);
        }
        let mut best = (f64::INFINITY, None);
        for t in near.into_iter().flatten() {
            let (_, squared) = solid.farthest(polygon, t);
            if squared < best.0 {
                best = (squared, Some(t));
            }
        }
        (at_most.min(solid.at_most(best.0, polygon.drift)), best.1)
    }
}

/// Clips a polygon to the half-spaces behind the planes that have the solid behind them.
fn clipped(solid: &Part, mut polygon: Polygon) -> Polygon {
    for plane in solid.planes() {
        let heights = polygon.heights(|p| -plane.height(p));
        if polygon.reaches_below(&heights)
            && let Some([inner, _]) = polygon.split(&heights)
        {
            polygon = inner;
            if polygon.is_empty() {
                break;
            }
        }
    }
    polygon
}
