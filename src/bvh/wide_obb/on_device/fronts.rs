//! Fronts of stretches of time. They stay on the device from one call to the next.
//!
//! The front of a stretch that was given up covers everything that was not proven apart over it: the items at
//! which the search ended, those that were not opened by then, and leaf pairs. The rest stays apart
//! throughout the stretch, and so throughout its halves. Their searches therefore begin with the front
//! instead of the roots. An item names boxes of two trees, so it means the same in every call, if neither is
//! in pieces. Of two trees of equal size, another may be home: then the item's two sides change places.
//!
//! Fronts lie behind the stack and behind the other leaf pairs, in two rooms of a fixed size. A call reads
//! the fronts of the last call from one and keeps its own in the other. If an item finds no room, its stretch
//! has no front, and the halves begin at the roots.

use bytemuck::{bytes_of, cast_slice};

use super::columns::{BY_FEATURES, Counts, KeptFronts, NO_ROOM};
use super::parts::{Batch, Part, batch_of};
use super::queue::Workspace;
use super::{Limits, Placed};
use crate::bvh::wide_obb::WideObb;
use crate::continuous::method::Boxes;
use crate::gpu::{Device, DeviceError, Lent, Use};
use closefit_geometry::ids::to_u32;

/// A half of a stretch that begins at the roots or is not asked about.
const NO_HALF: u32 = u32::MAX;

/// Flag of a half whose home and guest have changed places.
const SWAPPED: u32 = 1 << 31;

/// The front of a stretch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Front {
    /// Number of the stretch among those of its call that the device searched.
    searched: u32,
    items: u32,
    /// Addresses of both trees, in the order of the question.
    trees: [usize; 2],
    /// Index of the home tree, 0 or 1.
    home: usize,
}

/// The queue of a call, and the fronts of this call and of the last.
#[derive(Debug)]
pub(super) struct Fronts {
    pub workspace: Workspace,
    /// Capacity of its stack, as asked for.
    stack: u32,
    /// The room that this call fills, 0 or 1, and what is left of it.
    room: u32,
    left: KeptFronts,
    /// The front of each question of this call, and the number of stretches that it searches.
    found: Vec<Option<Front>>,
    searched: usize,
    /// The fronts of the last call, and the buffers that describe them to the device.
    of_last: Vec<Option<Front>>,
    halves: Vec<[u32; 2]>,
    buffers: [Lent; 2],
}

impl Fronts {
    /// Prepares a call of so many questions and searched stretches.
    ///
    /// # Errors
    /// [`DeviceError`] if the device fails or runs out of memory.
    pub fn after(
        last: Option<Self>,
        device: Device,
        limits: &Limits,
        [questions, searched]: [usize; 2],
    ) -> Result<Self, DeviceError> {
        let (workspace, stack, room, of_last, kept, before) = match last
            .filter(|last| limits.stack <= last.stack)
        {
            Some(last) => {
                let kept = last.kept();
                (last.workspace, last.stack, 1 - last.room, last.found, kept, last.searched)
            }
            None => (Workspace::new(device, limits)?, limits.stack, 0, Vec::new(), KeptFronts::default(), 0),
        };
        let table = (size_of::<[u32; 2]>() * before) as u64;
        let buffers =
            [device.lend(Use::Settings, size_of::<KeptFronts>() as u64)?, device.lend(Use::Storage, table)?];
        device.write(&buffers[0], 0, bytes_of(&kept));
        Ok(Self {
            left: workspace.room_for_fronts(room),
            found: vec![None; questions],
            halves: vec![[NO_HALF; 2]; before],
            workspace,
            stack,
            room,
            searched,
            of_last,
            buffers,
        })
    }

    /// Returns what this call has kept of its room.
    fn kept(&self) -> KeptFronts {
        let KeptFronts { boxes, leaves, .. } = self.workspace.room_for_fronts(self.room);
        KeptFronts { boxes, boxes_end: self.left.boxes, leaves, leaves_end: self.left.leaves }
    }

    /// Returns the front of a question of the last call, for a pair of trees.
    pub fn of_parent(&self, parent: Option<u32>, placed: &Placed) -> Option<Front> {
        let front = (*self.of_last.get(parent? as usize)?)?;
        (front.trees == addresses(placed)).then_some(front)
    }

    /// Returns a batch of the first parts for a test of boxes, as many as there is room for, and their
    /// number. `begins` has, for each placed pair, the front at which its search begins.
    pub fn batch(
        &mut self,
        (device, boxes): (Device, Boxes),
        parts: &[Part],
        placed: &[Placed],
        begins: &[Option<Front>],
        room: usize,
    ) -> Result<(Batch, usize), DeviceError> {
        self.halves.fill([NO_HALF; 2]);
        let (mut items, mut at_fronts, mut begun) = (0, 0, Vec::new());
        for (number, part) in (0..).zip(&parts[..parts.len().min(self.workspace.most_pairs())]) {
            // Items at which a search ended lie behind the place for all others.
            let front = begins[part.placed].filter(|front| 2 * front.items as usize <= room);
            let free =
                |front: &Front| self.halves[front.searched as usize].iter().position(|&half| half == NO_HALF);
            let place = front.and_then(|front| Some((front, free(&front)?)));
            items += place.map_or(1, |(front, _)| 2 * front.items as usize);
            if items > room {
                break;
            }
            if let Some((front, half)) = place {
                let swapped = if front.home == placed[part.placed].relation.home { 0 } else { SWAPPED };
                self.halves[front.searched as usize][half] = number | swapped;
                at_fronts += front.items;
            }
            begun.push(place.is_some());
        }
        let count = begun.len();
        let mut batch = batch_of(&parts[..count], placed, |number| !begun[number]);
        batch.room = self.left;
        if at_fronts > 0 {
            let [kept, halves] = &self.buffers;
            device.write(halves, 0, cast_slice(&self.halves));
            batch.at_fronts = at_fronts;
            batch.first.push(self.workspace.launch_at_fronts(boxes, [kept, halves])?);
        }
        Ok((batch, count))
    }

    /// Takes what a batch has kept.
    pub fn keep(&mut self, counts: &Counts) {
        self.left.boxes = counts.kept.min(self.left.boxes_end);
        self.left.leaves = counts.kept_leaves.min(self.left.leaves_end);
    }

    /// Notes the front of a placed pair in one piece from its word of the batch.
    pub fn note(&mut self, index: usize, placed: &Placed, word: u32) {
        let items = word & (BY_FEATURES - 1);
        if word & NO_ROOM == 0 && items > 0 {
            let front = Front {
                searched: to_u32(index),
                items,
                trees: addresses(placed),
                home: placed.relation.home,
            };
            self.found[placed.number] = Some(front);
        }
    }

    /// Returns the fronts for the next call, if there are any.
    pub fn for_next(self) -> Option<Self> {
        self.found.iter().any(Option::is_some).then_some(self)
    }
}

/// Returns the addresses of both trees, which are stable because the trees are borrowed.
fn addresses(placed: &Placed) -> [usize; 2] {
    placed.trees.map(|posed| std::ptr::from_ref::<WideObb>(posed.tree).addr())
}
