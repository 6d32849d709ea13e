//! The triangles of a geometry.

use glam::DVec3;
use roxmltree::Node;

use super::super::error::{Fault, clip};
use super::super::faces::Faces;
use super::super::text::number;
use super::super::xml::{element, elements};
use super::{Ids, id_of};
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::mesh::Mesh;

/// Things that have no surface, counted over a file.
#[derive(Default)]
pub(super) struct Without {
    /// Lists of lines or points.
    pub lines: usize,
    /// Splines and other geometries that are no meshes.
    pub curves: usize,
}

/// The kinds of lists of faces.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Triangles,
    Strips,
    Fans,
    /// Polygons, whose numbers of corners are in `<vcount>`.
    Polylist,
    /// Polygons, each with its own list.
    Polygons,
}

/// Reads a `<geometry>`; `None` if it has no surface.
pub(super) fn read<'a>(
    geometry: Node<'a, 'a>,
    ids: &Ids<'a>,
    (without, notes): (&mut Without, &mut Vec<String>),
    memory: &MemoryAccount,
) -> Result<Option<Mesh>, Fault> {
    let Some(mesh) = element(geometry, "mesh") else {
        without.curves += 1;
        return Ok(None);
    };
    let mut faces = Faces::default();
    let mut points: Vec<DVec3> = Vec::new();
    // The vertices that the file has read so far, with where they begin: lists usually share them.
    let mut known: Option<(Node, usize)> = None;
    for list in mesh.children().filter(Node::is_element) {
        let kind = match list.tag_name().name() {
            "triangles" => Kind::Triangles,
            "tristrips" => Kind::Strips,
            "trifans" => Kind::Fans,
            "polylist" => Kind::Polylist,
            "polygons" => Kind::Polygons,
            "lines" | "linestrips" => {
                without.lines += 1;
                continue;
            }
            _ => continue,
        };
        let corners = Corners::of(list)?;
        let Some(corners) = corners else { continue };
        let source = corners.positions(mesh, ids)?;
        let first = match known {
            Some((before, first)) if before == source => first,
            _ => {
                let first = points.len();
                add_points(source, ids, mesh, &mut points)?;
                known = Some((source, first));
                first
            }
        };
        let count = points.len() - first;
        add_faces(list, kind, &corners, (first, count), &mut faces)?;
    }
    if faces.is_empty() {
        return Ok(None);
    }
    let triangles = faces.into_triangles(&points, notes, memory)?;
    Ok(Some(Mesh::new(&points, &triangles)?))
}

/// The inputs of a list of faces.
struct Corners<'a> {
    /// Number of indices of a corner.
    stride: usize,
    /// Place of the vertex among them.
    offset: usize,
    /// The input that refers to the vertices.
    vertices: Node<'a, 'a>,
}

/// The largest number of indices of a corner. Files have a handful.
const MOST_INPUTS: usize = 1 << 10;

impl<'a> Corners<'a> {
    /// Reads the inputs of a list; `None` if it has none, and so no faces.
    fn of(list: Node<'a, 'a>) -> Result<Option<Self>, Fault> {
        let mut found = None;
        let mut stride = 0;
        for input in elements(list, "input") {
            let offset = count(input.attribute("offset").unwrap_or("0"), "offset")?;
            if offset >= MOST_INPUTS {
                return Err(Fault::at("offset", format!("{offset}; the limit is {MOST_INPUTS}")));
            }
            stride = stride.max(offset + 1);
            if input.attribute("semantic") == Some("VERTEX") {
                found = Some((offset, input));
            }
        }
        match found {
            Some((offset, vertices)) => Ok(Some(Self { stride, offset, vertices })),
            None if stride == 0 => Ok(None),
            None => Err(Fault::at(list.tag_name().name(), "it has no input VERTEX")),
        }
    }

    /// Returns the source of positions. Ids repeat between geometries, so an element of the same mesh comes
    /// first.
    fn positions(&self, mesh: Node<'a, 'a>, ids: &Ids<'a>) -> Result<Node<'a, 'a>, Fault> {
        let vertices = within(mesh, self.vertices, "vertices", ids)?;
        let is_position = |input: &Node| input.attribute("semantic") == Some("POSITION");
        let input = elements(vertices, "input").find(is_position);
        within(mesh, input.ok_or_else(|| Fault::at("vertices", "it has no input POSITION"))?, "source", ids)
    }
}

/// Returns the element that the `source` of an input refers to: one of the same mesh or, if there is none, of
/// the file.
fn within<'a>(
    mesh: Node<'a, 'a>,
    input: Node<'a, 'a>,
    kind: &'static str,
    ids: &Ids<'a>,
) -> Result<Node<'a, 'a>, Fault> {
    let name = id_of(input, "source")?;
    match elements(mesh, kind).find(|node| node.attribute("id") == Some(name)) {
        Some(found) => Ok(found),
        None => ids.get(input, "source", kind),
    }
}

