//! The tables of `inspect --features`: the convex hull of each mesh, and its concavities.

use super::display::{Scale, counted};
use super::inspect::first_part;
use super::layout::{ColumnOf, Table, Treatment};
use crate::document::{FeaturesRow, Inspection, LoopRow, MeshRow, Side};

/// The most concavities listed.
const MOST: usize = 40;

/// Returns the tables, with the concavities that have the largest caps; nothing if no features were
/// requested.
pub(super) fn features(document: &Inspection, width: Option<usize>) -> String {
    let scale = Scale::of(document.scene.unit);
    let known: Vec<Known> =
        document.meshes.iter().filter_map(|mesh| Some((mesh, mesh.features.as_ref()?))).collect();
    if known.is_empty() {
        return String::new();
    }
    let mut text = "\nConvex hulls, in each mesh's own frame\n\n".to_owned();
    text += &hulls(&known, scale).render(&document.parts, width);
    let mut concavities: Vec<Concavity> =
        known.iter().flat_map(|(mesh, features)| Concavity::all(mesh, features)).collect();
    if concavities.is_empty() {
        return text + "\nno concavities\n";
    }
    concavities.sort_by(|a, b| b.area.total_cmp(&a.area));
    let left_out = concavities.len().saturating_sub(MOST);
    concavities.truncate(MOST);
    text += "\n";
    text += &listed(&concavities, scale).render(&document.parts, width);
    if left_out > 0 {
        text += &format!("and {left_out} more: see --json\n");
    }
    text
}

/// Returns the counts that are not 0.
fn counts<const N: usize>(counts: [(usize, &str); N]) -> String {
    let some = counts.iter().filter(|(n, _)| *n > 0);
    some.map(|(n, what)| format!("{n} {what}")).collect::<Vec<_>>().join(", ")
}

/// A mesh with its features.
type Known<'a> = (&'a MeshRow, &'a FeaturesRow);

/// Returns the table of hulls.
fn hulls(known: &[Known], scale: Scale) -> Table {
    let (pockets, hull) = (scale.cubed().title("pockets"), scale.cubed().title("hull"));
    let columns: [ColumnOf<Known>; 8] = [
        ("mesh", Treatment::RIGHT, &|(mesh, _)| mesh.id.to_string().into()),
        ("first part", Treatment::PART, &|(mesh, _)| first_part(mesh)),
        ("vertices", Treatment::RIGHT, &|(_, features)| features.hull.vertices.red.to_string().into()),
        ("edges", Treatment::LEFT, &|(_, features)| {
            let edges = features.hull.edges;
            counts([(edges.red, "red"), (edges.green, "green")]).into()
        }),
        ("faces", Treatment::LEFT, &|(_, features)| {
            let faces = features.hull.faces;
            counts([(faces.red, "red"), (faces.green, "green"), (faces.mixed, "mixed")]).into()
        }),
        ("subsets", Treatment::LEFT, &|(_, features)| {
            let on = |side| features.subsets.iter().filter(|subset| subset.side == side).count();
            counts([(on(Side::Hull), "on hull"), (on(Side::Concavity), "off")]).into()
        }),
        (&pockets, Treatment::RIGHT, &|(_, features)| match features.pocket_volume {
            None => "not closed".to_owned().into(),
            Some(volume) if volume < 0.0 => "overlapping".to_owned().into(),
            Some(volume) => scale.cubed().short(volume).into(),
        }),
        (&hull, Treatment::OPTIONAL, &|(_, features)| scale.cubed().short(features.hull.volume).into()),
    ];
    Table::of(&columns, known, |(_, features)| {
        let open = features.caps.iter().filter(|cap| cap.subsets.is_empty());
        let open: Vec<f64> = open.map(|cap| cap.area).collect();
        (!open.is_empty()).then(|| {
            let caps = counted(open.len() as u64, "cap", "caps");
            format!("{caps} over openings without a concavity: {}", scale.squared().length(open.iter().sum()))
        })
    })
}

/// A concavity with its loops and caps.
struct Concavity<'a> {
    mesh: &'a MeshRow,
    id: usize,
    triangles: u32,
    loops: Vec<&'a LoopRow>,
    caps: usize,
    /// The number of caps that take in a whole face because edges cross on it.
    inexact: usize,
    area: f64,
}

impl<'a> Concavity<'a> {
    /// Returns the concavities of a mesh.
    fn all(mesh: &'a MeshRow, features: &'a FeaturesRow) -> Vec<Self> {
        let subsets = features.subsets.iter();
        let mut all: Vec<Self> = subsets
            .map(|subset| {
                let (id, triangles) = (subset.id, subset.triangles);
                Self { mesh, id, triangles, loops: Vec::new(), caps: 0, inexact: 0, area: 0.0 }
            })
            .collect();
        for one in &features.loops {
            all[one.subset as usize].loops.push(one);
        }
        for cap in &features.caps {
            for &subset in &cap.subsets {
                let concavity = &mut all[subset as usize];
                concavity.caps += 1;
                concavity.inexact += usize::from(!cap.exact);
                concavity.area += cap.area;
            }
        }
        all.retain(|concavity| features.subsets[concavity.id].side == Side::Concavity);
        all
    }

    /// Returns the number of loops, how deep they are nested, and how many are open.
    fn loops(&self) -> String {
        let mut text = self.loops.len().to_string();
        if let Some(depth) = self.loops.iter().filter_map(|one| one.depth).max().filter(|&depth| depth > 0) {
            text += &format!(", {depth} deep");
        }
        let open = self.loops.iter().filter(|one| !one.closed).count();
        if open > 0 {
            text += &format!(", {open} open");
        }
        text
    }

    /// Returns the number of caps, and how many are whole faces.
    fn caps(&self) -> String {
        let crossed = counts([(self.inexact, "with crossing edges")]);
        if crossed.is_empty() { self.caps.to_string() } else { format!("{}, {crossed}", self.caps) }
    }
}

/// Returns the table of concavities.
fn listed(concavities: &[Concavity], scale: Scale) -> Table {
    let area = scale.squared().title("cap area");
    let columns: [ColumnOf<Concavity>; 7] = [
        ("mesh", Treatment::RIGHT, &|one| one.mesh.id.to_string().into()),
        ("first part", Treatment::PART, &|one| first_part(one.mesh)),
        ("concavity", Treatment::RIGHT, &|one| one.id.to_string().into()),
        ("triangles", Treatment::RIGHT, &|one| one.triangles.to_string().into()),
        ("loops", Treatment::LEFT, &|one| one.loops().into()),
        ("caps", Treatment::LEFT, &|one| one.caps().into()),
        (&area, Treatment::RIGHT, &|one| scale.squared().short(one.area).into()),
    ];
    Table::of(&columns, concavities, |_| None)
}
