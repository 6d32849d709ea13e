//! Searches for the pairs of triangles in contact: the paper's simultaneous traversal of two trees.

use std::ops::ControlFlow;

use super::cuts::{Content, CutTree, Extents};
use super::frames::{AlignedBoxes, AlignedFrame, aligned_meet};
use super::leaves::Leaves;
use super::lines::{LineFrame, LineKernels, Lines};
use super::posed::{Pass, Posed, PosedPair};
use crate::exact::contact::segment_meets;
use crate::executor::execute;
use crate::narrow::Work;

/// Number of contacts found, with repetitions, after which repetitions are first removed.
const MANY: usize = 1024;

/// Returns all pairs of triangles in contact, sorted; if there are more than `most`, some of them, more than `most`.
pub fn contacts(a: &Posed, b: &Posed, most: usize, work: &mut Work) -> Vec<[u32; 2]> {
    let mut found: Vec<[u32; 2]> = Vec::new();
    let mut room = MANY.min(most.saturating_add(1));
    let all = visit_contacts(a, b, work, &mut |triangles| {
        found.push(triangles);
        if found.len() >= room {
            found.sort_unstable();
            found.dedup();
            if found.len() > most {
                return ControlFlow::Break(());
            }
            room = MANY.max(2 * found.len());
        }
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    found.dedup();
    debug_assert!(all.is_continue() || found.len() > most);
    found
}

/// Returns some pair of triangles in contact.
pub fn touching(a: &Posed, b: &Posed, work: &mut Work) -> Option<[u32; 2]> {
    let mut found = None;
    let _ = visit_contacts(a, b, work, &mut |triangles| {
        found = Some(triangles);
        ControlFlow::Break(())
    });
    found
}

/// Calls `visit` with each pair of triangles in contact, some of them repeatedly, until it breaks off.
fn visit_contacts(
    a: &Posed,
    b: &Posed,
    work: &mut Work,
    visit: &mut dyn FnMut([u32; 2]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let pair = PosedPair::new(a, b);
    let mut leaves = Leaves::default();
    for pass in Pass::ALL {
        let edges = &pair.sides[pass.side_of_edges()].of.edges;
        visit_leaves(&pair, pass, work, &mut |nodes, work| {
            leaves.visit(&pair, pass, nodes, 0.0, work, |edge, triangle, work| {
                work.triangle_tests += 1;
                work.exact_tests += 1;
                if segment_meets(edge.ends, &triangle.corners) {
                    for &of_edge in edges.triangles(edge.edge) {
                        visit(pass.in_order(of_edge, triangle.triangle))?;
                    }
                }
                ControlFlow::Continue(0.0)
            })
        })?;
    }
    ControlFlow::Continue(())
}

type Visit<'v> = &'v mut dyn FnMut([u32; 2], &mut Work) -> ControlFlow<()>;

/// Calls `visit` with each pair of leaves whose boxes are not proven apart, until it breaks off.
fn visit_leaves(pair: &PosedPair, pass: Pass, work: &mut Work, visit: Visit<'_>) -> ControlFlow<()> {
    let trees = pair.trees(pass);
    let frames = pair.frames.as_ref();
    if let Some(frame) = frames.and_then(|frames| frames.aligned(0.0)) {
        traverse(&ByIntervals(&frame), trees, work, visit)
    } else if let Some(frames) = frames.and_then(|frames| frames.lines(0.0)) {
        execute!(pair.sides[0].executor, kernels => {
            traverse(&ByLines { kernels, frames: &frames }, trees, work, visit)
        })
    } else {
        traverse(&Untold, trees, work, visit)
    }
}

/// A test of whether two boxes meet that goes on from that of the boxes around them.
trait Test {
    /// Two boxes, and what is known of them.
    type State: Copy;

    /// Prepares two boxes.
    fn state(&self, boxes: [Extents; 2]) -> Self::State;

    /// Returns both parts of a pair whose box of one side is cut across an axis.
    fn cut(&self, state: &Self::State, cut: (usize, usize, f32)) -> [Self::State; 2];

    /// True unless the boxes are proven apart.
    fn meet(&self, state: &Self::State) -> bool;
}

/// For boxes with parallel edges: six comparisons.
struct ByIntervals<'f>(&'f AlignedFrame);

impl Test for ByIntervals<'_> {
    type State = AlignedBoxes;

    fn state(&self, boxes: [Extents; 2]) -> AlignedBoxes {
        self.0.boxes(boxes)
    }

    fn cut(&self, state: &AlignedBoxes, cut: (usize, usize, f32)) -> [AlignedBoxes; 2] {
        self.0.cut(state, cut)
    }

    fn meet(&self, state: &AlignedBoxes) -> bool {
        aligned_meet(state)
    }
}

/// For any boxes: the clipping of their edges.
struct ByLines<'f, K> {
    kernels: K,
    frames: &'f [LineFrame; 2],
}

