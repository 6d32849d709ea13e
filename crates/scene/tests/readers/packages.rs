//! Addresses of ROS packages in random trees of folders, against a search that is written as the manual tells
//! it.
//!
//! `CLOSEFIT_CASES` sets the number of trees.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use closefit_geometry::math::testing::{Stream, cases};
use closefit_scene::read::{InMemory, ReadOptions, read_from};

/// The names of folders and packages.
const NAMES: [&str; 4] = ["arm", "hand", "urdf", "lab"];

/// A mesh whose first corner tells which one it is.
fn mesh(number: usize) -> String {
    format!("v {number} 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n")
}

fn robot(meshes: &[String]) -> String {
    let visual = |mesh: &String| format!("<visual><geometry><mesh filename='{mesh}'/></geometry></visual>");
    format!("<robot name='r'><link name='a'>{}</link></robot>", meshes.iter().map(visual).collect::<String>())
}

/// A random tree of folders, and where the robot is.
struct Tree {
    folders: Vec<String>,
    /// The name that the `package.xml` of a folder says.
    says: BTreeMap<String, String>,
    /// The folders with a mesh `m.obj`, and its number.
    meshes: BTreeMap<String, usize>,
    own: String,
    path: Vec<String>,
    given: Vec<(String, String)>,
}

impl Tree {
    fn random(rng: &mut Stream) -> Self {
        let mut folders = vec!["top".to_owned()];
        for _ in 0..4 + rng.below(8) {
            let above = folders[rng.below(folders.len() as u64) as usize].clone();
            let new = format!("{above}/{}", rng.pick(&NAMES));
            if !folders.contains(&new) {
                folders.push(new);
            }
        }
        let mut one_of = |folders: &[String]| folders[rng.below(folders.len() as u64) as usize].clone();
        let (own, path) = (one_of(&folders), vec![one_of(&folders), one_of(&folders)]);
        let given = one_of(&folders);
        let given = if rng.below(8) == 0 { vec![(rng.pick(&NAMES).to_owned(), given)] } else { Vec::new() };
        let (mut says, mut meshes) = (BTreeMap::new(), BTreeMap::new());
        let with_packages = rng.below(4) > 0;
        for (number, folder) in folders.iter().enumerate() {
            if with_packages && rng.below(3) == 0 {
                says.insert(folder.clone(), rng.pick(&NAMES).to_owned());
            }
            if rng.below(3) > 0 {
                meshes.insert(folder.clone(), number + 1);
            }
        }
        Self { folders, says, meshes, own, path, given }
    }

    fn files(&self, meshes: &[String]) -> InMemory {
        let mut files = InMemory::default();
        let mut put =
            |folder: &str, name: &str, text: String| files.insert(format!("{folder}/{name}"), text).unwrap();
        for folder in &self.folders {
            put(folder, "readme", String::new());
        }
        for (folder, name) in &self.says {
            put(
                folder,
                "package.xml",
                format!("<?xml version='1.0'?>\n<package><name> {name} </name></package>"),
            );
        }
        for (folder, &number) in &self.meshes {
            put(folder, "m.obj", mesh(number));
        }
        put(&self.own, "r.urdf", robot(meshes));
        files
    }

    /// Returns the scene's folder and those around it, the nearest first.
    fn around(&self) -> Vec<String> {
        let steps: Vec<&str> = self.own.split('/').collect();
        (1..=steps.len()).rev().map(|n| steps[..n].join("/")).collect()
    }

    fn is_called(&self, folder: &str, name: &str) -> bool {
        let own = folder.rsplit('/').next() == Some(name);
        self.folders.iter().any(|known| known == folder)
            && own
            && self.says.get(folder).is_none_or(|says| says == name)
    }

    fn is_said(&self, folder: &str, name: &str) -> bool {
        self.says.get(folder).is_some_and(|says| says == name)
    }

    /// Returns the package of a name, and true if it counts as outside.
    fn package(&self, name: &str) -> Option<(String, bool)> {
        if let Some((_, folder)) = self.given.iter().find(|(given, _)| given == name) {
            return Some((folder.clone(), false));
        }
        let around = self.around();
        if let Some(folder) = around.iter().find(|folder| self.is_said(folder, name)) {
            return Some((folder.clone(), false));
        }
        let beside = around
            .iter()
            .map(|folder| format!("{folder}/{name}"))
            .find(|folder| self.is_called(folder, name));
        if let Some(folder) = beside {
            let is_near = around[..around.len().min(2)].contains(&folder);
            let is_outside = !is_near && !folder.starts_with(&format!("{}/", self.own));
            return Some((folder, is_outside));
        }
        None
    }

    fn on_path(&self, name: &str) -> Option<String> {
        self.path.iter().find_map(|folder| {
            let child = format!("{folder}/{name}");
            match self.is_said(folder, name) {
                true => Some(folder.clone()),
                false => Some(child).filter(|child| self.is_called(child, name)),
            }
        })
    }

