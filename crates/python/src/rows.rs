//! A robot at many configurations.

use std::collections::BTreeMap;
use std::sync::Arc;

use closefit::{PosedPair, Verdict};
use closefit_job::{FoundRow, RowOptions, RowSource, robot_of};
use closefit_report::document::Word;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::{floats, misshapen};
use crate::backend::Backend;
use crate::error::Refusal;
use crate::jobs::{Common, detail};
use crate::joints::standing;
use crate::progress::run;
use crate::scene::Scene;

/// The verdicts, the worst first. Their places stand for them in columns.
const VERDICTS: [Verdict; 6] = [
    Verdict::Clash,
    Verdict::Meets,
    Verdict::Undecided,
    Verdict::Contact,
    Verdict::Clearance,
    Verdict::Clear,
];

/// The place of a row that is wrong, after the places of the verdicts.
const WRONG: u8 = VERDICTS.len() as u8;

/// The settings of a check at many configurations.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Own {
    /// The joints of the columns.
    joints: Vec<String>,
    at_joints: BTreeMap<String, f64>,
    first: bool,
    depth: String,
    backend: String,
    adapter: Option<String>,
}

/// Decide every pair of a robot's parts at many configurations: the columns of what was found.
#[pyfunction]
pub fn check_configurations<'py>(
    py: Python<'py>,
    scene: &Bound<'py, Scene>,
    configurations: &Bound<'py, PyAny>,
    settings: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let (common, own): (Common, Own) = (settings.extract()?, settings.extract()?);
    let depth = detail(&own.depth)?;
    let backend = Backend::of(&own.backend, own.adapter.as_deref())?;
    let values = floats(configurations, "configurations")?;
    if !matches!(values.shape(), [_, columns] if *columns == own.joints.len()) {
        let wanted = format!("(n, {})", own.joints.len());
        return Err(misshapen("configurations", &wanted, values.shape()));
    }
    let values = values.entries().to_vec();
    let read = Arc::clone(scene.get().read());
    let columns = run(py, settings.extract()?, move |observer| {
        let job = common.job(&read)?;
        let request = common.check_request(&job)?.depth(depth).strategy(backend.strategy()?);
        let refused = |why: String| Refusal::of("configurations", why);
        let robot = robot_of(job.scene()).map_err(refused)?;
        let others = standing(robot, &own.at_joints)?;
        let mut rows =
            RowSource::given_configurations(&own.joints, values, job.scene(), others).map_err(refused)?;
        let options = RowOptions { ends_at_clash: own.first, allow_empty: common.allow_empty, journal: None };
        let mut columns = Columns::default();
        let cells = |found: FoundRow| found.pairs.map(|pairs| pairs.iter().map(RowCells::of).collect());
        job.for_each_row(&mut rows, (&request, &options), observer, cells, |row| {
            columns.push(row);
            Ok(())
        })?;
        Ok(columns)
    })?;
    columns.into_dict(py)
}

/// The findings about a row, or the reason why there are none.
type Row = Result<Vec<RowCells>, String>;

/// The findings about a pair.
struct RowCells {
    ids: [u32; 2],
    verdict: u8,
    distance: f64,
    depth: [f64; 2],
}

impl RowCells {
    fn of(found: &PosedPair) -> Self {
        let depth = found.depth.map_or([f64::NAN; 2], |depth| [depth.at_least, depth.at_most]);
        let ids = found.ids.map(|id| id.0);
        Self { ids, verdict: place_of(found.verdict), distance: found.distance, depth }
    }
}

fn place_of(verdict: Verdict) -> u8 {
    VERDICTS.iter().position(|&known| known == verdict).expect("all verdicts are there") as u8
}

/// Columns of all rows, and columns of all pairs that are not clear.
#[derive(Default)]
struct Columns {
    verdicts: Vec<u8>,
    distances: Vec<f64>,
    pairs: Vec<(i64, RowCells)>,
    errors: Vec<(usize, String)>,
}

impl Columns {
    fn push(&mut self, row: Row) {
        let number = self.verdicts.len();
        match row {
            Ok(pairs) => {
                let worst = pairs.iter().map(|pair| pair.verdict).min();
                self.verdicts.push(worst.unwrap_or(place_of(Verdict::Clear)));
                self.distances.push(pairs.iter().map(|pair| pair.distance).fold(f64::NAN, f64::min));
                self.pairs.extend(pairs.into_iter().map(|pair| (number as i64, pair)));
            }
            Err(why) => {
                self.verdicts.push(WRONG);
                self.distances.push(f64::NAN);
                self.errors.push((number, why));
            }
        }
    }

    /// Returns the columns by their names; `words` are what the places of verdicts stand for.
    fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        let words = VERDICTS.iter().map(|verdict| verdict.word()).chain(["error"]);
        dict.set_item("words", PyList::new(py, words.collect::<Vec<_>>())?)?;
        dict.set_item("verdict", PyArray1::from_vec(py, self.verdicts))?;
        dict.set_item("distance", PyArray1::from_vec(py, self.distances))?;
        dict.set_item("errors", self.errors)?;
        let pairs = &self.pairs;
        dict.set_item("pair_row", PyArray1::from_iter(py, pairs.iter().map(|(row, _)| *row)))?;
        for (name, side) in [("pair_a", 0), ("pair_b", 1)] {
            dict.set_item(name, PyArray1::from_iter(py, pairs.iter().map(|(_, pair)| pair.ids[side])))?;
        }
        let number =
            |of: fn(&RowCells) -> f64| PyArray1::from_iter(py, pairs.iter().map(|(_, pair)| of(pair)));
        dict.set_item("pair_verdict", PyArray1::from_iter(py, pairs.iter().map(|(_, pair)| pair.verdict)))?;
        dict.set_item("pair_distance", number(|pair| pair.distance))?;
        dict.set_item("pair_at_least", number(|pair| pair.depth[0]))?;
        dict.set_item("pair_at_most", number(|pair| pair.depth[1]))?;
        Ok(dict)
    }
}
