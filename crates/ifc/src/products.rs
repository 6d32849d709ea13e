//! The products of a file: which have a shape, what they are called, and where they are.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use ifc_lite_core::{IfcType, geometry_flags_by_name};

use crate::curves::{THINNED_BY, is_thinned, largest_radius};
use crate::error::Refused;
use crate::model::{Building, Flawed, Node, Product, Shape};
use crate::output::{Output, Piece};
use crate::records::{Record, Records};
use crate::refused;
use crate::relations::Relations;
use crate::schema::Draft;
use crate::values::{argument, reference, references, text};

/// Products whose shapes are no bodies: rooms, openings, which are cut already, and drawings.
const NO_BODIES: [IfcType; 10] = [
    IfcType::IfcSpace,
    IfcType::IfcSpatialZone,
    IfcType::IfcExternalSpatialElement,
    IfcType::IfcFeatureElementSubtraction,
    IfcType::IfcSurfaceFeature,
    IfcType::IfcPositioningElement,
    IfcType::IfcAnnotation,
    IfcType::IfcVirtualElement,
    IfcType::IfcPort,
    IfcType::IfcStructuralItem,
];

/// Identifiers of representations that are not the body. The kernel goes by the type alone, so it would draw
/// the space before a door as the door.
const BESIDE_THE_BODY: [&str; 10] = [
    "annotation",
    "axis",
    "box",
    "clearance",
    "cog",
    "footprint",
    "lighting",
    "plan",
    "profile",
    "reference",
];

/// Types of representations that the kernel draws.
const DRAWN: [&str; 12] = [
    "Body",
    "SweptSolid",
    "Brep",
    "CSG",
    "Clipping",
    "Tessellation",
    "MappedRepresentation",
    "SolidModel",
    "SurfaceModel",
    "Surface3D",
    "AdvancedSweptSolid",
    "AdvancedBrep",
];

/// Types of representations without a surface.
const WITHOUT_SURFACE: [&str; 11] = [
    "Annotation2D",
    "BoundingBox",
    "Curve",
    "Curve2D",
    "Curve3D",
    "FillArea",
    "GeometricCurveSet",
    "Point",
    "PointCloud",
    "Text",
    "Vertex",
];

/// The most steps from a product up to its storey and project.
const HIGHEST: usize = 64;

/// The kinds of entities.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Product,
    NoBody,
    /// Unknown here: a product if it has a shape.
    Unknown,
    Other,
}

impl Kind {
    fn of(upper: &str) -> Self {
        let kind = IfcType::from_str(upper);
        let (is_drawn, is_place) = geometry_flags_by_name(upper);
        match kind {
            _ if NO_BODIES.iter().any(|no| kind.is_subtype_of(no.clone())) => Self::NoBody,
            _ if is_drawn || is_place => Self::Product,
            IfcType::Unknown(_) => Self::Unknown,
            _ => Self::Other,
        }
    }
}

/// The products that are to be drawn.
#[derive(Default)]
pub struct Found {
    /// Products, in the order of the file.
    products: Vec<Record>,
    missing: Vec<(Record, String)>,
    left_out: BTreeMap<String, usize>,
    /// The places in the text of the types of representations other than the body.
    beside: Vec<(usize, usize)>,
    /// The number of those that would be drawn, such as the space before a door.
    bodies_beside: usize,
}

/// The shapes and representations that were looked at, each with true if it is a body. Any number of
/// products may share them.
#[derive(Default)]
struct Known {
    shapes: HashMap<u32, bool>,
    representations: HashMap<u32, bool>,
}

/// Finds the products that have a body.
///
/// # Errors
/// If there is none.
pub fn find(records: &Records) -> Result<Found, Refused> {
    let kinds: Vec<Kind> = records.kinds.iter().map(|kind| Kind::of(kind)).collect();
    let is_product = |kind: u32| !matches!(kinds[kind as usize], Kind::Other);
    let wrong = refused::find(records, |kind| is_product(kind) && kinds[kind as usize] != Kind::Unknown);
    let mut found = Found::default();
    let mut known = Known::default();
    for record in records.all().filter(|record| is_product(record.kind)) {
        let kind = kinds[record.kind as usize];
        if !found.has_body(records, record, &mut known) {
            continue;
        }
        match (kind, wrong.get(&record.id)) {
            (Kind::NoBody, _) => *found.left_out.entry(name_of_kind(records, record)).or_default() += 1,
            (_, Some(entity)) => {
                found.missing.push((*record, format!("{entity} is not supported: it would be drawn wrong")));
            }
            (Kind::Unknown, _) => found.missing.push((*record, "its type is unknown".to_owned())),
            _ => found.products.push(*record),
        }
    }
    found.products.sort_by_key(|record| record.from);
    found.missing.sort_by_key(|(record, _)| record.from);
    if found.products.is_empty() && found.missing.is_empty() {
        return Err(Refused::file(format!("no product has a body (of {} records)", records.len())));
    }
    Ok(found)
}

