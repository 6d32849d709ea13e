//! A simulation of a check on many machines, from measured costs of reading, trees, pairs and rows:
//!
//! ```sh
//! cargo run --release -p closefit-reproduce --example farm -- [--svg FILE] SCENE... [ROBOT.urdf=ROWS.csv]
//! ```
//!
//! Each scene is measured on one thread of this machine, and dealt to 10 to 10 000 machines that read all of
//! it and build the trees of their own pairs. The table has the time until the last of them is done over one
//! machine's time divided by their number, for two ways to deal, and what bounds it. A robot with a file of
//! configurations is dealt by rows, which are repeated until there are a million.

mod costs;
mod deal;

use std::path::PathBuf;

use closefit_reproduce::Picture;

use costs::{Costs, Failed};
use deal::Deal;

/// The numbers of machines.
const MACHINES: [usize; 4] = [10, 100, 1_000, 10_000];

fn main() -> Result<(), Failed> {
    let mut svg: Option<PathBuf> = None;
    let mut scenes = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--svg" => svg = Some(args.next().ok_or("--svg needs a file")?.into()),
            _ => scenes.push(Costs::measured(&arg)?),
        }
    }
    println!(
        "| scene | one machine, s | reading, trees, deciding | largest pair | deal | 10 | 100 | 1 000 | 10 000 | bound by |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut curves = Vec::new();
    for scene in &scenes {
        for deal in Deal::ALL {
            let times = MACHINES.map(|machines| deal.time(scene, machines));
            let over: Vec<f64> =
                MACHINES.iter().zip(times).map(|(&n, time)| time * n as f64 / scene.one_machine()).collect();
            println!("{}", line(scene, deal, &over, times[MACHINES.len() - 1]));
            if deal == Deal::Pulled {
                curves.push((scene.name.clone(), MACHINES.iter().map(|&n| n as f64).zip(times).collect()));
            }
        }
    }
    if let Some(file) = svg {
        let picture = Picture {
            title: "Time of a check on many machines, simulated",
            x: "machines",
            is_logarithmic: true,
            y: "seconds until the last is done",
            curves,
        };
        std::fs::write(file, picture.svg())?;
    }
    Ok(())
}

/// Returns a row of the table.
fn line(scene: &Costs, deal: Deal, over: &[f64], last: f64) -> String {
    let one = scene.one_machine();
    let shares =
        [scene.reading, scene.trees(), scene.deciding()].map(|part| format!("{:.0} %", 100.0 * part / one));
    let over: Vec<String> = over.iter().map(|over| format!("{over:.2}")).collect();
    format!(
        "| {} | {one:.3} | {} | {:.1} % | {} | {} | {} |",
        scene.name,
        shares.join(", "),
        100.0 * scene.largest() / one,
        deal.name(),
        over.join(" | "),
        scene.bound(last),
    )
}
