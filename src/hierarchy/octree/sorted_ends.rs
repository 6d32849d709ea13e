//! The boxes of two blocks that overlap, by sorted lists of their ends (Ponamgi, Manocha and Lin 1995, sections 3.1 and
//! 4.7).

use crate::hierarchy::volumes::Kdops;
use crate::lanes::LANES;

/// The overlaps of the boxes of two blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlaps {
    /// For each box of the first block, the boxes of the second that it overlaps, as lanes.
    pub with: [u8; LANES],
    /// Number of exchanges of neighbours that sorted the lists.
    pub exchanges: u64,
}

/// Number of ends along an axis.
const ENDS: usize = 4 * LANES;

/// An end of a box along an axis, packed so that integers sort it: the position in the upper half, and in the lower half
/// whether it is an upper end, the block and the lane. At equal positions lower ends come first, so boxes that touch
/// overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct End(u64);

const UPPER: u64 = 2 * LANES as u64;
const SECOND: u64 = LANES as u64;

impl End {
    fn new(position: f32, kind: u64, lane: usize) -> Self {
        let bits = (position + 0.0).to_bits(); // -0 becomes 0
        let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
        Self(u64::from(ordered) << 32 | kind | lane as u64)
    }

    fn is_upper(self) -> bool {
        self.0 & UPPER != 0
    }

    fn is_of_second(self) -> bool {
        self.0 & SECOND != 0
    }

    fn lane(self) -> usize {
        self.0 as usize % LANES
    }
}

/// Returns the overlaps of the boxes in the lanes `used` of two blocks.
pub fn overlaps(boxes: [&Kdops<3>; 2], used: [u32; 2]) -> Overlaps {
    let mut found = Overlaps { with: [u8::MAX; LANES], exchanges: 0 };
    for axis in 0..3 {
        let mut ends = [End::default(); ENDS];
        let mut count = 0;
        for (side, of) in [0, SECOND].into_iter().enumerate() {
            for lane in (0..LANES).filter(|lane| used[side] >> lane & 1 == 1) {
                ends[count] = End::new(boxes[side].lo[axis][lane], of, lane);
                ends[count + 1] = End::new(boxes[side].hi[axis][lane], of | UPPER, lane);
                count += 2;
            }
        }
        found.exchanges += sort(&mut ends[..count]);
        for (with, along) in found.with.iter_mut().zip(overlaps_along(&ends[..count])) {
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

/// Returns, for each box of the first block, the boxes of the second that it overlaps along the axis of a sorted list.
fn overlaps_along(ends: &[End]) -> [u8; LANES] {
    let mut with = [0; LANES];
    // The boxes of either block that have begun and not ended, as lanes.
    let mut open = [0u8; 2];
    for end in ends {
        let (side, lane) = (usize::from(end.is_of_second()), end.lane());
        if end.is_upper() {
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