impl Found {
    /// Returns the numbers of the products to draw.
    pub fn ids(&self) -> Vec<u32> {
        self.products.iter().map(|product| product.id).collect()
    }

    /// Returns the text without the types of representations other than the body, so that they are not drawn.
    pub fn text_to_draw<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let mut text = Cow::Borrowed(text);
        for &(from, to) in &self.beside {
            text.to_mut()[from..to].fill(b'-');
        }
        text
    }

    /// True if a product has a representation that is, or should be, a body.
    fn has_body(&mut self, records: &Records, product: &Record, known: &mut Known) -> bool {
        let shape = reference(argument(records.arguments(product), 6)).and_then(|id| records.get(id));
        let Some(shape) = shape.filter(|shape| records.kind(shape) == "IFCPRODUCTDEFINITIONSHAPE") else {
            return false;
        };
        if let Some(&has_body) = known.shapes.get(&shape.id) {
            return has_body;
        }
        let all = references(argument(records.arguments(shape), 2)).filter_map(|id| records.get(id));
        let mut has_body = false;
        for record in all.filter(|record| records.kind(record) == "IFCSHAPEREPRESENTATION") {
            let is_body = known.representations.get(&record.id).copied();
            let is_body = is_body.unwrap_or_else(|| self.is_body(records, record));
            known.representations.insert(record.id, is_body);
            has_body |= is_body;
        }
        known.shapes.insert(shape.id, has_body);
        has_body
    }

    /// True for a representation that is, or should be, a body. Keeps the place of the type of another.
    fn is_body(&mut self, records: &Records, representation: &Record) -> bool {
        let arguments = records.arguments(representation);
        let [identifier, of_type] = [1, 2].map(|place| argument(arguments, place));
        let name = text(identifier).unwrap_or_default().to_lowercase();
        let type_name = text(of_type).unwrap_or_default();
        let is_drawn = DRAWN.contains(&type_name.as_str());
        if BESIDE_THE_BODY.contains(&name.as_str()) {
            if is_drawn {
                let from = of_type.as_ptr().addr() - records.text.as_ptr().addr();
                self.beside.push((from + 1, from + of_type.len() - 1));
                // Those that are mapped are drawings for the most part.
                self.bodies_beside += usize::from(type_name != "MappedRepresentation");
            }
            return false;
        }
        is_drawn || matches!(name.as_str(), "" | "body") && !WITHOUT_SURFACE.contains(&type_name.as_str())
    }

    /// Puts together what the text says and what was drawn.
    ///
    /// # Errors
    /// If the unit of the file cannot be used.
    pub fn into_building(self, records: &Records, draft: Draft, drawn: Output) -> Result<Building, Refused> {
        if let Some(id) = drawn.refused_unit {
            return Err(Refused::at(format!("#{id}"), "the unit of length cannot be used"));
        }
        let mut building =
            Building { notes: self.notes(records, draft, drawn.metres), ..Building::default() };
        let Output { frame, pieces, flaws, .. } = drawn;
        let flaws: HashMap<u32, String> = flaws.into_iter().collect();
        let mut of_product: HashMap<u32, Vec<Piece>> = HashMap::new();
        for piece in pieces {
            of_product.entry(piece.product).or_default().push(piece);
        }
        let mut tree =
            Tree { records, relations: Relations::of(records), nodes: Vec::new(), known: HashMap::new() };
        let mut missing = self.missing;
        for record in &self.products {
            let flaw = flaws.get(&record.id).cloned();
            let pieces = of_product.remove(&record.id).unwrap_or_default();
            let mut tags = tree.relations.tags(record.id);
            let layers = pieces.iter().filter(|piece| !piece.layer.is_empty());
            tags.extend(layers.map(|piece| format!("layer:{}", piece.layer)));
            tags.sort();
            tags.dedup();
            let shape = joined(&frame, pieces);
            if shape.triangles.is_empty() {
                let why = flaw.unwrap_or_else(|| "no mesh output".to_owned());
                missing.push((*record, format!("its body is not drawn: {why}")));
                continue;
            }
            let guid = text(argument(records.arguments(record), 0));
            let kind = name_of_kind(records, record).into();
            let node = tree.node(record);
            building.products.push(Product { id: record.id, node, kind, guid, tags, shape, flaw });
        }
        building.missing.extend(missing.iter().map(|(record, why)| Flawed {
            id: record.id,
            name: tree.name(record),
            why: why.clone(),
        }));
        building.nodes = tree.nodes;
        Ok(building)
    }

    fn notes(&self, records: &Records, draft: Draft, metres: f64) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some((draft, as_what)) = draft {
            notes.push(format!("schema {draft} read as {as_what}"));
        }
        if !self.left_out.is_empty() {
            let kinds: Vec<String> =
                self.left_out.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            notes.push(format!("products left out, which are no bodies: {}", kinds.join(", ")));
        }
        if self.bodies_beside > 0 {
            notes.push(format!("representations beside the body left out: {}", self.bodies_beside));
        }
        notes.extend(note_on_arcs(records, metres));
        notes.extend(note_on_polygons(records));
        notes.extend(note_on_slopes(records));
        notes
    }
}

