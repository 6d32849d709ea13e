//! The meshes that geoms name.

use std::collections::HashMap;
use std::path::Path;

use glam::DVec3;
use roxmltree::Node;

use super::super::Source;
use super::super::error::{Fault, clip};
use super::super::xml::at_element;
use super::compiler::Compiler;
use super::defaults::Defaults;
use super::files::{Files, found};
use super::orientation::quaternion;
use closefit_geometry::math::pose::Pose;

/// The meshes of a model, by name.
pub(super) struct Assets(HashMap<String, Asset>);

/// A mesh of a model.
pub(super) struct Asset {
    /// Its file, relative to the model's; `None` for one whose vertices the model has itself.
    pub file: Option<String>,
    /// The pose that takes coordinates of its file to a geom's: moved, turned, then scaled.
    pub pose: Pose,
    /// True for one that says nothing of its inertia.
    pub has_default_inertia: bool,
}

impl Assets {
    pub fn read<'a>(
        files: &Files<'a>,
        compiler: &Compiler,
        defaults: &Defaults<'a>,
        source: &Source,
    ) -> Result<Self, Fault> {
        let mut all = HashMap::new();
        for node in files.sections("asset").into_iter().filter(|node| node.has_tag_name("mesh")) {
            let folder = files.folder_of(node);
            let asset = asset(node, folder, compiler, defaults, source);
            let asset = asset.map_err(|fault| at_element(fault, node))?;
            let stem = asset.file.as_deref().and_then(|file| Path::new(file).file_stem());
            let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
            let name = node.attribute("name").map(str::to_owned).or(stem).unwrap_or_default();
            if all.insert(name.clone(), asset).is_some() {
                let why = format!("a second mesh '{}'", clip(&name));
                return Err(at_element(Fault::Scene(why), node));
            }
        }
        Ok(Self(all))
    }

    /// Returns the mesh of a name.
    pub fn get(&self, name: &str) -> Result<&Asset, Fault> {
        self.0.get(name).ok_or_else(|| Fault::at("mesh", format!("there is no mesh '{}'", clip(name))))
    }
}

/// Reads a mesh that a file in a folder of the model has.
fn asset<'a>(
    node: Node<'a, 'a>,
    folder: &str,
    compiler: &Compiler,
    defaults: &Defaults<'a>,
    source: &Source,
) -> Result<Asset, Fault> {
    let element = defaults.resolve(node, 0)?;
    let file = node.attribute("file").map(|file| {
        let own = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
        let file = if compiler.strips_paths { &own } else { file };
        found(format!("{}{file}", compiler.mesh_folder), format!("{folder}{file}"), source)
    });
    let scale = element.array("scale")?.map_or(DVec3::ONE, DVec3::from_array);
    let mut pose = Pose::translation((-element.point("refpos")?).to_array());
    if let Some([w, x, y, z]) = element.array("refquat")? {
        // The other way round.
        pose = Pose::compose(&quaternion([w, -x, -y, -z], "refquat")?, &pose);
    }
    let scaled = Pose::from_trs([0.0, 0.0, 0.0, 1.0], scale.to_array(), [0.0; 3]).expect("of length 1");
    let has_default_inertia = matches!(element.get("inertia"), None | Some("legacy"));
    Ok(Asset { file, pose: Pose::compose(&scaled, &pose), has_default_inertia })
}
