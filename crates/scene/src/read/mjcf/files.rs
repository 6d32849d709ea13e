//! The files of a model: its own, and each included file once.

use std::collections::HashMap;

use roxmltree::{Document, Node};

use super::super::Source;
use super::super::error::{Fault, clip};
use super::super::xml::{document, place_of, required, text_of};

/// The largest number of files of a model.
const MOST_FILES: usize = 256;

/// The texts of all files; the model's own is the first.
pub(super) struct Texts(Vec<(String, String)>);

impl Texts {
    /// Reads all files. Included files are in the folder of the model's own.
    pub fn load(bytes: &[u8], source: &Source) -> Result<Self, Fault> {
        let mut texts = vec![(String::new(), text_of(bytes, source.memory)?)];
        let mut at = 0;
        while at < texts.len() {
            let included: Vec<String> = {
                let document = parsed(&texts[at])?;
                let includes = document.descendants().filter(|node| node.has_tag_name("include"));
                let names = includes.map(|node| required(node, "file").map(str::to_owned));
                names.collect::<Result<_, _>>().map_err(|fault| named(fault, &texts[at].0))?
            };
            for name in included {
                if texts.iter().any(|(known, _)| *known == name) {
                    let why = format!("'{}' is included twice", clip(&name));
                    return Err(named(Fault::at("include", why), &texts[at].0));
                }
                if texts.len() == MOST_FILES {
                    return Err(Fault::Scene(format!("it includes more than {MOST_FILES} files")));
                }
                let read = source.folder().and_then(|folder| {
                    let bytes = folder.read(&name)?;
                    let text = text_of(&bytes, source.memory)?;
                    source.memory.give_back(bytes.len(), 1);
                    Ok(text)
                });
                texts.push((name.clone(), read.map_err(|fault| fault.in_file(&name))?));
            }
            at += 1;
        }
        Ok(Self(texts))
    }

    /// Parses all texts.
    pub fn parse(&self) -> Result<Vec<Document<'_>>, Fault> {
        self.0.iter().map(parsed).collect()
    }
}

fn parsed((name, text): &(String, String)) -> Result<Document<'_>, Fault> {
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
    root: Node<'a, 'a>,
    included: HashMap<&'a str, Node<'a, 'a>>,
}

impl<'a> Files<'a> {
    pub fn new(texts: &'a Texts, documents: &'a [Document<'a>]) -> Self {
        let roots =
            texts.0.iter().zip(documents).map(|((name, _), document)| (&name[..], document.root_element()));
        Self { root: documents[0].root_element(), included: roots.collect() }
    }

    /// Returns the root element of the model's own file.
    pub fn root(&self) -> Node<'a, 'a> {
        self.root
    }

    /// Returns the elements below one. The elements of an included file replace its `<include>`. No file
    /// includes itself.
    pub fn children(&self, node: Node<'a, 'a>) -> Vec<Node<'a, 'a>> {
        let mut children = Vec::new();
        for child in node.children().filter(Node::is_element) {
            let file = Some(child).filter(|child| child.has_tag_name("include"));
            match file.and_then(|child| self.included.get(child.attribute("file")?)) {
                Some(&root) => children.extend(self.children(root)),
                None => children.push(child),
            }
        }
        children
    }

    /// Returns the elements of all sections of a name, such as `asset`, in order.
    pub fn sections(&self, name: &str) -> Vec<Node<'a, 'a>> {
        let all = self.children(self.root);
        all.into_iter().filter(|node| node.has_tag_name(name)).flat_map(|node| self.children(node)).collect()
    }

    /// Calls `each` with every element of every file.
    pub fn each(&self, mut each: impl FnMut(Node<'a, 'a>) -> Result<(), Fault>) -> Result<(), Fault> {
        let mut roots: Vec<_> = self.included.iter().collect();
        roots.sort_unstable_by_key(|(name, _)| **name);
        for (name, root) in roots {
            let mut all = root.descendants().filter(Node::is_element);
            all.try_for_each(&mut each).map_err(|fault| named(fault, name))?;
        }
        Ok(())
    }
}
