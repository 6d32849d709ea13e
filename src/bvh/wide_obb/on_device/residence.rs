//! The trees that a device holds from one batch to the next.

use hashbrown::HashMap;

use super::Limits;
use super::arena::{self, Arenas, Piece};
use crate::bvh::wide_obb::WideObb;
use crate::gpu::{Device, DeviceError, Tally};

/// The trees in device memory, and the searches over them. A tree is sent when a pair first needs it and
/// stays. When the next one would exceed the limit of memory, all trees make room.
#[derive(Debug)]
pub struct Residence {
    pub(super) device: Device,
    pub(super) limits: Limits,
    pub(super) arenas: Arenas,
    /// The trees by the address of their blocks.
    trees: HashMap<usize, Resident>,
}

/// A tree that was sent to a device.
#[derive(Debug)]
struct Resident {
    /// Its places in the arenas; `None` if the device cannot hold it.
    pieces: Option<Vec<Piece>>,
    /// Kept alive, so that no other tree takes its address.
    _tree: WideObb,
}

impl Residence {
    /// Creates a residence without trees.
    pub fn new(device: Device, limits: Limits) -> Self {
        Self { device, limits, arenas: Arenas::new(device, limits.arena), trees: HashMap::new() }
    }

    /// Returns the device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns the number of bytes that the trees take on the device.
    pub fn bytes(&self) -> u64 {
        self.arenas.bytes()
    }

    /// Sends the trees that the device does not hold yet, for as many of the first pairs as it has room: at
    /// least one. Returns the number of these pairs.
    ///
    /// # Errors
    /// [`DeviceError`] if the device fails or runs out of memory.
    pub(super) fn settle_in<'a>(
        &mut self,
        pairs: impl Iterator<Item = [&'a WideObb; 2]> + Clone,
    ) -> Result<usize, DeviceError> {
        let (mut count, mut new) = self.next_guests(pairs.clone());
        if count == 0 {
            self.arenas = Arenas::new(self.device, self.limits.arena);
            self.trees.clear();
            (count, new) = self.next_guests(pairs);
        }
        let before = self.bytes();
        for (tree, pieces) in new.iter().zip(self.arenas.reside(&new)?) {
            self.trees.insert(address(tree), Resident { pieces, _tree: WideObb::clone(tree) });
        }
        self.device.add_to_tally(Tally {
            trees: new.len() as u64,
            tree_bytes_up: self.bytes() - before,
            ..Tally::default()
        });
        Ok(count)
    }

    /// Returns how many leading pairs fit, and which of their trees must be uploaded. Without any trees yet,
    /// the first pair counts as one that fits.
    fn next_guests<'a>(&self, pairs: impl Iterator<Item = [&'a WideObb; 2]>) -> (usize, Vec<&'a WideObb>) {
        let (mut count, mut new, mut bytes) = (0, Vec::new(), self.bytes());
        let (mut is_new, mut last) = (hashbrown::HashSet::new(), None);
        for pair in pairs {
            // Many poses of two trees follow each other.
            if last == Some(pair.map(address)) {
                count += 1;
                continue;
            }
            last = Some(pair.map(address));
            let from = new.len();
            new.extend(
                pair.into_iter()
                    .filter(|tree| !self.trees.contains_key(&address(tree)) && is_new.insert(address(tree))),
            );
            bytes += new[from..].iter().map(|tree| arena::bytes_of(tree)).sum::<u64>();
            let is_alone = self.trees.is_empty() && count == 0;
            if bytes > self.limits.trees && new.len() > from && !is_alone {
                new.truncate(from);
                break;
            }
            count += 1;
        }
        (count, new)
    }

    /// True if the device holds a tree.
    pub(super) fn holds(&self, tree: &WideObb) -> bool {
        self.trees.get(&address(tree)).is_some_and(|resident| resident.pieces.is_some())
    }

    /// Returns the pieces of a tree that the device holds.
    pub(super) fn pieces(&self, tree: &WideObb) -> &[Piece] {
        self.trees[&address(tree)].pieces.as_deref().expect("it resides")
    }
}

fn address(tree: &WideObb) -> usize {
    tree.blocks.as_ptr().addr()
}
