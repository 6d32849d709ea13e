//! IFC: products with a body are parts, in the order of the file.
//!
//! `closefit-ifc` reads the file and has its geometry drawn; what it could not draw is reported here, so no
//! product is lost in silence. The unit is the metre, z is up. Each part has a mesh of its own, in single
//! precision about a point near it, and its pose takes it to the coordinates of the file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use closefit_ifc::{Building, Limits, PER_BYTE, Product, Refused, read, unpacked};

use super::cracks;
use super::error::{Fault, clip};
use super::missing::Missing;
use super::{Format, MOST_PARTS, Source, check_name, check_text, finite, path_of};
use closefit_geometry::ids::{MeshId, to_u32};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::{Part, Scene, Up};
use closefit_geometry::units::Unit;

/// The most products whose faults a message names.
const MOST_TOLD: usize = 5;

/// Reads a file, or the one in an archive.
pub(super) fn parse(bytes: &[u8], source: &Source) -> Result<Scene, Fault> {
    let memory = source.memory;
    let text = unpacked(bytes, memory.left()).map_err(fault)?;
    memory.take(text.len(), PER_BYTE, || format!("the records in a file of {} bytes", text.len()))?;
    let limits = Limits { time: source.options.ifc_limit, memory: memory.left() };
    let mut building = read(&text, &limits).map_err(fault)?;
    memory.give_back(text.len(), PER_BYTE);
    let notes = std::mem::take(&mut building.notes);
    let mut scene = Scene { unit: Some(Unit::M), up: Some(Up::Z), notes, ..Scene::default() };
    if building.products.len() > MOST_PARTS {
        return Err(Fault::Scene(format!("there are more than {MOST_PARTS} parts")));
    }
    let mut missing = Missing::default();
    for flawed in &building.missing {
        let place = format!("#{}", flawed.id);
        missing.add(Fault::Scene(flawed.why.clone()).in_part(&flawed.name, &place), 1)?;
    }
    let names: Vec<Arc<str>> = building.nodes.iter().map(|node| node.name.clone()).collect();
    let parents: Vec<Option<usize>> = building.nodes.iter().map(|node| node.parent).collect();
    let products = std::mem::take(&mut building.products);
    let mut flaws = Vec::new();
    for product in products {
        let (name, place) = (&names[product.node], format!("#{}", product.id));
        if let Some(why) = &product.flaw {
            flaws.push(format!("'{}' ({place}): {why}", clip(name)));
        }
        let path = path_of(&names, &parents, product.node);
        match part(product, &building, path, source) {
            Ok((mesh, part)) => {
                let mesh_id = MeshId(to_u32(scene.meshes.len()));
                scene.meshes.push(Arc::new(mesh));
                scene.parts.push(Part { mesh: mesh_id, ..part });
            }
            Err(fault) => missing.add(fault.in_part(name, &place), 1)?,
        }
    }
    missing.leave_out(source.options.allow_missing, &mut scene)?;
    settle(&flaws, source.options.allow_uncut, &mut scene)?;
    Ok(scene)
}

fn fault(refused: Refused) -> Fault {
    match refused {
        Refused::At { at, why } => Fault::at(at, why),
        Refused::File(why) => Fault::Scene(why),
    }
}

/// Returns the part of a product, and its mesh.
fn part(product: Product, building: &Building, path: String, source: &Source) -> Result<(Mesh, Part), Fault> {
    let (shape, memory) = (&product.shape, source.memory);
    let node = &building.nodes[product.node];
    check_name(&node.name)?;
    product.tags.iter().try_for_each(|tag| check_text("tag", tag))?;
    if let Some(guid) = &product.guid {
        check_text("GlobalId", guid)?;
    }
    let mesh = cracks::closed(Mesh::new(&shape.vertices, &shape.triangles)?)?;
    memory.take(mesh.bytes(), 1, || format!("a mesh of {} triangles", mesh.triangles().len()))?;
    let mut above = std::iter::successors(Some(node), |node| building.nodes.get(node.parent?));
    let storey = above.find(|node| node.is_storey).map(|storey| storey.name.clone());
    storey.iter().try_for_each(|storey| check_text("storey", storey))?;
    let part = Part {
        kind: Some(product.kind),
        guid: product.guid.map(Arc::from),
        file: source.name.into(),
        path: path.into(),
        storey,
        tags: product.tags.into(),
        ..Part::new(node.name.clone(), MeshId(0), finite(Pose { rows: shape.pose })?)
    };
    let tags: usize = part.tags.iter().map(|tag| tag.len() + size_of::<String>()).sum();
    memory.take(1, part.bytes() + tags, || format!("the part '{}'", clip(&node.name)))?;
    Ok((mesh, part))
}

/// Refuses products that have lost something, or notes them.
fn settle(flaws: &[String], is_allowed: bool, scene: &mut Scene) -> Result<(), Fault> {
    if flaws.is_empty() {
        return Ok(());
    }
    let more = if flaws.len() > MOST_TOLD { "; ..." } else { "" };
    let told = format!("{}: {}{more}", flaws.len(), flaws[..flaws.len().min(MOST_TOLD)].join("; "));
    if !is_allowed {
        let why = format!("products not drawn wholly: {told} (--allow-uncut takes them as they are)");
        return Err(Fault::Scene(why));
    }
    scene.notes.push(format!("products taken although they are not drawn wholly: {told}"));
    Ok(())
}

/// Turns a building so that y is up, if it is read together with a glTF file. No coordinate is rounded.
pub(super) fn turn_beside(paths: &[PathBuf], path: &Path, scene: &mut Scene) {
    let is = |path: &Path, format| Format::of(&path.to_string_lossy()).is_ok_and(|found| found == format);
    if !is(path, Format::Ifc) || !paths.iter().any(|path| is(path, Format::Gltf)) {
        return;
    }
    for part in &mut scene.parts {
        let [x, y, z] = part.pose.rows;
        part.pose = Pose { rows: [x, z, y.map(|entry| -entry)] };
    }
    scene.up = Some(Up::Y);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    scene.notes.push(format!("{name}: turned so that y is up, as in glTF"));
}
