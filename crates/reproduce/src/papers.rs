//! The numbers that the papers print, as data.

use serde::Serialize;

/// A place in a paper, and the machine on which its numbers were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Authors, title and year.
    pub paper: &'static str,
    /// The table, figure or section.
    pub place: &'static str,
    /// The machine.
    pub machine: &'static str,
}

/// A printed number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// The place in the paper.
    pub source: &'static Source,
    /// The row of the table, or the object that a sentence is about.
    pub row: &'static str,
    /// The column, or what the sentence counts.
    pub column: &'static str,
    /// The number, in the unit of the column.
    pub value: f64,
}

const ZACHMANN: &str =
    "G. Zachmann, Real-Time and Exact Collision Detection for Interactive Virtual Prototyping, 1997";
const LIN: &str =
    "M. Lin, D. Manocha, J. Cohen, S. Gottschalk, Collision Detection: Algorithms and Applications, 1997";

const PONAMGI: &str = "M. Ponamgi, D. Manocha, M. Lin, Incremental Algorithms for Collision Detection between Solid Models, 1995";

/// Chains of tori.
pub const PONAMGI_TABLE_1: Source =
    Source { paper: PONAMGI, place: "section 5 and Table 1", machine: "HP 735, 64 MB" };

/// Returns a time of the table of tori.
const fn tori(row: &'static str, value: f64) -> Printed {
    Printed { source: &PONAMGI_TABLE_1, row, column: "seconds", value }
}

/// The table of tori.
pub const TORI: [Printed; 5] = [
    tori("2 tori, none", 0.045),
    tori("2 tori, octree of 1 level, 2-2-2", 0.014),
    tori("2 tori, OTV of 1 level, 2-2-2", 0.012),
    tori("8 tori, octree of 2 levels, 3-2-2/2-2-2", 0.046),
    tori("8 tori, OTV of 2 levels, 3-2-2/2-2-2", 0.038),
];

/// Threaded insertion.
pub const PONAMGI_TABLE_2: Source =
    Source { paper: PONAMGI, place: "section 5.1 and Table 2", machine: "HP 735, 64 MB" };

/// Returns a number of the table of threaded insertion, by the number of threads.
const fn thread(row: &'static str, column: &'static str, value: f64) -> Printed {
    Printed { source: &PONAMGI_TABLE_2, row, column, value }
}

/// The table of threaded insertion.
pub const THREADS: [Printed; 9] = [
    thread("3", "bolt polygons", 562.0),
    thread("3", "nut polygons", 462.0),
    thread("3", "seconds", 0.059),
    thread("6", "bolt polygons", 1_024.0),
    thread("6", "nut polygons", 924.0),
    thread("6", "seconds", 0.099),
    thread("9", "bolt polygons", 1_486.0),
    thread("9", "nut polygons", 1_386.0),
    thread("9", "seconds", 0.191),
];

/// Returns a number of that table.
///
/// # Panics
/// Panics if it does not have it.
pub fn of_threads(threads: u32, column: &str) -> f64 {
    let row = threads.to_string();
    let found = THREADS.iter().find(|printed| printed.row == row && printed.column == column);
    found.expect("a number of the table").value
}

const SANNA: &str = "A. Sanna, M. Milani, CDFast: an Algorithm Combining Different Bounding Volume Strategies for Real Time Collision Detection, 2004";

/// The statements about k-DOPs.
pub const SANNA_K: Source =
    Source { paper: SANNA, place: "section 2, and Tables 1 and 2", machine: "AMD Duron at 650 MHz, Linux" };

/// Returns the number of collisions that QuickCD found in 10 000 steps.
const fn quickcd(row: &'static str, value: f64) -> Printed {
    Printed { source: &SANNA_K, row, column: "collisions", value }
}

/// Collisions of triangles in 10 000 steps, found by QuickCD.
pub const QUICKCD: [Printed; 6] = [
    quickcd("torus, scene 1", 198_830.0),
    quickcd("torus, scene 2", 606_330.0),
    quickcd("torus, scene 3", 166_130.0),
    quickcd("complex object, scene 1", 1_177_540.0),
    quickcd("complex object, scene 2", 3_166_900.0),
    quickcd("complex object, scene 3", 790_410.0),
];

/// The cost of the test of two oriented boxes.
pub const LIN_BOX_TEST: Source =
    Source { paper: LIN, place: "section 4.2.2", machine: "no machine: operations are counted" };

/// Time to build trees over size.
pub const ZACHMANN_BUILD: Source =
    Source { paper: ZACHMANN, place: "Figure 6", machine: "SGI, MIPS R4400 at 200 MHz" };

