//! The files of a model: its own, and each included file once.

use std::collections::HashMap;

use roxmltree::{Document, Node};

use super::super::Source;
use super::super::error::{Fault, clip};
use super::super::xml::{document, place_of, required, text_of};

/// The largest number of files of a model.
const MOST_FILES: usize = 256;

/// The texts of all files; the model's own is the first.
pub(super) struct Texts(Vec<OneFile>);

struct OneFile {
    /// Its name, relative to the folder of the model's own file; that one has none.
    name: String,
    text: String,
    /// The places of the files that it includes, in the order of its `<include>` elements.
    included: Vec<usize>,
}

impl Texts {
    /// Reads all files.
    pub fn load(bytes: &[u8], source: &Source) -> Result<Self, Fault> {
        let own = text_of(bytes, source.memory)?;
        let mut files = vec![OneFile { name: String::new(), text: own, included: Vec::new() }];
        let mut at = 0;
        while at < files.len() {
            let names: Vec<String> = {
                let document = parsed(&files[at])?;
                let names = includes(&document).map(|node| required(node, "file").map(str::to_owned));
                names.collect::<Result<_, _>>().map_err(|fault| named(fault, &files[at].name))?
            };
            for name in names {
                let nearer = format!("{}{name}", folder_of(&files[at].name));
                let name = found(name, nearer, source);
                if files.iter().any(|known| known.name == name) {
                    let why = format!("'{}' is included twice", clip(&name));
                    return Err(named(Fault::at("include", why), &files[at].name));
                }
                if files.len() == MOST_FILES {
                    return Err(Fault::Scene(format!("it includes more than {MOST_FILES} files")));
                }
                let read = source.folder().and_then(|folder| {
                    let bytes = folder.read(&name)?;
                    let text = text_of(&bytes, source.memory)?;
                    source.memory.give_back(bytes.len(), 1);
                    Ok(text)
                });
                let text = read.map_err(|fault| fault.in_file(&name))?;
                let place = files.len();
                files[at].included.push(place);
                files.push(OneFile { name, text, included: Vec::new() });
            }
            at += 1;
        }
        Ok(Self(files))
    }

    /// Parses all texts.
    pub fn parse(&self) -> Result<Vec<Document<'_>>, Fault> {
        self.0.iter().map(parsed).collect()
    }
}

/// Returns the `<include>` elements of a file, in order.
fn includes<'a>(document: &'a Document<'a>) -> impl Iterator<Item = Node<'a, 'a>> {
    document.descendants().filter(|node| node.has_tag_name("include"))
}

/// Returns the folder of a file, with a slash at its end, or nothing.
fn folder_of(name: &str) -> &str {
    &name[..name.rfind('/').map_or(0, |slash| slash + 1)]
}

/// Returns the name of a file that another one names, relative to the folder of the model: `own`, or `nearer`
/// if only that is a file. As in MuJoCo, names begin in the folder of the model or, failing that, in the
/// folder of the file that has them.
pub(super) fn found(own: String, nearer: String, source: &Source) -> String {
    let is_nearer = source.folder().is_ok_and(|folder| !folder.has(&own) && folder.has(&nearer));
    if is_nearer { nearer } else { own }
}

fn parsed(OneFile { name, text, .. }: &OneFile) -> Result<Document<'_>, Fault> {
    let document = document(text).map_err(|fault| named(fault, name))?;
    let root = document.root_element();
    let tag = root.tag_name().name();
    match (tag, name.is_empty()) {
        ("mujoco", _) | ("mujocoinclude", false) => Ok(document),
        ("robot", true) => Err(Fault::Scene("it is a URDF: name it .urdf".to_owned())),
        _ => {
            let why = format!("<{}> instead of <mujoco>", clip(tag));
            Err(named(Fault::at(place_of(root), why), name))
        }
    }
}

/// Attributes a fault to an included file.
fn named(fault: Fault, name: &str) -> Fault {
    if name.is_empty() { fault } else { fault.in_file(name) }
}

/// The files of a model as one tree of elements.
pub(super) struct Files<'a> {
    /// The name and the root element of each; the model's own is the first.
    all: Vec<(&'a str, Node<'a, 'a>)>,
    /// The place of the file of each `<include>`.
    included: HashMap<Node<'a, 'a>, usize>,
}

impl<'a> Files<'a> {
    pub fn new(texts: &'a Texts, documents: &'a [Document<'a>]) -> Self {
        let all = texts.0.iter().zip(documents);
        let included =
            all.clone().flat_map(|(file, document)| includes(document).zip(file.included.iter().copied()));
        let included = included.collect();
        Self {
            all: all.map(|(file, document)| (&file.name[..], document.root_element())).collect(),
            included,
        }
    }

    /// Returns the root element of the model's own file.
    pub fn root(&self) -> Node<'a, 'a> {
        self.all[0].1
    }

    /// Returns the folder of the file with an element, with a slash at its end, or nothing for the model's.
    pub fn folder_of(&self, node: Node) -> &'a str {
        let root = node.document().root_element();
        self.all.iter().find(|(_, other)| *other == root).map_or("", |(name, _)| folder_of(name))
    }

    /// Returns the elements below one. The elements of an included file replace its `<include>`. No file
    /// includes itself.
    pub fn children(&self, node: Node<'a, 'a>) -> Vec<Node<'a, 'a>> {
        let mut children = Vec::new();
        for child in node.children().filter(Node::is_element) {
            match self.included.get(&child) {
                Some(&file) => children.extend(self.children(self.all[file].1)),
                None => children.push(child),
            }
        }
        children
    }

    /// Returns the elements of all sections of a name, such as `asset`, in order.
    pub fn sections(&self, name: &str) -> Vec<Node<'a, 'a>> {
        let all = self.children(self.root());
        all.into_iter().filter(|node| node.has_tag_name(name)).flat_map(|node| self.children(node)).collect()
    }

    /// Calls `each` with every element of every file.
    pub fn each(&self, mut each: impl FnMut(Node<'a, 'a>) -> Result<(), Fault>) -> Result<(), Fault> {
        let mut files = self.all.clone();
        files.sort_unstable_by_key(|(name, _)| *name);
        for (name, root) in files {
            let mut all = root.descendants().filter(Node::is_element);
            all.try_for_each(&mut each).map_err(|fault| named(fault, name))?;
        }
        Ok(())
    }
}
