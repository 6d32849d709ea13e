//! Digests: hashes that tell if a part or a scene has changed.

use blake3::{Hash, Hasher};

use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_geometry::parallel;
use closefit_geometry::scene::{Part, Scene};

/// The blake3 hashes of a scene and of each of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digests {
    /// The hash of everything that is read of every part, in order: its names and tags, whether it is
    /// declared a surface, how far its surface may lie from its mesh, and its own digests.
    pub scene: Hash,
    /// The hashes of each part.
    pub parts: Vec<PartDigests>,
}

/// The hashes of a part, independent of its name: they tell a part that has moved from one of another shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PartDigests {
    /// The hash of its mesh, which its instances share.
    pub mesh: Hash,
    /// The hash of its pose or motion.
    pub pose: Hash,
}

impl Digests {
    /// Returns the digests of parts at rest.
    pub fn standing(scene: &Scene) -> Self {
        Self::of(scene, standing_parts(scene))
    }

    /// Returns the digests of parts as they move from one time to another. A motion is hashed as its times
    /// (`from`, `to` and all keyframes between), each with the poses there and at the quarters of the
    /// interval to the next.
    pub fn moving(scene: &Scene, [from, to]: [f64; 2]) -> Self {
        let frames = &scene.frames;
        let parts = hashed(scene, |part, hasher| {
            let part = &scene.parts[part];
            let placed = PlacedPart::of(part.pose, part.frame, &[]);
            if part.frame.and_then(|frame| frames.mover(frame)).is_none() {
                return hash_pose(hasher, &placed.pose_at(frames, from));
            }
            let world = PlacedPart::of(Pose::IDENTITY, None, &[]);
            let times = PairMotion::new(frames, [world, placed]).times([from, to]);
            hash_count(hasher, times.len());
            for (index, &time) in times.iter().enumerate() {
                let next = times.get(index + 1).copied().unwrap_or(time);
                for quarter in 0..4 {
                    let at = time + (next - time) * (0.25 * f64::from(quarter));
                    hasher.update(&canonical(at));
                    hash_pose(hasher, &placed.pose_at(frames, at));
                }
            }
        });
        Self::of(scene, parts)
    }

    /// Adds the hash of the scene to the hashes of its parts.
    fn of(scene: &Scene, parts: Vec<PartDigests>) -> Self {
        let mut hasher = Hasher::new();
        let mut bytes = Vec::new();
        for (part, digests) in scene.parts.iter().zip(&parts) {
            if bytes.len() > TOGETHER {
                hasher.update(&bytes);
                bytes.clear();
            }
            add_texts(&mut bytes, part);
            bytes.push(part.is_surface.into());
            // Nothing is added for a part whose mesh is its surface.
            for distance in [part.chord, part.deflection].into_iter().filter(|&distance| distance > 0.0) {
                bytes.extend_from_slice(&canonical(distance));
            }
            bytes.extend_from_slice(digests.mesh.as_bytes());
            bytes.extend_from_slice(digests.pose.as_bytes());
        }
        Self { scene: hasher.update(&bytes).finalize(), parts }
    }
}

/// Returns the hashes of each part where it is.
pub(crate) fn standing_parts(scene: &Scene) -> Vec<PartDigests> {
    hashed(scene, |part, hasher| hash_pose(hasher, &scene.parts[part].pose))
}

/// Hashes each part's mesh, once for all its instances, and its place, which `place` adds to a hasher for the
/// part with the given index.
fn hashed(scene: &Scene, place: impl Fn(usize, &mut Hasher) + Sync) -> Vec<PartDigests> {
    let meshes: Vec<Hash> = parallel::map_items(&scene.meshes, 1, |mesh| mesh_digest(mesh));
    parallel::map(scene.parts.len(), parallel::SMALL, |index| {
        let mut hasher = Hasher::new();
        place(index, &mut hasher);
        PartDigests { mesh: meshes[scene.parts[index].mesh.index()], pose: hasher.finalize() }
    })
}

/// Number of vertices, triangles or bytes of texts hashed at once: long runs of bytes are hashed several
/// times faster.
const TOGETHER: usize = 1 << 14;

