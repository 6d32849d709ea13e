//! Notes on what was repaired in meshes, and on what is doubtful about them all the same.

use std::collections::BTreeMap;

use super::display::counted;
use closefit_geometry::mesh::topology::Repairs;
use closefit_geometry::scene::Scene;
use closefit_geometry::text::printable;

/// Names of parts that a note gives before it merely counts them.
const NAMED: usize = 3;

/// Returns notes on repaired and doubtful meshes: for each file what was repaired, and for each doubt the
/// parts that it concerns.
pub fn repairs(scene: &Scene, of_mesh: &[Repairs]) -> Vec<String> {
    let mut files: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    let mut is_counted = vec![false; of_mesh.len()];
    for part in &scene.parts {
        let Repairs { shells, seams, .. } = of_mesh[part.mesh.index()];
        if !std::mem::replace(&mut is_counted[part.mesh.index()], true) && shells + seams > 0 {
            let file = files.entry(&part.file).or_default();
            file[0] += shells;
            file[1] += seams;
        }
    }
    let mut notes: Vec<String> =
        files.iter().map(|(file, &repairs)| format!("{file}: {}", repaired(repairs))).collect();
    let doubts = [without_winding, without_outside, inside_out];
    notes.extend(doubts.into_iter().filter_map(|doubt| doubted(scene, of_mesh, doubt)));
    notes
}

/// Returns a note on the parts whose mesh has a doubt, named and then counted; `None` if there are none.
/// `doubt` returns what is to be said of the first.
fn doubted(scene: &Scene, of_mesh: &[Repairs], doubt: fn(&Repairs) -> Option<String>) -> Option<String> {
    let doubtful =
        scene.parts.iter().filter_map(|part| Some((&part.name, doubt(&of_mesh[part.mesh.index()])?)));
    let doubtful: Vec<_> = doubtful.collect();
    let (_, said) = doubtful.first()?;
    let names: Vec<String> = doubtful.iter().take(NAMED).map(|(name, _)| printable(name)).collect();
    let more = match doubtful.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("{}{more}: {said}", names.join(", ")))
}

fn without_winding(repairs: &Repairs) -> Option<String> {
    let [from, to] = repairs.disagrees_at?.map(|p| format!("({} {} {})", p.x, p.y, p.z));
    Some(format!(
        "a shell has no consistent winding and counts as open: no way to turn its triangles agrees at the edge from \
         {from} to {to}"
    ))
}

fn without_outside(repairs: &Repairs) -> Option<String> {
    let is_open = repairs.without_outside > 0;
    is_open.then(|| "a shell counts as open, because its triangles do not tell which side is out".to_owned())
}

fn inside_out(repairs: &Repairs) -> Option<String> {
    repairs.is_inside_out.then(|| "the outermost shell is inside out".to_owned())
}

fn repaired([shells, seams]: [u32; 2]) -> String {
    let shells = (shells > 0)
        .then(|| format!("{} turned to a consistent winding", counted(shells.into(), "shell", "shells")));
    let seams = (seams > 0).then(|| format!("{} closed", counted(seams.into(), "seam", "seams")));
    shells.into_iter().chain(seams).collect::<Vec<_>>().join(", ")
}
