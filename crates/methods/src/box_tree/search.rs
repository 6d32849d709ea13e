//! Searches for the pairs of triangles in contact: the paper's simultaneous traversal of two trees, which can
//! be interrupted after any number of steps.

use std::ops::ControlFlow;
use std::sync::Mutex;

use super::cuts::{Content, CutTree, Extents};
use super::frames::{AlignedBoxes, AlignedFrame, aligned_meet};
use super::leaves::{LeafWork, Leaves, PosedEdge, PosedTriangle};
use super::lines::{LineFrame, LineKernels, Lines, Number};
use super::posed::{Pass, PosedBoxTree, PosedPair};
use closefit::Work;
use closefit_geometry::exact::contact::segment_meets;
use closefit_geometry::executor::{Executor, Scalar, execute};
use closefit_geometry::parallel;

const NO_PANIC: &str = "no thread panics with the lock";

/// Number of steps after which the pairs of boxes that are left are shared out to the threads.
pub(super) const LONG: u64 = 1 << 14;

/// Returns all pairs of triangles in contact, sorted; if there are more than `most`, some of them, more than
/// `most`.
pub fn contacts(a: &PosedBoxTree, b: &PosedBoxTree, most: usize, work: &mut Work) -> Vec<[u32; 2]> {
    let mut run = ContactRun::new(a, b, work);
    let mut found = Contacts::up_to(most);
    if run.run(LONG, work, &mut |triangles| found.add(triangles)).is_continue() && !run.is_done() {
        let shared = Mutex::new(found);
        let done = parallel::map_owned(run.parts(), 1, |_, part| part.finish(&shared));
        done.into_iter().for_each(|done| *work += done);
        found = shared.into_inner().expect(NO_PANIC);
    }
    found.sorted()
}

/// Returns some pair of triangles in contact.
pub fn touching(a: &PosedBoxTree, b: &PosedBoxTree, work: &mut Work) -> Option<[u32; 2]> {
    let mut found = None;
    let _ = ContactRun::new(a, b, work).run(u64::MAX, work, &mut |triangles| {
        found = Some(triangles);
        ControlFlow::Break(())
    });
    found
}

/// Tells if two parts are in contact as a search for one contact does, but by reading copies alone, in
/// numbers of the type `N`: boxes by the clipping of their edges, and an edge and a triangle by `meets`.
/// `None` where f32 cannot tell boxes apart.
pub fn touching_by<N: Number, W: LeafWork>(
    a: &PosedBoxTree,
    b: &PosedBoxTree,
    work: &mut W,
    meets: impl Fn(&PosedEdge, &PosedTriangle) -> bool,
) -> Option<bool> {
    let pair = PosedPair::new(a, b);
    let frames = pair.frames.as_ref()?.lines(0.0)?.map(|frame| frame.to_numbers::<N>());
    let test = ByLines { kernels: Scalar, frames: &frames };
    let mut leaves = Leaves::default();
    let found = Pass::ALL.into_iter().any(|pass| {
        let trees = pair.trees(pass);
        let whole = trees.map(CutTree::whole);
        let mut stack = root(&test, whole.map(|(_, extents)| extents), whole.map(|(node, _)| node));
        let (mut steps, mut boxes) = (u64::MAX, Work::default());
        let all = traverse(&test, trees, &mut stack, &mut steps, &mut boxes, &mut |nodes, _| {
            leaves.visit(&pair, pass, nodes, 0.0, work, |edge, triangle, _| {
                if meets(edge, triangle) { ControlFlow::Break(()) } else { ControlFlow::Continue(0.0) }
            })
        });
        all.is_break()
    });
    Some(found)
}

/// Pairs of triangles in contact, each once, up to a number of them.
#[derive(Clone, Debug)]
pub struct Contacts {
    found: Vec<[u32; 2]>,
    most: usize,
    /// Number of pairs, with repetitions, after which repetitions are removed.
    room: usize,
}

impl Contacts {
    /// No contacts yet. More than `most` are not needed.
    pub fn up_to(most: usize) -> Self {
        Self { found: Vec::new(), most, room: MANY.min(most.saturating_add(1)) }
    }

    /// Adds contacts and removes them from a list.
    fn take(&mut self, from: &mut Vec<[u32; 2]>) -> ControlFlow<()> {
        from.drain(..).try_for_each(|triangles| self.add(triangles))
    }

