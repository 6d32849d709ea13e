//! The costs of the parts of a check, measured on one thread.

use std::error::Error;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use closefit::{CheckRequest, CollisionMesh, DepthDetail, Pool, Unobserved, World, verdict};
use closefit_geometry::ids::PartId;
use closefit_job::{Job, Project, ReadScene, RowOptions, RowSource, read, robot_of};

/// Each cost is the least of so many measurements.
const TIMES: usize = 3;

/// The least number of rows of a run.
const ROWS: usize = 1_000_000;

/// A piece of work that one machine does: a pair or a row.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The meshes whose trees it needs. All trees that rows need count as one.
    pub meshes: [usize; 2],
    /// Its seconds.
    pub seconds: f64,
}

/// The costs of a scene, in seconds of one thread.
#[derive(Clone, Debug)]
pub struct Costs {
    /// Its name.
    pub name: String,
    /// The time to read it.
    pub reading: f64,
    /// The time to build the tree of each mesh.
    pub meshes: Vec<f64>,
    /// Pairs in the order of their ids, or rows.
    pub pieces: Vec<Piece>,
}

impl Costs {
    /// Measures a scene, or a robot with configurations as `ROBOT=ROWS`.
    pub fn measured(name: &str) -> Result<Self, Failed> {
        let (scene, rows) = name.split_once('=').map_or((name, None), |(scene, rows)| (scene, Some(rows)));
        Pool::of(1).install(|| {
            let (reading, read) = least(|| read(&[scene], &Default::default(), &Unobserved))?;
            let name = Path::new(scene).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            match rows {
                None => Self::of_pairs(name, reading, &read),
                Some(rows) => {
                    Self::of_rows(format!("{name}, a million rows"), reading, read, Path::new(rows))
                }
            }
        })?
    }

    /// Decides every pair of parts whose boxes meet.
    fn of_pairs(name: String, reading: f64, read: &ReadScene) -> Result<Self, Failed> {
        let scene = &read.scene;
        let (mut models, mut meshes): (Vec<CollisionMesh>, Vec<f64>) = Default::default();
        for mesh in &scene.meshes {
            let (seconds, model) = least(|| Ok::<_, Failed>(CollisionMesh::build(mesh)))?;
            models.push(model);
            meshes.push(seconds);
        }
        let mesh = |part: PartId| scene.parts[part.index()].mesh.index();
        let mut world = World::default();
        for part in (0..scene.parts.len() as u32).map(PartId) {
            world.add(&models[mesh(part)], &scene.parts[part.index()].pose)?;
        }
        let request = CheckRequest::default();
        let mut pieces = Vec::new();
        for pair in world.candidate_pairs() {
            let parts = pair.map(|body| PartId(body.index() as u32));
            let (seconds, _) = least(|| {
                let [a, b] = parts.map(|part| models[mesh(part)].at(&scene.parts[part.index()].pose));
                Ok::<_, Failed>(verdict(&a?, &b?, &request))
            })?;
            pieces.push(Piece { meshes: parts.map(mesh), seconds });
        }
        Ok(Self { name, reading, meshes, pieces })
    }

    /// Decides all pairs at every row.
    fn of_rows(name: String, reading: f64, read: ReadScene, rows: &Path) -> Result<Self, Failed> {
        let began = Instant::now();
        let job = Job::new(read, Project::default())?;
        let rest = robot_of(job.scene())?.rest();
        let mut rows = RowSource::configurations(rows, job.scene(), rest)?;
        let request = CheckRequest::default().depth(DepthDetail::None);
        let moments = Mutex::new(Vec::new());
        job.for_each_row(
            &mut rows,
            (&request, &RowOptions::default()),
            &Unobserved,
            |_| moments.lock().expect("one thread").push(Instant::now()),
            |()| Ok(()),
        )?;
        let moments = moments.into_inner().expect("one thread");
        let took: Vec<f64> = moments.windows(2).map(|two| (two[1] - two[0]).as_secs_f64()).collect();
        let pieces = took.iter().cycle().take(ROWS).map(|&seconds| Piece { meshes: [0; 2], seconds });
        Ok(Self { name, reading, meshes: vec![(moments[0] - began).as_secs_f64()], pieces: pieces.collect() })
    }

    /// Returns the time to build all trees.
    pub fn trees(&self) -> f64 {
        self.meshes.iter().sum()
    }

    /// Returns the time to decide everything.
    pub fn deciding(&self) -> f64 {
        self.pieces.iter().map(|piece| piece.seconds).sum()
    }

    /// Returns the time of one machine.
    pub fn one_machine(&self) -> f64 {
        self.reading + self.trees() + self.deciding()
    }

    /// Returns the time of the largest pair or row.
    pub fn largest(&self) -> f64 {
        self.pieces.iter().map(|piece| piece.seconds).fold(0.0, f64::max)
    }

    /// Names what a time of many machines consists of, for the most part.
    pub fn bound(&self, time: f64) -> &'static str {
        match time / 2.0 {
            half if self.reading > half => "reading",
            half if self.largest() > half => "one pair",
            half if self.reading + self.trees() > half => "trees",
            _ => "balance",
        }
    }
}

/// The reason why a simulation ends.
pub type Failed = Box<dyn Error + Send + Sync>;

/// Returns the least seconds of some runs, and the last result.
fn least<T, E: Into<Failed>>(mut run: impl FnMut() -> Result<T, E>) -> Result<(f64, T), Failed> {
    let mut timed = || {
        let began = Instant::now();
        let made = run().map_err(Into::into)?;
        Ok::<_, Failed>((began.elapsed().as_secs_f64(), made))
    };
    let mut best = timed()?;
    for _ in 1..TIMES {
        let again = timed()?;
        best = (best.0.min(again.0), again.1);
    }
    Ok(best)
}
