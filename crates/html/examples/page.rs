//! Writes the page of a check: `page OUT CLEARANCE SCENE...`, with the clearance in the unit of the scene.

use std::path::PathBuf;

use closefit::Unobserved;
use closefit_html::{Page, html};
use closefit_job::{CheckOptions, Job, Project, read};
use closefit_scene::read::ReadOptions;
use closefit_views::Views;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(out), Some(clearance)) = (arguments.next(), arguments.next()) else {
        return Err("usage: page OUT CLEARANCE SCENE...".into());
    };
    let scenes: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    let job = Job::new(read(&scenes, &ReadOptions::default(), &Unobserved)?, Project::default())?;
    let request = job.check_request()?.clearance(clearance.parse()?);
    let found = job.check(&request, &CheckOptions::default(), &Unobserved)?;
    let views = Views::of(job.scene(), &found.report);
    let page = Page { certificate: found.certificate.as_ref(), limit: 40_000_000 };
    std::fs::write(out, html(&views, &page).bytes)?;
    Ok(())
}
