//! Meshes of `KHR_draco_mesh_compression`.

use draco_core::{DataType, DecodeLimits, DecoderBuffer, ErrorKind, Mesh, MeshDecoder, PointIndex};
use glam::DVec3;

use super::accessors::Component;

/// Bytes of attributes that a vertex may have, whether or not they are read: its position, and some normals,
/// colours, texture coordinates and weights.
const MOST_PER_VERTEX: usize = 128;
/// Bytes that the decoder takes per vertex and per triangle, with the mesh that it returns: values as they
/// are stored, too, and tables of neighbours, one for each kind of attributes with seams.
const DECODED: [usize; 2] = [2 * MOST_PER_VERTEX, 128];

/// The shape of a mesh, by its accessors.
pub(super) struct Shape {
    pub vertices: usize,
    pub triangles: usize,
    /// True if the accessors are of a strip: the stream may have fewer triangles.
    pub is_strip: bool,
    /// Storage type of the coordinates.
    pub component: Component,
    pub normalized: bool,
}

impl Shape {
    /// Returns the bytes that decoding takes, at most.
    pub fn bytes_to_decode(&self) -> usize {
        let [per_vertex, per_triangle] = DECODED;
        self.vertices.saturating_mul(per_vertex).saturating_add(self.triangles.saturating_mul(per_triangle))
    }
}

/// The vertices and triangles of a stream.
pub(super) struct Decoded {
    pub points: Vec<DVec3>,
    mesh: Mesh,
}

impl Decoded {
    pub fn triangles(&self) -> usize {
        self.mesh.num_faces()
    }

    /// Returns the vertex of a corner: three of them make a triangle.
    pub fn corner(&self, index: usize) -> usize {
        self.mesh.faces()[index / 3][index % 3].0 as usize
    }
}

/// Decodes a stream with the attribute of the positions, or returns the reason why it is invalid. It has the
/// shape that its accessors say.
pub(super) fn decode(stream: &[u8], position: u32, shape: &Shape) -> Result<Decoded, String> {
    let bytes = shape.vertices.saturating_mul(MOST_PER_VERTEX);
    let limits = DecodeLimits::default()
        .with_max_points(shape.vertices as u64)
        .with_max_faces(shape.triangles as u64)
        .with_max_decoded_bytes(bytes as u64);
    let mut mesh = Mesh::new();
    MeshDecoder::new().decode(&mut DecoderBuffer::new(stream).with_limits(limits), &mut mesh).map_err(
        |error| match error.kind() {
            ErrorKind::LimitExceeded => {
                let Shape { vertices, triangles, .. } = shape;
                format!(
                    "the Draco stream has more than {triangles} triangles, or more than {bytes} bytes of \
                     {vertices} vertices"
                )
            }
            _ => format!("the Draco stream cannot be read: {}", error.message()),
        },
    )?;
    let (points, faces) = (mesh.num_points(), mesh.num_faces());
    if points != shape.vertices || faces > shape.triangles || (faces < shape.triangles && !shape.is_strip) {
        let Shape { vertices, triangles, .. } = shape;
        return Err(format!(
            "the Draco stream has {points} vertices and {faces} triangles, but its accessors say {vertices} and \
             {triangles}"
        ));
    }
    Ok(Decoded { points: positions(&mesh, position, shape)?, mesh })
}

fn positions(mesh: &Mesh, position: u32, shape: &Shape) -> Result<Vec<DVec3>, String> {
    let Some(attribute) = mesh.attribute_by_unique_id(position) else {
        return Err(format!("the Draco stream has no attribute {position}"));
    };
    let expected = match shape.component {
        Component::I8 => DataType::Int8,
        Component::U8 => DataType::Uint8,
        Component::I16 => DataType::Int16,
        Component::U16 => DataType::Uint16,
        Component::U32 => DataType::Uint32,
        Component::F32 => DataType::Float32,
    };
    let (kind, components) = (attribute.data_type(), attribute.num_components());
    if kind != expected || components != 3 {
        let of_accessor = shape.component;
        return Err(format!(
            "the Draco stream has {components} {kind:?} for a position, but its accessor 3 {of_accessor:?}"
        ));
    }
    let elements = attribute.buffer().data().chunks_exact(3 * shape.component.size());
    let elements: Vec<&[u8]> = elements.collect();
    let point = |vertex: u32| {
        let value = attribute.mapped_index(PointIndex(vertex)).0;
        let element = elements
            .get(value as usize)
            .ok_or_else(|| format!("the Draco stream has no position of vertex {vertex}"))?;
        let coordinate =
            |k: usize| shape.component.read(&element[k * shape.component.size()..], shape.normalized);
        Ok(DVec3::new(coordinate(0), coordinate(1), coordinate(2)))
    };
    (0..).take(shape.vertices).map(point).collect()
}
