//! The package: a zip archive whose files refer to each other.

use std::io::{Cursor, Read};

use roxmltree::Node;
use zip::ZipArchive;
use zip::result::ZipError;

use super::super::error::Fault;
use super::super::text::decoded;
use super::super::xml::{document, required};
use closefit_geometry::memory::MemoryAccount;

/// An archive may unpack to so many times its size. Models shrink to a tenth; a bomb, to a thousandth.
const MOST_TIMES: u64 = 200;

/// The file that says where the model is, and the type of that relationship.
const RELATIONSHIPS: &str = "/_rels/.rels";
const MODEL: &str = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel";

/// An open archive.
pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// The bytes that its files may still unpack to.
    left: u64,
    memory: &'a MemoryAccount,
}

impl<'a> Package<'a> {
    pub fn open(bytes: &'a [u8], memory: &'a MemoryAccount) -> Result<Self, Fault> {
        let archive = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| Fault::at("archive", format!("it is damaged, or no archive: {error}")))?;
        Ok(Self { archive, left: MOST_TIMES * bytes.len() as u64, memory })
    }

    /// Returns the path of the model with which the package begins.
    pub fn first_model(&mut self) -> Result<String, Fault> {
        let text = self.read(RELATIONSHIPS)?;
        let document = document(&text).map_err(|fault| fault.in_file(RELATIONSHIPS))?;
        let is_model = |node: &Node| node.attribute("Type") == Some(MODEL);
        let all: Vec<Node> = relationships(document.root_element()).filter(is_model).collect();
        let path = match all[..] {
            [one] => required(one, "Target"),
            _ => Err(Fault::Scene(format!("{} models instead of one", all.len()))),
        };
        path.map(absolute).map_err(|fault| fault.in_file(RELATIONSHIPS))
    }

    /// Reads a file of the package, by its path from the root. Its bytes are taken from memory.
    pub fn read(&mut self, path: &str) -> Result<String, Fault> {
        self.unpack(path).map_err(|fault| fault.in_file(path))
    }

    fn unpack(&mut self, path: &str) -> Result<String, Fault> {
        let name = path.trim_start_matches('/');
        let mut file = self.archive.by_name(name).map_err(|error| match error {
            ZipError::FileNotFound => Fault::Scene("the package has no such file".to_owned()),
            error => Fault::at("archive", error.to_string()),
        })?;
        let size = file.size();
        if size > self.left {
            return Err(Fault::Scene(format!("the archive would unpack to {size} bytes, which is too much")));
        }
        self.left -= size;
        let capacity = usize::try_from(size).unwrap_or(usize::MAX);
        self.memory.take(capacity, 1, || format!("an unpacked file of {size} bytes"))?;
        let mut bytes = Vec::new();
        // One more byte shows that the stated size is too small.
        let read = file.by_ref().take(size + 1).read_to_end(&mut bytes);
        read.map_err(|error| Fault::at("archive", format!("it is damaged: {error}")))?;
        if bytes.len() as u64 != size {
            return Err(Fault::at("archive", format!("it says {size} bytes, but has others")));
        }
        Ok(decoded(&bytes)?.into_owned())
    }
}

fn relationships<'a>(root: Node<'a, 'a>) -> impl Iterator<Item = Node<'a, 'a>> {
    root.children().filter(|node| node.is_element() && node.tag_name().name() == "Relationship")
}

/// Returns a path from the root of the package.
pub(super) fn absolute(path: &str) -> String {
    format!("/{}", path.trim().trim_start_matches('/'))
}
