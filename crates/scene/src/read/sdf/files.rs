//! The file of a scene, and the files of the models that it includes.

use std::collections::HashMap;

use roxmltree::{Document, Node};

use super::super::Source;
use super::super::error::{Fault, clip};
use super::super::robot::InPackage;
use super::super::xml::{document, element, place_of, text_of};

/// The start of an address in a model's folder.
pub(super) const SCHEME: &str = "model://";

/// The file of a model in its folder.
const MODEL: &str = "model.sdf";

/// The largest number of models that are included.
const MOST_FILES: usize = 256;

/// The texts of all files by the names of their models. The scene's own text is the first, without a name.
pub(super) struct Texts(Vec<(String, String)>);

impl Texts {
    pub fn load(bytes: &[u8], source: &Source) -> Result<Self, Fault> {
        let mut texts = vec![(String::new(), text_of(bytes, source.memory)?)];
        let mut at = 0;
        while at < texts.len() {
            let included: Vec<String> = {
                let document = parsed(&texts[at])?;
                let includes = document.descendants().filter(|node| node.has_tag_name("include"));
                let names = includes.map(|node| included_name(node).map(str::to_owned));
                names.collect::<Result<_, _>>().map_err(|fault| in_model(fault, &texts[at].0))?
            };
            for name in included {
                if texts.iter().any(|(known, _)| *known == name) {
                    continue;
                }
                if texts.len() > MOST_FILES {
                    return Err(Fault::Scene(format!("it includes more than {MOST_FILES} models")));
                }
                let text = read(&name, source).map_err(|fault| fault.in_file(&format!("{SCHEME}{name}")))?;
                texts.push((name, text));
            }
            at += 1;
        }
        Ok(Self(texts))
    }

    pub fn parse(&self) -> Result<Vec<Document<'_>>, Fault> {
        self.0.iter().map(parsed).collect()
    }
}

fn read(name: &str, source: &Source) -> Result<String, Fault> {
    let folder = source.folder()?;
    let address = format!("package://{name}/{MODEL}");
    let package = InPackage::find(&address, false, folder)?;
    let package = package.ok_or_else(|| Fault::Unsupported("such an address is".to_owned()))?;
    let bytes = folder.read_below(&package.root, package.file)?;
    let text = text_of(&bytes, source.memory)?;
    source.memory.give_back(bytes.len(), 1);
    Ok(text)
}

fn parsed((name, text): &(String, String)) -> Result<Document<'_>, Fault> {
    let document = document(text).map_err(|fault| in_model(fault, name))?;
    let root = document.root_element();
    match root.tag_name().name() {
        "sdf" => Ok(document),
        other => {
            let why = format!("<{}> instead of <sdf>", clip(other));
            Err(in_model(Fault::at(place_of(root), why), name))
        }
    }
}

fn in_model(fault: Fault, name: &str) -> Fault {
    if name.is_empty() { fault } else { fault.in_file(&format!("{SCHEME}{name}")) }
}

/// Returns the name of the model that an element includes.
pub(super) fn included_name<'a>(include: Node<'a, '_>) -> Result<&'a str, Fault> {
    let address = include.children().find(|child| child.has_tag_name("uri")).and_then(|uri| uri.text());
    let address =
        address.map(str::trim).ok_or_else(|| Fault::at(place_of(include), "<include> has no uri"))?;
    let name = address.strip_prefix(SCHEME).map(|name| name.trim_end_matches('/'));
    let name = name.filter(|name| !name.is_empty() && !name.contains('/'));
    name.ok_or_else(|| Fault::at(place_of(include), format!("'{}' is not {SCHEME}NAME", clip(address))))
}

/// All files.
pub(super) struct Files<'a>(HashMap<&'a str, Node<'a, 'a>>);

impl<'a> Files<'a> {
    pub fn new(texts: &'a Texts, documents: &'a [Document<'a>]) -> Self {
        Self(
            texts
                .0
                .iter()
                .zip(documents)
                .map(|((name, _), document)| (&name[..], document.root_element()))
                .collect(),
        )
    }

    /// Returns the root of the scene's own file.
    pub fn root(&self) -> Node<'a, 'a> {
        self.0[""]
    }

    /// Returns the root of the file, and the model in it, that an element includes.
    pub fn included(&self, include: Node<'a, 'a>) -> Result<(&'a str, Node<'a, 'a>, Node<'a, 'a>), Fault> {
        let name = included_name(include)?;
        let root = self.0.get_key_value(name).map(|(&name, &root)| (name, root));
        let (name, root) =
            root.ok_or_else(|| Fault::at("include", format!("there is no model '{}'", clip(name))))?;
        let model = element(root, "model");
        let model = model.ok_or_else(|| Fault::at("include", format!("'{}' has no <model>", clip(name))))?;
        Ok((name, root, model))
    }
}
