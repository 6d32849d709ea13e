//! Models in a directory: a file for each, which every run and every machine that has the directory reads.
//!
//! The name of a file is the digest of all that its model depends on, and the file begins with the digest of
//! that name and the rest: the length of the topology, the topology, and the tree. A file appears whole or
//! not at all. What is damaged, has the name of another model, is of another version or is no regular file is
//! built again; and so is what any user may have written.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::path::{self, Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use closefit::{MODEL_VERSION, ModelCache, ModelKey, ModelName, ModelStore, SavedModel, Winding};
use closefit_geometry::text::printable;
use closefit_report::digest::mesh_digest;

use crate::error::JobError;
use crate::temporary;

/// The digest at the beginning of a file.
const DIGEST: usize = blake3::OUT_LEN;

/// Models in a directory.
struct ModelFiles {
    dir: PathBuf,
    /// Why a model could not be saved, the first time.
    failure: OnceLock<String>,
}

/// The directories of this process. Their models may be requested as long as it lasts.
static OPENED: Mutex<BTreeMap<PathBuf, &'static ModelFiles>> = Mutex::new(BTreeMap::new());

/// Returns the cache of models in a directory, which is created when the first model is saved.
///
/// # Errors
/// [`JobError::File`] if it is something else than a directory, or if any user may write to it.
pub fn model_cache(dir: &Path) -> Result<ModelCache, JobError> {
    let refused = |why: String| JobError::File {
        file: dir.display().to_string(),
        why: format!("it cannot be a cache: {why}"),
    };
    let dir = path::absolute(dir).map_err(|error| refused(error.to_string()))?;
    match fs::metadata(&dir) {
        Ok(found) if !found.is_dir() => return Err(refused("it is not a directory".to_owned())),
        Ok(found) if is_anyones(&found) => {
            return Err(refused("any user may write to it: chmod o-w makes it safe".to_owned()));
        }
        _ => {}
    }
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    let new = |dir: &PathBuf| -> &'static ModelFiles {
        Box::leak(Box::new(ModelFiles { dir: dir.clone(), failure: OnceLock::new() }))
    };
    let files = *opened.entry(dir).or_insert_with_key(new);
    Ok(ModelCache::of(files))
}

/// Returns a note if models could not be saved.
pub fn unsaved_models() -> Option<String> {
    let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    let failed = opened.values().find_map(|files| Some((files, files.failure.get()?)))?;
    let (ModelFiles { dir, .. }, why) = failed;
    Some(format!("{}: trees cannot be kept: {why}", printable(&dir.display().to_string())))
}

impl ModelFiles {
    fn path(&self, name: &ModelName) -> PathBuf {
        self.dir.join(format!("{}.tree", blake3::Hash::from_bytes(*name)))
    }

    fn write(&self, name: &ModelName, model: &SavedModel) -> io::Result<()> {
        let SavedModel { tree, topology } = model;
        let topology = postcard::to_allocvec(topology).map_err(io::Error::other)?;
        let contents = [&(topology.len() as u64).to_le_bytes()[..], &topology, tree].concat();
        create(&self.dir)?;
        // The errors of the wrapper would name the temporary file.
        let mut file = temporary::shared(&self.dir).map_err(|error| io::Error::from(error.kind()))?;
        file.as_file_mut().write_all(&digest(name, &contents))?;
        file.as_file_mut().write_all(&contents)?;
        file.persist(self.path(name))?;
        Ok(())
    }

    /// Reads the file of a model, if it is one, with no more than some bytes.
    fn read(&self, name: &ModelName, most_bytes: u64) -> Option<Vec<u8>> {
        let path = self.path(name);
        let is_safe = |found: &Metadata| found.is_file() && !is_anyones(found) && found.len() <= most_bytes;
        // A link or a pipe is not even opened.
        if !is_safe(&fs::symlink_metadata(&path).ok()?) {
            return None;
        }
        let file = File::open(&path).ok()?;
        let found = file.metadata().ok().filter(is_safe)?;
        let mut bytes = Vec::new();
        file.take(found.len()).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

impl ModelStore for ModelFiles {
    fn name(&self, key: &ModelKey<'_>) -> ModelName {
        name_of(key)
    }

    fn load(&self, name: &ModelName, most_bytes: u64) -> Option<SavedModel> {
        let bytes = self.read(name, most_bytes)?;
        let (found, contents) = bytes.split_at_checked(DIGEST)?;
        if digest(name, contents) != found {
            return None;
        }
        let (length, contents) = contents.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (topology, tree) = contents.split_at_checked(length)?;
        Some(SavedModel { tree: tree.to_vec(), topology: postcard::from_bytes(topology).ok()? })
    }

    fn save(&self, name: &ModelName, model: &SavedModel) {
        if let Err(error) = self.write(name, model) {
            let _ = self.failure.set(error.to_string());
        }
    }
}

/// Returns the digest at the beginning of a file.
fn digest(name: &ModelName, contents: &[u8]) -> [u8; DIGEST] {
    blake3::Hasher::new().update(name).update(contents).finalize().into()
}

/// True for a file or a directory to which any user may write.
#[cfg(unix)]
fn is_anyones(found: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o002 != 0
}

/// Permissions are not looked at where they are no bits.
#[cfg(not(unix))]
fn is_anyones(_: &Metadata) -> bool {
    false
}

/// Creates a directory and those above it, none such that any user may write to it.
fn create(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o775);
    builder.recursive(true).create(dir)
}

/// Returns the digest of everything on which a model depends.
fn name_of(&ModelKey { tree, mesh, winding, linear }: &ModelKey<'_>) -> ModelName {
    let version = concat!("closefit ", env!("CARGO_PKG_VERSION"), " model ");
    let winding = if winding == Winding::AsFound { "as found" } else { "repaired" };
    let mesh = mesh_digest(mesh);
    let words = format!("{version}{MODEL_VERSION}, {}, {winding}, {linear:?}, {mesh}", tree.name());
    blake3::hash(words.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit::{DVec3, Mesh, Pose, TreeKind};

    fn mesh(x: f64) -> Mesh {
        let corners = [DVec3::ZERO, DVec3::X * x, DVec3::Y, DVec3::Z];
        Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).expect("valid")
    }

    #[test]
    fn whatever_a_model_depends_on_is_in_its_name() {
        let [one, other] = [mesh(1.0), mesh(1.0 + f64::EPSILON)];
        let key = ModelKey { tree: TreeKind::OBB, mesh: &one, winding: Winding::Repaired, linear: None };
        let scaled = |z: f64| Pose::from_trs([0.0, 0.0, 0.0, 1.0], [1.0, 2.0, z], [0.0; 3]).expect("a pose");
        let [linear, longer] = [3.0, 3.0 + 4.0 * f64::EPSILON].map(|z| Some(scaled(z).linear()));
        let kind = closefit_methods::ALL.iter().copied().find(|kind| *kind != TreeKind::OBB);
        let keys = [
            key,
            ModelKey { mesh: &other, ..key },
            ModelKey { winding: Winding::AsFound, ..key },
            ModelKey { linear, ..key },
            ModelKey { linear: longer, ..key },
            ModelKey { tree: kind.expect("there are others"), ..key },
        ];
        let mut names: Vec<_> = keys.iter().map(name_of).collect();
        assert_eq!(names[0], name_of(&key));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), keys.len());
    }
}
