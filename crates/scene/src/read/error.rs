//! Errors of the readers: always one line that names the file, the part if there is one, and the value.

use std::io;

use glam::DVec3;
use serde::Deserialize;

use super::missing::listed;
use closefit_geometry::memory::OutOfMemory;
use closefit_geometry::mesh::MeshError;
pub(super) use closefit_geometry::text::clip;
use closefit_geometry::text::{clip_to, printable};

/// The extension of IFC, if it is read.
const IFC: &str = if cfg!(feature = "ifc") { ".ifc, " } else { "" };

/// An error that names a file which could not be read. Its text is exactly one line.
#[derive(Debug, thiserror::Error)]
#[error("{}", printable(&format!("{file}: {fault}")))]
pub struct ReadError {
    /// The file, as the user gave it.
    pub file: String,
    /// The reason.
    pub fault: Fault,
}

/// A fault in a file.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The system could not read the file.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The path is a directory, a device or a pipe.
    #[error("is {0}, not a file")]
    NotAFile(&'static str),
    /// The scene refers to a file outside its own folder.
    #[error("it lies outside the folder of the scene: add --allow-outside to read it")]
    Outside,
    /// The file has no bytes.
    #[error("the file is empty")]
    Empty,
    /// No reader handles this extension.
    #[error(
        "unknown extension '{0}': use .glb, .gltf, .dae, {IFC}.3mf, .stl, .obj, .ply, .off, .urdf, .xml (MJCF), .sdf or .json"
    )]
    UnknownExtension(String),
    /// The format is known but not read; another program converts it.
    #[error("{format} is not read; {advice}")]
    Foreign {
        /// Common name of the format.
        format: &'static str,
        /// Advice, with a command that converts the file where there is one.
        advice: String,
    },
    /// The file is well formed but uses something that this version does not support.
    #[error("{0} not supported")]
    Unsupported(String),
    /// The content contradicts its format, or itself.
    #[error("{at}: {why}")]
    Content {
        /// Location: a line, a byte, an element.
        at: String,
        /// Description, with the value found.
        why: String,
    },
    /// A fault of the file as a whole: units that disagree, or nothing to check.
    #[error("{0}")]
    Scene(String),
    /// The mesh was refused.
    #[error("the mesh is refused: {0}")]
    Mesh(#[from] MeshError),
    /// The scene would take more memory than it may.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The faults of several parts, or of one, that may be left out.
    #[error("{}", told(.0))]
    Missing(Vec<Fault>),
    /// A fault in one part.
    #[error("part {part}: {fault}")]
    Part {
        /// Name of the part and its location in the file, because names may repeat.
        part: String,
        /// The fault of the part.
        fault: Box<Fault>,
    },
    /// A fault in a file that this one refers to.
    #[error("{file}: {fault}")]
    File {
        /// The file, as this one refers to it.
        file: String,
        /// The fault of that file.
        fault: Box<Fault>,
    },
}

impl Fault {
    /// Creates a fault of malformed content at a location.
    pub(super) fn at(at: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Content { at: at.into(), why: why.into() }
    }

    /// True if the scene would take more memory than it may.
    pub(super) fn is_about_memory(&self) -> bool {
        match self {
            Self::OutOfMemory(_) => true,
            Self::Part { fault, .. } | Self::File { fault, .. } => fault.is_about_memory(),
            _ => false,
        }
    }

    /// Attributes the fault to the part at a location such as `nodes[3]`.
    pub(super) fn in_part(self, name: &str, place: &str) -> Self {
        let part = if name.is_empty() { place.to_owned() } else { format!("'{}' ({place})", clip(name)) };
        Self::Part { part, fault: Box::new(self) }
    }

    /// Attributes the fault to a file that the one being read refers to.
    pub(super) fn in_file(self, file: &str) -> Self {
        Self::File { file: clip(file), fault: Box::new(self) }
    }

    /// Creates a fault of a whole JSON text, with its location.
    pub(super) fn json(text: &str, error: &serde_json::Error) -> Self {
        Self::at(format!("line {} column {}", error.line(), error.column()), json_reason(text, error))
    }

    /// Creates a fault of the piece of JSON that describes a part. Its name and index locate it in the file.
    pub(super) fn json_of_part(piece: &str, error: &serde_json::Error, place: &str) -> Self {
        #[derive(Deserialize)]
        struct Named {
            name: String,
        }
        let name = serde_json::from_str::<Named>(piece).map_or_else(|_| String::new(), |named| named.name);
        Self::at("JSON", json_reason(piece, error)).in_part(&name, place)
    }
}

/// Returns the text of the faults of parts that may be left out.
fn told(faults: &[Fault]) -> String {
    match faults {
        [fault] => format!("{fault} (--allow-missing leaves it out)"),
        _ => format!("parts that cannot be read: {} (--allow-missing leaves them out)", listed(faults)),
    }
}

/// Returns the parser's message without its location. If the message only says that the syntax is wrong, adds
/// the token at which the parser stopped.
fn json_reason(text: &str, error: &serde_json::Error) -> String {
    let reason = error.to_string();
    let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or("");
    let end = (0..=error.column().min(line.len())).rev().find(|&i| line.is_char_boundary(i)).unwrap_or(0);
    let token = line[..end].rsplit([',', ':', '[', '{', ' ', '\t']).next().unwrap_or("");
    match token {
        _ if !error.is_syntax() => clip_to(reason, 300),
        "" => reason.to_owned(),
        _ => format!("{reason} near '{}'", clip(token)),
    }
}

/// Returns a vector for a message: `[0, 0, 1e-200]`.
pub(super) fn in_brackets(vector: DVec3) -> String {
    // Debug has an exponent for numbers of hundreds of digits, and a decimal for those that need none.
    let numbers = vector.to_array().map(|number| {
        let digits = format!("{number:?}");
        digits.strip_suffix(".0").unwrap_or(&digits).to_owned()
    });
    format!("[{}]", numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_short() {
        assert_eq!(in_brackets(DVec3::new(0.0, -10.0, 0.25)), "[0, -10, 0.25]");
        assert_eq!(in_brackets(DVec3::new(1e-200, 1e200, f64::INFINITY)), "[1e-200, 1e200, inf]");
    }

    #[test]
    fn messages_are_one_line_and_short() {
        let part = format!("a\nb\u{2028}{}", "x".repeat(10_000));
        let error = ReadError { file: "dir\r/ü.stl".into(), fault: Fault::Empty.in_part(&part, "nodes[3]") };
        let text = error.to_string();
        assert_eq!(text.lines().count(), 1);
        assert!(text.starts_with(r"dir\r/ü.stl: part 'a\nb\u{2028}xx"), "{text}");
        assert!(text.len() < 200);
    }
}
