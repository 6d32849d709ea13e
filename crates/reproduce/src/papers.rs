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

const REDON: &str =
    "S. Redon, A. Kheddar, S. Coquillart, Fast Continuous Collision Detection between Rigid Bodies, 2002";

/// The optimisations of continuous detection.
pub const REDON_OPTIMISATIONS: Source =
    Source { paper: REDON, place: "sections 4 to 6", machine: "Pentium at 1 GHz, 256 MB, Windows 2000" };

/// The applications of continuous detection.
pub const REDON_APPLICATIONS: Source = Source {
    paper: REDON,
    place: "section 7, Figures 1 to 6",
    machine: "Pentium at 1 GHz, 256 MB, Windows 2000",
};

/// Returns a number of triangles of an application.
const fn application(row: &'static str, column: &'static str, value: f64) -> Printed {
    Printed { source: &REDON_APPLICATIONS, row, column, value }
}

/// About the numbers of triangles of the static thing and of the moving one.
pub const APPLICATIONS: [Printed; 4] = [
    application("car on a floor", "moving", 29_000.0),
    application("door in a car", "still", 29_000.0),
    application("door in a car", "moving", 16_000.0),
    application("removal", "still", 20_000.0),
];

/// Returns a number of triangles of an application, if it is printed.
pub fn of_application(name: &str, column: &str) -> Option<f64> {
    APPLICATIONS
        .iter()
        .find(|printed| printed.row == name && printed.column == column)
        .map(|printed| printed.value)
}

/// The cost of a continuous test of two boxes compared with a discrete test.
pub const CONTINUOUS_TEST: Printed = Printed {
    source: &REDON_OPTIMISATIONS,
    row: "continuous test",
    column: "times a discrete one",
    value: 5.0,
};

/// The gain of coherence tables.
pub const COHERENCE_GAIN: Printed =
    Printed { source: &REDON_OPTIMISATIONS, row: "coherence tables", column: "gain", value: 0.15 };

/// The constant of the subdivision test at which most false hits are gone.
pub const SUBDIVISION_CONSTANT: Printed =
    Printed { source: &REDON_OPTIMISATIONS, row: "subdivision test", column: "k", value: 0.2 };

/// CDFast and QuickCD in three scenes.
pub const SANNA_TABLES: Source =
    Source { paper: SANNA, place: "section 5, Tables 1 and 2", machine: "AMD Duron at 650 MHz, Linux" };

/// The body and the scene of an entry of these tables.
pub const WALKS: [&str; 6] = [
    "torus, scene 1",
    "torus, scene 2",
    "torus, scene 3",
    "complex object, scene 1",
    "complex object, scene 2",
    "complex object, scene 3",
];

/// Returns the entries of a column of these tables, in the order of [`WALKS`].
const fn of_walks(column: &'static str, values: [f64; 6]) -> [Printed; 6] {
    let [a, b, c, d, e, f] = values;
    let [g, h, i, j, k, l] = WALKS;
    const fn entry(row: &'static str, column: &'static str, value: f64) -> Printed {
        Printed { source: &SANNA_TABLES, row, column, value }
    }
    [
        entry(g, column, a),
        entry(h, column, b),
        entry(i, column, c),
        entry(j, column, d),
        entry(k, column, e),
        entry(l, column, f),
    ]
}

/// Milliseconds for 10 000 steps, by QuickCD, by CDFast with one sphere, and by CDFast with a sphere tree.
pub const WALK_TIMES: [[Printed; 6]; 3] = [
    of_walks("QuickCD, ms", [11_390.0, 7_420.0, 11_460.0, 210_540.0, 76_720.0, 170_700.0]),
    of_walks("one sphere, ms", [3_240.0, 3_090.0, 3_100.0, 3_920.0, 3_480.0, 3_179.0]),
    of_walks("sphere tree, ms", [3_430.0, 3_250.0, 3_260.0, 5_680.0, 4_930.0, 4_300.0]),
];

/// Collisions in 10 000 steps, in the same order: of triangles by QuickCD, of bounding volumes by CDFast.
pub const WALK_COLLISIONS: [[Printed; 6]; 3] = [
    QUICKCD,
    of_walks("one sphere, collisions", [140_355.0, 146_554.0, 67_268.0, 802_562.0, 737_921.0, 545_721.0]),
    of_walks("sphere tree, collisions", [12_658.0, 26_966.0, 3_250.0, 169_214.0, 478_169.0, 57_952.0]),
];

