//! The findings of a report in their scene.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use closefit_geometry::scene::Scene;
use closefit_picture::{Dot, Finding, Picture, Stage, View};
use closefit_report::document::Report;
use glam::DVec3;

use crate::shown::Shown;

/// The size of pictures next to texts, in pixels, width and height: four fit side by side.
const SNAPSHOT: [u32; 2] = [400, 300];

/// A report with the scene that it is about. What is seen of a finding is worked out once for all outputs.
pub struct Views<'r, S, P> {
    scene: &'r Scene,
    /// The scene as it was read, or as it was checked.
    stage: OnceLock<Stage<'r>>,
    report: &'r Report<S, P>,
    /// The views and pictures of the pairs that were requested, by the ids of their parts.
    seen: Mutex<HashMap<[u32; 2], Arc<Seen>>>,
}

/// A finding in its scene, as far as an output has needed it.
#[derive(Default)]
struct Seen {
    finding: OnceLock<Finding>,
    view: OnceLock<View>,
    snapshot: OnceLock<Vec<u8>>,
}

impl<'r, S, P: Shown> Views<'r, S, P> {
    /// Brings a report and its scene together: of a check at a time, the scene
    /// [at that time](Scene::at).
    ///
    /// # Panics
    /// Panics if the scene has fewer parts than the report.
    pub fn of(scene: &'r Scene, report: &'r Report<S, P>) -> Self {
        assert!(scene.parts.len() >= report.parts.len(), "the report is about this scene");
        Self { scene, stage: OnceLock::new(), report, seen: Mutex::default() }
    }

    /// Returns the scene.
    pub fn scene(&self) -> &'r Scene {
        self.scene
    }

    /// Returns the report.
    pub fn report(&self) -> &'r Report<S, P> {
        self.report
    }

    /// Returns the pair with a key, or the worst pair of the group with that key.
    pub fn with_key(&self, key: &str) -> Option<&'r P> {
        let pair = |key: &str| self.report.pairs.iter().find(|pair| *pair.sides().key == *key);
        let group = || self.report.groups.iter().find(|group| group.key == key);
        pair(key).or_else(|| group().and_then(|group| pair(group.pairs.first()?)))
    }

    /// Returns what `see` makes of a finding, on the stage of its time.
    pub fn on_stage<T>(&self, pair: &P, see: impl FnOnce(&Stage, &Finding) -> T) -> T {
        let seen = self.seen(pair);
        self.at(pair.time(), |stage| see(stage, seen.finding.get_or_init(|| pair.finding(stage.scene()))))
    }

    /// Returns the finding of a pair.
    pub fn finding(&self, pair: &P) -> Finding {
        let found = self.seen(pair).finding.get().cloned();
        found.unwrap_or_else(|| self.on_stage(pair, |_, finding| finding.clone()))
    }

    /// Returns the view of a finding.
    pub fn view(&self, pair: &P) -> View {
        let found = self.seen(pair).view.get().copied();
        found.unwrap_or_else(|| self.on_stage(pair, |stage, finding| self.view_on(stage, pair, finding)))
    }

    /// Draws a finding. The size is in pixels, width and height.
    pub fn picture(&self, pair: &P, size: [u32; 2]) -> Picture {
        self.on_stage(pair, |stage, finding| stage.draw(finding, &self.view_on(stage, pair, finding), size))
    }

    /// Returns the PNG file of a finding as shown next to texts, 400 x 300 pixels.
    pub fn snapshot(&self, pair: &P) -> Vec<u8> {
        self.seen(pair).snapshot.get_or_init(|| self.picture(pair, SNAPSHOT).png()).clone()
    }

    /// Returns the PNG file of the whole scene as shown next to texts, 400 x 300 pixels.
    pub fn whole_snapshot(&self) -> Vec<u8> {
        self.whole_picture(SNAPSHOT).png()
    }

    fn view_on(&self, stage: &Stage, pair: &P, finding: &Finding) -> View {
        *self.seen(pair).view.get_or_init(|| stage.view(finding))
    }

    /// Returns what is seen of a pair.
    fn seen(&self, pair: &P) -> Arc<Seen> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(seen.entry(pair.sides().ids).or_default())
    }

    /// Returns the view of the whole scene.
    pub fn whole(&self) -> View {
        self.at(self.time(), |stage| stage.whole_view())
    }

    /// Draws the whole scene with a dot per finding, contacts left out: at rest or, of a sweep, at the time
    /// of its worst finding. The size is in pixels, width and height.
    pub fn whole_picture(&self, size: [u32; 2]) -> Picture {
        self.at(self.time(), |stage| stage.draw_whole(&stage.whole_view(), &self.dots(), size))
    }

    /// Returns the dots of the whole scene, the worst last, so that it is drawn over the others.
    pub fn dots(&self) -> Vec<Dot> {
        let marked = self.marked().into_iter().rev();
        marked.map(|pair| Dot { at: self.place(pair), kind: pair.mark() }).collect()
    }

    /// Returns the time of the whole scene: the time of the worst finding, if parts move.
    pub fn time(&self) -> Option<f64> {
        self.marked().first().and_then(|pair| pair.time())
    }

    /// Returns the place of a finding.
    pub fn place(&self, pair: &P) -> DVec3 {
        let middle = || {
            let [lo, hi] = self.finding(pair).bounds;
            0.5 * (lo + hi)
        };
        pair.at().map_or_else(middle, DVec3::from)
    }

    /// Returns the findings that have a dot, the worst first.
    pub(crate) fn marked(&self) -> Vec<&'r P> {
        let mut marked: Vec<&P> = self.report.pairs.iter().filter(|pair| pair.is_marked()).collect();
        marked.sort_by(|p, q| p.worst_first(q));
        marked
    }

    /// Returns what `see` makes of the stage at a time, or of the scene as it is.
    pub(crate) fn at<T>(&self, time: Option<f64>, see: impl FnOnce(&Stage) -> T) -> T {
        match time {
            Some(time) => see(&Stage::new(&self.scene.at(time))),
            None => see(self.stage.get_or_init(|| Stage::new(self.scene))),
        }
    }
}