    /// Adds a contact, which may repeat another. Breaks off if there are more than are needed.
    pub fn add(&mut self, triangles: [u32; 2]) -> ControlFlow<()> {
        self.found.push(triangles);
        if self.found.len() >= self.room {
            self.remove_repetitions();
            if self.found.len() > self.most {
                return ControlFlow::Break(());
            }
            self.room = MANY.max(2 * self.found.len());
        }
        ControlFlow::Continue(())
    }

    /// Returns the contacts, sorted.
    pub fn sorted(mut self) -> Vec<[u32; 2]> {
        self.remove_repetitions();
        self.found
    }

    fn remove_repetitions(&mut self) {
        self.found.sort_unstable();
        self.found.dedup();
    }
}

/// Number of contacts, with repetitions, after which repetitions are first removed.
const MANY: usize = 1024;

/// A search for contacts that can be interrupted. What it has found is right at any time; what it has not yet
/// searched is a list of pairs of boxes.
#[derive(Clone, Debug)]
pub struct ContactRun<'a> {
    pair: PosedPair<'a>,
    /// The boxes left, of each of [`Pass::ALL`].
    left: [Left; 2],
    leaves: Leaves,
}

/// Two boxes by their nodes, with what the test of their kind knows of them.
type Boxes<State> = (State, [u32; 2]);

/// Pairs of boxes that meet and are not yet opened, the next one last, by the kind of test.
#[derive(Clone, Debug)]
enum Left {
    Intervals(AlignedFrame, Vec<Boxes<AlignedBoxes>>),
    Lines(Executor, [LineFrame; 2], Vec<Boxes<Lines>>),
    Untold(Vec<Boxes<()>>),
}

/// Receives contacts, some of them repeatedly, until it breaks off: the paper's elementary operation.
type Visit<'v> = &'v mut dyn FnMut([u32; 2]) -> ControlFlow<()>;

impl<'a> ContactRun<'a> {
    /// Prepares a search.
    pub fn new(a: &PosedBoxTree<'a>, b: &PosedBoxTree<'a>, work: &mut Work) -> Self {
        let pair = PosedPair::new(a, b);
        work.begin(pair.frames.as_ref());
        let left = Pass::ALL.map(|pass| Left::whole(&pair, pass, work));
        Self { pair, left, leaves: Leaves::default() }
    }

