//! Matching of things by distance: each with at most one of the others, the nearest two first.

use std::ops::Range;

use super::sizes::square;

/// Matches places of two lists one to one: the two that are nearest to each other, of equals those that come
/// first in the lists, then the nearest two of the rest. Returns their indices in the lists.
///
/// Two that are each other's nearest are matched whatever the rest does. Therefore the search goes from one
/// place to its nearest, on to the nearest of that, and so on until two agree.
pub(super) fn nearest(olds: &[[f64; 3]], news: &[[f64; 3]]) -> Vec<(usize, usize)> {
    let mut free = [Free::new(olds), Free::new(news)];
    let (mut found, mut path) = (Vec::new(), Vec::new());
    while let Some(old) = path.pop().or_else(|| free[0].first()) {
        let Some(new) = free[1].nearest(olds[old]) else { break };
        match free[0].nearest(news[new]) {
            Some(rival) if rival != old => path.extend([old, rival]),
            _ => {
                free[0].remove(old);
                free[1].remove(new);
                found.push((old, new));
            }
        }
    }
    found
}

/// The places of a list that are free, in a k-d tree (Bentley 1975).
struct Free<'a> {
    places: &'a [[f64; 3]],
    /// The indices of the places, in the order of the leaves.
    order: Vec<usize>,
    /// Each node comes before those below it. The first of these follows it.
    nodes: Vec<Node>,
    /// The leaf of each place.
    leaves: Vec<usize>,
}

struct Node {
    /// The least and the largest coordinates of its places.
    bounds: [[f64; 3]; 2],
    /// Its places in the order of the leaves.
    range: Range<usize>,
    /// The lowest index of those that are free.
    first: Option<usize>,
    /// The second of the nodes below it; `None` for a leaf.
    second: Option<usize>,
    /// The node above it; its own index at the root.
    above: usize,
}

/// The squared distance of a place, and its index.
type Offer = (f64, usize);

/// The largest number of places in a leaf.
const LEAF: usize = 8;

impl<'a> Free<'a> {
    fn new(places: &'a [[f64; 3]]) -> Self {
        let order = (0..places.len()).collect();
        let mut tree = Self { places, order, nodes: Vec::new(), leaves: vec![0; places.len()] };
        if !places.is_empty() {
            tree.add(0..places.len(), 0);
        }
        tree
    }

    /// Adds the node of some places and the nodes below it. Returns its index.
    fn add(&mut self, range: Range<usize>, above: usize) -> usize {
        let (index, places) = (self.nodes.len(), self.places);
        let own = &mut self.order[range.clone()];
        let bound = |join: fn(f64, f64) -> f64| {
            let all = own.iter().map(|&place| places[place]);
            all.reduce(|p, q| [0, 1, 2].map(|axis| join(p[axis], q[axis]))).unwrap_or_default()
        };
        let [least, most] = [bound(f64::min), bound(f64::max)];
        let first = own.iter().min().copied();
        let half = own.len() / 2;
        let is_leaf = own.len() <= LEAF;
        if is_leaf {
            own.iter().for_each(|&place| self.leaves[place] = index);
        } else {
            let size = |axis: &usize| most[*axis] - least[*axis];
            let longest = (0..3).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0);
            let along = |place: &usize| places[*place][longest];
            own.select_nth_unstable_by(half, |p, q| along(p).total_cmp(&along(q)).then(p.cmp(q)));
        }
        let middle = range.start + half;
        self.nodes.push(Node { bounds: [least, most], range: range.clone(), first, second: None, above });
        if !is_leaf {
            self.add(range.start..middle, index);
            self.nodes[index].second = Some(self.add(middle..range.end, index));
        }
        index
    }

    /// Returns the lowest index of a free place.
    fn first(&self) -> Option<usize> {
        self.nodes.first()?.first
    }

    /// Returns the free place that is nearest to a point, of equals the first.
    fn nearest(&self, point: [f64; 3]) -> Option<usize> {
        let comes_before = |(distance, place): Offer, best: Option<Offer>| {
            best.is_none_or(|(d, p)| distance.total_cmp(&d).then(place.cmp(&p)).is_lt())
        };
        let mut best: Option<Offer> = None;
        let mut open: Vec<(Offer, usize)> = Vec::new();
        open.extend(self.least(0, point));
        while let Some((least, index)) = open.pop() {
            // No place of the node is nearer than the box, and none comes before the first.
            if !comes_before(least, best) {
                continue;
            }
            let node = &self.nodes[index];
            if let Some(second) = node.second {
                let mut halves = [self.least(index + 1, point), self.least(second, point)];
                let distance = |half: &Option<(Offer, usize)>| half.map_or(f64::INFINITY, |((d, _), _)| d);
                halves.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
                open.extend(halves.into_iter().flatten());
                continue;
            }
            for &place in self.order[node.range.clone()].iter().filter(|&&place| self.leaves[place] == index)
            {
                let found = (square(self.places[place], point), place);
                if comes_before(found, best) {
                    best = Some(found);
                }
            }
        }
        best.map(|(_, place)| place)
    }

    /// Returns a node, after a lower bound of the squared distance of its free places from a point and the
    /// lowest of their indices; `None` if none is free. Rounding keeps the order of distances.
    fn least(&self, index: usize, point: [f64; 3]) -> Option<(Offer, usize)> {
        let Node { bounds: [least, most], first, .. } = self.nodes.get(index)?;
        let inside = [0, 1, 2].map(|axis| point[axis].clamp(least[axis], most[axis]));
        first.map(|first| ((square(inside, point), first), index))
    }

    /// Removes a free place.
    fn remove(&mut self, place: usize) {
        const TAKEN: usize = usize::MAX;
        let mut index = std::mem::replace(&mut self.leaves[place], TAKEN);
        loop {
            let node = &self.nodes[index];
            let first = match node.second {
                None => {
                    let own = self.order[node.range.clone()].iter().copied();
                    own.filter(|&place| self.leaves[place] == index).min()
                }
                Some(second) => {
                    [index + 1, second].into_iter().filter_map(|half| self.nodes[half].first).min()
                }
            };
            let above = node.above;
            self.nodes[index].first = first;
            if above == index {
                break;
            }
            index = above;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the matches by looking at all pairs for each.
    fn one_by_one(olds: &[[f64; 3]], news: &[[f64; 3]]) -> Vec<(usize, usize)> {
        let mut left: Vec<(usize, usize)> =
            (0..olds.len()).flat_map(|p| (0..news.len()).map(move |q| (p, q))).collect();
        let mut found = Vec::new();
        let nearer = |&(p, q): &(usize, usize), &(r, s): &(usize, usize)| {
            square(olds[p], news[q]).total_cmp(&square(olds[r], news[s])).then((p, q).cmp(&(r, s)))
        };
        while let Some((p, q)) = left.iter().copied().min_by(nearer) {
            found.push((p, q));
            left.retain(|&(r, s)| r != p && s != q);
        }
        found.sort_unstable();
        found
    }

    fn places() -> impl Strategy<Value = Vec<[f64; 3]>> {
        prop::collection::vec(prop::array::uniform3((0..4_i8).prop_map(f64::from)), 0..60)
    }

    proptest! {
        #[test]
        fn the_nearest_are_matched_first(olds in places(), news in places()) {
            let mut found = nearest(&olds, &news);
            found.sort_unstable();
            prop_assert_eq!(found, one_by_one(&olds, &news));
        }
    }
}
