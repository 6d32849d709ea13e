//! The parts of a glTF 2.0 document that describe surfaces and their motions; the rest is ignored.
//!
//! The structures are our own, because matrices and quaternions of nodes must be read as the nearest f64.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::super::error::{Fault, clip};
use closefit_geometry::parallel;

/// Root of the JSON document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    pub asset: Asset,
    pub scene: Option<usize>,
    #[serde(default)]
    pub scenes: Vec<SceneRoots>,
    /// Nodes, parsed one by one so that a fault names its node.
    #[serde(default, borrow)]
    pub nodes: Vec<&'a RawValue>,
    #[serde(default)]
    pub meshes: Vec<MeshEntry>,
    #[serde(default)]
    pub accessors: Vec<Accessor>,
    #[serde(default)]
    pub buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    #[serde(default)]
    pub animations: Vec<Animation>,
    #[serde(default)]
    pub extensions_used: Vec<String>,
    #[serde(default)]
    pub extensions_required: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asset {
    pub version: String,
    pub min_version: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct SceneRoots {
    #[serde(default)]
    pub nodes: Vec<usize>,
}

#[derive(Deserialize)]
pub(super) struct GltfNode<'a> {
    pub name: Option<String>,
    #[serde(default)]
    pub children: Vec<usize>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
    #[serde(default)]
    pub extensions: NodeExtensions,
    #[serde(borrow)]
    pub extras: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub instancing: Option<Instancing>,
}

#[derive(Deserialize)]
pub(super) struct Instancing {
    #[serde(default)]
    pub attributes: InstanceAttributes,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "UPPERCASE")]
pub(super) struct InstanceAttributes {
    pub translation: Option<usize>,
    pub rotation: Option<usize>,
    pub scale: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct MeshEntry {
    pub name: Option<String>,
    pub primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub attributes: Attributes,
    pub indices: Option<usize>,
    pub mode: Option<u32>,
    #[serde(default)]
    pub targets: Vec<IgnoredAny>,
    #[serde(default)]
    pub extensions: PrimitiveExtensions,
}

#[derive(Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub position: Option<usize>,
}

#[derive(Deserialize, Default)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub draco: Option<DracoStream>,
}

#[derive(Deserialize)]
#[cfg_attr(not(feature = "draco"), allow(dead_code))]
#[serde(rename_all = "camelCase")]
pub(super) struct DracoStream {
    pub buffer_view: usize,
    /// The ids of the attributes within the stream.
    pub attributes: Attributes,
}

#[derive(Deserialize)]
pub(super) struct Animation {
    pub name: Option<String>,
    #[serde(default)]
    pub channels: Vec<Channel>,
    #[serde(default)]
    pub samplers: Vec<Sampler>,
}

#[derive(Deserialize)]
pub(super) struct Channel {
    pub sampler: usize,
    pub target: Target,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub node: Option<usize>,
    pub path: String,
}

#[derive(Deserialize)]
pub(super) struct Sampler {
    pub input: usize,
    pub output: usize,
    pub interpolation: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: u64,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: u64,
    #[serde(rename = "type")]
    pub shape: String,
    pub sparse: Option<Sparse>,
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub count: u64,
    pub indices: SparseArray,
    pub values: SparseArray,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseArray {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: u64,
    /// Component type of the indices; the values have the component type of the accessor.
    #[serde(default)]
    pub component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: u64,
    pub byte_length: u64,
    pub byte_stride: Option<u64>,
    #[serde(default)]
    pub extensions: ViewExtensions,
}

#[derive(Deserialize, Default)]
pub(super) struct ViewExtensions {
    /// The stream that a view is unpacked from. Under both names it is the same.
    #[serde(rename = "EXT_meshopt_compression", alias = "KHR_meshopt_compression")]
    pub meshopt: Option<MeshoptView>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MeshoptView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: u64,
    pub byte_length: u64,
    pub byte_stride: u64,
    pub count: u64,
    pub mode: String,
    pub filter: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub uri: Option<String>,
    pub byte_length: u64,
    #[serde(default)]
    pub extensions: BufferExtensions,
}

#[derive(Deserialize, Default)]
pub(super) struct BufferExtensions {
    #[serde(rename = "EXT_meshopt_compression", alias = "KHR_meshopt_compression")]
    pub meshopt: Option<MeshoptBuffer>,
}

#[derive(Deserialize)]
pub(super) struct MeshoptBuffer {
    /// True for a buffer that only readers without the extension need.
    #[serde(default)]
    pub fallback: bool,
}

/// True for extensions that are read, or that only change the appearance of a surface.
fn is_understood(extension: &str) -> bool {
    const READ: [&str; 4] = [
        "KHR_mesh_quantization",
        "EXT_mesh_gpu_instancing",
        "EXT_meshopt_compression",
        "KHR_meshopt_compression",
    ];
    const LOOKS: [&str; 14] = [
        "KHR_materials_",
        "KHR_texture_",
        "KHR_lights_",
        "KHR_xmp",
        "KHR_animation_pointer",
        "KHR_techniques_webgl",
        "EXT_texture_",
        "EXT_materials_",
        "EXT_lights_",
        "EXT_mesh_features",
        "EXT_structural_metadata",
        "MSFT_texture_",
        "ADOBE_materials_",
        "FB_ngon_encoding",
    ];
    let is_draco = cfg!(feature = "draco") && extension == "KHR_draco_mesh_compression";
    is_draco || READ.contains(&extension) || LOOKS.iter().any(|prefix| extension.starts_with(prefix))
}

impl<'a> Document<'a> {
    /// Parses the JSON and refuses versions and required extensions that are not understood. Optional
    /// extensions that are not understood are noted.
    pub fn parse(text: &'a str, notes: &mut Vec<String>) -> Result<Self, Fault> {
        let document: Self = serde_json::from_str(text).map_err(|e| match Older::is(text) {
            true => version_1(),
            false => Fault::json(text, &e),
        })?;
        let Asset { version, min_version } = &document.asset;
        let wanted = min_version.as_ref().unwrap_or(version);
        if version.starts_with("1.") {
            return Err(version_1());
        }
        if !version.starts_with("2.") || min_version.as_ref().is_some_and(|least| least != "2.0") {
            return Err(Fault::Unsupported(format!("glTF version {} is", clip(wanted))));
        }
        if let Some(extension) = document.extensions_required.iter().find(|e| !is_understood(e)) {
            return Err(Fault::Unsupported(format!("the required extension {} is", clip(extension))));
        }
        for extension in document.extensions_used.iter().filter(|e| !is_understood(e)) {
            notes.push(format!("the extension {} is ignored", clip(extension)));
        }
        Ok(document)
    }

