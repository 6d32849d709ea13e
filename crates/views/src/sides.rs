//! The two colours of the parts of several findings.

use std::collections::BTreeMap;

use crate::shown::Shown;

/// Returns the ids of the parts of some pairs by their colour: orange, then blue.
///
/// Colours of the first pair are as in its picture. Whatever meets a part with a colour gets the other, so
/// that a wall has one colour and all its outlets have the other.
pub fn sides<'p, P: Shown + 'p>(pairs: impl IntoIterator<Item = &'p P>) -> [Vec<u32>; 2] {
    let mut side: BTreeMap<u32, usize> = BTreeMap::new();
    for pair in pairs {
        let [a, b] = pair.sides().ids;
        let of_a = match (side.get(&a), side.get(&b)) {
            (Some(&of_a), _) => of_a,
            (None, Some(&of_b)) => 1 - of_b,
            (None, None) => 0,
        };
        side.entry(a).or_insert(of_a);
        side.entry(b).or_insert(1 - of_a);
    }
    [0, 1].map(|which| side.iter().filter(|&(_, &side)| side == which).map(|(&id, _)| id).collect())
}
