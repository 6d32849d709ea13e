//! The parts of a page, one column per property.

use std::borrow::Cow;

use closefit_geometry::ids::PartId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::scene::Part;
use closefit_geometry::text::shown;
use serde::Serialize;

use crate::geometry::{Geometry, Shape};

/// Columns of parts. Texts are escaped as in tables, so that no mark of direction in a name turns the words
/// after it.
#[derive(Serialize)]
pub struct PartColumns<'r> {
    name: Vec<Cow<'r, str>>,
    r#type: Vec<Option<Cow<'r, str>>>,
    guid: Vec<Option<Cow<'r, str>>>,
    model: Vec<Cow<'r, str>>,
    file: Vec<Cow<'r, str>>,
    path: Vec<Cow<'r, str>>,
    storey: Vec<Option<Cow<'r, str>>>,
    /// The shape; none for a part that is left out of the drawing.
    mesh: Vec<Option<usize>>,
    /// The way from coordinates of the shape to the coordinates of the scene or, of a part that moves, of its
    /// frame.
    pose: Vec<[f64; 12]>,
    frame: Vec<Option<u32>>,
}

impl<'r> PartColumns<'r> {
    /// Returns the columns of parts, whose shapes a geometry holds; `moves` says that frames carry them.
    pub fn new(parts: &'r [Part], geometry: &Geometry, moves: bool) -> Self {
        let texts = |of: fn(&Part) -> &str| parts.iter().map(|part| shown(of(part))).collect();
        let optional = |of: fn(&Part) -> Option<&str>| parts.iter().map(|part| of(part).map(shown)).collect();
        let frame = |part: &Part| part.frame.filter(|_| moves).map(|frame| frame.0);
        let placed = parts.iter().zip(0..).map(|(part, id)| {
            let shape = geometry.shape(PartId(id));
            let above = if frame(part).is_some() { Pose::IDENTITY } else { part.pose };
            let pose = shape.map_or(above, |shape| above * placement(&shape));
            (shape.map(|shape| shape.number), <[f64; 12]>::from(pose))
        });
        let (mesh, pose) = placed.unzip();
        Self {
            name: texts(|part| &part.name),
            r#type: optional(|part| part.kind.as_deref()),
            guid: optional(|part| part.guid.as_deref()),
            model: texts(|part| &part.model),
            file: texts(|part| &part.file),
            path: texts(|part| &part.path),
            storey: optional(|part| part.storey.as_deref()),
            mesh,
            pose,
            frame: parts.iter().map(frame).collect(),
        }
    }
}

/// Returns the pose that makes a shape the mesh that it stands for.
fn placement(Shape { middle, scale, .. }: &Shape) -> Pose {
    let row = |k: usize| {
        let mut row = [0.0, 0.0, 0.0, middle[k]];
        row[k] = scale[k];
        row
    };
    Pose { rows: [row(0), row(1), row(2)] }
}