    /// Parses the nodes. A fault names its node.
    pub fn nodes(&self) -> Result<Vec<GltfNode<'a>>, Fault> {
        let parse = |i: usize| {
            let raw: &'a RawValue = self.nodes[i];
            serde_json::from_str(raw.get())
                .map_err(|e| Fault::json_of_part(raw.get(), &e, &format!("nodes[{i}]")))
        };
        parallel::map(self.nodes.len(), parallel::SMALL, parse).into_iter().collect()
    }
}

/// A document of glTF 1.0, in which lists such as the nodes are objects.
#[derive(Deserialize)]
struct Older {
    nodes: Option<HashMap<String, IgnoredAny>>,
    meshes: Option<HashMap<String, IgnoredAny>>,
}

impl Older {
    /// True if a text is such a document.
    fn is(text: &str) -> bool {
        serde_json::from_str(text).is_ok_and(|Self { nodes, meshes }| nodes.is_some() || meshes.is_some())
    }
}

fn version_1() -> Fault {
    Fault::Foreign { format: "glTF 1.0", advice: "save it as glTF 2.0".to_owned() }
}

/// Splits a file into its JSON and, for GLB, the binary chunk.
pub(super) fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault> {
    const JSON: u32 = 0x4E4F_534A;
    const BIN: u32 = 0x004E_4942;
    let Some(rest) = bytes.strip_prefix(b"glTF") else { return Ok((bytes, None)) };
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let (head, mut rest) =
        rest.split_at_checked(8).ok_or_else(|| Fault::at("GLB header", "the file is cut short"))?;
    let (version, length) = (word(head), word(&head[4..]));
    if version == 1 {
        return Err(version_1());
    }
    if version != 2 {
        return Err(Fault::Unsupported(format!("GLB version {version} is")));
    }
    if usize::try_from(length) != Ok(bytes.len()) {
        let why = format!("it says {length} bytes, but the file has {}", bytes.len());
        return Err(Fault::at("GLB header", why));
    }
    let (mut json, mut binary) = (None, None);
    let mut index = 0;
    while !rest.is_empty() {
        let at = || format!("GLB chunk {index}");
        let (head, body) = rest.split_at_checked(8).ok_or_else(|| Fault::at(at(), "it is cut short"))?;
        let (length, kind) = (word(head), word(&head[4..]));
        let (chunk, after) =
            usize::try_from(length).ok().and_then(|n| body.split_at_checked(n)).ok_or_else(|| {
                Fault::at(at(), format!("it says {length} bytes, but only {} follow", body.len()))
            })?;
        match (index, kind) {
            (0, JSON) => json = Some(chunk),
            (0, _) => return Err(Fault::at(at(), "it is not JSON")),
            (1, BIN) => binary = Some(chunk),
            _ => {}
        }
        rest = after;
        index += 1;
    }
    Ok((json.ok_or_else(|| Fault::at("GLB", "no JSON chunk"))?, binary))
}
