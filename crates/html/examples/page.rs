//! Writes the page of a sweep, or of a check if nothing moves: `page OUT CLEARANCE SCENE...`, with the
//! clearance in the unit of the scene.

use std::path::PathBuf;

use closefit::Unobserved;
use closefit_html::{Page, html};
use closefit_job::{CheckOptions, Job, Project, SweepOptions, read};
use closefit_report::diff::Review;
use closefit_scene::read::ReadOptions;
use closefit_views::Views;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(out), Some(clearance)) = (arguments.next(), arguments.next()) else {
        return Err("usage: page OUT CLEARANCE SCENE...".into());
    };
    let (clearance, scenes) = (clearance.parse()?, arguments.map(PathBuf::from).collect::<Vec<_>>());
    let job = Job::new(read(&scenes, &ReadOptions::default(), &Unobserved)?, Project::default())?;
    let review = Review::default();
    let page = Page::new(&review, Page::LIMIT);
    let made = if job.scene().time_range().is_some() {
        let request = job.sweep_request(None, None)?.clearance(clearance);
        let found = job.sweep(&request, &SweepOptions::default(), &Unobserved)?;
        html(&Views::of(job.scene(), &found.report), &page)
    } else {
        let request = job.check_request()?.clearance(clearance);
        let found = job.check(&request, &CheckOptions::default(), &Unobserved)?;
        html(&Views::of(job.scene(), &found.report), &page)
    };
    std::fs::write(out, made.bytes)?;
    made.notes.iter().for_each(|note| println!("{note}"));
    Ok(())
}
