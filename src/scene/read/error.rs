//! Why a file was refused: always one line that names the file, the part where there is one, and the value.

use std::io;

use serde::Deserialize;

use crate::mesh::MeshError;
use crate::text::printable;

/// A file that could not be read. Its text is exactly one line.
#[derive(Debug, thiserror::Error)]
#[error("{}", printable(&format!("{file}: {fault}")))]
pub struct ReadError {
    /// The file as the user gave it.
    pub file: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The system could not read it.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A directory, a device, a pipe.
    #[error("is {0}, not a file")]
    NotAFile(&'static str),
    /// The scene names a file beyond its own folder.
    #[error("it lies outside the folder of the scene: add --allow-outside to read it")]
    Outside,
    /// No bytes.
    #[error("the file is empty")]
    Empty,
    /// A name that no reader goes with.
    #[error("unknown extension '{0}': use .glb, .gltf, .stl, .obj, .ply, .urdf or .json")]
    UnknownExtension(String),
    /// Of a format that another program converts.
    #[error("{format} is not read; {advice}")]
    Foreign {
        /// What people call the format.
        format: &'static str,
        /// What to do, with the command that converts the file where there is one.
        advice: String,
    },
    /// Well formed, but beyond this version.
    #[error("{0} not supported")]
    Unsupported(String),
    /// It contradicts its format, or itself.
    #[error("{at}: {why}")]
    Content {
        /// Where: a line, a byte, an element.
        at: String,
        /// What is there, with the value.
        why: String,
    },
    /// A whole-file matter: units that disagree, nothing to check.
    #[error("{0}")]
    Scene(String),
    /// The surface was refused.
    #[error("the mesh is refused: {0}")]
    Mesh(#[from] MeshError),
    /// Something is wrong with one part.
    #[error("part {part}: {fault}")]
    Part {
        /// The part's name and its place in the file, since names may repeat.
        part: String,
        /// What is wrong with it.
        fault: Box<Fault>,
    },
    /// Something is wrong with a file that this one names.
    #[error("{file}: {fault}")]
    File {
        /// As it is named there.
        file: String,
        /// What is wrong with it.
        fault: Box<Fault>,
    },
}

impl Fault {
    /// Malformed content at a place.
    pub(super) fn at(at: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Content { at: at.into(), why: why.into() }
    }

    /// The same fault, blamed on the part at a place such as `nodes[3]`.
    pub(super) fn in_part(self, name: &str, place: &str) -> Self {
        let part = if name.is_empty() { place.to_owned() } else { format!("'{}' ({place})", clip(name)) };
        Self::Part { part, fault: Box::new(self) }
    }

    /// The same fault, blamed on a file that the one being read names.
    pub(super) fn in_file(self, file: &str) -> Self {
        Self::File { file: clip(file), fault: Box::new(self) }
    }

    /// A fault of a whole JSON text, with its place.
    pub(super) fn json(text: &str, error: &serde_json::Error) -> Self {
        Self::at(format!("line {} column {}", error.line(), error.column()), json_reason(text, error))
    }

    /// A fault of the piece of JSON that is a part: its name and place tell where it is in the file.
    pub(super) fn json_of_part(piece: &str, error: &serde_json::Error, place: &str) -> Self {
        #[derive(Deserialize)]
        struct Named {
            name: String,
        }
        let name = serde_json::from_str::<Named>(piece).map_or_else(|_| String::new(), |named| named.name);
        Self::at("JSON", json_reason(piece, error)).in_part(&name, place)
    }
}

/// What the parser says, without its place and, where it only says that the syntax is wrong, with the
/// token at which it stopped.
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

/// A value short enough to be quoted in a message.
pub(super) fn clip(value: &str) -> String {
    clip_to(value, 80)
}

fn clip_to(value: &str, most: usize) -> String {
    match value.char_indices().nth(most) {
        None => value.to_owned(),
        Some((end, _)) => format!("{}…", &value[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
