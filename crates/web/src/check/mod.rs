//! A check in two steps: one reads a scene, which can be looked at, and the other decides.

mod outcome;
mod progress;
mod settings;

use std::path::{Path, PathBuf};

use closefit::internals::engine::Clock;
use closefit_job::{
    CheckOptions, Job, JobError, Project, SweepOptions, read_from, read_rules_from, sweep_refusal,
};
use closefit_report::table::clearance_note;
use closefit_scene::read::InMemory;
use js_sys::{Array, Function, JSON, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::error::Refusal;
use outcome::{Found, Outcome};
use progress::Progress;
use settings::{Parsed, Settings, Wrong};

/// A check of a scene that has been read.
#[wasm_bindgen]
pub struct Run {
    job: Job,
    scenes: Vec<PathBuf>,
    settings: Settings,
    parsed: Parsed,
    read_s: f64,
}

#[wasm_bindgen]
impl Run {
    /// Reads a scene. Throws an Error with the line that the program would print.
    pub fn read(
        #[wasm_bindgen(unchecked_param_type = "InputFile[]")] files: Array,
        #[wasm_bindgen(unchecked_param_type = "Settings")] settings: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Observer")] observer: Function,
    ) -> Result<Self, Refusal> {
        let mut clock = Clock::start();
        let settings = read_settings(&settings)?;
        let (files, paths) = in_memory(files)?;
        let scenes = settings.scenes.clone().unwrap_or_else(|| {
            paths.into_iter().filter(|path| Some(path) != settings.rules.as_ref()).collect()
        });
        let parsed = settings.parsed().map_err(|wrong| wrong.of(&scenes))?;
        let rules = settings.rules.as_deref().map(|path| read_rules_from(&files, path)).transpose()?;
        if settings.against > 0 && settings.against >= scenes.len() {
            let why = format!("{} of {} files leave none for the first side", settings.against, scenes.len());
            return Err(Wrong::new("--against", why).of(&scenes));
        }
        let progress = Progress::to(observer);
        let read = read_from(&files, &scenes, &parsed.reading(&settings), &progress)?;
        let sides = (settings.against > 0).then(|| read.against(scenes.len() - settings.against));
        let job = Job::new(read, Project { sides, rules })?;
        Ok(Self { job, scenes, settings, parsed, read_s: clock.lap() })
    }

    /// Returns the page of the model alone, to be looked at before the check has ended.
    pub fn model(&self) -> Vec<u8> {
        closefit_html::model(self.job.scene())
    }

    /// Decides all pairs. Throws an Error with the line that the program would print.
    pub fn check(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Observer")] observer: Function,
    ) -> Result<Outcome, Refusal> {
        let mut clock = Clock::start();
        let progress = Progress::to(observer);
        let (found, beyond) =
            if self.settings.sweep { self.sweep(&progress)? } else { self.at_rest(&progress)? };
        let seconds = vec![("read", self.read_s), ("check", clock.lap())];
        Ok(Outcome::of(
            self.job.clone(),
            found,
            beyond,
            (self.folder(), self.settings.pictures),
            (seconds, clock),
        ))
    }
}

impl Run {
    fn at_rest(&self, progress: &Progress) -> Result<(Found, Option<String>), Refusal> {
        let (job, scene) = (&self.job, self.job.scene());
        let request = job.check_request()?.clearance(self.of(self.parsed.clearance(scene))?);
        let request = match self.of(self.parsed.tolerance(scene))? {
            Some(tolerance) => request.tolerance(tolerance),
            None => request,
        };
        let options = CheckOptions {
            ways_out: self.settings.way_out,
            volumes: self.settings.volume,
            ..CheckOptions::default()
        };
        let request = request.memory(Some(self.settings.memory));
        let found = job.check(&request, &options, progress)?;
        let beyond = clearance_note(request.clearance, job.diagonal(None)?, scene.unit);
        Ok((Found::Check(found), beyond))
    }

    fn sweep(&self, progress: &Progress) -> Result<(Found, Option<String>), Refusal> {
        let (job, scene) = (&self.job, self.job.scene());
        let mut request = job.sweep_request(self.parsed.from, self.parsed.to)?;
        request.tolerance = self.of(self.parsed.tolerance(scene))?.unwrap_or(request.tolerance);
        if let Some(precision) = self.of(self.parsed.precision(scene))? {
            request = request.precision(precision).most_cells(None);
        }
        let request = request.clearance(self.of(self.parsed.clearance(scene))?);
        let request = request.memory(Some(self.settings.memory));
        let found = job.sweep(&request, &SweepOptions::default(), progress);
        let found = found.map_err(|error| self.refused_sweep(error))?;
        let beyond = clearance_note(request.clearance, job.diagonal(Some(request.from))?, scene.unit);
        Ok((Found::Sweep(found), beyond))
    }

    /// Names the flag that an error of a sweep concerns.
    fn refused_sweep(&self, error: JobError) -> Refusal {
        let JobError::Sweep { error, .. } = error else { return error.into() };
        let (flag, why) = sweep_refusal(&error, self.parsed.precision.is_some());
        Wrong::new(flag, why).of(&self.scenes)
    }

    /// Names the scene in the error about a setting.
    fn of<T>(&self, value: Result<T, Wrong>) -> Result<T, Refusal> {
        value.map_err(|wrong| wrong.of(&self.scenes))
    }

    /// Returns the name of the folder that the only file is in.
    fn folder(&self) -> Option<String> {
        let [file] = &self.scenes[..] else { return None };
        Some(file.parent()?.file_name()?.to_string_lossy().into_owned())
    }
}

/// Reads settings. Those that are undefined have their defaults.
fn read_settings(settings: &JsValue) -> Result<Settings, Refusal> {
    let text = JSON::stringify(settings).ok().and_then(|text| text.as_string());
    let wrong = |why: String| Refusal::of("settings", why);
    let text = text.ok_or_else(|| wrong("they are no object".to_owned()))?;
    serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
}

/// Takes files, with their paths in order.
fn in_memory(files: Array) -> Result<(InMemory, Vec<PathBuf>), Refusal> {
    let (mut all, mut paths) = (InMemory::default(), Vec::new());
    for (place, file) in files.iter().enumerate() {
        let field = |name: &str| Reflect::get(&file, &JsValue::from_str(name)).ok();
        let path = field("path").and_then(|path| path.as_string());
        let bytes = field("bytes").and_then(|bytes| bytes.dyn_into::<Uint8Array>().ok());
        let (Some(path), Some(bytes)) = (path, bytes) else {
            return Err(Refusal::of(format!("files[{place}]"), "it needs a path, and bytes in a Uint8Array"));
        };
        all.insert(Path::new(&path), bytes.to_vec()).map_err(JobError::from)?;
        paths.push(path.into());
    }
    Ok((all, paths))
}