/// Time over the depth of trees, and the best depths.
pub const ZACHMANN_DEPTH: Source = Source {
    paper: ZACHMANN,
    place: "Figure 9 and the table of section Results",
    machine: "SGI Indigo, MIPS R4000 at 50 MHz",
};

/// Empty boxes.
pub const ZACHMANN_EMPTY: Source = Source {
    paper: ZACHMANN,
    place: "Figure 5 and section Results",
    machine: "SGI Indigo, MIPS R4000 at 50 MHz",
};

/// The BoxTree beside the simple algorithm.
pub const ZACHMANN_SIMPLE: Source =
    Source { paper: ZACHMANN, place: "Figure 10", machine: "SGI, MIPS R4400 at 200 MHz" };

/// Returns a number of the table of best depths.
const fn depth(row: &'static str, value: f64) -> Printed {
    Printed { source: &ZACHMANN_DEPTH, row, column: "depth", value }
}

/// The best depths, by numbers of polygons.
pub const DEPTHS: [Printed; 6] = [
    depth("100", 4.0),
    depth("300", 5.0),
    depth("700", 6.0),
    depth("1300", 7.0),
    depth("2000", 8.0),
    depth("3000", 9.0),
];

/// The share of a torus's box that is covered by empty boxes, for 400 polygons.
pub const EMPTY_SHARE: Printed =
    Printed { source: &ZACHMANN_EMPTY, row: "torus of 400 polygons", column: "empty share", value: 0.23 };

/// The gain of the first pre-check of the simple algorithm.
pub const PRECHECK_GAIN: Printed = Printed {
    source: &ZACHMANN_SIMPLE,
    row: "simple algorithm",
    column: "speed-up of the pre-check",
    value: 1.5,
};

/// The number of polygons below which the simple algorithm is faster, for tori.
pub const THRESHOLD: Printed =
    Printed { source: &ZACHMANN_SIMPLE, row: "two tori", column: "polygons", value: 100.0 };

/// The time for two tori of 1000 polygons each, in seconds.
pub const TORI_SECONDS: Printed =
    Printed { source: &ZACHMANN_SIMPLE, row: "two tori of 1000 polygons", column: "seconds", value: 0.02 };

/// The operations of a test of two oriented boxes, at most.
pub const BOX_TEST_OPERATIONS: Printed =
    Printed { source: &LIN_BOX_TEST, row: "two oriented boxes", column: "operations at most", value: 200.0 };

/// The tests of an edge with a face that the simple test of two boxes makes.
pub const EDGE_FACE_TESTS: Printed =
    Printed { source: &LIN_BOX_TEST, row: "two oriented boxes", column: "edge-face tests", value: 144.0 };

#[cfg(test)]
mod tests {
    use super::*;

    /// The papers' own arithmetic.
    #[test]
    fn printed_numbers_agree_with_each_other() {
        // "A factor of three".
        let [none, octree, otv, octree_of_eight, otv_of_eight] = TORI.map(|printed| printed.value);
        assert_eq!([none / octree, none / otv].map(|gain| (gain * 100.0).round()), [321.0, 375.0]);
        let gains = [octree / otv, octree_of_eight / otv_of_eight];
        assert_eq!(gains.map(|gain| (gain * 100.0).round()), [117.0, 121.0]);
        // 100 polygons of the head and the tip, not the 200 of the text, and 154 for each thread.
        for threads in [3, 6, 9] {
            let polygons = ["bolt polygons", "nut polygons"].map(|column| of_threads(threads, column));
            assert_eq!(polygons, [100.0 + 154.0 * f64::from(threads), 154.0 * f64::from(threads)]);
        }
        // "Increases linearly": the exponents of its own table.
        let point = |threads: u32| {
            let polygons = of_threads(threads, "bolt polygons") + of_threads(threads, "nut polygons");
            (polygons, of_threads(threads, "seconds"))
        };
        let exponents = [[3, 6], [6, 9]].map(|ends| crate::fit::exponent(&ends.map(point)));
        assert_eq!(exponents.map(|exponent| (exponent * 100.0).round()), [80.0, 169.0]);
        // Twelve edges of either box against six faces of the other.
        assert_eq!(EDGE_FACE_TESTS.value, 2.0 * 12.0 * 6.0);
        // The depths are those that the default rule takes, and leave 6 to 11 polygons to a leaf.
        for Printed { row, value, .. } in DEPTHS {
            let polygons: u32 = row.parse().expect("a number of polygons");
            assert_eq!(
                value,
                f64::from(closefit_methods::internals::box_tree::depth_of_paper(polygons as usize))
            );
            assert!((5.8..11.0).contains(&(f64::from(polygons) / value.exp2())), "{row}");
        }
    }
}
