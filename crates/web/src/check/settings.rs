//! The settings of a check, with the names of the program's flags.

use std::path::PathBuf;

use closefit_geometry::motion::parse_time;
use closefit_geometry::scene::Scene;
use closefit_geometry::units::{Length, Unit, UnitError};
use closefit_job::files_line;
use closefit_scene::read::{Motions, ReadOptions};
use serde::Deserialize;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::Refusal;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A file: its path with folders, by which other files refer to it. */
export interface InputFile { path: string; bytes: Uint8Array }

/** The settings of a check: the flags of `closefit check` and `closefit sweep`. */
export interface Settings {
  /** The paths of the scene files, in order. Default: all files but the rules. */
  scenes?: string[];
  /** How many of the last scene files are the other side. Default: 0, all parts with each other. */
  against?: number;
  /** List pairs that are no farther apart than this length, such as "5mm". */
  clearance?: string;
  /** Largest depth of overlap that counts as contact, not clash. */
  tolerance?: string;
  /** Unit of STL, OBJ and PLY files: mm, cm, m, in or ft. */
  unit?: string;
  /** Take the objects of an OBJ and the solids of an STL as parts. */
  split?: boolean;
  /** The path of the file with rules. */
  rules?: string;
  /** Find a way out of every clash. */
  wayOut?: boolean;
  /** Find the volume that the parts of each pair share. */
  volume?: boolean;
  /** Check parts over their motion. */
  sweep?: boolean;
  /** Start of the sweep, in seconds. */
  from?: string;
  /** End of the sweep, in seconds. */
  to?: string;
  /** Largest width of a bracket of a distance in a sweep. */
  precision?: string;
  /** Draw pictures into the page. Default: true; without them, the page draws one when someone looks at it. */
  pictures?: boolean;
  /** Limit of memory in bytes. Default: 3 GiB of the 4 GiB that a module can have. */
  memory?: number;
}

/** Reports progress: the name of the stage, the items done, and the total; a total of 0 means that items are not counted. */
export type Observer = (stage: string, done: number, total: number) => void;
"#;

/// Three quarters of what a module can address.
const MEMORY: u64 = 3 << 30;

/// The settings of a check or a sweep.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Settings {
    pub scenes: Option<Vec<PathBuf>>,
    pub against: usize,
    clearance: String,
    tolerance: Option<String>,
    unit: Option<String>,
    split: bool,
    pub rules: Option<PathBuf>,
    pub way_out: bool,
    pub volume: bool,
    pub sweep: bool,
    from: Option<String>,
    to: Option<String>,
    precision: Option<String>,
    pub pictures: bool,
    pub memory: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            scenes: None,
            against: 0,
            clearance: "0".to_owned(),
            tolerance: None,
            unit: None,
            split: false,
            rules: None,
            way_out: false,
            volume: false,
            sweep: false,
            from: None,
            to: None,
            precision: None,
            pictures: true,
            memory: MEMORY,
        }
    }
}

/// A setting that cannot be used: the program's flag, and the reason.
pub struct Wrong(&'static str, String);

impl Wrong {
    /// Returns the error about a setting.
    pub fn new(flag: &'static str, why: impl ToString) -> Self {
        Self(flag, why.to_string())
    }

    /// Returns the error about the setting of these scene files.
    pub fn of(self, files: &[PathBuf]) -> Refusal {
        Refusal::of(files_line(files), format_args!("{}: {}", self.0, self.1))
    }
}

/// The lengths and times of a check, before the unit of its scene is known.
pub struct Parsed {
    unit: Option<Unit>,
    clearance: Length,
    tolerance: Option<Length>,
    pub precision: Option<Length>,
    pub from: Option<f64>,
    pub to: Option<f64>,
}

impl Settings {
    /// Parses lengths, times and the unit.
    pub fn parsed(&self) -> Result<Parsed, Wrong> {
        let unit = self.unit.as_deref().map(|text| text.parse().map_err(|error| Wrong::new("--unit", error)));
        let optional =
            |flag, text: &Option<String>| text.as_deref().map(|text| length(flag, text)).transpose();
        let optional_time =
            |flag, text: &Option<String>| text.as_deref().map(|text| time(flag, text)).transpose();
        Ok(Parsed {
            unit: unit.transpose()?,
            clearance: length("--clearance", &self.clearance)?,
            tolerance: optional("--tolerance", &self.tolerance)?,
            precision: self.precision.as_deref().map(precision).transpose()?,
            from: optional_time("--from", &self.from)?,
            to: optional_time("--to", &self.to)?,
        })
    }
}

impl Parsed {
    /// Returns the options of the readers.
    pub fn reading(&self, settings: &Settings) -> ReadOptions {
        let mut reading = ReadOptions {
            unit: self.unit,
            split: settings.split,
            motions: if settings.sweep { Motions::Required } else { Motions::Noted },
            memory: Some(settings.memory),
            ..ReadOptions::default()
        };
        reading.coarsen(self.tolerance.as_ref());
        reading
    }

    /// Returns the clearance in the unit of a scene.
    pub fn clearance(&self, scene: &Scene) -> Result<f64, Wrong> {
        in_unit("--clearance", &self.clearance, scene)
    }

    /// Returns the tolerance in the unit of a scene, if one is given.
    pub fn tolerance(&self, scene: &Scene) -> Result<Option<f64>, Wrong> {
        self.tolerance.as_ref().map(|length| in_unit("--tolerance", length, scene)).transpose()
    }

    /// Returns the precision in the unit of a scene, if one is given.
    pub fn precision(&self, scene: &Scene) -> Result<Option<f64>, Wrong> {
        self.precision.as_ref().map(|length| in_unit("--precision", length, scene)).transpose()
    }
}

fn length(flag: &'static str, text: &str) -> Result<Length, Wrong> {
    text.parse().map_err(|error: UnitError| Wrong::new(flag, error))
}

fn precision(text: &str) -> Result<Length, Wrong> {
    length("--precision", text)?.above_zero().map_err(|error| Wrong::new("--precision", error))
}

fn in_unit(flag: &'static str, length: &Length, scene: &Scene) -> Result<f64, Wrong> {
    length.in_unit(scene.unit).map_err(|error| Wrong::new(flag, error))
}

fn time(flag: &'static str, text: &str) -> Result<f64, Wrong> {
    parse_time(text).map_err(|error| Wrong::new(flag, error))
}