/// Adds the points of a source.
fn add_points<'a>(
    source: Node<'a, 'a>,
    ids: &Ids<'a>,
    mesh: Node<'a, 'a>,
    points: &mut Vec<DVec3>,
) -> Result<(), Fault> {
    let at = |why: String| Fault::at(format!("source '{}'", clip(source.attribute("id").unwrap_or(""))), why);
    let accessor = element(source, "technique_common").and_then(|common| element(common, "accessor"));
    let array = match accessor.filter(|accessor| accessor.has_attribute("source")) {
        Some(accessor) => {
            let name = id_of(accessor, "source")?;
            let own = elements(source, "float_array").find(|array| array.attribute("id") == Some(name));
            match own {
                Some(own) => own,
                None => within(mesh, accessor, "float_array", ids)?,
            }
        }
        None => element(source, "float_array").ok_or_else(|| at("it has no <float_array>".to_owned()))?,
    };
    let attribute = |name: &'static str, default: usize| match accessor.and_then(|node| node.attribute(name))
    {
        Some(text) => count(text, name),
        None => Ok(default),
    };
    let (stride, offset) = (attribute("stride", 3)?, attribute("offset", 0)?);
    if stride < 3 {
        return Err(at(format!("its points have {stride} coordinates")));
    }
    let text = array.text().unwrap_or("");
    let mut numbers = text.split_ascii_whitespace().skip(offset);
    while let Some(first) = numbers.next() {
        let read = |token: Option<&str>| -> Result<f64, Fault> {
            number(token.ok_or_else(|| at("its last point is cut short".to_owned()))?).map_err(&at)
        };
        let point = DVec3::new(read(Some(first))?, read(numbers.next())?, read(numbers.next())?);
        points.push(point);
        if stride > 3 && numbers.nth(stride - 4).is_none() {
            break;
        }
    }
    Ok(())
}

/// Adds the faces of a list, whose vertices begin at one and are so many.
fn add_faces(
    list: Node,
    kind: Kind,
    corners: &Corners,
    vertices: (usize, usize),
    faces: &mut Faces,
) -> Result<(), Fault> {
    if list.children().any(|child| child.has_tag_name("ph")) {
        return Err(Fault::Unsupported("a polygon with holes (<ph>) is".to_owned()));
    }
    if kind == Kind::Polylist {
        let of = |name: &'static str| element(list, name).and_then(|node| node.text()).unwrap_or("");
        let indices = corners.indices(of("p"), vertices)?;
        let mut rest = &indices[..];
        for token in of("vcount").split_ascii_whitespace() {
            let many = count(token, "vcount")?;
            if many > rest.len() {
                return Err(Fault::at(
                    "vcount",
                    format!("a polygon has {many} corners, but {} are left", rest.len()),
                ));
            }
            let (polygon, after) = rest.split_at(many);
            add_polygon(polygon, faces);
            rest = after;
        }
        return Ok(());
    }
    for text in elements(list, "p").filter_map(|p| p.text()) {
        let indices = corners.indices(text, vertices)?;
        match kind {
            Kind::Triangles if indices.len() % 3 != 0 => {
                return Err(Fault::at(
                    "p",
                    format!("{} corners are not three for each triangle", indices.len()),
                ));
            }
            Kind::Triangles => indices.as_chunks().0.iter().for_each(|&triangle| faces.push(triangle)),
            Kind::Strips => indices.windows(3).enumerate().for_each(|(i, window)| {
                let [a, b, c] = [window[0], window[1], window[2]];
                // A repeated corner makes a jump to another place, not a triangle.
                if a != b && b != c && c != a {
                    faces.push(if i % 2 == 0 { [a, b, c] } else { [b, a, c] });
                }
            }),
            Kind::Fans => indices.get(1..).unwrap_or_default().windows(2).for_each(|pair| {
                faces.push([indices[0], pair[0], pair[1]]);
            }),
            Kind::Polylist | Kind::Polygons => add_polygon(&indices, faces),
        }
    }
    Ok(())
}

/// Adds a polygon; fewer than three corners bound nothing.
fn add_polygon(corners: &[u32], faces: &mut Faces) {
    match *corners {
        [a, b, c] => faces.push([a, b, c]),
        [_, _, _, ..] => faces.push_polygon(corners),
        _ => {}
    }
}

impl Corners<'_> {
    /// Reads the vertices of a list of corners.
    fn indices(&self, text: &str, (first, count): (usize, usize)) -> Result<Vec<u32>, Fault> {
        let mut indices = Vec::new();
        let (mut place, mut read) = (0, 0);
        for token in text.split_ascii_whitespace() {
            if place == self.offset {
                let index: usize = self::count(token, "p")?;
                if index >= count {
                    return Err(Fault::at("p", format!("vertex {index}, but there are {count}")));
                }
                let index = u32::try_from(first + index);
                indices.push(index.map_err(|_| Fault::at("p", format!("more than {} vertices", u32::MAX)))?);
            }
            place = if place + 1 == self.stride { 0 } else { place + 1 };
            read += 1;
        }
        match place {
            0 => Ok(indices),
            _ => Err(Fault::at("p", format!("{read} indices are not {} for each corner", self.stride))),
        }
    }
}

/// Parses a count or an index.
fn count(token: &str, what: &'static str) -> Result<usize, Fault> {
    token.trim().parse().map_err(|_| Fault::at(what, format!("'{}' is not a count", clip(token))))
}