/// Returns a note on how far arcs may be from the polygons that stand for them. The kernel takes at least 16
/// segments a turn, so no point of an arc is farther from its chord than 1 - cos(pi/16) of the radius.
fn note_on_arcs(records: &Records, metres: f64) -> Option<String> {
    let radius = |record: &Record| {
        let places: &[usize] = match records.kind(record) {
            "IFCCIRCLE"
            | "IFCSPHERE"
            | "IFCSPHERICALSURFACE"
            | "IFCCYLINDRICALSURFACE"
            | "IFCSWEPTDISKSOLID" => &[1],
            "IFCELLIPSE" | "IFCTOROIDALSURFACE" => &[1, 2],
            "IFCRIGHTCIRCULARCYLINDER" | "IFCRIGHTCIRCULARCONE" => &[2],
            "IFCCIRCLEPROFILEDEF" | "IFCCIRCLEHOLLOWPROFILEDEF" => &[3],
            "IFCELLIPSEPROFILEDEF" => &[3, 4],
            "IFCROUNDEDRECTANGLEPROFILEDEF" => &[5],
            "IFCLSHAPEPROFILEDEF" | "IFCRECTANGLEHOLLOWPROFILEDEF" => &[6, 7],
            "IFCISHAPEPROFILEDEF" | "IFCUSHAPEPROFILEDEF" => &[7, 8],
            "IFCTSHAPEPROFILEDEF" => &[7, 8, 9],
            "IFCINDEXEDPOLYCURVE" => return Some((largest_radius(records, record), record.id)),
            _ => return None,
        };
        let radii = places.iter().filter_map(|&place| real(records, record, place));
        Some((radii.fold(0.0, f64::max), record.id))
    };
    let scale = largest_scale(records);
    let radii = records.all().filter_map(radius).map(|(radius, id)| (radius * scale * metres, id));
    let (largest, id) = radii.max_by(|(a, _), (b, _)| a.total_cmp(b)).filter(|&(radius, _)| radius > 0.0)?;
    // 1 - cos(pi/16), rounded up.
    let off = 0.019_215 * largest;
    Some(format!(
        "arcs are polygons, whose chords lie up to 2 % of the radius beside the true arc: {} for the largest \
         radius, {} (#{id})",
        millimetres(off),
        millimetres(largest)
    ))
}

/// Returns the largest factor by which a map of the file enlarges what it places; 1 if none does.
fn largest_scale(records: &Records) -> f64 {
    let maps = records.all().filter(|record| records.kind(record).starts_with("IFCCARTESIANTRANSFORMATION"));
    let scales = maps.flat_map(|record| [3, 5, 6].map(|place| real(records, record, place)));
    scales.flatten().map(f64::abs).fold(1.0, f64::max)
}

/// Returns a note on profiles of many short edges, because the kernel leaves out some of their corners.
fn note_on_polygons(records: &Records) -> Option<String> {
    let is_profile = |record: &&Record| {
        matches!(records.kind(record), "IFCARBITRARYCLOSEDPROFILEDEF" | "IFCARBITRARYPROFILEDEFWITHVOIDS")
    };
    let mut known = HashMap::new();
    let profiles = records.all().filter(is_profile);
    let mut thinned = profiles.filter(|profile| is_thinned(records, profile, &mut known)).map(|one| one.id);
    let first = thinned.next()?;
    Some(format!(
        "profiles of arcs or of many short edges may be drawn with fewer corners, up to {} from the curve in the \
         file: {} (the first is #{first})",
        millimetres(THINNED_BY * largest_scale(records)),
        1 + thinned.count()
    ))
}

