//! Measures how the cost of each query grows with triangles and bodies: thread CPU time or instructions, as a
//! table (CSV) and a plot (SVG) with the fitted exponents.
//!
//!     cargo run --release -p closefit-peers --example growth -- --triangles 10000000 --bodies 1000000
//!
//! With `--instructions` it runs under callgrind, which supports AVX2 and takes about fifty times as long.

#![allow(clippy::disallowed_methods)]

mod measure;
mod meter;
mod picture;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Parser;
use measure::Series;
use meter::Meter;

/// Measure how thread CPU time grows with triangles and bodies
#[derive(Parser)]
struct Args {
    /// Engine to measure
    #[arg(long, default_value = "closefit", value_parser = ["closefit", "scalar", "simd"])]
    backend: String,
    /// Largest number of triangles of each torus; sizes start at 1000, two per decade
    #[arg(long, value_name = "N", default_value = "100000", value_parser = clap::value_parser!(u32).range(1_000..=10_000_000))]
    triangles: u32,
    /// Largest number of bodies of the broad phase; sizes start at 1000, two per decade
    #[arg(long, value_name = "N", default_value = "100000", value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    bodies: u32,
    /// Count instructions with valgrind's callgrind, into files whose names end in -instructions
    #[arg(long)]
    instructions: bool,
    /// File for the counts of callgrind, which runs this program
    #[arg(long, value_name = "FILE", hide = true)]
    counts: Option<PathBuf>,
    /// Directory for growth-BACKEND.csv and growth-BACKEND.svg
    #[arg(long, value_name = "DIR", default_value = "benches/record")]
    out: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let mut name = format!("growth-{}", args.backend);
    if args.instructions {
        name += "-instructions";
    }
    let meter = match (args.instructions, args.counts) {
        (false, _) => Meter::Clock,
        (true, Some(counts)) => Meter::callgrind(counts),
        (true, None) => return meter::run_under_callgrind(std::env::args_os().skip(1)),
    };
    let narrow = measure::narrow(&args.backend, &sizes(args.triangles), &meter);
    let mut broad = measure::broad(&sizes(args.bodies), &meter);
    broad.extend(measure::world(&sizes(args.bodies), &meter));
    let file = |extension| args.out.join(format!("{name}.{extension}"));
    write_table(&file("csv"), &meter, narrow.iter().chain(&broad)).context("writing the table")?;
    picture::draw(&file("svg"), &args.backend, &meter, &narrow, &broad).context("drawing")
}

/// Returns the sizes from 1000 on, two per decade.
fn sizes(most: u32) -> Vec<u32> {
    let half_decades = (6..).map(|half| f64::from(10).powf(f64::from(half) / 2.0).round() as u32);
    half_decades.take_while(|&size| size <= most).collect()
}

fn write_table<'a>(
    path: &Path,
    meter: &Meter,
    series: impl Iterator<Item = &'a Series>,
) -> anyhow::Result<()> {
    let (column, decimals) = match meter {
        Meter::Clock => ("cpu_s", 9),
        Meter::Callgrind { .. } => ("instructions", 0),
    };
    let mut table = csv::Writer::from_path(path)?;
    table.write_record(["question", "of", "count", column])?;
    for Series { name, of, points } in series {
        for (count, cost) in points {
            table.write_record([*name, *of, &count.to_string(), &format!("{cost:.decimals$}")])?;
        }
    }
    Ok(table.flush()?)
}
