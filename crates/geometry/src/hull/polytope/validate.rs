//! Checks everything that walks assume of a polytope.

use super::{Internal, NONE, Polytope};
use crate::ids::to_u32;
use crate::math::predicates::{Sign, orient3d};

/// Largest distance of a point from a plane that should contain it: planes of needles are the least precise.
const NEAR: f64 = 1e-9;

impl Polytope {
    /// Checks that twins are mutual and run along one edge; that faces are closed, and no vertex is above
    /// any; that planes pass through the features that they belong to; that the half-edges that leave a
    /// vertex are listed once each; and that the centroid is below every face.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self) -> Result<(), String> {
        let [vertices, edges, faces] = self.counts();
        if faces > 2 && vertices + faces != edges + 2 {
            return Err(format!("{vertices} vertices, {edges} edges, {faces} faces: not Euler's"));
        }
        (0..to_u32(self.tail.len())).try_for_each(|h| self.validate_half_edge(h))?;
        (0..to_u32(faces)).try_for_each(|f| self.validate_face(f))?;
        let mut listed = self.leaving.clone();
        listed.sort_unstable();
        if !listed.iter().copied().eq(0..to_u32(self.tail.len())) {
            return Err("half-edges are not listed once each".to_owned());
        }
        for vertex in 0..to_u32(vertices) {
            let leaving = self.leaving(vertex).map(|place| self.leaving[place as usize]);
            if let Some(h) = leaving.into_iter().find(|&h| self.tail[h as usize] != vertex) {
                return Err(format!("half-edge {h} does not leave vertex {vertex}"));
            }
        }
        Ok(())
    }

    fn validate_half_edge(&self, h: u32) -> Result<(), String> {
        let fault = |what: &str| Err(format!("half-edge {h}: {what}"));
        let index = h as usize;
        let twin = self.twin[index];
        if self.twin[twin as usize] != h || twin == h {
            return fault("its twin has another twin");
        }
        let [tail, head] = [h, twin].map(|h| self.corners.get(self.tail[h as usize]));
        if self.leaving[self.place[index] as usize] != h {
            return fault("its place is another's");
        }
        let (end, back) = (self.place[index], self.place[twin as usize]);
        if self.ends.height(end, tail).abs() > NEAR || self.ends.height(end, head) <= 0.0 {
            return fault("the plane across it is elsewhere");
        }
        if (self.ends.normal(end) + self.ends.normal(back)).abs().max_element() > NEAR {
            return fault("the planes across it are not parallel");
        }
        if self.face[index] == NONE {
            return Ok(());
        }
        if [tail, head].iter().any(|&p| self.sides.height(h, p).abs() > NEAR) {
            return fault("its side plane is elsewhere");
        }
        if let Some(Internal { edge, planes, centroid }) = &self.internal {
            let plane = edge[index];
            if edge[twin as usize] != plane
                || [tail, head, *centroid].iter().any(|&p| planes.height(plane, p).abs() > NEAR)
            {
                return fault("its internal plane is elsewhere");
            }
        }
        Ok(())
    }

    fn validate_face(&self, f: u32) -> Result<(), String> {
        let around = self.around(f);
        let next = around.clone().skip(1).chain([around.start]);
        for (h, next) in around.clone().zip(next) {
            let twin = self.twin[h as usize];
            if self.face[h as usize] != f || self.tail[twin as usize] != self.tail[next as usize] {
                return Err(format!("face {f} is not closed at half-edge {h}"));
            }
        }
        let at = |h: u32| self.corners.get(self.tail[h as usize]);
        let [a, b, c] = [0, 1, 2].map(|i| at(around.start + i));
        let above = |p| orient3d(a, b, c, p) == Sign::Greater;
        if self.corners.iter().any(above) {
            return Err(format!("a vertex is above face {f}"));
        }
        if self.corners.iter().any(|p| self.faces.height(f, p) > NEAR) {
            return Err(format!("the plane of face {f} is elsewhere"));
        }
        match &self.internal {
            Some(internal) if orient3d(a, b, c, internal.centroid) != Sign::Less => {
                Err(format!("the centroid is not below face {f}"))
            }
            _ => Ok(()),
        }
    }
}