    /// Returns the number of the mesh at an address; `None` if it is refused.
    fn mesh(&self, name: &str, is_only_package: bool, allow_outside: bool) -> Option<usize> {
        let around = self.around();
        let found = self.package(name).filter(|(_, is_outside)| allow_outside || !is_outside);
        let is_unnamed = is_only_package && around.iter().all(|folder| !self.says.contains_key(folder));
        let unnamed = around.iter().take(if allow_outside { 2 } else { 1 });
        let unnamed = unnamed.filter(|_| is_unnamed).find(|folder| self.meshes.contains_key(*folder));
        let on_path = self.on_path(name).filter(|_| allow_outside);
        let folder = found.map(|(folder, _)| folder).or(unnamed.cloned()).or(on_path)?;
        self.meshes.get(&folder).copied()
    }
}

#[test]
fn packages_are_found_by_their_names_and_never_by_others() {
    let (mut rng, mut read, mut refused) = (Stream(1), 0, 0);
    for case in 0..cases(4_000) {
        let tree = Tree::random(&mut rng);
        let names: Vec<&str> = (0..1 + rng.below(2)).map(|_| rng.pick(&NAMES)).collect();
        let slashes = if rng.below(4) == 0 { "/" } else { "" };
        let addresses: Vec<String> =
            names.iter().map(|name| format!("package://{slashes}{name}/m.obj")).collect();
        let files = tree.files(&addresses);
        let allow_outside = rng.below(2) == 0;
        let folders = |of: &[String]| of.iter().map(PathBuf::from).collect::<Vec<_>>();
        let options = ReadOptions {
            allow_outside,
            packages: tree.given.iter().map(|(name, folder)| (name.clone(), folder.into())).collect(),
            package_path: folders(&tree.path),
            ..ReadOptions::default()
        };
        let is_only_package = names.iter().all(|name| *name == names[0]);
        let expected: Option<Vec<usize>> =
            names.iter().map(|name| tree.mesh(name, is_only_package, allow_outside)).collect();
        let path = format!("{}/r.urdf", tree.own);
        let found = read_from(&files, &[Path::new(&path)], &options);
        let what = format!("case {case}: {addresses:?} outside {allow_outside}, {:?}", tree.says);
        match (found, expected) {
            (Ok(scene), Some(expected)) => {
                read += 1;
                let meshes = scene.parts.iter().map(|part| scene.meshes[part.mesh.index()].corners(0)[0].x);
                assert_eq!(meshes.map(|x| x as usize).collect::<Vec<_>>(), expected, "{what}");
            }
            (Err(_), None) => refused += 1,
            (found, expected) => {
                panic!("{what}: {:?} instead of {expected:?} of {}", found.map(|_| ()), path)
            }
        }
    }
    assert!(read > 300 && refused > 300, "{read} {refused}");
}

#[test]
fn what_is_not_found_is_told_without_saying_what_is_outside() {
    let read = |address: &str, options: &ReadOptions| {
        let mut files = InMemory::default();
        files.insert("lab/arm/urdf/r.urdf", robot(&[address.to_owned()])).unwrap();
        files.insert("lab/arm/package.xml", "<package><name>arm</name></package>").unwrap();
        files.insert("lab/hand/m.obj", mesh(1)).unwrap();
        files.insert("far/tool/m.obj", mesh(1)).unwrap();
        let read = read_from(&files, &[Path::new("lab/arm/urdf/r.urdf")], options);
        read.map(|_| ()).map_err(|error| error.to_string())
    };
    let outside = ReadOptions { allow_outside: true, ..ReadOptions::default() };
    let told = |address: &str, why: &str| {
        Err(format!(
            "lab/arm/urdf/r.urdf: part 'a' (link, line 1): {address}: {why} (--allow-missing leaves it out)"
        ))
    };
    let held = "it lies outside the folder of the scene: add --allow-outside to read it";
    for address in [
        "package://hand/m.obj",
        "package://hand/none.obj",
        "package://none/m.obj",
        "package:///../m.obj",
        "package://arm/../hand/m.obj",
    ] {
        assert_eq!(read(address, &ReadOptions::default()), told(address, held), "{address}");
    }
    assert_eq!(read("package://hand/m.obj", &outside), Ok(()));
    let none = "there is no package 'none' around the scene: say where it is with --package none=DIR";
    assert_eq!(read("package://none/m.obj", &outside), told("package://none/m.obj", none));
    let missing = "cannot be read: No such file or directory (os error 2)";
    assert_eq!(read("package://arm/none.obj", &outside), told("package://arm/none.obj", missing));
    // The user's word is permission enough.
    let given =
        ReadOptions { packages: vec![("none".to_owned(), "far/tool".into())], ..ReadOptions::default() };
    assert_eq!(read("package://none/m.obj", &given), Ok(()));
    assert_eq!(read("package://none/../tool/m.obj", &given), told("package://none/../tool/m.obj", held));
    let path = ReadOptions { package_path: vec!["nowhere".into(), "far".into()], ..outside };
    assert_eq!(read("package://tool/m.obj", &path), Ok(()));
}
