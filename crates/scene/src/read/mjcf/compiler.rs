//! The settings of `<compiler>` and `<option>`. A later one overrides an earlier.

use super::super::error::{Fault, clip};
use super::files::Files;

/// The settings that places and files depend on.
pub(super) struct Compiler {
    /// The factor that makes angles radians.
    pub angle: f64,
    /// The axes of Euler angles, in order: lower case about axes that turn along.
    pub euler: [u8; 3],
    /// The folder of meshes, with a slash at its end, or nothing.
    pub mesh_folder: String,
    /// True if folders in the names of files are left out.
    pub strips_paths: bool,
    /// True if a joint with a range is limited.
    pub limits_by_range: bool,
    /// True if primitives are fitted to boxes around meshes.
    pub fits_boxes: bool,
    /// True if geoms of a body and its parent collide.
    pub parents_collide: bool,
}

impl Compiler {
    pub fn read(files: &Files) -> Result<Self, Fault> {
        let mut read = Self {
            angle: f64::to_radians(1.0),
            euler: *b"xyz",
            mesh_folder: String::new(),
            strips_paths: false,
            limits_by_range: true,
            fits_boxes: false,
            parents_collide: false,
        };
        let (mut mesh_folder, mut asset_folder) = (None, None);
        for node in files.children(files.root()) {
            if node.has_tag_name("option") {
                let flags = files.children(node);
                let parent = flags.iter().filter_map(|flag| flag.attribute("filterparent")).next_back();
                read.parents_collide = parent.map_or(read.parents_collide, |word| word == "disable");
            }
            if !node.has_tag_name("compiler") {
                continue;
            }
            let is = |name: &str, word: &str, before: bool| {
                node.attribute(name).map_or(before, |value| value == word)
            };
            read.angle = match node.attribute("angle") {
                None => read.angle,
                Some("radian") => 1.0,
                Some("degree") => f64::to_radians(1.0),
                Some(other) => return Err(Fault::at("angle", format!("unknown unit '{}'", clip(other)))),
            };
            if let Some(sequence) = node.attribute("eulerseq") {
                let wrong = || Fault::at("eulerseq", format!("'{}' is not three axes", clip(sequence)));
                read.euler = sequence.as_bytes().try_into().map_err(|_| wrong())?;
                if !read.euler.iter().all(|axis| b"xyzXYZ".contains(axis)) {
                    return Err(wrong());
                }
            }
            if node.attribute("coordinate").is_some_and(|word| word != "local") {
                return Err(Fault::Unsupported("coordinate=\"global\" is".to_owned()));
            }
            read.strips_paths = is("strippath", "true", read.strips_paths);
            read.limits_by_range = is("autolimits", "true", read.limits_by_range);
            read.fits_boxes = is("fitaabb", "true", read.fits_boxes);
            mesh_folder = node.attribute("meshdir").or(mesh_folder);
            asset_folder = node.attribute("assetdir").or(asset_folder);
        }
        let folder = mesh_folder.or(asset_folder).unwrap_or("");
        let slash = if folder.is_empty() || folder.ends_with('/') { "" } else { "/" };
        read.mesh_folder = format!("{folder}{slash}");
        Ok(read)
    }
}
