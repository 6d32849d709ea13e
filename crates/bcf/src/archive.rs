//! The archive: a zip file with a folder per topic.

use std::collections::BTreeSet;
use std::io::{Cursor, Write};

use closefit::Verdict;
use closefit_report::Issue;
use closefit_report::document::PartRow;
use closefit_views::{Shown, Views, sides};
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::options::{NoUnit, Options, Per, Version};
use crate::topic::Topic;
use crate::visualization::{Viewpoint, is_ifc_guid};
use crate::world::World;
use crate::{markup, project, titles};
use closefit_geometry::parallel;

/// A finished file.
#[derive(Clone, Debug)]
pub struct Archive {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Returns the findings of a report, but for mere contacts, as topics.
///
/// # Errors
/// [`NoUnit`]: the format is in metres.
pub fn archive<S: Sync, P: Shown>(views: &Views<S, P>, options: &Options) -> Result<Archive, NoUnit> {
    let report = views.report();
    let world = World::of(&report.scene, options.origin.into())?;
    let issues = match options.per {
        Per::Group => Issue::all(report),
        Per::Pair => Issue::each(report),
    };
    let issues: Vec<Issue<P>> =
        issues.into_iter().filter(|issue| issue.worst().verdict() != Verdict::Contact).collect();
    let told = &issues[..issues.len().min(options.limit)];
    let titles = titles::of(told, report);
    let said = options.review.of_pairs(report);
    let mut drawn: Vec<Drawn> = parallel::map(told.len(), 1, |at| {
        let issue = &told[at];
        Drawn::of((issue, Topic::of(issue, &titles[at], report, &said)), views, &world)
    });
    if told.len() < issues.len() {
        drawn.push(Drawn::of_others(issues.len() - told.len(), views, &world, options));
    }
    let models: BTreeSet<&str> = report.parts.iter().map(|part| &*part.model).collect();
    let bytes =
        zipped(&drawn, &models, options).expect("a Vec accepts every byte, and no name is there twice");
    Ok(Archive { bytes, notes: notes(&drawn) })
}

/// A topic with what shows it.
struct Drawn<'r> {
    topic: Topic,
    viewpoint: Viewpoint<'r>,
    snapshot: Vec<u8>,
}

impl<'r> Drawn<'r> {
    /// Draws the worst pair of an issue, which a topic is about.
    fn of<S, P: Shown>((issue, topic): (&Issue<P>, Topic), views: &Views<'r, S, P>, world: &World) -> Self {
        let report = views.report();
        let snapshot = views.snapshot(issue.worst());
        let row = |id: u32| &report.parts[id as usize];
        let sides = sides(issue.pairs.iter().copied()).map(|ids| ids.into_iter().map(row).collect());
        let guid = topic.viewpoint_guid.clone();
        let viewpoint = Viewpoint { guid, camera: world.camera(&views.view(issue.worst())), sides };
        Self { topic, viewpoint, snapshot }
    }

    /// Draws the whole scene for issues beyond the limit.
    fn of_others<S, P: Shown>(
        count: usize,
        views: &Views<'r, S, P>,
        world: &World,
        options: &Options,
    ) -> Self {
        let topic = Topic::of_others(count, options);
        let (guid, camera) = (topic.viewpoint_guid.clone(), world.camera(&views.whole()));
        let viewpoint = Viewpoint { guid, camera, sides: [Vec::new(), Vec::new()] };
        Self { topic, viewpoint, snapshot: views.whole_snapshot() }
    }
}

fn zipped(drawn: &[Drawn], models: &BTreeSet<&str>, options: &Options) -> ZipResult<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |name: &str, method: CompressionMethod, bytes: &[u8]| -> ZipResult<()> {
        // The time is part of the bytes: it is the same for all.
        let how =
            SimpleFileOptions::default().compression_method(method).last_modified_time(DateTime::default());
        zip.start_file(name, how)?;
        Ok(zip.write_all(bytes)?)
    };
    let text = CompressionMethod::Deflated;
    add("bcf.version", text, &project::version(options.version))?;
    add("project.bcfp", text, &project::project(models, options.version))?;
    if options.version == Version::V3_0 {
        add("extensions.xml", text, &project::extensions(drawn.iter().map(|drawn| &drawn.topic), options))?;
    }
    let date = format!("{:.0}", options.date);
    for (index, Drawn { topic, viewpoint, snapshot }) in drawn.iter().enumerate() {
        let markup = markup::document(topic, index, &options.author, &date, options.version);
        add(&format!("{}/markup.bcf", topic.guid), text, &markup)?;
        add(&format!("{}/viewpoint.bcfv", topic.guid), text, &viewpoint.document(options.version))?;
        add(&format!("{}/snapshot.png", topic.guid), CompressionMethod::Stored, snapshot)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// Returns a note if viewers cannot tell all parts by the ids of the building model.
fn notes(drawn: &[Drawn]) -> Vec<String> {
    let parts = drawn.iter().flat_map(|drawn| drawn.viewpoint.sides.iter().flatten());
    let ids = |has: bool| {
        let is = |part: &&&PartRow| part.guid.as_deref().is_some_and(is_ifc_guid) == has;
        parts.clone().filter(is).map(|part| part.id).collect::<BTreeSet<usize>>().len()
    };
    let (with, without) = (ids(true), ids(false));
    if without == 0 {
        return Vec::new();
    }
    let all = with + without;
    vec![format!("{without} of {all} parts in BCF topics have no GlobalId, so viewers may not find them")]
}
