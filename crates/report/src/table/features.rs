//! The tables of `inspect --features`: the convex hull of each mesh, and its concavities.

use super::display::{Scale, counted};
use super::layout::{self, Cell, Column, Row, Table};
use crate::document::{FeaturesRow, Inspection, LoopRow, MeshRow, Side};

/// The most concavities listed.
const MOST: usize = 40;

/// Returns the tables, with the concavities that have the largest caps; nothing if no features were asked
/// for.
pub(super) fn features(document: &Inspection, width: Option<usize>) -> String {
    let scale = Scale::of(document.scene.unit);
    let known: Vec<(&MeshRow, &FeaturesRow)> =
        document.meshes.iter().filter_map(|mesh| Some((mesh, mesh.features.as_ref()?))).collect();
    if known.is_empty() {
        return String::new();
    }
    let mut text = "\nConvex hulls, in each mesh's own frame\n\n".to_owned();
    text += &layout::render(&document.parts, vec![hulls(&known, scale)], width);
    let mut concavities: Vec<Concavity> =
        known.iter().flat_map(|(mesh, features)| Concavity::all(mesh, features)).collect();
    if concavities.is_empty() {
        return text + "\nno concavities\n";
    }
    concavities.sort_by(|a, b| b.area.total_cmp(&a.area));
    let left_out = concavities.len().saturating_sub(MOST);
    concavities.truncate(MOST);
    text += "\n";
    text += &layout::render(&document.parts, vec![listed(&concavities, scale)], width);
    if left_out > 0 {
        text += &format!("and {left_out} more: see --json\n");
    }
    text
}

/// The first cells of a row: the mesh and its first part.
fn named(mesh: &MeshRow) -> [Cell; 2] {
    let part = mesh.parts.first().map_or(Cell::Text("no part".to_owned()), |&part| Cell::Part(part));
    [Cell::Text(mesh.id.to_string()), part]
}

/// Returns the counts that are not 0.
fn counts<const N: usize>(counts: [(usize, &str); N]) -> String {
    let some = counts.iter().filter(|(n, _)| *n > 0);
    some.map(|(n, what)| format!("{n} {what}")).collect::<Vec<_>>().join(", ")
}

/// Returns the table of hulls.
fn hulls(known: &[(&MeshRow, &FeaturesRow)], scale: Scale) -> Table {
    let rows = known.iter().map(|(mesh, features)| {
        let FeaturesRow { hull, pocket_volume, subsets, caps, .. } = features;
        let sides =
            [Side::Hull, Side::Concavity].map(|side| subsets.iter().filter(|s| s.side == side).count());
        let pockets = match *pocket_volume {
            None => "not closed".to_owned(),
            Some(volume) if volume < 0.0 => "overlapping".to_owned(),
            Some(volume) => scale.cubed().short(volume),
        };
        let mut cells = Vec::from(named(mesh));
        cells.extend(
            [
                hull.vertices.red.to_string(),
                counts([(hull.edges.red, "red"), (hull.edges.green, "green")]),
                counts([(hull.faces.red, "red"), (hull.faces.green, "green"), (hull.faces.mixed, "mixed")]),
                counts([(sides[0], "on hull"), (sides[1], "off")]),
                pockets,
                scale.cubed().short(hull.volume),
            ]
            .map(Cell::from),
        );
        let open: Vec<f64> = caps.iter().filter(|cap| cap.subsets.is_empty()).map(|cap| cap.area).collect();
        let note = (!open.is_empty()).then(|| {
            let caps = counted(open.len() as u64, "cap", "caps");
            format!("{caps} over openings without a concavity: {}", scale.squared().length(open.iter().sum()))
        });
        Row { lines: vec![cells], note }
    });
    let columns = [
        ("mesh", Column::RIGHT),
        ("first part", Column::PART),
        ("vertices", Column::RIGHT),
        ("edges", Column::LEFT),
        ("faces", Column::LEFT),
        ("subsets", Column::LEFT),
        (&scale.cubed().title("pockets"), Column::RIGHT),
        (&scale.cubed().title("hull"), Column::OPTIONAL),
    ];
    table(columns, rows.collect())
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
    let rows = concavities.iter().map(|concavity| {
        let mut cells = Vec::from(named(concavity.mesh));
        let numbers = [concavity.id.to_string(), concavity.triangles.to_string()];
        let texts = [concavity.loops(), concavity.caps(), scale.squared().short(concavity.area)];
        cells.extend(numbers.into_iter().chain(texts).map(Cell::from));
        Row { lines: vec![cells], note: None }
    });
    let columns = [
        ("mesh", Column::RIGHT),
        ("first part", Column::PART),
        ("concavity", Column::RIGHT),
        ("triangles", Column::RIGHT),
        ("loops", Column::LEFT),
        ("caps", Column::LEFT),
        (&scale.squared().title("cap area"), Column::RIGHT),
    ];
    table(columns, rows.collect())
}

fn table<const N: usize>(columns: [(&str, Column); N], rows: Vec<Row>) -> Table {
    let (titles, columns): (Vec<&str>, Vec<Column>) = columns.into_iter().unzip();
    Table { columns, titles: vec![titles.into_iter().map(str::to_owned).collect()], rows }
}
