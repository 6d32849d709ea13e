//! The JSON manifest: parts with a mesh file, a pose or a motion, tags and a parent.
//!
//! Unknown keys are errors. A part without a mesh is a frame that others name as their parent, or stands for
//! a whole scene (`placed`).

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use glam::DVec3;

use super::error::{Fault, clip};
use super::missing::Missing;
use super::place::Place;
use super::placed::{Group, PlacedScenes};
use super::text::decoded;
use super::{MOST_PARTS, MeshFormat, Source, check_name, parse_mesh, path_of};
use crate::similar_names::did_you_mean;
use closefit_geometry::ids::MeshId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::{Between, Frames, Keyframe, Motion};
use closefit_geometry::scene::{Part, Scene};
use closefit_geometry::units::Unit;

/// A value that must be a JSON object. Derived structures would also accept an array of their fields in
/// order.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        deserializer.deserialize_map(Fields(PhantomData)).map(Self)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest<'a> {
    unit: Option<Unit>,
    /// Parts, parsed one by one so that a fault names its part.
    #[serde(borrow)]
    parts: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    mesh: Option<String>,
    /// A scene file, whose parts get the name and a slash before theirs.
    scene: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    /// True for a part that is open on purpose: a sheet, not a solid with something missing.
    #[serde(default)]
    surface: bool,
    pose: Option<Object<PoseEntry>>,
    parent: Option<String>,
    motion: Option<Object<MotionEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PoseEntry {
    rotation: Option<[f64; 4]>,
    translation: Option<[f64; 3]>,
    matrix: Option<[f64; 12]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MotionEntry {
    between: Option<BetweenWord>,
    keyframes: Vec<Object<KeyframeEntry>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BetweenWord {
    Screw,
    Linear,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyframeEntry {
    time: f64,
    rotation: Option<[f64; 4]>,
    translation: Option<[f64; 3]>,
}

/// Bytes of a keyframe with a rotation or a translation, at least.
const SHORTEST_KEYFRAME: usize = 40;

/// Reads a manifest and the meshes that it refers to.
pub(super) fn parse(bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    let text = decoded(bytes)?;
    let Object::<Manifest>(manifest) = serde_json::from_str(&text).map_err(|e| Fault::json(&text, &e))?;
    if manifest.parts.len() > MOST_PARTS {
        return Err(Fault::Scene(format!("there are more than {MOST_PARTS} parts")));
    }
    let entry_bytes = size_of::<Entry>() + 2 * size_of::<Part>();
    let parts = manifest.parts.len();
    source.memory.take(parts, entry_bytes, || format!("{parts} parts"))?;
    let keyframes = text.len() / SHORTEST_KEYFRAME;
    source
        .memory
        .take(keyframes, Motion::KEYFRAME_BYTES, || format!("a manifest of {} bytes", text.len()))?;
    let entries =
        manifest.parts.iter().enumerate().map(|(i, raw)| entry(i, raw)).collect::<Result<Vec<_>, _>>()?;
    let names: Vec<String> = entries.iter().map(|entry| entry.name.clone()).collect();
    let parents = parents(&entries)?;
    refuse_idle_frames(&entries, &parents)?;
    let mut scene = Scene { unit: manifest.unit, ..Scene::default() };
    let places = places(&entries, &parents, &mut scene.frames)?;

    let mut known: HashMap<Arc<str>, Result<MeshId, String>> = HashMap::new();
    let mut missing = Missing::default();
    let mut placed = PlacedScenes::new(source);
    for (i, (entry, place)) in entries.into_iter().zip(places).enumerate() {
        if let Some(file) = &entry.scene {
            let (name, tags, is_surface) = (&entry.name[..], &entry.tags[..], entry.surface);
            let group = Group { name, path: path_of(&names, &parents, i), tags, is_surface, place };
            placed.add(file, &group, &mut scene).map_err(|fault| in_part(fault, i, name))?;
        }
        let Some(file) = entry.mesh else { continue };
        let (file, mesh) = match known.get_key_value(&file[..]) {
            Some((file, mesh)) => (file.clone(), mesh.clone().map_err(Fault::Scene)),
            None => {
                let mesh = mesh(&file, source, &mut scene.notes).map(|mesh| scene.add_mesh(mesh));
                let file: Arc<str> = file.into();
                known.insert(file.clone(), mesh.as_ref().map(|&id| id).map_err(Fault::to_string));
                (file, mesh)
            }
        };
        let mesh = match mesh {
            Ok(mesh) => mesh,
            Err(fault) => {
                missing.add(in_part(fault.in_file(&file), i, &entry.name), 1)?;
                continue;
            }
        };
        let path = path_of(&names, &parents, i).into();
        let (tags, frame, is_surface) = (entry.tags.into(), place.frame, entry.surface);
        let new = Part::new(entry.name, mesh, place.start);
        scene.parts.push(Part { file, path, tags, is_surface, frame, ..new });
    }
    missing.leave_out(source.options.allow_missing, &mut scene)?;
    Ok(scene)
}

fn in_part(fault: Fault, index: usize, name: &str) -> Fault {
    fault.in_part(name, &format!("parts[{index}]"))
}

fn entry(index: usize, raw: &RawValue) -> Result<Entry, Fault> {
    let Object::<Entry>(entry) = serde_json::from_str(raw.get())
        .map_err(|e| Fault::json_of_part(raw.get(), &e, &format!("parts[{index}]")))?;
    let mut named = std::iter::once(&entry.name).chain(&entry.tags);
    named.try_for_each(|name| check_name(name)).map_err(|fault| in_part(fault, index, &entry.name))?;
    if entry.mesh.is_some() && entry.scene.is_some() {
        let why = "it stands beside a mesh: a part has one or the other";
        return Err(in_part(Fault::at("scene", why), index, &entry.name));
    }
    if entry.motion.is_some() && entry.pose.is_some() {
        let why = "it stands beside a pose: a part has one or the other";
        return Err(in_part(Fault::at("motion", why), index, &entry.name));
    }
    Ok(entry)
}

fn mesh(
    file: &str,
    source: &Source,
    notes: &mut Vec<String>,
) -> Result<closefit_geometry::mesh::Mesh, Fault> {
    let format = MeshFormat::of(file)?;
    let bytes = source.folder()?.read(file)?;
    let mut own = Vec::new();
    let mesh = parse_mesh(format, &bytes, &mut own, source.memory)?;
    source.memory.give_back(bytes.len(), 1);
    notes.extend(own.into_iter().map(|note| format!("{}: {note}", clip(file))));
    Ok(mesh)
}

/// Returns the parent of each part. A name that several parts share cannot be a parent.
fn parents(entries: &[Entry]) -> Result<Vec<Option<usize>>, Fault> {
    let mut by_name: HashMap<&str, (usize, bool)> = HashMap::new();
    for (i, entry) in entries.iter().enumerate() {
        by_name.entry(&entry.name).and_modify(|(_, shared)| *shared = true).or_insert((i, false));
    }
    let parent = |(i, entry): (usize, &Entry)| {
        let Some(parent) = entry.parent.as_deref() else { return Ok(None) };
        let wrong = |why: &str| {
            Err(in_part(Fault::at("parent", format!("'{}' is {why}", clip(parent))), i, &entry.name))
        };
        match by_name.get(parent) {
            None => {
                let meant = did_you_mean(parent, entries.iter().map(|entry| &*entry.name));
                wrong(&format!("not the name of a part{meant}"))
            }
            Some((_, true)) => wrong("the name of several parts"),
            Some(&(i, false)) => Ok(Some(i)),
        }
    };
    entries.iter().enumerate().map(parent).collect()
}

/// Refuses a part without a mesh that is no other's parent: it is a mistake, not a frame.
fn refuse_idle_frames(entries: &[Entry], parents: &[Option<usize>]) -> Result<(), Fault> {
    let mut used = vec![false; entries.len()];
    parents.iter().flatten().for_each(|&parent| used[parent] = true);
    match entries
        .iter()
        .zip(used)
        .position(|(entry, used)| entry.mesh.is_none() && entry.scene.is_none() && !used)
    {
        None => Ok(()),
        Some(i) => {
            let fault = Fault::at("mesh", "it is missing, and the part is not the parent of another");
            Err(in_part(fault, i, &entries[i].name))
        }
    }
}

/// Returns places composed from root to leaf, without recursion, because chains may be as long as the file.
fn places(entries: &[Entry], parents: &[Option<usize>], frames: &mut Frames) -> Result<Vec<Place>, Fault> {
    let mut places: Vec<Option<Place>> = vec![None; entries.len()];
    let mut chain = Vec::new();
    for start in 0..entries.len() {
        let mut at = Some(start);
        while let Some(i) = at.filter(|&i| places[i].is_none()) {
            chain.push(i);
            if chain.len() > entries.len() {
                return Err(in_part(Fault::at("parent", "its ancestors form a cycle"), i, &entries[i].name));
            }
            at = parents[i];
        }
        let mut above = at.and_then(|i| places[i]);
        while let Some(i) = chain.pop() {
            let place = place(&entries[i], above.as_ref(), frames);
            let place = place.map_err(|fault| in_part(fault, i, &entries[i].name))?;
            places[i] = Some(place);
            above = Some(place);
        }
    }
    Ok(places.into_iter().flatten().collect())
}

fn place(entry: &Entry, above: Option<&Place>, frames: &mut Frames) -> Result<Place, Fault> {
    let Some(Object(entry)) = &entry.motion else {
        return Place::standing(frames, above, local_pose(entry)?);
    };
    let keyframe = |Object(key): &Object<KeyframeEntry>| Keyframe {
        time: key.time,
        rotation: key.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]),
        translation: DVec3::from_array(key.translation.unwrap_or_default()),
    };
    let keyframes: Vec<Keyframe> = entry.keyframes.iter().map(keyframe).collect();
    let between = match entry.between {
        None | Some(BetweenWord::Screw) => Between::Screw,
        Some(BetweenWord::Linear) => Between::Linear,
    };
    let motion = Motion::through(&keyframes, between, [1.0; 3])
        .map_err(|error| Fault::at("motion", error.to_string()))?;
    Place::moving(frames, above, motion.pose(motion.times()[0]), motion)
}

fn local_pose(entry: &Entry) -> Result<Pose, Fault> {
    match &entry.pose {
        None => Ok(Pose::IDENTITY),
        Some(Object(PoseEntry { matrix: Some(m), rotation: None, translation: None })) => {
            Ok(Pose { rows: std::array::from_fn(|row| std::array::from_fn(|column| m[4 * row + column])) })
        }
        Some(Object(PoseEntry { matrix: Some(_), .. })) => {
            Err(Fault::at("pose", "a matrix stands beside a rotation or translation"))
        }
        Some(Object(PoseEntry { matrix: None, rotation, translation })) => {
            let rotation = rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
            Pose::from_trs(rotation, [1.0; 3], translation.unwrap_or_default())
                .ok_or_else(|| Fault::at("pose", format!("the quaternion {rotation:?} has no direction")))
        }
    }
}
