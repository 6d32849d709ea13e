//! The rows at which a scene is checked: configurations of a robot, poses of a part, or times.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;

use crate::error::{JobError, NothingAsked};
use crate::joints::{joint_named, joint_value, limit_note, number, robot_of};
use crate::journal::hash_of;
use crate::rows::table::Table;
use closefit_geometry::lanes::{FourNumbers, FourPoses, ROWS};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::scene::robot::RobotJoint;
use closefit_geometry::scene::{Robot, Scene};
use closefit_geometry::text::quotable;
use csv::ByteRecord;

/// Rows of poses of a scene's parts, read as they are needed.
pub struct RowSource {
    kind: Kind,
    /// True if the first column has ids.
    has_ids: bool,
    table: Option<Table>,
    /// The rows that are left, by their numbers, if they are in no table.
    left: Range<u64>,
    /// The values beyond limits in the rows of a table so far, by the index of the joint.
    beyond: Mutex<BTreeMap<usize, Beyond>>,
}

/// The values of a joint beyond its limits.
#[derive(Clone, Copy, Debug)]
struct Beyond {
    /// The number of rows that have one.
    rows: u64,
    /// The lowest and the highest of them.
    range: [f64; 2],
}

enum Kind {
    /// Columns are joints, by their indices, of a robot whose others stand at these values.
    Configurations { robot: Robot, joints: Vec<usize>, values: Vec<f64> },
    /// The same with rows that are given, one after the other.
    Given { robot: Robot, joints: Vec<usize>, values: Vec<f64>, rows: Vec<f64> },
    /// Columns are the pose of the second part.
    Poses(PoseColumns),
    /// The times of a scene that moves: the first, the last, and the step.
    Times { from: f64, to: f64, step: f64 },
}

/// The two ways to write a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PoseColumns {
    /// A quaternion x, y, z, w and a translation.
    Quaternion,
    /// The 12 numbers of a matrix, row by row.
    Matrix,
}

/// The most times of a list by steps. Shards of a list decide so many in days; more are a slip of the pen.
const MOST_TIMES: u64 = 1_000_000_000;

/// The first column of a trajectory.
const TIME_COLUMN: &str = "t_s";

/// The columns of a quaternion and a translation.
const QUATERNION: [&str; 7] = ["qx", "qy", "qz", "qw", "tx", "ty", "tz"];

/// The columns of a matrix, row by row.
const MATRIX: [&str; 12] =
    ["m00", "m01", "m02", "m03", "m10", "m11", "m12", "m13", "m20", "m21", "m22", "m23"];

/// A row as it was read.
pub(super) enum RawRow {
    Columns(ByteRecord),
    Time(f64),
    /// The number of a row that is given.
    Given(u64),
}

impl RawRow {
    /// Returns its time in seconds, if it is one.
    pub fn time(&self) -> Option<f64> {
        if let Self::Time(time) = self { Some(*time) } else { None }
    }
}

/// Buffers of a thread.
#[derive(Default)]
pub(super) struct PoseScratch {
    given: Vec<f64>,
    values: Vec<f64>,
    /// The values of each joint in four rows.
    in_rows: Vec<FourNumbers>,
    links: Vec<FourPoses>,
}

impl PoseScratch {
    /// Sets the values of all joints in a row to those that follow from the given ones.
    fn take_given(&mut self, robot: &Robot, lane: usize) {
        robot.values_into(&self.given, &mut self.values);
        for (in_rows, &value) in self.in_rows.iter_mut().zip(&self.values) {
            in_rows[lane] = value;
        }
    }
}

impl RowSource {
    /// Opens a table of values of a robot's joints: a header of their names, after `id` if rows have ids, or
    /// after `t_s`, whose times are then the ids.
    /// Joints without a column stand at `values`, one for each joint of the robot.
    ///
    /// # Errors
    /// [`JobError::File`] for a file that cannot be read, or a header that does not fit the robot.
    pub fn configurations(path: &Path, scene: &Scene, values: Vec<f64>) -> Result<Self, JobError> {
        let table = Table::open(path)?;
        let robot = robot_of(scene).map_err(|why| table.refused_header(&why))?;
        let is_joint = |name: &str| robot.joints.iter().any(|joint| *joint.name == *name);
        let has_ids = match &table.columns[0][..] {
            "id" => true,
            // The times of a trajectory tell its rows apart.
            first => first == TIME_COLUMN && !is_joint(first),
        };
        let names = &table.columns[usize::from(has_ids)..];
        let joints = joints_of_columns(robot, names).map_err(|why| table.refused_header(&why))?;
        let kind = Kind::Configurations { robot: robot.clone(), joints, values };
        Ok(Self { kind, has_ids, table: Some(table), left: 0..0, beyond: Mutex::default() })
    }

