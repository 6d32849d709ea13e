//! Writers of scenes: binary glTF, or a manifest with a binary STL per mesh.
//!
//! Both carry positions in f32, which is exact for generated scenes, and matrices as the shortest text that
//! reads back as the same f64.

use glam::Vec3;
use serde::Serialize;
use serde_json::{Value, json};

use closefit_geometry::ids::to_u32;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::motion::{Between, Frame, FrameId, Joint, Keyframe};
use closefit_geometry::scene::{Part, Scene};
use closefit_geometry::units::Unit;

/// glTF's codes for number and buffer types.
const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// A glTF document. The fields that grow with the number of parts are typed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    asset: Value,
    scene: u32,
    scenes: Value,
    nodes: Vec<WrittenNode<'a>>,
    meshes: Vec<Value>,
    accessors: Vec<Value>,
    buffer_views: Vec<Value>,
    buffers: Value,
}

#[derive(Serialize)]
struct WrittenNode<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<[f64; 16]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extras: Option<Extras<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<u32>,
}

#[derive(Serialize)]
struct Extras<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
}

/// The parts as nodes, below a node for each step of their paths.
#[derive(Default)]
struct Nodes<'a> {
    all: Vec<WrittenNode<'a>>,
    roots: Vec<u32>,
    /// The groups above the last part, from the root. Only these are reused: a part that returns to a group
    /// left earlier gets a new group, because the order of the nodes is the order of the parts.
    open: Vec<u32>,
}

impl<'a> Nodes<'a> {
    fn push(&mut self, node: WrittenNode<'a>) -> u32 {
        let index = to_u32(self.all.len());
        match self.open.last() {
            Some(&group) => self.all[group as usize].children.push(index),
            None => self.roots.push(index),
        }
        self.all.push(node);
        index
    }

    fn add(&mut self, part: &'a Part) {
        let groups = part.path.strip_suffix(&part.name[..]).unwrap_or("");
        let steps: Vec<&str> = groups.split('/').filter(|step| !step.is_empty()).collect();
        let shared =
            self.open.iter().zip(&steps).take_while(|(g, s)| self.all[**g as usize].name == **s).count();
        self.open.truncate(shared);
        for name in &steps[shared..] {
            let group =
                self.push(WrittenNode { name, mesh: None, matrix: None, extras: None, children: Vec::new() });
            self.open.push(group);
        }
        let matrix = (part.pose != Pose::IDENTITY).then(|| columns(&part.pose));
        let extras = part.tags.first().map(|kind| Extras { kind });
        let mesh = Some(part.mesh.0);
        self.push(WrittenNode { name: &part.name, mesh, matrix, extras, children: Vec::new() });
    }
}

/// Returns the 4x4 matrix of a pose by columns.
fn columns(pose: &Pose) -> [f64; 16] {
    let last = [0.0, 0.0, 0.0, 1.0];
    std::array::from_fn(|i| if i % 4 < 3 { pose.rows[i % 4][i / 4] } else { last[i / 4] })
}

/// Returns the first three rows of the matrix of a pose, by rows.
fn rows(pose: &Pose) -> [f64; 12] {
    std::array::from_fn(|i| pose.rows[i / 4][i % 4])
}

/// Returns the scene as binary glTF 2.0, which is in metres. Parts are nodes in their order, under a node for
/// each step of their paths; instances share a mesh. The first tag of a part (generated parts have no more)
/// goes to `extras.type`, as in exports of buildings. Parts are written in their poses, without motions: glTF
/// has no screw motions and stores keyframes in f32.
///
/// # Panics
/// If the file would exceed glTF's limit of 4 GiB, which no generated scene does.
pub fn glb(scene: &Scene) -> Vec<u8> {
    let mut nodes = Nodes::default();
    for part in &scene.parts {
        nodes.add(part);
    }
    let mut buffer = Vec::new();
    let (mut buffer_views, mut accessors, mut meshes) = (Vec::new(), Vec::new(), Vec::new());
    for (i, mesh) in scene.meshes.iter().enumerate() {
        let (positions, indices) = (2 * i, 2 * i + 1);
        let primitive = json!({ "attributes": { "POSITION": positions }, "indices": indices });
        meshes.push(json!({ "name": stem(scene, i), "primitives": [primitive] }));

        let start = buffer.len();
        let (lo, hi) = write_positions(mesh, &mut buffer);
        buffer_views.push(json!({
            "buffer": 0, "byteOffset": start, "byteLength": buffer.len() - start, "target": ARRAY_BUFFER,
        }));
        accessors.push(json!({
            "bufferView": positions, "componentType": FLOAT, "type": "VEC3", "count": mesh.vertices().len(),
            "min": lo.as_dvec3().to_array(), "max": hi.as_dvec3().to_array(),
        }));

        let start = buffer.len();
        let component = write_indices(mesh, &mut buffer);
        buffer_views.push(json!({
            "buffer": 0, "byteOffset": start, "byteLength": buffer.len() - start,
            "target": ELEMENT_ARRAY_BUFFER,
        }));
        accessors.push(json!({
            "bufferView": indices, "componentType": component, "type": "SCALAR",
            "count": 3 * mesh.triangles().len(),
        }));
        pad(&mut buffer, 0);
    }
    let document = Document {
        asset: json!({ "version": "2.0", "generator": "closefit" }),
        scene: 0,
        scenes: json!([{ "nodes": nodes.roots }]),
        nodes: nodes.all,
        meshes,
        accessors,
        buffer_views,
        buffers: json!([{ "byteLength": buffer.len() }]),
    };
    let mut text = text_of(&document);
    pad(&mut text, b' ');
    binary(&text, &buffer)
}

