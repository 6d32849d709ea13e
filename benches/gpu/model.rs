//! A cost model of the device's kernels: what it predicts for two cards and for the adapter at hand.
//!
//! A kernel takes the operations of its dearest path for each of its items, at a share of a card's rate, or
//! the time to move the bytes of that path through memory, whichever is longer. Launching kernels and moving
//! data to and from the card come on top. Operations of f32 count once and those on integers twice, as cards
//! have half as many integer units.

use closefit::Tally;
use closefit::internals::broad::on_device::columns::CHUNK;
use closefit::internals::broad::on_device::kernels as broad;
use closefit::internals::bvh::wide_obb::on_device::kernels::ALL;
use closefit::method::Boxes;
use glam::{DMat3, DVec3};

use crate::operations::{Operations, of_kernel};
use crate::{Asked, Measured};

/// Published figures of a card, and what is assumed about its link.
struct Card {
    name: &'static str,
    /// Instructions on f32 a second.
    rate: f64,
    /// Bytes of memory traffic a second.
    memory: f64,
}

const CARDS: [Card; 2] = [
    Card { name: "RTX 4090", rate: 41e12, memory: 1.0e12 },
    Card { name: "H100", rate: 30e12, memory: 3.35e12 },
];

/// Shares of a card's peak at which times are given.
const SHARES: [f64; 2] = [0.1, 0.3];

/// Seconds to launch a kernel after another.
const LAUNCH: f64 = 3e-6;

/// Bytes a second between the CPU's memory and the card's: PCIe 4.0 with 16 lanes.
const LINK: f64 = 25e9;

/// Number of times that the poses of the first case make a row of their own: 100 000 poses take software
/// adapters long.
const MANY: usize = 100;

/// Passes of the sort of boxes: four for the ends, and one or two for the strips.
const PASSES: f64 = 5.0;

/// Lanes of a group, each of which does the work of a step.
const LANES: f64 = 32.0;

/// The two kinds of steps of a group: the names of their functions, and what they are called.
const STEPS: [(&str, &str); 2] = [("open_boxes", "opening boxes"), ("test_leaves", "testing leaf pairs")];

/// Kernels of groups, which have a row for each kind of step.
const OF_GROUPS: [&str; 4] = ["ask_group", "ask_octets", "swept_boxes", "interval_boxes"];

fn step_of(kernel: &str, step: &str) -> String {
    format!("{kernel}, {step}")
}

/// The kernels' operations per item, or per lane in a step.
struct Kernels(Vec<(String, Operations)>);

impl Kernels {
    fn of(&self, name: &str) -> Operations {
        self.0.iter().find(|(kernel, _)| kernel == name).expect("a kernel").1
    }

    /// Returns the operations of a case.
    fn of_case(&self, case: &Measured) -> Operations {
        let Tally { items, triangle_tests, posed_tests, distance_triangle_tests, broad_tests, .. } =
            case.twice.warm;
        let Tally { box_steps, leaf_steps, .. } = case.twice.warm;
        let items = items as f64;
        match case.asked {
            Asked::Contacts | Asked::Touches | Asked::Rows => {
                let leaves = self.of("triangle_triangle") * (triangle_tests - distance_triangle_tests) as f64;
                self.of("box_box") * items + leaves + self.of("posed_triangles") * posed_tests as f64
            }
            Asked::Distance => {
                // Groups have no queue.
                let queue = match case.twice.warm.distance_rounds {
                    0 => Operations::default(),
                    _ => self.of("rank") + self.of("select_near"),
                };
                (queue + self.of("box_distance")) * items
                    + self.of("triangle_distance") * distance_triangle_tests as f64
            }
            Asked::Pairs => {
                let boxes = case.pairs as f64;
                // Its threads have many words each, and add up sums only once.
                let scan = Operations { bytes: self.of("scan").bytes, ..Operations::default() };
                let pass = self.of("count_digits") + scan + self.of("sort");
                let once = self.of("order_boxes") + self.of("sweep_lengths") + scan;
                // Each box has one chunk that is not full.
                let chunks = broad_tests as f64 / f64::from(CHUNK) + boxes;
                (pass * PASSES + once) * boxes + self.of("sweep_and_prune") * chunks
            }
            Asked::Stretches(boxes) => {
                let opening = if boxes == Boxes::Swept { "swept_boxes" } else { "interval_boxes" };
                let [of_boxes, of_leaves] = STEPS.map(|(_, step)| self.of(&step_of(opening, step)));
                (of_boxes * box_steps as f64 + of_leaves * leaf_steps as f64) * LANES
            }
        }
    }
}

/// Instructions, with those on integers twice.
fn weighed(of: Operations) -> f64 {
    of.float + 2.0 * of.integer
}

impl Card {
    /// Returns the seconds of the operations alone, and what bounds them.
    fn seconds(&self, of: Operations, share: f64) -> (f64, &'static str) {
        let [computing, moving] = [weighed(of) / self.rate / share, of.bytes / self.memory / share];
        if computing >= moving { (computing, "arithmetic") } else { (moving, "memory") }
    }
}