    /// Takes configurations as numbers, row after row, with a column for each of the joints named. The other
    /// joints stand at `values`, one for each joint of the robot.
    ///
    /// # Errors
    /// The reason in one line, if the columns do not fit the robot.
    ///
    /// # Panics
    /// Panics if the last row is not complete.
    pub fn given_configurations(
        names: &[String],
        rows: Vec<f64>,
        scene: &Scene,
        values: Vec<f64>,
    ) -> Result<Self, String> {
        let robot = robot_of(scene)?;
        let joints = joints_of_columns(robot, names)?;
        assert_eq!(rows.len() % joints.len(), 0, "a value for each joint in each row");
        let left = 0..(rows.len() / joints.len()) as u64;
        let kind = Kind::Given { robot: robot.clone(), joints, values, rows };
        Ok(Self { kind, has_ids: false, table: None, left, beyond: Mutex::default() })
    }

    /// Opens a table of poses of the second of a scene's two parts: `qx,qy,qz,qw,tx,ty,tz`, or
    /// `m00,m01,...,m23` with the 12 numbers of a matrix, after `id` if rows have ids.
    ///
    /// # Errors
    /// [`JobError::File`] for a file that cannot be read, another header, or another number of parts.
    pub fn poses(path: &Path, scene: &Scene) -> Result<Self, JobError> {
        let table = Table::open(path)?;
        let has_ids = table.columns[0] == "id";
        let names: Vec<&str> = table.columns[usize::from(has_ids)..].iter().map(|name| &name[..]).collect();
        let kind = match &names[..] {
            names if names == QUATERNION => PoseColumns::Quaternion,
            names if names == MATRIX => PoseColumns::Matrix,
            names => {
                let found = quotable(&names.join(","));
                let why = format!(
                    "the columns '{found}' are neither {} nor {}",
                    QUATERNION.join(","),
                    MATRIX.join(",")
                );
                return Err(table.refused_header(&why));
            }
        };
        if scene.parts.len() != 2 {
            let why = format!("poses are for a scene of two parts, but it has {}", scene.parts.len());
            return Err(table.refused_header(&why));
        }
        Ok(Self {
            kind: Kind::Poses(kind),
            has_ids,
            table: Some(table),
            left: 0..0,
            beyond: Mutex::default(),
        })
    }

    /// Takes the times from one to another, by steps: `from`, `from + step`, and so on.
    ///
    /// # Errors
    /// The reason in one line, if they do not ascend, or are more than `MOST_TIMES`.
    pub fn times(from: f64, to: f64, step: f64) -> Result<Self, String> {
        let ascend = step > 0.0 && from <= to;
        if !ascend || [from, to, step].iter().any(|time| !time.is_finite()) {
            return Err(format!("the times from {from} to {to} by steps of {step} do not ascend"));
        }
        // The last step may be off by the rounding of the three numbers.
        let steps = ((to - from) / step * (1.0 + 8.0 * f64::EPSILON)).floor();
        if steps >= MOST_TIMES as f64 {
            let is_exact = steps < (1_u64 << f64::MANTISSA_DIGITS) as f64;
            let rows = if is_exact { (steps as u64 + 1).to_string() } else { format!("{steps:.0e}") };
            return Err(format!("{rows} rows are too many: {MOST_TIMES} are the most"));
        }
        let kind = Kind::Times { from, to, step };
        let left = 0..steps as u64 + 1;
        Ok(Self { kind, has_ids: false, table: None, left, beyond: Mutex::default() })
    }

