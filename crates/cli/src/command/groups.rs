//! The settings of each group of flags.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::anyhow;
use jiff::Timestamp;

use crate::errors::of_flag;
use crate::flags::bcf::{BcfFlags, Origin, PerArg, VersionArg};
use crate::flags::exports::{ExportFlags, HeatMapFlags, HtmlFlags, SceneExportFlags};
use crate::flags::groups::{GroupFlags, Mode};
use crate::flags::long_run::{LongRunFlags, ProgressFormat};
use crate::flags::pairs::PairFlags;
use crate::flags::question::{ContactsArg, DepthArg, QuestionFlags};
use crate::flags::run::RunFlags;
use crate::flags::scene::{FormArg, InputFlags, ReadingFlags};
use crate::flags::scene_run::{LastFlags, SceneRunFlags};
use crate::flags::search::SearchFlags;
use crate::flags::table::{Listed, Order, TableFlags};
use crate::machine;
use crate::settings::exports::ExportFiles;
use crate::settings::groups::GroupSettings;
use crate::settings::heat_map::HeatMapFile;
use crate::settings::input::{AtTime, Input};
use crate::settings::length::{FlagLength, time};
use crate::settings::long_run::LongRun;
use crate::settings::pair_run::PairRun;
use crate::settings::pairs::PairChoice;
use crate::settings::question::CheckSettings;
use crate::settings::scene_exports::SceneExports;
use crate::settings::search::{Backend, Search};
use crate::settings::table::TableSettings;
use closefit::{DepthDetail, Strategy, Verdict};
use closefit_bcf::{Options, Per, Version};
use closefit_geometry::mesh::topology::Winding;
use closefit_html::Page;
use closefit_job::{Budget, Start};
use closefit_report::diff::Review;
use closefit_report::groups::GroupBy;
use closefit_report::table::Sort;
use closefit_scene::read::{ReadOptions, package_path};

/// Returns the scene, whose last files are the other side, for a check with a tolerance.
pub fn input(flags: InputFlags, against: &[PathBuf], tolerance: Option<&FlagLength>) -> Input {
    let InputFlags { mut scenes, reading, models, trajectory, json, quiet, written } = flags;
    scenes.extend_from_slice(against);
    let (reading, winding) = self::reading(reading, tolerance);
    let reading = ReadOptions { models, trajectory, ..reading };
    Input { scenes, reading, winding, written, json, quiet }
}

/// Returns the way in which files are read for a check with a tolerance, and the treatment of windings.
pub fn reading(flags: ReadingFlags, tolerance: Option<&FlagLength>) -> (ReadOptions, Winding) {
    let mut reading = ReadOptions {
        unit: flags.unit,
        collision_geometry: flags.collision_geometry,
        allow_outside: flags.allow_outside,
        packages: flags.packages,
        package_path: package_path(),
        allow_missing: flags.allow_missing,
        allow_uncut: flags.allow_uncut,
        ifc_limit: flags.ifc_limit.map(|seconds| Duration::from_secs(seconds.into())),
        chord: flags.chord,
        hulls: flags.form == FormArg::Hull,
        split: flags.split,
        memory: flags.memory.or_else(machine::memory),
        ..ReadOptions::default()
    };
    reading.coarsen(tolerance.map(|tolerance| &tolerance.length));
    (reading, if flags.as_is { Winding::AsFound } else { Winding::Repaired })
}

/// Returns the choice of pairs.
pub fn pairs(flags: PairFlags) -> PairChoice {
    let PairFlags { against, sets, rules, srdf } = flags;
    PairChoice { against: against.len(), sets, rules, srdf }
}

/// Returns the settings of a run that decides the pairs of one scene, and its table's.
pub fn scene_run(
    flags: SceneRunFlags,
    last: LastFlags,
    arguments: Vec<OsString>,
    tolerance: Option<&FlagLength>,
) -> (PairRun, TableSettings) {
    let SceneRunFlags { pairs, input, table } = flags;
    let LastFlags { long_run, budget, run } = last;
    let long_run = self::long_run(&long_run, budget.budget, arguments);
    let input = self::input(input, &pairs.against, tolerance);
    (pair_run(run, input, self::pairs(pairs), long_run), self::table(table))
}

/// Returns the settings of a run that decides pairs.
pub fn pair_run(flags: RunFlags, input: Input, pairs: PairChoice, long_run: LongRun) -> PairRun {
    let RunFlags { out, fail_on, allow_empty, backend, adapter, tree, broad, hull, cache, threads } = flags;
    let search = Search { backend, adapter, tree, broad, hull, cache };
    PairRun { input, pairs, out, fail_on, allow_empty, threads, search, long_run }
}

/// Returns the way in which a run is kept, shared and watched.
pub fn long_run(flags: &LongRunFlags, budget: Option<Budget>, arguments: Vec<OsString>) -> LongRun {
    let start = match (flags.resume, flags.restart) {
        (true, _) => Start::Resume,
        (false, true) => Start::Restart,
        (false, false) => Start::New,
    };
    let says_json = flags.progress == Some(ProgressFormat::Json);
    LongRun { start, shard: flags.shard, budget, says_json, arguments, merged: None }
}

