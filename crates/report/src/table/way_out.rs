//! The way out of a clash in words.

use super::display::measured;
use super::fit::elided;
use super::names::brief;
use crate::document::{PairRow, WayOutRow};
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;

/// Returns the way out of a pair: `b by 54.0 to 54.3 mm along -z, clear of all`; nothing if none is known.
pub(super) fn in_words(pair: &PairRow, unit: Option<Unit>) -> String {
    let Some(way) = &pair.more.way_out else { return String::new() };
    let part = way.part.word();
    let length = measured([way.at_least, way.at_most], unit);
    format!("{part} by {length} along {}, {}", direction(way.by), then(way))
}

/// Returns what the part meets afterwards.
fn then(way: &WayOutRow) -> String {
    /// The width to which a name is shortened.
    const WIDEST: usize = 30;
    let Some((first, rest)) = way.meets.split_first() else { return "clear of all".to_owned() };
    let name = elided(&printable(brief(&first.name)), WIDEST);
    match rest.len() {
        0 => format!("then meets {name}"),
        more => format!("then meets {name} and {more} more"),
    }
}

/// Returns the direction of a translation: the name of an axis, or its coordinates at length 1.
fn direction(by: [f64; 3]) -> String {
    let along = |axis: usize| (0..3).all(|other| other == axis || by[other] == 0.0);
    match (0..3).find(|&axis| along(axis)) {
        Some(axis) => format!("{}{}", if by[axis] < 0.0 { '-' } else { '+' }, ["x", "y", "z"][axis]),
        None => {
            let length = by.iter().map(|x| x * x).sum::<f64>().sqrt();
            let [x, y, z] = by.map(|x| format!("{:.2}", x / length + 0.0).replace("-0.00", "0.00"));
            format!("({x} {y} {z})")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::direction;

    #[test]
    fn directions_along_axes_have_their_names() {
        assert_eq!(direction([0.0, 0.0, -2.0]), "-z");
        assert_eq!(direction([3.0, -0.0, 0.0]), "+x");
        assert_eq!(direction([3.0, -4.0, 0.0]), "(0.60 -0.80 0.00)");
        assert_eq!(direction([1.0, -1e-9, 0.0]), "(1.00 0.00 0.00)");
    }
}