/// Appends the vertices in f32 and returns their box.
fn write_positions(mesh: &Mesh, buffer: &mut Vec<u8>) -> (Vec3, Vec3) {
    let (mut lo, mut hi) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for p in mesh.vertices().iter().map(|p| p.as_vec3()) {
        (lo, hi) = (lo.min(p), hi.max(p));
        buffer.extend(p.to_array().into_iter().flat_map(f32::to_le_bytes));
    }
    (lo, hi)
}

/// Appends the corners of the triangles in 16 bits if they fit, otherwise in 32. Returns glTF's code for the
/// type.
fn write_indices(mesh: &Mesh, buffer: &mut Vec<u8>) -> u32 {
    let indices = mesh.triangles().iter().flatten();
    // The largest number of a type is not a valid index in glTF.
    if mesh.vertices().len() <= usize::from(u16::MAX) {
        buffer.extend(indices.flat_map(|v| v.to_le_bytes().into_iter().take(2)));
        UNSIGNED_SHORT
    } else {
        buffer.extend(indices.flat_map(|v| v.to_le_bytes()));
        UNSIGNED_INT
    }
}

/// Returns the file: a header and the two chunks, whose lengths are multiples of 4 bytes.
fn binary(text: &[u8], buffer: &[u8]) -> Vec<u8> {
    let length = 12 + 8 + text.len() + 8 + buffer.len();
    let mut file = Vec::with_capacity(length);
    file.extend(b"glTF");
    file.extend(2_u32.to_le_bytes());
    file.extend(to_u32(length).to_le_bytes());
    for (kind, chunk) in [(b"JSON", text), (b"BIN\0", buffer)] {
        file.extend(to_u32(chunk.len()).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}

/// Pads to a multiple of 4 bytes.
fn pad(bytes: &mut Vec<u8>, with: u8) {
    bytes.resize(bytes.len().next_multiple_of(4), with);
}

fn text_of(document: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(document).expect("the keys are strings and writing to memory does not fail")
}

/// Returns the name of a mesh: the name of its file, without the extension.
fn stem(scene: &Scene, mesh: usize) -> &str {
    let part = scene.parts.iter().find(|part| part.mesh.index() == mesh);
    part.map_or("", |part| part.file.strip_suffix(".stl").unwrap_or(&part.file))
}

#[derive(Serialize)]
struct Manifest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<Unit>,
    parts: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    name: &'a str,
    mesh: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pose: Option<Matrix>,
    #[serde(skip_serializing_if = "Option::is_none")]
    motion: Option<MotionEntry>,
}

#[derive(Serialize)]
struct MotionEntry {
    between: &'static str,
    keyframes: Vec<KeyframeEntry>,
}

#[derive(Serialize)]
struct KeyframeEntry {
    time: f64,
    rotation: [f64; 4],
    translation: [f64; 3],
}

impl MotionEntry {
    /// Returns the parent part of a frame, if any, and the frame's motion.
    ///
    /// # Panics
    /// If the motion is anything but screws or lines through keyframes, or a frame carries no part.
    fn of(scene: &Scene, frame: FrameId) -> (Option<&str>, Self) {
        let Frame { parent, joint } = scene.frames.get(frame);
        let parent = parent.map(|parent| {
            let carried = scene.parts.iter().find(|part| part.frame == Some(parent));
            carried.expect("every frame of a generated scene carries a part").name.as_ref()
        });
        let keyframes = match joint {
            Joint::Moving(motion) => motion.keyframes(),
            Joint::Fixed(_) => None,
        };
        let (keyframes, between) = match keyframes.expect("generated motions have keyframes") {
            (keyframes, Between::Screw) => (keyframes, "screw"),
            (keyframes, Between::Linear) => (keyframes, "linear"),
            (_, Between::Step) => panic!("a manifest has no steps"),
        };
        let entry = |key: Keyframe| KeyframeEntry {
            time: key.time,
            rotation: key.rotation,
            translation: key.translation.to_array(),
        };
        (parent, Self { between, keyframes: keyframes.into_iter().map(entry).collect() })
    }
}

#[derive(Serialize)]
struct Matrix {
    matrix: [f64; 12],
}

/// Returns the scene, moving or not, as `scene.json` and the files that its parts name: a binary
/// STL for each mesh. The result has names and contents, the manifest first.
///
/// The scene's parts must name one file for each mesh, as the parts of a generated scene do.
pub fn manifest(scene: &Scene) -> Vec<(String, Vec<u8>)> {
    let parts = scene.parts.iter().map(|part| {
        let (parent, motion) = part.frame.map(|frame| MotionEntry::of(scene, frame)).unzip();
        let stands = motion.is_none() && part.pose != Pose::IDENTITY;
        Entry {
            name: &part.name,
            mesh: &part.file,
            tags: &part.tags,
            parent: parent.flatten(),
            pose: stands.then(|| Matrix { matrix: rows(&part.pose) }),
            motion,
        }
    });
    let manifest = Manifest { unit: scene.unit, parts: parts.collect() };
    let mut files = vec![("scene.json".to_owned(), text_of(&manifest))];
    let meshes = scene.meshes.iter().enumerate();
    files.extend(meshes.map(|(i, mesh)| (format!("{}.stl", stem(scene, i)), stl(mesh))));
    files
}

/// Returns a mesh as binary STL. Vertices keep their order of first use, so that welding restores the same
/// mesh.
fn stl(mesh: &Mesh) -> Vec<u8> {
    let count = mesh.triangles().len();
    let mut file = Vec::with_capacity(84 + 50 * count);
    // A header must not begin with "solid", which announces text.
    file.extend(b"closefit binary STL");
    file.resize(80, 0);
    file.extend(to_u32(count).to_le_bytes());
    for triangle in 0..to_u32(count) {
        let [a, b, c] = mesh.corners(triangle);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for v in [normal, a, b, c] {
            file.extend(v.as_vec3().to_array().into_iter().flat_map(f32::to_le_bytes));
        }
        file.extend([0, 0]);
    }
    file
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::{Request, generate};
    use closefit_scene::read::{ReadOptions, read};

    fn scene(name: &str, size: u32) -> Scene {
        generate(&Request { name: name.to_owned(), size: Some(size), seed: 3, soup: false }).unwrap()
    }

    fn floats<const N: usize>(value: &Value) -> [f64; N] {
        let numbers: Vec<f64> = value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        numbers.try_into().unwrap()
    }

    fn u32_at(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    fn f32_at(bytes: &[u8], at: usize) -> f64 {
        f32::from_bits(u32_at(bytes, at)).into()
    }

    fn point_at(bytes: &[u8], at: usize) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|i| f32_at(bytes, at + 4 * i)))
    }

    /// Collects name, path, mesh and pose of the parts below a node, depth first.
    fn walk(nodes: &[Value], index: &Value, above: &str, found: &mut Vec<(String, String, u64, Pose)>) {
        let node = &nodes[index.as_u64().unwrap() as usize];
        let path = format!("{above}/{}", node["name"].as_str().unwrap());
        if let Some(mesh) = node["mesh"].as_u64() {
            let mut pose = Pose::IDENTITY;
            if !node["matrix"].is_null() {
                let m: [f64; 16] = floats(&node["matrix"]);
                pose.rows = std::array::from_fn(|row| std::array::from_fn(|column| m[4 * column + row]));
                assert_eq!([m[3], m[7], m[11], m[15]], [0.0, 0.0, 0.0, 1.0]);
            }
            found.push((node["name"].as_str().unwrap().to_owned(), path.clone(), mesh, pose));
        }
        for child in node["children"].as_array().into_iter().flatten() {
            walk(nodes, child, &path, found);
        }
    }

    #[test]
    fn glb_reads_back_as_the_same_scene() {
        // The tori have more vertices than 16 bits can count.
        for scene in [scene("gearbox", 12), scene("tori", 140_000), scene("boxes", 20), scene("pipes", 1_000)]
        {
            let file = glb(&scene);
            assert_eq!(
                (&file[..4], u32_at(&file, 4), u32_at(&file, 8) as usize),
                (&b"glTF"[..], 2, file.len())
            );
            let length = u32_at(&file, 12) as usize;
            let document: Value = serde_json::from_slice(&file[20..20 + length]).unwrap();
            let buffer = &file[20 + length + 8..];
            assert_eq!(buffer.len(), u32_at(&file, 20 + length) as usize);

            let mut found = Vec::new();
            for root in document["scenes"][0]["nodes"].as_array().unwrap() {
                walk(document["nodes"].as_array().unwrap(), root, "", &mut found);
            }
            let wanted: Vec<_> = scene
                .parts
                .iter()
                .map(|p| (p.name.to_string(), p.path.to_string(), u64::from(p.mesh.0), p.pose))
                .collect();
            assert_eq!(found, wanted);

            for (i, mesh) in scene.meshes.iter().enumerate() {
                let view = |i: usize| {
                    let view = &document["bufferViews"][i];
                    let start = view["byteOffset"].as_u64().unwrap() as usize;
                    assert_eq!(start % 4, 0);
                    &buffer[start..start + view["byteLength"].as_u64().unwrap() as usize]
                };
                let vertices: Vec<DVec3> = view(2 * i).chunks(12).map(|v| point_at(v, 0)).collect();
                let indices: Vec<u32> =
                    match document["accessors"][2 * i + 1]["componentType"].as_u64().unwrap() {
                        5123 => view(2 * i + 1)
                            .chunks(2)
                            .map(|b| u16::from_le_bytes([b[0], b[1]]).into())
                            .collect(),
                        _ => view(2 * i + 1).chunks(4).map(|b| u32_at(b, 0)).collect(),
                    };
                let triangles: Vec<[u32; 3]> = indices.chunks(3).map(|t| [t[0], t[1], t[2]]).collect();
                assert_eq!(Mesh::new(&vertices, &triangles).unwrap(), **mesh);
                let bounds = closefit_geometry::bounds::aabb::Aabb::of(vertices);
                let accessor = &document["accessors"][2 * i];
                assert_eq!(floats(&accessor["min"]), bounds.lo.to_array());
                assert_eq!(floats(&accessor["max"]), bounds.hi.to_array());
            }
        }
    }

    #[test]
    fn motions_read_back_to_the_last_bit() {
        for (name, size) in [
            ("torus-path", 2_000),
            ("pipes-path", 1_000),
            ("screw", 5_000),
            ("bouncing-tori", 100),
            ("car-door", 1_000),
            ("fast-plates", 3),
            ("robot", 8),
        ] {
            let scene = scene(name, size);
            let folder = tempfile::tempdir().unwrap();
            for (file, bytes) in manifest(&scene) {
                std::fs::write(folder.path().join(file), bytes).unwrap();
            }
            let again = read(&[folder.path().join("scene.json")], &ReadOptions::default()).unwrap();
            assert_eq!(again.frames, scene.frames, "{name}");
            for (part, written) in again.parts.iter().zip(&scene.parts) {
                assert_eq!((&part.name, part.frame, part.pose), (&written.name, written.frame, written.pose));
                let meshes = (&again.meshes[part.mesh.index()], &scene.meshes[written.mesh.index()]);
                assert_eq!(meshes.0, meshes.1, "{name}");
            }
            assert_eq!(again.parts.len(), scene.parts.len());
        }
    }

    #[test]
    fn manifest_reads_back_as_the_same_scene() {
        for (name, size) in [("gearbox", 12), ("wrinkled-torus", 2_000), ("boxes", 20)] {
            let scene = scene(name, size);
            let files = manifest(&scene);
            assert_eq!(files[0].0, "scene.json");
            let document: Value = serde_json::from_slice(&files[0].1).unwrap();
            assert_eq!(document["unit"], "m");
            let entries = document["parts"].as_array().unwrap();
            assert_eq!(entries.len(), scene.parts.len());
            for (entry, part) in entries.iter().zip(&scene.parts) {
                assert_eq!(entry["name"], *part.name);
                let pose = match &entry["pose"]["matrix"] {
                    Value::Null => Pose::IDENTITY.rows.concat(),
                    matrix => floats::<12>(matrix).to_vec(),
                };
                assert_eq!(pose, part.pose.rows.concat());

                let stl = &files[1..].iter().find(|f| entry["mesh"] == f.0).expect("the file is there").1;
                assert_eq!(stl.len(), 84 + 50 * u32_at(stl, 80) as usize);
                let corner = |i: usize| point_at(stl, 84 + 50 * (i / 3) + 12 * (i % 3 + 1));
                let corners: Vec<DVec3> = (0..3 * u32_at(stl, 80) as usize).map(corner).collect();
                let triangles: Vec<[u32; 3]> =
                    (0..to_u32(corners.len() / 3)).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
                assert_eq!(Mesh::new(&corners, &triangles).unwrap(), *scene.meshes[part.mesh.index()]);
            }
            let mut names: Vec<&String> = files.iter().map(|f| &f.0).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), scene.meshes.len() + 1);
        }
    }
}
