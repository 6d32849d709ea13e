//! What is known to miss the contract: each test fails on purpose, and starts to complain once it holds.

mod support;

use closefit::engine::{Unobserved, check};
use closefit::query::{CheckRequest, Depth};
use support::meshes::{Piece, cuboid, scene};

/// An overlap of an ulp: the verdict is right, but the bracket ends where rounding of the coordinates
/// hides the rest, wider than the contract's 1%.
#[test]
#[should_panic(expected = "wider than 1%")]
fn brackets_of_depths_near_rounding_are_wide() {
    let pieces = [
        Piece::new("a", cuboid([0.0; 3], [1.0; 3])),
        Piece::new("b", cuboid([1f64.next_down(), 0.0, 0.0], [2.0, 1.0, 1.0])),
    ];
    let request = CheckRequest { clearance: 0.0, tolerance: 0.0, list_contacts: false };
    let result = check(&scene(&pieces), &request, &Unobserved).expect("admissible");
    let Depth::Bracket { at_least, at_most } = result.pairs[0].depth else { unreachable!("two solids") };
    assert!(0.0 < at_least && at_least <= at_most);
    assert!(at_most <= 1.01 * at_least, "wider than 1%: {at_least}..{at_most}");
}