    /// Refuses a table that has no row.
    pub(super) fn refuse_no_row(&self, files: &str) -> Result<(), JobError> {
        match &self.table {
            Some(table) if table.is_empty() => {
                let why = NothingAsked::NoRow(table.name());
                Err(JobError::Nothing { files: files.to_owned(), why })
            }
            _ => Ok(()),
        }
    }

    /// Returns for each part of a scene if its pose may differ from row to row, or from the scene's.
    pub(super) fn moves(&self, scene: &Scene) -> Vec<bool> {
        match &self.kind {
            Kind::Configurations { robot, values, .. } | Kind::Given { robot, values, .. } => {
                let mut poses: Vec<Pose> = scene.parts.iter().map(|part| part.pose).collect();
                robot.pose_parts(&robot.values(values), &mut Vec::new(), &mut poses);
                let by_columns = robot.moved_by(|joint| self.has_column(joint), scene.parts.len());
                let stands = poses.iter().zip(&scene.parts).map(|(pose, part)| *pose == part.pose);
                by_columns.into_iter().zip(stands).map(|(moves, stands)| moves || !stands).collect()
            }
            Kind::Poses(_) => vec![false, true],
            Kind::Times { .. } => scene.parts.iter().map(|part| part.frame.is_some()).collect(),
        }
    }

    /// True if rows have a value of a joint, by its index.
    pub fn has_column(&self, joint: usize) -> bool {
        match &self.kind {
            Kind::Configurations { joints, .. } | Kind::Given { joints, .. } => joints.contains(&joint),
            Kind::Poses(_) | Kind::Times { .. } => false,
        }
    }

    /// Returns the number of all rows, unless they can be read only once, and a hash of all on which their
    /// poses depend.
    ///
    /// # Errors
    /// [`JobError::File`] if they cannot be read.
    pub(super) fn counted(&self, scene: &Scene) -> Result<(Option<u64>, blake3::Hash), JobError> {
        let whole = self.table.as_ref().map(Table::counted).transpose()?;
        let (count, bytes) = whole.map_or((Some(self.left.end), None), Option::unzip);
        let how: &dyn Debug = match &self.kind {
            Kind::Configurations { robot, joints, values } | Kind::Given { robot, joints, values, .. } => {
                let Robot {
                    file: _,
                    joints: all,
                    links,
                    parts,
                    partly_read: _,
                    lacks_collision: _,
                    free_joints: _,
                    link_names: _,
                } = robot;
                &(all, links, parts, joints, values)
            }
            Kind::Poses(columns) => columns,
            Kind::Times { from, to, step } => &(from, to, step, &scene.frames),
        };
        let given = if let Kind::Given { rows, .. } = &self.kind { &rows[..] } else { &[] };
        Ok((count, hash_of(&(bytes.map(|bytes| bytes.to_hex()), self.has_ids, how, given))))
    }

    /// Passes over the next rows.
    ///
    /// # Errors
    /// [`JobError::File`] if the file can no longer be read.
    pub(super) fn skip(&mut self, rows: u64) -> Result<(), JobError> {
        self.left.start = self.left.end.min(self.left.start + rows);
        self.table.as_mut().map_or(Ok(()), |table| table.skip(rows))
    }

    /// Returns the next rows, up to a number of them; none at the end.
    pub(super) fn read(&mut self, most: usize) -> Result<Vec<RawRow>, JobError> {
        if let Some(table) = &mut self.table {
            let mut rows = Vec::with_capacity(most);
            table.read(&mut rows, most)?;
            return Ok(rows.into_iter().map(RawRow::Columns).collect());
        }
        let row = |number: u64| match self.kind {
            Kind::Times { from, to, step } => RawRow::Time((from + step * number as f64).min(to)),
            _ => RawRow::Given(number),
        };
        Ok(self.left.by_ref().take(most).map(row).collect())
    }

    /// Returns the id of a row, if rows have ids.
    pub(super) fn id(&self, row: &RawRow) -> Option<String> {
        let RawRow::Columns(columns) = row else { return None };
        let id = columns.get(0).filter(|_| self.has_ids)?.trim_ascii();
        Some(String::from_utf8_lossy(id).into_owned())
    }

