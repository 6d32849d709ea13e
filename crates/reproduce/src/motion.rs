//! The motions of a table as files, for engines other than closefit: the meshes, and the pose of each body in
//! each frame at which methods are run.

use std::fmt::Write;

use closefit::{Mesh, Pose};
use glam::{DMat3, DQuat};
use serde::Serialize;

/// Bodies that move from frame to frame.
#[derive(Clone, Debug)]
pub struct Motion {
    /// A name that the other motions of the table do not have.
    pub name: String,
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// The mesh of each body, by its index.
    pub bodies: Vec<usize>,
    /// The pose of each body, frame by frame.
    pub frames: Vec<Vec<Pose>>,
}

/// The contents of the file `motion.json`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Description<'a> {
    closefit_motion: u32,
    table: &'a str,
    name: &'a str,
    /// The mesh file of each body.
    bodies: Vec<String>,
    frames: usize,
    /// BLAKE3 digest of `poses.csv`.
    poses: String,
}

/// The contents of the file `scene.json`: a manifest, in which the time is the number of the frame.
#[derive(Serialize)]
struct Manifest {
    unit: &'static str,
    parts: Vec<Part>,
}

#[derive(Serialize)]
struct Part {
    name: String,
    mesh: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pose: Option<Placed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    motion: Option<Keyframes>,
}

#[derive(Serialize)]
struct Keyframes {
    between: &'static str,
    keyframes: Vec<Keyframe>,
}

#[derive(Serialize)]
struct Keyframe {
    time: usize,
    #[serde(flatten)]
    placed: Placed,
}

#[derive(Serialize)]
struct Placed {
    rotation: [f64; 4],
    translation: [f64; 3],
}

impl Placed {
    fn of(pose: &Pose) -> Self {
        let column = |j: usize| [0, 1, 2].map(|i| pose.rows[i][j]).into();
        let turn = DQuat::from_mat3(&DMat3::from_cols(column(0), column(1), column(2)));
        Self { rotation: turn.to_array(), translation: pose.shift().to_array() }
    }
}

impl Motion {
    /// Returns the motion of two bodies.
    pub fn pair(
        name: impl Into<String>,
        meshes: [&Mesh; 2],
        frames: impl IntoIterator<Item = [Pose; 2]>,
    ) -> Self {
        let frames = frames.into_iter().map(Vec::from).collect();
        Self { name: name.into(), meshes: meshes.map(Mesh::clone).to_vec(), bodies: vec![0, 1], frames }
    }

    /// Returns the motion of bodies that have the same mesh.
    pub fn equal(name: impl Into<String>, mesh: &Mesh, frames: Vec<Vec<Pose>>) -> Self {
        let bodies = vec![0; frames.first().map_or(0, Vec::len)];
        Self { name: name.into(), meshes: vec![mesh.clone()], bodies, frames }
    }

    /// Returns the name of the motion's folder: the name in lower case, with a dash for all that is neither
    /// letter, digit nor point.
    pub fn folder(&self) -> String {
        let dashed: String = self
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' })
            .collect();
        dashed.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
    }

    /// Returns the names and the texts of the motion's files: `motion.json`, `poses.csv`, `scene.json` and an
    /// OBJ for each mesh. Numbers are the shortest text that reads back as the same f64; rotations in the
    /// manifest are rounded to quaternions.
    pub fn files(&self, table: &str) -> Vec<(String, String)> {
        let poses = self.poses();
        let description = Description {
            closefit_motion: 1,
            table,
            name: &self.name,
            bodies: self.bodies.iter().map(|&mesh| mesh_file(mesh)).collect(),
            frames: self.frames.len(),
            poses: blake3::hash(poses.as_bytes()).to_hex().to_string(),
        };
        let description =
            serde_json::to_string_pretty(&description).expect("names and numbers can be written");
        let meshes = self.meshes.iter().enumerate().map(|(i, mesh)| (mesh_file(i), obj(mesh)));
        let manifest = serde_json::to_string(&self.manifest()).expect("names and numbers can be written");
        let texts =
            [("motion.json", description + "\n"), ("poses.csv", poses), ("scene.json", manifest + "\n")];
        texts.into_iter().map(|(name, text)| (name.to_owned(), text)).chain(meshes).collect()
    }

