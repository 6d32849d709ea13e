//! ROS packages: the folders in which addresses such as `package://arm/meshes/base.stl` begin.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use roxmltree::Node;

use super::super::error::{Fault, clip};
use super::super::files::Found;
use super::super::folder::{Folder, leads_out};
use super::super::text::decoded;
use super::super::xml::{document, element};

/// The start of an address in a package. Some exporters write a third slash.
const SCHEME: &str = "package://";

/// Largest size in bytes of a `package.xml` that is read. They have some thousands.
const LARGEST: u64 = 1 << 20;

/// The folder of a package, and a file in it.
pub(in super::super) struct InPackage<'f> {
    pub root: PathBuf,
    pub file: &'f str,
}

impl<'f> InPackage<'f> {
    /// Finds the package of an address; `None` if it is none of a package. In this order, it is
    /// - the folder that the user gives for its name,
    /// - the nearest folder around the scene whose `package.xml` says that name,
    /// - a folder of that name in the nearest folder around the scene that has one,
    /// - a folder on the user's package path that has that name, by its `package.xml` or its own.
    ///
    /// A folder of that name whose `package.xml` says another is passed over. If nothing around the scene
    /// says that it is a package, and the scene uses only one, the package is the scene's own folder or, if
    /// files may be outside, the one around it.
    ///
    /// # Errors
    /// [`Fault::Outside`] if the file would be outside, whether or not there is one; if there is no such
    /// package.
    pub fn find(address: &'f str, is_only_package: bool, folder: &Folder) -> Result<Option<Self>, Fault> {
        let Some(named) = address.strip_prefix(SCHEME) else { return Ok(None) };
        let (name, file) = split(named);
        let allows_outside = folder.options().allow_outside;
        let is_odd = matches!(name, "" | "." | "..") || name.contains(['\\', ':']);
        if is_odd || !allows_outside && leads_out(file) {
            return Err(Fault::Outside);
        }
        let around = Around { folder, own: folder.files().canonical(folder.path())? };
        let found = around.given(name).or_else(|| around.by_name(name)).or_else(|| {
            let roots = around.unnamed().filter(|_| is_only_package)?;
            roots.into_iter().find(|root| folder.files().look(&root.join(file)).is_ok())
        });
        match found.or_else(|| around.on_path(name)) {
            Some(root) => Ok(Some(Self { root, file })),
            None if !allows_outside => Err(Fault::Outside),
            None => {
                let name = clip(name);
                let why = format!(
                    "there is no package '{name}' around the scene: say where it is with --package {name}=DIR"
                );
                Err(Fault::Scene(why))
            }
        }
    }
}

/// Splits an address without its scheme into the names of the package and of the file.
fn split(named: &str) -> (&str, &str) {
    named.trim_start_matches('/').split_once('/').unwrap_or((named, ""))
}

/// True if all addresses of a robot's meshes that begin in a package begin in the same.
pub(super) fn is_only_one(robot: Node) -> bool {
    let meshes = robot.descendants().filter(|node| node.has_tag_name("mesh"));
    let files = meshes.filter_map(|mesh| mesh.attribute("filename")?.strip_prefix(SCHEME));
    files.map(|named| split(named).0).collect::<BTreeSet<_>>().len() == 1
}

/// The folders around a scene.
struct Around<'a> {
    folder: &'a Folder<'a>,
    /// The scene's own folder, without links.
    own: PathBuf,
}

impl Around<'_> {
    fn given(&self, name: &str) -> Option<PathBuf> {
        let given = self.folder.options().packages.iter().find(|(package, _)| package == name);
        given.map(|(_, folder)| folder.clone())
    }

    /// Returns a package of that name around the scene, unless it is outside and files must not be.
    fn by_name(&self, name: &str) -> Option<PathBuf> {
        if let Some(root) = self.own.ancestors().find(|path| self.name_of(path).as_deref() == Some(name)) {
            return Some(root.to_owned());
        }
        let root = self.own.ancestors().find_map(|path| self.child(path, name))?;
        let is_inside = root.starts_with(&self.own) || self.own.ancestors().take(2).any(|path| path == root);
        (is_inside || self.folder.options().allow_outside).then_some(root)
    }

    /// Returns a package of that name on the user's path, if files may be outside.
    fn on_path(&self, name: &str) -> Option<PathBuf> {
        let options = self.folder.options();
        let path = options.package_path.iter().filter(|_| options.allow_outside);
        path.flat_map(|folder| match self.name_of(folder).as_deref() == Some(name) {
            true => Some(folder.clone()),
            false => self.child(folder, name),
        })
        .next()
    }

    /// Returns the folders that may be a package although nothing says so; `None` if something says that the
    /// scene is in another.
    fn unnamed(&self) -> Option<Vec<PathBuf>> {
        let is_package = |path: &Path| self.folder.files().look(&path.join("package.xml")).is_ok();
        if self.own.ancestors().any(is_package) {
            return None;
        }
        let most = if self.folder.options().allow_outside { 2 } else { 1 };
        Some(self.own.ancestors().take(most).map(Path::to_owned).collect())
    }

    /// Returns the folder of that name in another, unless it is a package of another name.
    fn child(&self, path: &Path, name: &str) -> Option<PathBuf> {
        let child = self.folder.files().canonical(&path.join(name)).ok()?;
        let is_folder = matches!(self.folder.files().look(&child), Ok(Found::Folder));
        (is_folder && self.name_of(&child).is_none_or(|other| other == name)).then_some(child)
    }

    /// Returns the name that a folder's `package.xml` says.
    fn name_of(&self, path: &Path) -> Option<String> {
        let (files, path) = (self.folder.files(), path.join("package.xml"));
        let Ok(Found::File(0..=LARGEST)) = files.look(&path) else { return None };
        let bytes = files.read(&path).ok()?;
        let text = decoded(&bytes).ok()?;
        let document = document(&text).ok()?;
        Some(element(document.root_element(), "name")?.text()?.trim().to_owned())
    }
}