/// Returns a note on profiles of steel with slopes, or with fillets of a C, which the kernel does not draw.
fn note_on_slopes(records: &Records) -> Option<String> {
    let is_drawn_straight = |record: &&Record| {
        let places: &[usize] = match records.kind(record) {
            "IFCISHAPEPROFILEDEF" | "IFCUSHAPEPROFILEDEF" => &[9],
            "IFCLSHAPEPROFILEDEF" => &[8],
            "IFCTSHAPEPROFILEDEF" => &[10, 11],
            "IFCASYMMETRICISHAPEPROFILEDEF" => &[12, 14],
            "IFCCSHAPEPROFILEDEF" => &[7],
            _ => return false,
        };
        places.iter().any(|&place| real(records, record, place).is_some_and(|value| value != 0.0))
    };
    let mut profiles = records.all().filter(is_drawn_straight).map(|profile| profile.id);
    let first = profiles.next()?;
    Some(format!(
        "profiles of steel drawn without the slopes of their flanges, or a C without its fillets: {} (the first is \
         #{first})",
        1 + profiles.count()
    ))
}

/// Returns the number that an argument is.
fn real(records: &Records, record: &Record, place: usize) -> Option<f64> {
    let text = std::str::from_utf8(argument(records.arguments(record), place)).ok()?;
    text.parse().ok().filter(|real: &f64| real.is_finite())
}

/// Returns a length in millimetres.
fn millimetres(metres: f64) -> String {
    let length = metres * 1000.0;
    if length >= 10.0 { format!("{:.0} mm", length.ceil()) } else { format!("{:.2} mm", length) }
}

/// Returns the type of a record's entity as people write it.
fn name_of_kind(records: &Records, record: &Record) -> String {
    IfcType::from_str(records.kind(record)).name().to_owned()
}

/// Joins the pieces of a product, relative to the origin of the first, whose coordinates stay as they are.
fn joined(frame: &[[f64; 4]; 3], pieces: Vec<Piece>) -> Shape {
    let origin = pieces.first().map_or([0.0; 3], |piece| piece.origin);
    let mut shape = Shape { pose: *frame, ..Shape::default() };
    for row in &mut shape.pose {
        row[3] += (0..3).map(|k| row[k] * origin[k]).sum::<f64>();
    }
    for piece in pieces {
        let before = shape.vertices.len() as u32;
        let vertex = |v: &[f32]| std::array::from_fn(|k| f64::from(v[k]) + (piece.origin[k] - origin[k]));
        shape.vertices.extend(piece.vertices.chunks_exact(3).map(vertex));
        let corner = |corner: u32| before.saturating_add(corner);
        shape
            .triangles
            .extend(piece.triangles.chunks_exact(3).map(|t| [corner(t[0]), corner(t[1]), corner(t[2])]));
    }
    shape
}

/// The products and what they are in.
struct Tree<'a> {
    records: &'a Records<'a>,
    relations: Relations,
    nodes: Vec<Node>,
    known: HashMap<u32, usize>,
}

impl Tree<'_> {
    /// Returns the node of an object, and makes it and those above it if they are not known.
    fn node(&mut self, record: &Record) -> usize {
        let mut chain = vec![record.id];
        let above = loop {
            let id = chain[chain.len() - 1];
            if let Some(&known) = self.known.get(&id) {
                chain.pop();
                break Some(known);
            }
            match self.relations.parents.get(&id) {
                Some(parent) if chain.len() < HIGHEST && !chain.contains(parent) => chain.push(*parent),
                _ => break None,
            }
        };
        let mut parent = above;
        for id in chain.into_iter().rev() {
            let Some(record) = self.records.get(id) else { continue };
            let is_storey = self.records.kind(record) == "IFCBUILDINGSTOREY";
            self.nodes.push(Node { name: self.name(record), parent, is_storey });
            parent = Some(self.nodes.len() - 1);
            self.known.insert(id, self.nodes.len() - 1);
        }
        parent.expect("the object has a record")
    }

    /// Returns the name of an object, else what else it is called.
    fn name(&self, record: &Record) -> Arc<str> {
        let arguments = self.records.arguments(record);
        let name = [2, 4].into_iter().find_map(|place| text(argument(arguments, place)));
        name.unwrap_or_else(|| format!("{} #{}", name_of_kind(self.records, record), record.id)).into()
    }
}
