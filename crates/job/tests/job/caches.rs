//! Files of a cache that somebody has changed, with a digest that fits or not: the report stays the same.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use closefit::scene::{Part, Scene};
use closefit::{CheckRequest, DVec3, Mesh, ModelName, Pose, Strategy, Unobserved};
use closefit_geometry::ids::MeshId;
use closefit_job::{CheckOptions, Job, Project, model_cache};
use closefit_report::json;
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

/// The bytes of the digest, and of the length of the topology after it.
const DIGEST: usize = 32;
const LENGTH: usize = 8;

/// Returns a ring about the z axis, of as many triangles as a cache keeps.
fn ring(radius: f64) -> Arc<Mesh> {
    const AROUND: u32 = 32;
    const ACROSS: u32 = 8;
    let corner = |i: u32| {
        let turn = |k: u32, of: u32| (f64::from(k) / f64::from(of) * std::f64::consts::TAU).sin_cos();
        let ((sin, cos), (up, out)) = (turn(i / ACROSS, AROUND), turn(i % ACROSS, ACROSS));
        let out = radius + 0.2 * out;
        DVec3::new(out * cos, out * sin, 0.2 * up)
    };
    let corners: Vec<DVec3> = (0..AROUND * ACROSS).map(corner).collect();
    let at = |i: u32, j: u32| i % AROUND * ACROSS + j % ACROSS;
    let cells = (0..AROUND).flat_map(|i| (0..ACROSS).map(move |j| (i, j)));
    let two = |(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    Arc::new(Mesh::new(&corners, &cells.flat_map(two).collect::<Vec<_>>()).expect("valid"))
}

/// Rings that hang in each other, lie near each other, or are unevenly scaled.
fn scene() -> Scene {
    let scaled = Pose::from_trs([0.1, 0.2, 0.3, 0.9], [1.0, 1.5, 0.7], [0.4, 2.1, 0.1]).expect("a rotation");
    let turned = Pose::from_trs([0.7, 0.0, 0.0, 0.7], [1.0; 3], [1.05, 0.0, 0.0]).expect("a rotation");
    let parts = [
        ("a", 0, Pose::IDENTITY),
        ("b", 1, turned),
        ("c", 0, scaled),
        ("d", 1, Pose::translation([0.0, 0.0, 0.41])),
    ];
    let part = |(name, mesh, pose): (&str, u32, Pose)| Part::new(name, MeshId(mesh), pose);
    Scene { meshes: vec![ring(1.0), ring(0.8)], parts: parts.map(part).to_vec(), ..Scene::default() }
}

/// Returns the report by trees of a cache.
fn report(dir: &Path) -> Vec<u8> {
    let strategy = Strategy::default().cached(model_cache(dir).expect("a directory"));
    let job = Job::new(scene().into(), Project::default()).expect("no rules");
    let request = CheckRequest::default().tolerance(1e-6).clearance(0.1).strategy(strategy);
    let found = job.check(&request, &CheckOptions::default(), &Unobserved).expect("in range");
    json::document(&found.report)
}

/// Returns the name of the model of a file.
fn name_of(file: &Path) -> ModelName {
    let name = file.file_stem().expect("it has one").to_string_lossy();
    blake3::Hash::from_hex(name.as_bytes()).expect("a digest").into()
}

/// Returns a file with a digest that fits the rest.
fn signed(file: &Path, mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some((digest, contents)) = bytes.split_at_mut_checked(DIGEST) {
        let found = blake3::Hasher::new().update(&name_of(file)).update(contents).finalize();
        digest.copy_from_slice(found.as_bytes());
    }
    bytes
}

/// A change of some bytes.
#[derive(Clone, Debug)]
enum Damage {
    Flipped(Vec<(prop::sample::Index, u8)>),
    Cut(prop::sample::Index),
    Longer(Vec<u8>),
    /// The place of a word, and what is put there.
    Word(prop::sample::Index, u32),
    /// Two places whose words change places.
    Swapped([prop::sample::Index; 2]),
}

fn damage() -> impl proptest::strategy::Strategy<Value = Damage> {
    use prop::sample::Index;
    prop_oneof![
        3 => prop::collection::vec((any::<Index>(), 0..8_u8), 1..6).prop_map(Damage::Flipped),
        1 => any::<Index>().prop_map(Damage::Cut),
        1 => prop::collection::vec(any::<u8>(), 1..600).prop_map(Damage::Longer),
        3 => (any::<Index>(), prop_oneof![Just(0), Just(u32::MAX), 0..600_u32, any::<u32>()])
            .prop_map(|(at, word)| Damage::Word(at, word)),
        2 => any::<[Index; 2]>().prop_map(Damage::Swapped),
    ]
}

/// Damages all bytes from a place on.
fn damaged(whole: &[u8], from: usize, damage: &Damage) -> Vec<u8> {
    let (mut bytes, tail) = (whole.to_vec(), whole.len() - from);
    let word = |at: &prop::sample::Index| from + at.index(tail / 4) * 4;
    match damage {
        Damage::Flipped(bits) => {
            bits.iter().for_each(|(at, bit)| bytes[from + at.index(tail)] ^= 1 << bit);
        }
        Damage::Cut(at) => bytes.truncate(from + at.index(tail)),
        Damage::Longer(more) => bytes.extend(more),
        Damage::Word(at, value) => bytes[word(at)..][..4].copy_from_slice(&value.to_le_bytes()),
        Damage::Swapped(places) => {
            let [a, b] = [word(&places[0]), word(&places[1])];
            (0..4).for_each(|k| bytes.swap(a + k, b + k));
        }
    }
    bytes
}

/// Returns the files of a directory, with their bytes.
fn files_in(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = fs::read_dir(dir).expect("it is there").map(|entry| entry.expect("readable").path());
    let mut files: Vec<_> = files.map(|file| (file.clone(), fs::read(file).expect("readable"))).collect();
    files.sort();
    files
}

/// Damages files, and compares reports. `from` returns the first byte of a file that is damaged.
fn unchanged(is_signed: bool, from: impl Fn(&[u8]) -> usize) {
    let dir = tempfile::tempdir().expect("a directory");
    let expected = report(dir.path());
    let files = files_in(dir.path());
    assert_eq!(files.len(), 3, "two meshes, and one that is scaled");
    let cases = closefit_geometry::math::testing::cases(60);
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    let outcomes = RefCell::new(BTreeMap::<String, u32>::new());
    proptest!(config, |(which in 0..3_usize, damage in damage())| {
        let (file, whole) = &files[which];
        let bytes = damaged(whole, from(whole), &damage);
        fs::write(file, if is_signed { signed(file, bytes) } else { bytes }).expect("written");
        prop_assert!(report(dir.path()) == expected);
        // A tree that is refused is built and kept again.
        let is_same = fs::read(file).expect("readable") == *whole;
        let class = format!("{damage:?}").split('(').next().unwrap_or_default().to_owned();
        let outcome = if is_same { "built again, or as it was" } else { "accepted" };
        *outcomes.borrow_mut().entry(format!("{class}: {outcome}")).or_default() += 1;
        fs::write(file, whole).expect("written");
    });
    println!("{cases} cases: {:#?}", outcomes.into_inner());
}

#[test]
fn damaged_files_change_no_report() {
    unchanged(false, |_| 0);
}

/// Boxes that do not hold the mesh are refused, even if the digest fits.
#[test]
fn damaged_trees_change_no_report() {
    unchanged(true, |whole| {
        let length = whole[DIGEST..][..LENGTH].try_into().expect("eight bytes");
        DIGEST + LENGTH + usize::try_from(u64::from_le_bytes(length)).expect("small")
    });
}