    /// Opens boxes, at most `steps` pairs of them, and calls `visit` with the contacts. A search that `visit`
    /// breaks off is over.
    pub fn run(&mut self, steps: u64, work: &mut Work, visit: Visit<'_>) -> ControlFlow<()> {
        let (Self { pair, left, leaves }, mut steps) = (self, steps);
        for (pass, left) in Pass::ALL.into_iter().zip(left) {
            let edges = &pair.sides[pass.side_of_edges()].of.edges;
            left.run(pair.trees(pass), &mut steps, work, &mut |nodes, work| {
                leaves.visit(pair, pass, nodes, 0.0, work, |edge, triangle, work| {
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

    /// Returns the number of pairs of boxes that are left.
    pub fn boxes_left(&self) -> usize {
        self.left.iter().map(Left::len).sum()
    }

    /// True when nothing is left to search.
    pub fn is_done(&self) -> bool {
        self.boxes_left() == 0
    }

    /// Searches all that is left, while other threads search too, and returns the work.
    fn finish(mut self, shared: &Mutex<Contacts>) -> Work {
        let (mut work, mut found) = (Work::default(), Vec::with_capacity(MANY));
        let share = |found: &mut Vec<[u32; 2]>| shared.lock().expect(NO_PANIC).take(found);
        let all = self.run(u64::MAX, &mut work, &mut |triangles| {
            found.push(triangles);
            if found.len() < MANY { ControlFlow::Continue(()) } else { share(&mut found) }
        });
        let _ = all.is_continue().then(|| share(&mut found));
        work
    }

    /// Returns a search for each pair of boxes that is left.
    fn parts(&self) -> Vec<Self> {
        let [first, second] = &self.left;
        let of_first = first.each().map(|part| [part, second.none()]);
        let of_second = second.each().map(|part| [first.none(), part]);
        of_first
            .chain(of_second)
            .map(|left| Self { pair: self.pair, left, leaves: Leaves::default() })
            .collect()
    }
}

impl Left {
    /// Returns the roots of both trees of a pass, if their boxes are not proven apart.
    fn whole(pair: &PosedPair, pass: Pass, work: &mut Work) -> Self {
        let whole = pair.trees(pass).map(CutTree::whole);
        let (nodes, boxes) = (whole.map(|(node, _)| node), whole.map(|(_, extents)| extents));
        work.box_tests += 1;
        let frames = pair.frames.as_ref();
        if let Some(frame) = frames.and_then(|frames| frames.aligned(0.0)) {
            Self::Intervals(frame, root(&ByIntervals(&frame), boxes, nodes))
        } else if let Some(frames) = frames.and_then(|frames| frames.lines(0.0)) {
            let executor = pair.sides[0].executor;
            let roots = execute!(executor, kernels => {
                root(&ByLines { kernels, frames: &frames }, boxes, nodes)
            });
            Self::Lines(executor, frames, roots)
        } else {
            Self::Untold(root(&Untold, boxes, nodes))
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Intervals(_, stack) => stack.len(),
            Self::Lines(_, _, stack) => stack.len(),
            Self::Untold(stack) => stack.len(),
        }
    }

    /// Returns the same without boxes.
    fn none(&self) -> Self {
        match *self {
            Self::Intervals(frame, _) => Self::Intervals(frame, Vec::new()),
            Self::Lines(executor, frames, _) => Self::Lines(executor, frames, Vec::new()),
            Self::Untold(_) => Self::Untold(Vec::new()),
        }
    }

    /// Returns the pairs of boxes one by one.
    fn each(&self) -> impl Iterator<Item = Self> + '_ {
        (0..self.len()).map(move |at| match self {
            Self::Intervals(frame, stack) => Self::Intervals(*frame, vec![stack[at]]),
            Self::Lines(executor, frames, stack) => Self::Lines(*executor, *frames, vec![stack[at]]),
            Self::Untold(stack) => Self::Untold(vec![stack[at]]),
        })
    }

    /// Calls `visit` with the pairs of leaves that it comes upon within a number of steps, until that breaks
    /// off.
    fn run(
        &mut self,
        trees: [&CutTree; 2],
        steps: &mut u64,
        work: &mut Work,
        visit: VisitLeaves<'_>,
    ) -> ControlFlow<()> {
        match self {
            Self::Intervals(frame, stack) => traverse(&ByIntervals(frame), trees, stack, steps, work, visit),
            Self::Lines(executor, frames, stack) => execute!(*executor, kernels => {
                traverse(&ByLines { kernels, frames }, trees, stack, steps, work, visit)
            }),
            Self::Untold(stack) => traverse(&Untold, trees, stack, steps, work, visit),
        }
    }
}

/// Receives pairs of leaves whose boxes are not proven apart.
type VisitLeaves<'v> = &'v mut dyn FnMut([u32; 2], &mut Work) -> ControlFlow<()>;

/// A box test that reuses the parents' partial sums (Zachmann 2002, 4.2).
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

/// Tests boxes with parallel edges: six comparisons.
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

/// Tests any boxes: the clipping of their edges.
struct ByLines<'f, K, N = f32> {
    kernels: K,
    frames: &'f [LineFrame<N>; 2],
}

impl<N: Number, K: LineKernels<N>> Test for ByLines<'_, K, N> {
    type State = Lines<N>;

    #[inline(always)]
    fn state(&self, boxes: [Extents; 2]) -> Lines<N> {
        Lines::new(self.kernels, boxes, self.frames)
    }

    #[inline(always)]
    fn cut(&self, state: &Lines<N>, cut: (usize, usize, f32)) -> [Lines<N>; 2] {
        state.cut(self.kernels, self.frames, cut)
    }

    #[inline(always)]
    fn meet(&self, state: &Lines<N>) -> bool {
        state.meet(self.kernels)
    }
}

/// Tests nothing, for frames between which f32 cannot tell: all boxes meet.
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

/// Returns the pair of roots if their boxes are not proven apart.
#[inline(always)]
fn root<T: Test>(test: &T, boxes: [Extents; 2], nodes: [u32; 2]) -> Vec<Boxes<T::State>> {
    let state = test.state(boxes);
    if test.meet(&state) { vec![(state, nodes)] } else { Vec::new() }
}

/// Descends in both trees at once, depth first, until the stack is empty or the steps are used up.
#[inline(always)]
fn traverse<T: Test>(
    test: &T,
    trees: [&CutTree; 2],
    stack: &mut Vec<Boxes<T::State>>,
    steps: &mut u64,
    work: &mut Work,
    visit: VisitLeaves<'_>,
) -> ControlFlow<()> {
    while *steps > 0 {
        let Some((state, nodes)) = stack.pop() else { break };
        *steps -= 1;
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
) -> (usize, [Boxes<T::State>; 2]) {
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