/// Formats the number of pairs from which a device with a fixed cost wins.
fn from_how_many(fixed: f64, device: f64, cpu: f64) -> String {
    if cpu <= device {
        "never".to_owned()
    } else {
        format!("{:.0}", (fixed / (cpu - device)).ceil().max(1.0))
    }
}

/// Prints the model as tables in Markdown, for measured cases. What an instruction, a byte and a launch take
/// on the adapter is fitted to the first contacts, distance and candidate pairs; the others are predictions.
pub fn print(adapter: &str, cases: &[Measured]) {
    let rows = ALL.into_iter().chain(broad::ALL).flat_map(|(name, source)| match OF_GROUPS.contains(&name) {
        true => STEPS
            .map(|(function, step)| (step_of(name, step), of_kernel(name, source, Some(function))))
            .to_vec(),
        false => vec![(name.to_owned(), of_kernel(name, source, None))],
    });
    let kernels = Kernels(rows.collect());
    println!(
        "| kernel | f32 operations | on integers | bytes | {} | bound |",
        CARDS.each_ref().map(in_ns).join(" | ")
    );
    println!("|---|---|---|---|---|---|---|");
    for &(ref name, of) in &kernels.0 {
        let per_item = CARDS.each_ref().map(|card| format!("{:.3}", 1e9 * card.seconds(of, SHARES[0]).0));
        let bounds = CARDS.each_ref().map(|card| card.seconds(of, SHARES[0]).1);
        let bound = if bounds[0] == bounds[1] { bounds[0].to_owned() } else { bounds.join(", ") };
        println!(
            "| {name} | {:.0} | {:.0} | {:.0} | {} | {bound} |",
            of.float,
            of.integer,
            of.bytes,
            per_item.join(" | ")
        );
    }
    for card in &CARDS {
        let tests = SHARES.map(|share| format!("{:.1e}", 8.0 / card.seconds(kernels.of("box_box"), share).0));
        println!("\n{}: {} box tests a second at {} % of peak", card.name, tests.join(" and "), percent());
    }

    println!(
        "\n| case | pairs | one core, ms | card | ms at {} % of peak | launches, ms | link, ms | times one core | from pairs: \
         one core | sixteen |",
        percent()
    );
    println!("|{}", "---|".repeat(10));
    let rows = [(&cases[0], 1), (&cases[0], MANY)].into_iter().chain(cases[1..].iter().map(|case| (case, 1)));
    for (case, times) in rows {
        let name = if times == 1 { case.name.clone() } else { format!("{times} times {}", case.name) };
        let many = times as f64;
        let of = kernels.of_case(case) * many;
        let launching = many * case.twice.warm.launches as f64 * LAUNCH;
        let linked = many * (case.twice.warm.bytes_up + case.twice.warm.bytes_down) as f64 / LINK;
        let cpu_s = many * case.cpu_s;
        for card in &CARDS {
            let times = SHARES.map(|share| card.seconds(of, share).0);
            let pairs = many * case.pairs as f64;
            let [device, cpu] = [(times[0] + linked) / pairs, cpu_s / pairs];
            println!(
                "| {name} | {pairs} | {:.2} | {} | {} | {:.3} | {:.3} | {} | {} | {} |",
                1e3 * cpu_s,
                card.name,
                times.map(|time| format!("{:.3}", 1e3 * time)).join(" and "),
                1e3 * launching,
                1e3 * linked,
                times.map(|time| format!("{:.1}", cpu_s / (time + launching + linked))).join(" and "),
                from_how_many(launching, device, cpu),
                from_how_many(launching, device, cpu / 16.0),
            );
        }
    }

    let load = |case: &Measured| {
        let of = kernels.of_case(case);
        DVec3::new(weighed(of), of.bytes, case.twice.warm.launches as f64)
    };
    let first = |asked| cases.iter().find(|case| case.asked == asked).expect("one of the cases");
    let fitted = [Asked::Contacts, Asked::Pairs, Asked::Distance].map(first);
    let waited = DVec3::from_array(fitted.map(|case| case.twice.warm.waited_s));
    let costs =
        DMat3::from_cols_array_2d(&fitted.map(|case| load(case).to_array())).transpose().inverse() * waited;
    println!(
        "\n{adapter}: {:.1e} instructions and {:.1e} bytes a second, {:.0} µs a launch\n",
        1.0 / costs.x,
        1.0 / costs.y,
        1e6 * costs.z
    );
    println!("| case | predicted, ms | measured, ms | measured / predicted |\n|---|---|---|---|");
    for case in cases {
        let predicted = load(case).dot(costs);
        let measured = case.twice.warm.waited_s;
        println!(
            "| {} | {:.1} | {:.1} | {:.2} |",
            case.name,
            1e3 * predicted,
            1e3 * measured,
            measured / predicted
        );
    }
}

fn in_ns(card: &Card) -> String {
    format!("{}, ns at {} %", card.name, 100.0 * SHARES[0])
}

fn percent() -> String {
    SHARES.map(|share| format!("{:.0}", 100.0 * share)).join(" and ")
}
