//! The boxes of two blocks that overlap, by sorted lists of their ends (Ponamgi, Manocha and Lin 1995,
//! sections 3.1 and 4.7).

use crate::volumes::Kdops;
use closefit_geometry::lanes::LANES;

/// The overlaps of the boxes of two blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlaps {
    /// The boxes of the second block that a box of the first overlaps, as lanes, by box.
    pub with: [u8; LANES],
    /// Number of exchanges of neighbours that sorted the list along each axis.
    pub exchanges: [u64; 3],
}

/// Number of ends along an axis.
const ENDS: usize = 4 * LANES;

/// An end of a box along an axis, packed so that integers sort it: the position in the upper half, and in the
/// lower half whether it is an upper end, the block and the lane. At equal positions lower ends come first,
/// so boxes that touch overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct End(u64);

/// The lower half of an [`End`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Name(u8);

const UPPER: u8 = 2 * LANES as u8;
const SECOND: u8 = LANES as u8;

impl Name {
    fn is_upper(self) -> bool {
        self.0 & UPPER != 0
    }

    fn side(self) -> usize {
        usize::from(self.0 & SECOND != 0)
    }

    fn lane(self) -> usize {
        usize::from(self.0) % LANES
    }

    fn position(self, boxes: [&Kdops<3>; 2], axis: usize) -> f32 {
        let of = boxes[self.side()];
        if self.is_upper() { of.hi[axis][self.lane()] } else { of.lo[axis][self.lane()] }
    }
}

impl End {
    fn new(position: f32, name: Name) -> Self {
        let bits = (position + 0.0).to_bits(); // -0 becomes 0
        let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
        Self(u64::from(ordered) << 32 | u64::from(name.0))
    }

    fn name(self) -> Name {
        Name(self.0 as u8)
    }
}

/// The ends of the boxes of two blocks in an order along each axis: the order of the last time, or box by box
/// at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orders([[Name; ENDS]; 3]);

impl Default for Orders {
    fn default() -> Self {
        let box_by_box = std::array::from_fn(|i| Name((i / 2 + i % 2 * UPPER as usize) as u8));
        Self([box_by_box; 3])
    }
}

/// Returns the overlaps of the boxes in the lanes `used` of two blocks. Sorting begins with the orders that
/// are given, and leaves its own.
pub fn overlaps(boxes: [&Kdops<3>; 2], used: [u32; 2], orders: &mut Orders) -> Overlaps {
    let mut found = Overlaps { with: [u8::MAX; LANES], exchanges: [0; 3] };
    for (axis, order) in orders.0.iter_mut().enumerate() {
        let (mut ends, mut count) = ([End::default(); ENDS], 0);
        let (mut others, mut left) = ([Name::default(); ENDS], 0);
        for &name in &*order {
            if used[name.side()] >> name.lane() & 1 == 1 {
                ends[count] = End::new(name.position(boxes, axis), name);
                count += 1;
            } else {
                others[left] = name;
                left += 1;
            }
        }
        let ends = &mut ends[..count];
        found.exchanges[axis] = sort(ends);
        for (name, end) in order.iter_mut().zip(&*ends) {
            *name = end.name();
        }
        order[count..].copy_from_slice(&others[..left]);
        for (with, along) in found.with.iter_mut().zip(overlaps_along(ends)) {
            *with &= along;
        }
    }
    found
}

/// Sorts a list by insertion, and returns the number of exchanges.
fn sort(ends: &mut [End]) -> u64 {
    let mut exchanges = 0;
    for i in 1..ends.len() {
        let mut place = i;
        while place > 0 && ends[place - 1] > ends[place] {
            ends.swap(place - 1, place);
            place -= 1;
        }
        exchanges += (i - place) as u64;
    }
    exchanges
}

/// Returns, for each box of the first block, the boxes of the second that it overlaps along the axis of a
/// sorted list.
fn overlaps_along(ends: &[End]) -> [u8; LANES] {
    let mut with = [0; LANES];
    // The boxes of either block that have begun and not ended, as lanes.
    let mut open = [0u8; 2];
    for end in ends {
        let name = end.name();
        let (side, lane) = (name.side(), name.lane());
        if name.is_upper() {
            open[side] &= !(1 << lane);
            continue;
        }
        open[side] |= 1 << lane;
        if side == 0 {
            with[lane] |= open[1];
        } else {
            let mut first = open[0];
            while first != 0 {
                with[first.trailing_zeros() as usize] |= 1 << lane;
                first &= first - 1;
            }
        }
    }
    with
}
