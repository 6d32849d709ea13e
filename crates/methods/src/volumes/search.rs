//! Searches for the pairs of triangles in contact, depth first.

use std::ops::ControlFlow;

use super::lane_work::LaneWork;
use super::posed::{Opened, PosedPair, PosedVolumes, Slots, Step, WHOLE};
use super::volume::{Volume, VolumeKernels};
use crate::leaf_pairs::lanes;
use closefit::Work;
use closefit_geometry::executor::execute;

/// Returns all pairs of triangles in contact, sorted; if there are more than `most`, some of them, more than
/// `most`.
pub fn contacts<V: Volume>(
    a: &PosedVolumes<V>,
    b: &PosedVolumes<V>,
    most: usize,
    work: &mut Work,
) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    let all: ControlFlow<()> = visit_contacts(a, b, work, &mut |_, _| (), &mut |triangles| {
        found.push(triangles);
        if found.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(all.is_continue() || found.len() > most);
    found.sort_unstable();
    found
}

/// Returns the number of pairs of triangles in contact, and counts the volumes in use.
pub fn count_contacts<V: Volume>(
    a: &PosedVolumes<V>,
    b: &PosedVolumes<V>,
    work: &mut Work,
    lanes: &mut LaneWork,
) -> u64 {
    let mut found = 0;
    let mut open = |pair: &PosedPair<V>, opened| lanes.open(pair, opened);
    let _: ControlFlow<()> = visit_contacts(a, b, work, &mut open, &mut |_| {
        found += 1;
        ControlFlow::Continue(())
    });
    found
}

/// Returns some pair of triangles in contact.
pub fn touching<V: Volume>(a: &PosedVolumes<V>, b: &PosedVolumes<V>, work: &mut Work) -> Option<[u32; 2]> {
    visit_contacts(a, b, work, &mut |_, _| (), &mut ControlFlow::Break).break_value()
}

/// Calls `open` with each volume that is opened, and `visit` with each pair of triangles in contact until it
/// breaks off.
fn visit_contacts<V: Volume, B>(
    a: &PosedVolumes<V>,
    b: &PosedVolumes<V>,
    work: &mut Work,
    open: &mut impl FnMut(&PosedPair<V>, Opened),
    visit: &mut dyn FnMut([u32; 2]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let pair = PosedPair::new(a, b);
    work.begin(pair.map.as_ref());
    execute!(a.executor, kernels => visit_with(kernels, &pair, work, open, visit))
}

#[inline(always)]
fn visit_with<V: Volume, B>(
    kernels: impl VolumeKernels,
    pair: &PosedPair<V>,
    work: &mut Work,
    open: &mut impl FnMut(&PosedPair<V>, Opened),
    visit: &mut dyn FnMut([u32; 2]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let (triangles, mut visited) = (pair.triangle_pairs(), pair.visited());
    let mut stack: Vec<Slots> = vec![WHOLE];
    while let Some(slots) = stack.pop() {
        match pair.step(slots) {
            Step::Triangles(leaves) => {
                for (_, places) in
                    lanes(triangles.contacts((visited.first_of_all(pair, leaves), leaves), work), leaves)
                {
                    visit(pair.triangles(places))?;
                }
            }
            Step::Open(opened) => {
                open(pair, opened);
                // Gaps allow for all rounding, so any gap at all is proof.
                let (mut near, _) = pair.near(kernels, opened, slots, 0.0, work);
                while near != 0 {
                    stack.push(opened.to(near.trailing_zeros(), slots));
                    near &= near - 1;
                }
            }
        }
    }
    ControlFlow::Continue(())
}