/// Returns the hash of welded vertices and triangles, as little-endian numbers; the count of vertices comes
/// first.
pub fn mesh_digest(mesh: &Mesh) -> Hash {
    let mut hasher = Hasher::new();
    hash_count(&mut hasher, mesh.vertices().len());
    // Long runs of bytes are hashed in lanes.
    let mut bytes = Vec::new();
    for some in mesh.vertices().chunks(TOGETHER) {
        bytes.clear();
        for vertex in some {
            bytes.extend_from_slice(vertex.to_array().map(canonical).as_flattened());
        }
        hasher.update(&bytes);
    }
    for some in mesh.triangles().chunks(TOGETHER) {
        bytes.clear();
        for corners in some {
            bytes.extend_from_slice(corners.map(u32::to_le_bytes).as_flattened());
        }
        hasher.update(&bytes);
    }
    hasher.finalize()
}

/// Adds a pose to a digest.
fn hash_pose(hasher: &mut Hasher, pose: &Pose) {
    hasher.update(pose.rows.map(|row| row.map(canonical)).as_flattened().as_flattened());
}

/// Returns the bytes of a number; -0 and 0 have the same.
fn canonical(x: f64) -> [u8; 8] {
    (x + 0.0).to_le_bytes()
}

/// Adds a count to a digest, which marks the end of a list.
fn hash_count(hasher: &mut Hasher, count: usize) {
    hasher.update(&(count as u64).to_le_bytes());
}

/// Appends all texts of a part except the file of its mesh, each after its length; an unknown text has a
/// special length, the same on every machine.
fn add_texts(bytes: &mut Vec<u8>, part: &Part) {
    let mut add = |text: Option<&str>| {
        bytes.extend_from_slice(&text.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(text.unwrap_or_default().as_bytes());
    };
    add(Some(&part.name));
    add(part.kind.as_deref());
    add(part.guid.as_deref());
    add(Some(&part.model));
    add(Some(&part.path));
    add(part.storey.as_deref());
    part.tags.iter().for_each(|tag| add(Some(tag)));
    add(None);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::DVec3;

    use super::*;
    use closefit_geometry::ids::MeshId;

    fn scene(height: f64, parts: Vec<Part>) -> Scene {
        let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y * height];
        let mesh = Arc::new(Mesh::new(&vertices, &[[0, 1, 2]]).unwrap());
        Scene { meshes: vec![mesh.clone(), mesh], parts, ..Scene::default() }
    }

    fn at(x: f64) -> Part {
        Part::new("part", MeshId(0), Pose::translation([x, 0.0, 0.0]))
    }

    #[test]
    fn a_part_is_its_mesh_and_where_it_stands() {
        let [a, b, c] = [at(0.0), at(1.0), Part { mesh: MeshId(1), ..at(-0.0) }];
        let digests = Digests::standing(&scene(1.0, vec![a.clone(), b, c])).parts;
        assert_eq!(digests[0], digests[2]);
        assert_eq!(digests[0].mesh, digests[1].mesh);
        assert_ne!(digests[0].pose, digests[1].pose);
        let higher = Digests::standing(&scene(2.0, vec![a])).parts[0];
        assert_ne!(higher.mesh, digests[0].mesh);
        assert_eq!(higher.pose, digests[0].pose);
    }

    #[test]
    fn a_scene_is_its_parts_and_what_they_are_called() {
        let digest = |parts: Vec<Part>| Digests::standing(&scene(1.0, parts));
        let plain = digest(vec![at(0.0)]);
        let tags = |tags: &[&str]| tags.iter().map(|&tag| tag.to_owned()).collect();
        let variants = [
            Part { name: "other".into(), ..at(0.0) },
            Part { kind: Some("".into()), ..at(0.0) },
            Part { guid: Some("".into()), ..at(0.0) },
            Part { model: "m".into(), ..at(0.0) },
            Part { path: "/x/part".into(), ..at(0.0) },
            Part { storey: Some("1".into()), ..at(0.0) },
            Part { is_surface: true, ..at(0.0) },
            Part { tags: tags(&["ab"]), ..at(0.0) },
            Part { tags: tags(&["a", "b"]), ..at(0.0) },
        ];
        let mut scenes: Vec<String> = variants
            .into_iter()
            .map(|part| {
                let digests = digest(vec![part]);
                assert_eq!(digests.parts, plain.parts);
                digests.scene.to_hex().to_string()
            })
            .chain([plain.scene.to_hex().to_string()])
            .collect();
        scenes.sort();
        scenes.dedup();
        assert_eq!(scenes.len(), 10);
        assert_eq!(digest(vec![Part { file: "x".into(), ..at(0.0) }]), plain);
    }
}
