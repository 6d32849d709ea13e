//! `closefit devices`: the compute adapters of this machine, and when a run takes one.

use std::fmt::Write;

use bytesize::ByteSize;
use serde::Serialize;

use crate::outcome::Outcome;
use crate::pair_commands::width;
use crate::terminal;
use closefit::internals::gpu::{AdapterKind, AdapterRecord, Asked, Workload, adapters};
use closefit_geometry::text::printable;
use closefit_report::table::grid;

/// Mean numbers of triangles of a pair for which the page says how many pairs pay.
const TRIANGLES: [u32; 3] = [2_000, 20_000, 200_000];

/// The document that `--json` prints.
#[derive(Debug, Serialize)]
struct Devices {
    adapters: Vec<Adapter>,
    auto: Auto,
}

#[derive(Debug, Serialize)]
struct Adapter {
    number: usize,
    name: String,
    kind: String,
    interface: &'static str,
    driver: String,
    largest_buffer_bytes: u64,
}

/// The sizes from which on `--backend auto` takes a discrete GPU.
#[derive(Debug, Serialize)]
struct Auto {
    threads: usize,
    check: Vec<Pays>,
}

#[derive(Debug, Serialize)]
struct Pays {
    triangles_of_a_pair: u32,
    /// Number of candidate pairs from which on it does; none if it never does.
    from_pairs: Option<u64>,
}

/// Lists the adapters, and from how many pairs on a check uses a discrete GPU in addition to this many
/// threads.
pub fn run(threads: Option<u16>, as_json: bool) -> anyhow::Result<Outcome> {
    let found = terminal::without_stderr(adapters);
    let has_discrete = found.iter().any(|adapter| adapter.kind == AdapterKind::Discrete);
    let threads = threads.map_or_else(cores, usize::from);
    let pays = |&triangles: &u32| {
        let check = Workload { asked: Asked::Check, pairs: 0, triangles: triangles.into(), threads };
        Pays { triangles_of_a_pair: triangles, from_pairs: check.least_pairs() }
    };
    let auto = Auto { threads, check: TRIANGLES.iter().map(pays).collect() };
    let devices = Devices { adapters: found.into_iter().enumerate().map(Adapter::of).collect(), auto };
    if as_json {
        terminal::print_by(|stdout| closefit_report::json::write(stdout, &devices))?;
    } else {
        terminal::print(devices.text(has_discrete).as_bytes())?;
    }
    Ok(Outcome::Pass)
}

/// Returns the number of threads that a run takes by itself.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Adapter {
    fn of((number, adapter): (usize, AdapterRecord)) -> Self {
        Self {
            number,
            name: printable(&adapter.name),
            kind: adapter.kind.to_string(),
            interface: adapter.interface,
            driver: printable(&adapter.driver),
            largest_buffer_bytes: adapter.largest_binding,
        }
    }
}

impl Devices {
    fn text(&self, has_discrete: bool) -> String {
        let mut text = String::new();
        let line = "writing to a string does not fail";
        if self.adapters.is_empty() {
            writeln!(text, "No compute adapter was found: all runs use the CPU.").expect(line);
            return text;
        }
        let row = |adapter: &Adapter| {
            let Adapter { number, name, kind, interface, driver, largest_buffer_bytes } = adapter;
            let size = ByteSize(*largest_buffer_bytes).display().iec().to_string();
            vec![
                number.to_string(),
                name.clone(),
                kind.clone(),
                (*interface).to_owned(),
                driver.clone(),
                size,
            ]
        };
        let columns = [
            ("number", true),
            ("adapter", false),
            ("kind", false),
            ("interface", false),
            ("driver", false),
            ("largest buffer", true),
        ];
        let rows: Vec<_> = self.adapters.iter().map(row).collect();
        text.push_str(&grid(&columns, &rows, Some(width())));
        let first = &self.adapters[0].name;
        writeln!(
            text,
            "\n--backend gpu uses {first}. --adapter chooses another by its number or a part of its name."
        )
        .expect(line);
        text.push_str(&self.auto.text(has_discrete));
        text
    }
}

impl Auto {
    fn text(&self, has_discrete: bool) -> String {
        if !has_discrete {
            return "--backend auto uses none of them: it uses only discrete GPUs.\n".to_owned();
        }
        let threads = match self.threads {
            1 => "1 thread".to_owned(),
            many => format!("{many} threads"),
        };
        let pays: Vec<String> = (self.check.iter())
            .filter_map(|pays| Some((pays.triangles_of_a_pair, pays.from_pairs?)))
            .map(|(triangles, pairs)| format!("from {pairs} candidate pairs of {triangles} triangles"))
            .collect();
        match pays.is_empty() {
            true => format!("--backend auto uses none of them: {threads} are predicted to be faster.\n"),
            false => format!(
                "--backend auto, with {threads}, uses it for a check {}. It never uses it for a sweep.\n",
                pays.join(", ")
            ),
        }
    }
}
