//! The findings of a check, and the files that show them.

use closefit::internals::engine::Clock;
use closefit_bcf::{NoUnit, Options, archive};
use closefit_html::{Page, Row, html};
use closefit_job::{Finished, Job};
use closefit_report::columns::Tabled;
use closefit_report::diff::Review;
use closefit_report::document::{Finding, Report, SlowPairRow, Word};
use closefit_report::table::{self, Printed};
use closefit_report::{CheckReport, SweepReport, csv, json};
use closefit_views::Views;
use jiff::Timestamp;
use js_sys::{Array, Object};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::Refusal;

/// The columns of a headline, in which long names are shortened.
const COLUMNS: usize = 120;

/// The findings of a check or a sweep.
pub enum Found {
    Check(Finished<CheckReport>),
    Sweep(Finished<SweepReport>),
}

/// Does the same with either kind of report.
macro_rules! with_report {
    ($found:expr, $report:ident => $result:expr) => {
        match $found {
            Found::Check(Finished { report: $report, .. }) => $result,
            Found::Sweep(Finished { report: $report, .. }) => $result,
        }
    };
}

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** What a check has found: the line that the program prints first, and the number of listed pairs of each verdict. */
export interface Summary { headline: string; counts: Record<string, number> }
"#;

/// The findings of a check. Files are made when they are read, but for the page and the report.
#[wasm_bindgen]
pub struct Outcome {
    job: Job,
    found: Found,
    page: Vec<u8>,
    report_json: Vec<u8>,
    notes: Vec<String>,
    seconds: Vec<(&'static str, f64)>,
}

impl Outcome {
    /// Writes the report and the page, which has a folder and perhaps pictures, after stages that took so
    /// long. `beyond` is the note about a clearance that exceeds the scene.
    pub fn of(
        job: Job,
        found: Found,
        beyond: Option<String>,
        (folder, has_pictures): (Option<String>, bool),
        (mut seconds, mut clock): (Vec<(&'static str, f64)>, Clock),
    ) -> Self {
        let report_json = with_report!(&found, report => json::document(report));
        seconds.push(("report", clock.lap()));
        let (certificate, notes, repairs, counters) = match &found {
            Found::Check(Finished { certificate, notes, repairs, counters, .. }) => {
                (certificate, notes, repairs, counters)
            }
            Found::Sweep(Finished { certificate, notes, repairs, counters, .. }) => {
                (certificate, notes, repairs, counters)
            }
        };
        let (review, scene) = (Review::default(), job.scene());
        let page = Page {
            certificate: certificate.as_ref(),
            folder: folder.as_deref(),
            has_pictures,
            ..Page::new(&review, Page::LIMIT)
        };
        let page = with_report!(&found, report => html(&Views::of(scene, report), &page));
        let slow = counters.slow.and_then(|slow| table::slow_note(&SlowPairRow::new(slow, scene)));
        let notes = scene.notes.iter().chain(notes).chain(repairs).chain(&beyond).chain(&slow);
        let notes = notes.chain(&page.notes).cloned().collect();
        seconds.push(("page", clock.lap()));
        Self { job, found, page: page.bytes, report_json, notes, seconds }
    }
}

#[wasm_bindgen]
impl Outcome {
    /// The line that the program prints first, and the number of listed pairs of each verdict.
    #[wasm_bindgen(getter, unchecked_return_type = "Summary")]
    pub fn summary(&self) -> JsValue {
        let (headline, counts) = with_report!(&self.found, report => summary(report));
        let counts = object(counts.into_iter().map(|(word, count)| (word, f64::from(count).into())));
        object([("headline", headline.into()), ("counts", counts)])
    }

    /// Notes on the scene, the rules and the files.
    #[wasm_bindgen(getter)]
    pub fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// The report: the bytes of the program's report.json.
    #[wasm_bindgen(getter, js_name = reportJson)]
    pub fn report_json(&self) -> Vec<u8> {
        self.report_json.clone()
    }

    /// The page: the bytes of the program's --html.
    #[wasm_bindgen(getter)]
    pub fn page(&self) -> Vec<u8> {
        self.page.clone()
    }

    /// The pairs: the bytes of the program's pairs.csv.
    #[wasm_bindgen(getter, js_name = pairsCsv)]
    pub fn pairs_csv(&self) -> Vec<u8> {
        with_report!(&self.found, report => csv::pairs(report))
    }

    /// The issues: the bytes of the program's issues.csv.
    #[wasm_bindgen(getter, js_name = issuesCsv)]
    pub fn issues_csv(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        with_report!(&self.found, report => csv::write_issues(report, &Review::default(), &mut bytes))
            .expect("memory takes every byte");
        bytes
    }

    /// Returns the findings as BCF 2.1 issues, with a picture each. Throws an Error if the scene has no
    /// unit.
    pub fn bcf(&self) -> Result<Vec<u8>, Refusal> {
        let now = Timestamp::from_millisecond(js_sys::Date::now() as i64);
        let options = Options::at(now.map_err(|error| Refusal::of("bcf", error))?);
        let scene = self.job.scene();
        let made = with_report!(&self.found, report => archive(&Views::of(scene, report), &options));
        Ok(made.map_err(|error: NoUnit| Refusal::of("bcf", error))?.bytes)
    }

    /// The seconds of each stage: read, check, report and page.
    #[wasm_bindgen(getter, unchecked_return_type = "Record<string, number>")]
    pub fn seconds(&self) -> JsValue {
        object(self.seconds.iter().map(|&(stage, seconds)| (stage, seconds.into())))
    }
}

/// Returns the headline, or else the counts, and the number of listed pairs of each verdict.
fn summary<S: Sync, P: Row + Tabled + Printed<Settings = S>>(
    report: &Report<S, P>,
) -> (String, Vec<(&'static str, u32)>) {
    let verdicts = || report.pairs.iter().map(Finding::verdict);
    let counted = || table::counts(verdicts(), &report.ledger);
    let headline = table::headline(report, COLUMNS).unwrap_or_else(counted);
    let mut counts: Vec<(&'static str, u32)> = Vec::new();
    for word in verdicts().map(Word::word) {
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    (headline.trim_end().to_owned(), counts)
}

/// Makes an object of its fields.
fn object<'a>(fields: impl IntoIterator<Item = (&'a str, JsValue)>) -> JsValue {
    let entries: Array = fields.into_iter().map(|(name, value)| Array::of2(&name.into(), &value)).collect();
    Object::from_entries(&entries).expect("entries are pairs").into()
}