impl<K: LineKernels<f32>> Test for ByLines<'_, K> {
    type State = Lines;

    #[inline(always)]
    fn state(&self, boxes: [Extents; 2]) -> Lines {
        Lines::new(self.kernels, boxes, self.frames)
    }

    #[inline(always)]
    fn cut(&self, state: &Lines, cut: (usize, usize, f32)) -> [Lines; 2] {
        state.cut(self.kernels, self.frames, cut)
    }

    #[inline(always)]
    fn meet(&self, state: &Lines) -> bool {
        state.meet(self.kernels)
    }
}

/// For frames between which f32 cannot tell: all boxes meet.
struct Untold;

impl Test for Untold {
    type State = ();

    fn state(&self, _boxes: [Extents; 2]) {}

    fn cut(&self, (): &(), _cut: (usize, usize, f32)) -> [(); 2] {
        [(); 2]
    }

    fn meet(&self, (): &()) -> bool {
        true
    }
}

/// The state of two boxes, and their nodes.
type Boxes<T> = (<T as Test>::State, [u32; 2]);

/// Descends in both trees at once, depth first.
#[inline(always)]
fn traverse<T: Test>(test: &T, trees: [&CutTree; 2], work: &mut Work, visit: Visit<'_>) -> ControlFlow<()> {
    let whole = trees.map(CutTree::whole);
    let state = test.state(whole.map(|(_, extents)| extents));
    work.box_tests += 1;
    let mut stack: Vec<Boxes<T>> = Vec::new();
    if test.meet(&state) {
        stack.push((state, whole.map(|(node, _)| node)));
    }
    while let Some((state, nodes)) = stack.pop() {
        let [a, b] = [0, 1].map(|side| trees[side].is_leaf(nodes[side]));
        if a && b {
            visit(nodes, work)?;
            continue;
        }
        let (of_a, states) =
            if a { (1, [(state, nodes); 2]) } else { step(test, trees, 0, (&state, nodes), work) };
        for (state, nodes) in states.into_iter().take(of_a) {
            if b {
                stack.push((state, nodes));
            } else {
                let (of_b, states) = step(test, trees, 1, (&state, nodes), work);
                stack.extend(states.into_iter().take(of_b));
            }
        }
    }
    ControlFlow::Continue(())
}

/// Opens the box of one side. Returns the number of the pairs that meet, and those.
#[inline(always)]
fn step<T: Test>(
    test: &T,
    trees: [&CutTree; 2],
    side: usize,
    (state, nodes): (&T::State, [u32; 2]),
    work: &mut Work,
) -> (usize, [Boxes<T>; 2]) {
    let (axis, at, children) = match trees[side].content(nodes[side]) {
        Content::Cut { axis, at, first } => (axis, at, [Some(first), Some(first + 1)]),
        Content::Chipped { axis, left: 0, at, child } => (axis, at, [Some(child), None]),
        Content::Chipped { axis, at, child, .. } => (axis, at, [None, Some(child)]),
        Content::Leaf { .. } => unreachable!("not a leaf"),
    };
    let mut meeting = [(*state, nodes); 2];
    let mut count = 0;
    for (state, child) in test.cut(state, (side, axis.into(), at)).into_iter().zip(children) {
        let Some(child) = child else { continue };
        work.box_tests += 1;
        if test.meet(&state) {
            let mut nodes = nodes;
            nodes[side] = child;
            meeting[count] = (state, nodes);
            count += 1;
        }
    }
    (count, meeting)
}