/// Returns the settings of a check.
pub fn question(flags: &QuestionFlags) -> anyhow::Result<CheckSettings> {
    let settings = CheckSettings {
        clearance: FlagLength::parse("--clearance", &flags.clearance)?,
        tolerance: FlagLength::parse_optional("--tolerance", flags.tolerance.as_ref())?,
        depth: match flags.depth {
            DepthArg::Full => DepthDetail::Full,
            DepthArg::Verdict => DepthDetail::Verdict,
            DepthArg::None => DepthDetail::None,
        },
        finds_ways_out: flags.way_out,
        lists_contacts: flags.contacts.is_some(),
        finds_volumes: flags.volume,
        finds_self_contacts: flags.self_contacts,
        finds_geometry: flags.contacts == Some(ContactsArg::Geometry),
    };
    if settings.finds_ways_out && settings.depth == DepthDetail::None {
        return Err(of_flag(anyhow!("it needs depths, which --depth none leaves out"), "--way-out"));
    }
    Ok(settings)
}

/// Returns the time of `--at`.
pub fn at(text: Option<String>) -> anyhow::Result<Option<AtTime>> {
    text.map(|text| Ok(AtTime { time: time("--at", &text)?, text })).transpose()
}

/// Returns the kind of tree and the executor of a question for which no device helps.
pub fn strategy(flags: &SearchFlags) -> anyhow::Result<Strategy> {
    let executor = match flags.backend {
        Backend::Auto => None,
        Backend::On(executor) => Some(executor),
        Backend::Gpu => return Err(of_flag(anyhow!("a device does not help here"), "--backend gpu")),
    };
    let strategy = Strategy::new(flags.tree, executor);
    strategy.map_err(|error| of_flag(error, format!("--tree {}", flags.tree)))
}

/// Returns the settings of groups.
pub fn groups(flags: GroupFlags) -> anyhow::Result<GroupSettings> {
    let by = match flags.group {
        Mode::Host => Some(GroupBy::Host),
        Mode::Type => Some(GroupBy::Type),
        Mode::None => None,
    };
    if let (None, Some(file)) = (by, &flags.groups) {
        let why = anyhow!("--group none allows no groups");
        return Err(of_flag(why, format!("--groups {}", file.display())));
    }
    let extent = FlagLength::parse_optional("--group-extent", flags.group_extent.as_ref())?;
    if let (None | Some(GroupBy::Type), Some(extent)) = (by, &extent) {
        let why = anyhow!("it cuts groups by host: leave --group out");
        return Err(of_flag(why, format!("--group-extent {}", extent.text)));
    }
    Ok(GroupSettings { by, extent, file: flags.groups })
}

/// Returns the files for other programs.
pub fn exports(ExportFlags { junit, markdown }: ExportFlags) -> ExportFiles {
    ExportFiles { junit, markdown }
}

/// Returns the files that show findings.
pub fn scene_exports(flags: SceneExportFlags) -> SceneExports {
    let SceneExportFlags { picture, picture_of, glb, review, html, bcf } = flags;
    let HtmlFlags { html, html_limit } = html;
    let limit = html_limit.map_or(Page::LIMIT, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let html = html.map(|path| (path, limit));
    SceneExports { picture, picture_of, glb, review, html, bcf: self::bcf(bcf) }
}

/// Returns the file of BCF issues and its options, with the time of this call if no date was given.
fn bcf(flags: BcfFlags) -> Option<(PathBuf, Options)> {
    let options = Options {
        review: Review::default(),
        version: match flags.bcf_version {
            VersionArg::V2_1 => Version::V2_1,
            VersionArg::V3_0 => Version::V3_0,
        },
        per: match flags.bcf_per {
            PerArg::Group => Per::Group,
            PerArg::Pair => Per::Pair,
        },
        limit: flags.bcf_limit,
        author: flags.author,
        date: flags.date.unwrap_or_else(Timestamp::now),
        origin: flags.origin.map_or([0.0; 3], |Origin(origin)| origin),
    };
    flags.bcf.map(|path| (path, options))
}

/// Returns the file of a heat map, if there is to be one.
pub fn heat_map(HeatMapFlags { heatmap }: &HeatMapFlags) -> Option<HeatMapFile> {
    let [parts, path] = heatmap.as_deref()? else { return None };
    Some(HeatMapFile { parts: parts.to_string_lossy().into_owned(), path: path.into() })
}

/// Returns the rows of the table.
pub fn table(flags: TableFlags) -> TableSettings {
    let mildest = flags.list.map(|listed| match listed {
        // Parts that meet may clash.
        Listed::Clash => Verdict::Meets,
        Listed::Undecided => Verdict::Undecided,
        Listed::Contact => Verdict::Contact,
        Listed::Clearance | Listed::All => Verdict::Clearance,
    });
    let sort = flags.sort.map_or(Sort::Worst, |order| match order {
        Order::Depth => Sort::Depth,
        Order::Distance => Sort::Distance,
        Order::Name => Sort::Name,
        Order::Type => Sort::Type,
    });
    TableSettings { mildest, rows: flags.rows.0, sort, only: flags.only }
}