    /// Moves the parts of a scene, which stand as in other rows, to the poses of up to four rows. Returns for
    /// each of them the reason in one line why it has no poses, which names the column and the value.
    pub(super) fn place(
        &self,
        rows: &[RawRow],
        scene: &Scene,
        scratch: &mut PoseScratch,
        poses: &mut [FourPoses],
    ) -> [Option<String>; ROWS] {
        let robot = match &self.kind {
            Kind::Configurations { robot, .. } | Kind::Given { robot, .. } => Some(robot),
            Kind::Poses(_) | Kind::Times { .. } => None,
        };
        scratch.in_rows.resize(robot.map_or(0, |robot| robot.joints.len()), [0.0; ROWS]);
        let mut refused = [const { None }; ROWS];
        for (lane, (row, refused)) in rows.iter().zip(&mut refused).enumerate() {
            *refused = self.place_row((lane, row), scene, scratch, poses).err();
        }
        if let Some(robot) = robot {
            robot.pose_parts_in_rows(&scratch.in_rows, &mut scratch.links, poses);
        }
        refused
    }

    /// Moves the parts to the poses of a row, but of a robot finds the values of joints alone.
    fn place_row(
        &self,
        (lane, row): (usize, &RawRow),
        scene: &Scene,
        scratch: &mut PoseScratch,
        poses: &mut [FourPoses],
    ) -> Result<(), String> {
        match (&self.kind, row) {
            (Kind::Configurations { robot, joints, values }, RawRow::Columns(columns)) => {
                scratch.given.clone_from(values);
                for (&joint, cell) in joints.iter().zip(self.cells(columns)?) {
                    let of = &robot.joints[joint];
                    let value = cell.joint_value(of)?;
                    self.note_beyond(of, (joint, value));
                    scratch.given[joint] = value;
                }
                scratch.take_given(robot, lane);
            }
            (Kind::Given { robot, joints, values, rows }, &RawRow::Given(number)) => {
                scratch.given.clone_from(values);
                let row = &rows[number as usize * joints.len()..];
                for (&joint, &value) in joints.iter().zip(row) {
                    if !value.is_finite() {
                        let name = quotable(&robot.joints[joint].name);
                        return Err(format!("{name}: {value} is not a finite number"));
                    }
                    scratch.given[joint] = value;
                }
                scratch.take_given(robot, lane);
            }
            (&Kind::Poses(kind), RawRow::Columns(columns)) => {
                let numbers: Vec<f64> =
                    self.cells(columns)?.map(|cell| cell.read(number)).collect::<Result<_, _>>()?;
                poses[1].set(lane, &posed(kind, &numbers)?);
            }
            (Kind::Times { .. }, &RawRow::Time(time)) => {
                let frames = scene.frames.poses(time);
                for (pose, part) in poses.iter_mut().zip(&scene.parts) {
                    pose.set(lane, &part.frame.map_or(part.pose, |frame| frames[frame.0 as usize]));
                }
            }
            _ => unreachable!("rows are those of their source"),
        }
        Ok(())
    }

    /// Keeps a value that is beyond the limits of its joint.
    fn note_beyond(&self, of: &RobotJoint, (joint, value): (usize, f64)) {
        let is_beyond =
            of.limits.is_some_and(|[lower, upper]| lower <= upper && !(lower..=upper).contains(&value));
        if is_beyond {
            let mut beyond = self.beyond.lock().expect("no panic");
            let known = beyond.entry(joint).or_insert(Beyond { rows: 0, range: [value; 2] });
            let [low, high] = known.range;
            *known = Beyond { rows: known.rows + 1, range: [low.min(value), high.max(value)] };
        }
    }

    /// Returns a note for each joint that rows have put beyond its limits.
    pub fn notes(&self, scene: &Scene) -> Vec<String> {
        let Kind::Configurations { robot, values, .. } = &self.kind else { return Vec::new() };
        let beyond = self.beyond.lock().expect("no panic");
        let note = |(&joint, found): (&usize, &Beyond)| {
            let rows = if found.rows == 1 { "row" } else { "rows" };
            let note = limit_note(scene, &robot.joints[joint], found.range)?;
            Some(format!("{} {rows}: {note}", found.rows))
        };
        let of_rows = beyond.iter().filter_map(note);
        // The joints without a column are the same in all rows.
        let fixed = (0..values.len()).filter(|joint| !self.has_column(*joint));
        let fixed = fixed.filter_map(|joint| limit_note(scene, &robot.joints[joint], [values[joint]; 2]));
        of_rows.chain(fixed).collect()
    }

