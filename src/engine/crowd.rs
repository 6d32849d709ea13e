//! The bodies of a check. In a crowd, bodies of small meshes are placed for a few thousand pairs and then
//! freed: a body takes several times the memory of its part, and placing it takes a fraction of the time that
//! deciding a pair takes.

use std::sync::Arc;

use super::driver::TOGETHER;
use super::models::Models;
use super::standing::{COMPONENT_BYTES, placed_model, standing_bodies};
use crate::bvh::trees::{Bodies, Crowd};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::{PartId, to_u32};
use closefit_geometry::memory::{MemoryAccount, OutOfMemory};
use closefit_geometry::scene::Scene;

/// The most triangles of a small mesh. All that a body finds out about itself takes little time with them.
const SMALL: usize = 64;

/// The most bodies of pairs that are decided together.
const MOST: usize = 2 * TOGETHER;

/// The bodies of some pairs, and the places of each pair's two.
pub(super) type BodiesOfPairs<'b> = (Arc<dyn Bodies + 'b>, Vec<[usize; 2]>);

/// The bodies of a check.
pub(super) struct CheckBodies<'a> {
    scene: &'a Scene,
    boxes: &'a [Aabb],
    models: &'a Models,
    placed: Placed<'a>,
}

enum Placed<'a> {
    /// All, each at the place of its part.
    All(Arc<dyn Bodies + 'a>),
    /// The bodies of the parts that stay placed, sorted.
    Staying(Vec<PartId>, Box<dyn Crowd<'a> + 'a>),
}

impl<'a> CheckBodies<'a> {
    /// Places the models of the parts that have one: all, if a device is to keep them or there are few.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn new(
        scene: &'a Scene,
        boxes: &'a [Aabb],
        models: &'a Models,
        (memory, on_device): (&MemoryAccount, bool),
    ) -> Result<Self, OutOfMemory> {
        let in_pair = (0..to_u32(scene.parts.len())).map(PartId).filter(|&part| models.place(part).is_some());
        let is_small = |&part: &PartId| scene.mesh(part).triangles().len() <= SMALL;
        let (small, staying): (Vec<PartId>, Vec<PartId>) = in_pair.partition(is_small);
        let placed = if on_device || small.len() <= MOST {
            Placed::All(Arc::from(standing_bodies(scene, boxes, models, memory)?))
        } else {
            let components = |&part: &PartId| {
                models.place(part).map_or(0, |at| models.trees.topology(at).components.len())
            };
            let of_staying: usize = staying.iter().map(components).sum();
            let most = small.iter().map(components).max().unwrap_or(0);
            let cause = || format!("{} parts that are near others", small.len() + staying.len());
            memory.take(staying.len() + MOST, models.trees.body_bytes(), cause)?;
            memory.take(of_staying + MOST * most, COMPONENT_BYTES, cause)?;
            drop(small);
            let placed = staying.iter().filter_map(|&part| placed_model(scene, boxes, models, part));
            let crowd = models.trees.crowd(&placed.collect::<Vec<_>>());
            Placed::Staying(staying, crowd)
        };
        Ok(Self { scene, boxes, models, placed })
    }

    /// Returns the bodies of all parts, if all are placed.
    pub fn all(&self) -> Option<&(dyn Bodies + 'a)> {
        match &self.placed {
            Placed::All(bodies) => Some(&**bodies),
            Placed::Staying(..) => None,
        }
    }

    /// Returns the bodies of some pairs.
    pub fn of_pairs(&self, pairs: &[(PartId, PartId)], slots: &mut Slots) -> BodiesOfPairs<'_> {
        let parts = || pairs.iter().map(|&(a, b)| [a, b]);
        match &self.placed {
            Placed::All(bodies) => {
                (Arc::clone(bodies), parts().map(|pair| pair.map(PartId::index)).collect())
            }
            Placed::Staying(staying, crowd) => {
                slots.0.resize(self.scene.parts.len(), 0);
                let mut own: Vec<PartId> = Vec::with_capacity(2 * pairs.len());
                let mut place = |part: PartId| {
                    if self.scene.mesh(part).triangles().len() > SMALL {
                        return staying.binary_search(&part).expect("it stays");
                    }
                    // What is left of earlier pairs names another part, or none.
                    let slot = &mut slots.0[part.index()];
                    if own.get(*slot as usize) != Some(&part) {
                        *slot = to_u32(own.len());
                        own.push(part);
                    }
                    staying.len() + *slot as usize
                };
                let places = parts().map(|pair| pair.map(&mut place)).collect();
                (Arc::from(self.with(&**crowd, &own)), places)
            }
        }
    }

    /// Returns the bodies of one pair.
    pub fn of_pair(&self, (a, b): (PartId, PartId)) -> (Arc<dyn Bodies + '_>, [usize; 2]) {
        match &self.placed {
            Placed::All(bodies) => (Arc::clone(bodies), [a, b].map(PartId::index)),
            Placed::Staying(staying, crowd) => {
                let place =
                    |(at, part): (usize, PartId)| staying.binary_search(&part).unwrap_or(staying.len() + at);
                (Arc::from(self.with(&**crowd, &[a, b])), [(0, a), (1, b)].map(place))
            }
        }
    }

    fn with<'b>(&self, crowd: &'b (dyn Crowd<'a> + 'a), own: &[PartId]) -> Box<dyn Bodies + 'b> {
        let &Self { scene, boxes, models, .. } = self;
        let placed = |at: usize| placed_model(scene, boxes, models, own[at]).expect("it is in a pair");
        crowd.with(own.len(), &placed)
    }
}

/// The place of each part among the bodies of some pairs, if it is one of them.
#[derive(Default)]
pub(super) struct Slots(Vec<u32>);