    /// Returns the bodies and their motions as a manifest: screws from frame to frame.
    fn manifest(&self) -> Manifest {
        let part = |(body, &mesh): (usize, &usize)| {
            let poses = || self.frames.iter().map(move |frame| &frame[body]);
            let stands = poses().all(|pose| *pose == self.frames[0][body]);
            let key = |(time, pose): (usize, &Pose)| Keyframe { time, placed: Placed::of(pose) };
            Part {
                name: format!("body {body}"),
                mesh: mesh_file(mesh),
                pose: poses().next().filter(|pose| stands && **pose != Pose::IDENTITY).map(Placed::of),
                motion: (!stands).then(|| Keyframes {
                    between: "screw",
                    keyframes: poses().enumerate().map(key).collect(),
                }),
            }
        };
        Manifest { unit: "m", parts: self.bodies.iter().enumerate().map(part).collect() }
    }

    /// Returns the poses as CSV: a row for each body in each frame, with the rows of its 3 x 4 matrix.
    fn poses(&self) -> String {
        let mut text = "frame,body,r00,r01,r02,x,r10,r11,r12,y,r20,r21,r22,z\n".to_owned();
        for (frame, poses) in self.frames.iter().enumerate() {
            for (body, pose) in poses.iter().enumerate() {
                let _ = write!(text, "{frame},{body}");
                pose.rows.iter().flatten().for_each(|number| _ = write!(text, ",{number}"));
                text.push('\n');
            }
        }
        text
    }
}

fn mesh_file(index: usize) -> String {
    format!("mesh-{index}.obj")
}

fn obj(mesh: &Mesh) -> String {
    let mut text = String::new();
    for v in mesh.vertices() {
        let _ = writeln!(text, "v {} {} {}", v.x, v.y, v.z);
    }
    for [a, b, c] in mesh.triangles().iter().map(|corners| corners.map(|corner| corner + 1)) {
        let _ = writeln!(text, "f {a} {b} {c}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_have_plain_names() {
        let of = |name: &str| {
            Motion::equal(name, &closefit_generate::shapes::Shape::Torus.mesh(100), Vec::new()).folder()
        };
        assert_eq!(of("number, fast: 50 bodies, step 0.05"), "number-fast-50-bodies-step-0.05");
        assert_eq!(of("Door in a Car"), "door-in-a-car");
    }

    #[test]
    fn numbers_read_back_as_they_were() {
        let mesh = closefit_generate::shapes::Shape::Torus.mesh(100);
        let pose = Pose::translation([0.1, -1e-300, 1e17 / 3.0]);
        let motion = Motion::pair("two", [&mesh; 2], [[Pose::IDENTITY, pose]]);
        let files = motion.files("a-table");
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["motion.json", "poses.csv", "scene.json", "mesh-0.obj", "mesh-1.obj"]);
        let last = files[1].1.lines().last().expect("two rows");
        let numbers: Vec<f64> = last.split(',').skip(2).map(|text| text.parse().expect("a number")).collect();
        assert_eq!(numbers, *pose.rows.as_flattened());
        let vertices: Vec<f64> = files[3]
            .1
            .lines()
            .filter_map(|line| line.strip_prefix("v "))
            .flat_map(|line| {
                line.split(' ').map(|text| text.parse().expect("a number")).collect::<Vec<f64>>()
            })
            .collect();
        assert_eq!(vertices, mesh.vertices().iter().flat_map(|v| v.to_array()).collect::<Vec<f64>>());
    }
}