/// Pipes and a torus in free fall.
pub const LIN_TABLE_1: Source = Source {
    paper: LIN,
    place: "section 5, Table 1 and Figures 7 and 8",
    machine: "SGI Reality Engine, R8000 at 90 MHz, 512 MB",
};

/// Returns the numbers of a column of that table, for pipes and for the torus.
const fn of_falls(column: &'static str, [pipes, torus]: [f64; 2]) -> [Printed; 2] {
    let source = &LIN_TABLE_1;
    [
        Printed { source, row: "Pipes", column, value: pipes },
        Printed { source, row: "Torus", column, value: torus },
    ]
}

/// The table.
pub const FALLS: [[Printed; 2]; 10] = [
    of_falls("environment", [143_690.0, 98_000.0]),
    of_falls("object", [143_690.0, 20_000.0]),
    of_falls("steps", [4_008.0, 1_298.0]),
    of_falls("contacts", [23_905.0, 2_266.0]),
    of_falls("box tests", [1_704_187.0, 1_055_559.0]),
    of_falls("triangle tests", [71_589.0, 7_069.0]),
    of_falls("seconds", [16.9, 8.9]),
    of_falls("milliseconds a step", [4.2, 6.9]),
    of_falls("microseconds a box test", [7.9, 7.3]),
    of_falls("contacts a step", [6.0, 1.7]),
];

/// Returns a number of that table.
///
/// # Panics
/// Panics if it does not have it.
pub fn of_fall(row: &str, column: &str) -> f64 {
    let found = FALLS.iter().flatten().find(|printed| printed.row == row && printed.column == column);
    found.expect("a number of the table").value
}

/// A torpedo among rollers.
pub const LIN_TORPEDO: Source = Source {
    paper: LIN,
    place: "section 5 and Figure 6",
    machine: "SGI Reality Engine, R4400 at 200 MHz, 2 GB",
};

/// The triangles of the torpedo and of the pivot structure, and the seconds of a query.
pub const TORPEDO: [Printed; 3] = [
    Printed { source: &LIN_TORPEDO, row: "torpedo", column: "triangles", value: 4_780.0 },
    Printed { source: &LIN_TORPEDO, row: "pivot structure", column: "triangles", value: 44_921.0 },
    Printed { source: &LIN_TORPEDO, row: "query", column: "seconds", value: 0.1 },
];

/// Many objects with boxes of fixed or dynamic size.
pub const LIN_CROWDS: Source = Source {
    paper: LIN,
    place: "section 3, Graphs 1 to 6, whose numbers are not in the text",
    machine: "not given",
};

/// Many convex polytopes.
pub const LIN_POLYTOPES: Source = Source {
    paper: LIN,
    place: "sections 4.1 and 5",
    machine: "SGI Reality Engine, R8000 at 90 MHz, 512 MB",
};

/// The seconds in which all contacts of hundreds of polytopes are found.
pub const POLYTOPE_SECONDS: Printed =
    Printed { source: &LIN_POLYTOPES, row: "hundreds of polytopes", column: "seconds", value: 0.05 };

/// The source of tables that are not a paper's.
pub const OURS: Source = Source {
    paper: "no paper: closefit's own comparison of its methods",
    place: "docs/methods.md",
    machine: "the machine named below",
};

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

/// The BoxTree compared with the simple algorithm.
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
        // Lin's table: means of its own numbers. "7.9" and "7.3" are means of the box tests alone, which
        // are 79.7 % and 86.6 % of all time.
        for (row, share) in [("Pipes", 0.797), ("Torus", 0.866)] {
            let number = |column: &str| of_fall(row, column);
            let mean = |column: &str, unit: f64, of: &str| number(column) * unit / number(of);
            assert!((mean("seconds", 1e3, "steps") - number("milliseconds a step")).abs() < 0.06, "{row}");
            assert!((mean("contacts", 1.0, "steps") - number("contacts a step")).abs() < 0.06, "{row}");
            let all = mean("seconds", 1e6, "box tests");
            assert!((number("microseconds a box test") / all - share).abs() < 0.001, "{row}: {all}");
        }
        // "Do not depend on the environment": the spreads of its own tables.
        let spreads = WALK_TIMES[1..].iter().flat_map(|times| {
            [&times[..3], &times[3..]].map(|times| {
                let values = || times.iter().map(|printed| printed.value);
                let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
                ((most / least - 1.0) * 1000.0).round()
            })
        });
        assert_eq!(spreads.collect::<Vec<_>>(), [49.0, 233.0, 55.0, 321.0]);
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
