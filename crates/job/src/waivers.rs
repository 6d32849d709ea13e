//! The waivers of a rules file, after a check: which of its findings are accepted.

use crate::error::JobError;
use crate::job::Job;
use crate::part_scene::of_parts;
use closefit::{Assembly, CheckRequest, DepthDetail, Verdict};
use closefit_project::{CompiledWaiver, Waivers};
use closefit_report::CheckReport;
use closefit_report::document::{ContainedRow, Finding, PairRow, PartRow, Status, StatusOfPair, WaiverRow};
use closefit_report::table::counted;

/// Largest number of waivers without a pair that have a note each.
const MOST_NOTES: usize = 3;

fn row(waiver: &CompiledWaiver) -> WaiverRow {
    let (reason, up_to) = (waiver.reason.clone(), waiver.up_to);
    WaiverRow { reason, up_to, pairs: 0, accepted: 0, stale: 0 }
}

impl Job {
    /// Gives a status to each listed pair that a waiver is about, and adds the waivers to the report. Returns
    /// notes on waivers that are about none.
    pub(crate) fn waive(
        &self,
        request: &CheckRequest,
        report: &mut CheckReport,
    ) -> Result<Vec<String>, JobError> {
        let Some(waivers) = self.pairs.waivers() else { return Ok(Vec::new()) };
        let checked = Checked { job: self, request };
        let CheckReport { parts, pairs, rules, .. } = report;
        let mut waivers = waivers.clone();
        let keys = pairs.iter().map(|pair| &pair.sides.key[..]);
        let followed = waivers.follow(keys, |place| pairs[place].sides.parts(parts).map(PartRow::pin));
        let mut rows: Vec<WaiverRow> = waivers.all.iter().map(row).collect();
        for pair in &mut *pairs {
            let about = waivers.about(&pair.sides.key, pair.sides.ids);
            about.iter().for_each(|&index| rows[index].pairs += 1);
            let Some((index, status)) = checked.status(&waivers, &about, pair, parts)? else { continue };
            match status.status {
                Some(Status::Accepted) => rows[index].accepted += 1,
                _ => rows[index].stale += 1,
            }
            pair.status = status.into();
        }
        if let Some(rules) = rules {
            rules.waivers = rows;
        }
        let idle = waivers.idle(pairs.iter().map(|pair| (&pair.sides.key[..], pair.sides.ids)));
        let note = (followed > 0).then(|| {
            let waivers = counted(followed as u64, "waiver follows", "waivers follow");
            format!("{waivers} parts whose names changed: their meshes and places are the same")
        });
        Ok(note.into_iter().chain(in_short(idle)).collect())
    }
}

/// Returns some notes, and a line about the others if there are many.
fn in_short(mut notes: Vec<String>) -> Vec<String> {
    let more = notes.len().saturating_sub(MOST_NOTES);
    if more > 1 {
        notes.truncate(MOST_NOTES);
        notes.push(format!("{more} more waivers are about no listed pair"));
    }
    notes
}

/// A finished check whose pairs can be decided again, one by one.
struct Checked<'a> {
    job: &'a Job,
    request: &'a CheckRequest,
}

impl Checked<'_> {
    /// Returns the status of a pair that some waivers are about, with the waiver that decides it: the first
    /// that accepts it or, if none does, the most generous one.
    fn status(
        &self,
        waivers: &Waivers,
        about: &[usize],
        pair: &PairRow,
        parts: &[PartRow],
    ) -> Result<Option<(usize, StatusOfPair)>, JobError> {
        let mut refused: Option<(usize, String)> = None;
        for &index in about {
            let waiver = &waivers.all[index];
            let Some(cause) = self.refusal(waiver, pair, parts)? else {
                return Ok(Some((index, StatusOfPair::accepted())));
            };
            let most = refused.as_ref().map_or(-1.0, |&(known, _)| waivers.all[known].up_to);
            if waiver.up_to > most {
                refused = Some((index, cause));
            }
        }
        Ok(refused.map(|(index, cause)| (index, StatusOfPair::stale(&cause))))
    }

    /// Returns the reason why a waiver does not accept a pair, if it does not.
    fn refusal(
        &self,
        waiver: &CompiledWaiver,
        pair: &PairRow,
        parts: &[PartRow],
    ) -> Result<Option<String>, JobError> {
        if let Some(change) = waiver.pinned.as_ref().and_then(|pins| changed(pins, pair.sides.parts(parts))) {
            return Ok(Some(change));
        }
        let up_to = &waiver.shown;
        let deeper = || format!("deeper than {up_to}");
        if let Some(is_within) = pair.is_within(waiver.up_to) {
            return Ok((!is_within).then(deeper));
        }
        // Nothing has changed, so it is the very finding that was accepted, however little is known of it.
        let is_short = pair.depth.is_some_and(|depth| depth.at_most <= waiver.up_to);
        if waiver.pinned.is_some() && is_short {
            return Ok(None);
        }
        let unproven = |why: &str| format!("not proven to be within {up_to}: {why}");
        // What a depth leaves open, or a shell that is not closed, no tolerance decides.
        let is_open = matches!(pair.contained.as_deref(), Some(ContainedRow::Unknown { .. }))
            && pair.left_open().is_none();
        if let Some(why) = pair.doubt().filter(|_| pair.depth.is_some() || is_open) {
            return Ok(Some(unproven(why)));
        }
        let Some(again) = self.ask_again(pair, waiver.up_to)? else { return Ok(None) };
        Ok(match again.is_within(waiver.up_to) {
            Some(true) => None,
            Some(false) => Some(deeper()),
            // Surfaces without a solid may touch, but not cross deeper than the tolerance, which is `up_to`.
            None if again.verdict == Verdict::Contact => None,
            None => Some(unproven(again.doubt().unwrap_or("the depth is unknown"))),
        })
    }

    /// Asks a pair by itself on which side of a depth it is. Returns its row, unless it is clear.
    fn ask_again(&self, pair: &PairRow, depth: f64) -> Result<Option<PairRow>, JobError> {
        let assembly = Assembly::from(of_parts(self.job.scene(), pair.sides.ids));
        let mut request = self.request.clearance(0.0).tolerance(depth).depth(DepthDetail::Verdict);
        request.list_contacts = false;
        let result = assembly.check(&request);
        let result = result.map_err(|error| self.job.refused(error, assembly.scene()))?;
        Ok(CheckReport::new(assembly.scene(), result).pairs.pop())
    }
}

/// Returns a text that names the parts of a pair that are not the pinned ones, in any order, if some are not.
fn changed(pins: &[String; 2], parts: [&PartRow; 2]) -> Option<String> {
    let found = parts.map(PartRow::pin);
    if found == *pins || [&found[1], &found[0]] == pins.each_ref() {
        return None;
    }
    let is_new = |side: &usize| !pins.contains(&found[*side]);
    let names: Vec<String> = (0..2).filter(is_new).map(|side| format!("'{}'", parts[side].name)).collect();
    Some(match names.as_slice() {
        [] => "the parts are not the pinned ones".to_owned(),
        names => format!("{} changed", names.join(" and ")),
    })
}