    /// Returns the cells of a row after the id.
    fn cells<'r>(&'r self, columns: &'r ByteRecord) -> Result<impl Iterator<Item = Cell<'r>>, String> {
        let names = self.table.as_ref().map_or(&[][..], |table| &table.columns);
        if columns.len() != names.len() {
            return Err(format!("{} values for {} columns", columns.len(), names.len()));
        }
        // To check the text once takes a fraction of the time for each cell.
        let whole = str::from_utf8(columns.as_slice()).ok();
        let cells = columns.iter().zip(names).enumerate().skip(usize::from(self.has_ids));
        Ok(cells.map(move |(place, (bytes, column))| {
            let text = columns.range(place).and_then(|range| whole?.get(range));
            Cell { column, bytes: bytes.trim_ascii(), text: text.map(str::trim_ascii) }
        }))
    }
}

/// A value of a row as it is written, and the name of its column.
struct Cell<'r> {
    column: &'r str,
    bytes: &'r [u8],
    /// The same if the whole row is text.
    text: Option<&'r str>,
}

impl Cell<'_> {
    /// Returns the value of a joint. An error names the column.
    fn joint_value(&self, of: &RobotJoint) -> Result<f64, String> {
        // Next to all values are numbers without a unit.
        let bare = self.text.and_then(|text| text.parse().ok());
        bare.filter(|value: &f64| value.is_finite())
            .map_or_else(|| self.read(|text| joint_value(of, text)), Ok)
    }

    /// Parses the value. An error names the column.
    fn read(&self, parse: impl FnOnce(&str) -> Result<f64, String>) -> Result<f64, String> {
        parse(&String::from_utf8_lossy(self.bytes)).map_err(|why| format!("{}: {why}", quotable(self.column)))
    }
}

/// Returns the joints of columns, each once.
fn joints_of_columns(robot: &Robot, names: &[String]) -> Result<Vec<usize>, String> {
    let mut joints = Vec::new();
    for name in names {
        let joint = joint_named(robot, name)?;
        if joints.contains(&joint) {
            return Err(format!("there are two columns '{}'", quotable(name)));
        }
        joints.push(joint);
    }
    if joints.is_empty() { Err("no column is a joint".to_owned()) } else { Ok(joints) }
}

/// Reads values of joints from a table with one row, for a robot whose other joints rest.
///
/// # Errors
/// [`JobError::File`] for a file that cannot be read, or that has another header or number of rows.
pub fn joint_values_in(path: &Path, scene: &Scene) -> Result<Vec<f64>, JobError> {
    let mut source = RowSource::configurations(path, scene, Vec::new())?;
    let rows = source.read(2)?;
    let (Kind::Configurations { robot, joints, .. }, Some(table)) = (&source.kind, &source.table) else {
        unreachable!("it has configurations")
    };
    let [RawRow::Columns(row)] = &rows[..] else {
        let found = if rows.is_empty() { "no row" } else { "more than one row" };
        return Err(table.unfit(format!("{found} follows the header, instead of one")));
    };
    let mut values = robot.rest();
    let refused = |why: String| table.unfit(format!("the row: {why}"));
    for (&joint, cell) in joints.iter().zip(source.cells(row).map_err(refused)?) {
        values[joint] = cell.joint_value(&robot.joints[joint]).map_err(refused)?;
    }
    Ok(values)
}

/// Returns the pose of as many numbers as its columns have.
fn posed(kind: PoseColumns, numbers: &[f64]) -> Result<Pose, String> {
    match (kind, numbers) {
        (PoseColumns::Quaternion, &[qx, qy, qz, qw, tx, ty, tz]) => {
            let rotation = [qx, qy, qz, qw];
            Pose::from_trs(rotation, [1.0; 3], [tx, ty, tz])
                .ok_or_else(|| format!("qx,qy,qz,qw: the quaternion {rotation:?} has no direction"))
        }
        (_, numbers) => {
            let rows: [f64; 12] = numbers.try_into().expect("the columns were counted");
            Ok(Pose::from(rows))
        }
    }
}
