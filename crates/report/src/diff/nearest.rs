//! Matching of things by distance: each with at most one of the others, the nearest two first.

use std::cmp::Ordering;

use super::sizes::square;

/// Matches places of two lists one to one: the two that are nearest to each other, of equals those that come
/// first in the lists, then the nearest two of the rest. Returns their indices in the lists.
///
/// Two that are each other's nearest are matched whatever the rest does. Therefore the search goes from one
/// place to its nearest, on to the nearest of that, and so on until two agree; it takes time in proportion to
/// the square of the number of places, and memory in proportion to it.
pub(super) fn nearest(olds: &[[f64; 3]], news: &[[f64; 3]]) -> Vec<(usize, usize)> {
    let mut free = [vec![true; olds.len()], vec![true; news.len()]];
    let (mut found, mut path, mut next) = (Vec::new(), Vec::new(), 0);
    while found.len() < olds.len().min(news.len()) {
        let old = path.pop().unwrap_or_else(|| {
            while !free[0][next] {
                next += 1;
            }
            next
        });
        let by_distance = |&(p, q): &(usize, usize), &(r, s): &(usize, usize)| -> Ordering {
            let (first, second) = (square(olds[p], news[q]), square(olds[r], news[s]));
            first.total_cmp(&second).then((p, q).cmp(&(r, s)))
        };
        let candidates = (0..news.len()).filter(|&new| free[1][new]).map(|new| (old, new));
        let Some((_, new)) = candidates.min_by(by_distance) else { break };
        let rivals = (0..olds.len()).filter(|&old| free[0][old]).map(|old| (old, new));
        match rivals.min_by(by_distance) {
            Some((rival, _)) if rival != old => path.extend([old, rival]),
            _ => {
                (free[0][old], free[1][new]) = (false, false);
                found.push((old, new));
            }
        }
    }
    found
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
        prop::collection::vec(prop::array::uniform3((0..4_i8).prop_map(f64::from)), 0..12)
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
