//! The kernel: the one place that names it for geometry.

use std::collections::HashSet;
use std::sync::Arc;

use ifc_lite_processing::{
    Features, MeshData, ProcessingRequest, ProcessingSink, ProductGeometryAudit, process,
};

use crate::output::{Output, Piece};

/// Geometry of a product itself, not of its type; also of a wall cut into its layers.
const OF_PRODUCTS: [u8; 2] = [0, 3];

/// Keeps the receipts of products.
#[derive(Default)]
struct Receipts(ProductGeometryAudit);

impl ProcessingSink for Receipts {
    fn product_geometry_audit(&self) -> Option<ProductGeometryAudit> {
        Some(self.0.clone())
    }
}

/// Draws the shapes of products, with openings cut.
pub fn draw(text: &[u8], products: &[u32]) -> Output {
    let features = Features::default().properties(false).presentation_layers(true);
    let ids: HashSet<u32> = products.iter().copied().collect();
    let request = ProcessingRequest::full_pass().features(features).ids(Some(Arc::new(ids)));
    let mut receipts = Receipts::default();
    let result = process(text, &request, &mut receipts);
    // By columns.
    let matrix = result.frame.world_matrix();
    let flaws = products.iter().filter_map(|&id| {
        let why = receipts.0.require_complete(id).err()?;
        let before = format!("incomplete product #{id}: ");
        Some((id, why.strip_prefix(&before).unwrap_or(&why).to_owned()))
    });
    Output {
        refused_unit: result.metadata.length_unit_refused,
        metres: result.metadata.length_unit_scale.unwrap_or(1.0),
        frame: std::array::from_fn(|row| std::array::from_fn(|column| matrix[4 * column + row])),
        flaws: flaws.collect(),
        pieces: result.meshes.into_iter().filter_map(piece).collect(),
    }
}

fn piece(mesh: MeshData) -> Option<Piece> {
    let MeshData { express_id, positions, indices, origin, presentation_layer, geometry_class, .. } = mesh;
    OF_PRODUCTS.contains(&geometry_class).then(|| Piece {
        product: express_id,
        layer: presentation_layer.unwrap_or_default(),
        origin,
        vertices: positions,
        triangles: indices,
    })
}
