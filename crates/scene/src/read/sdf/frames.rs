//! The frames of a model or a world: its links, joints, explicit frames, and the models within it.

use std::collections::{HashMap, HashSet};

use roxmltree::{Node, NodeId};

use super::super::error::{Fault, clip};
use super::super::xml::{at_element, element, place_of};
use super::files::Files;
use super::joints::inverse;
use super::values::{flag, pose_of};
use closefit_geometry::math::pose::Pose;

/// The largest number of models within each other.
pub(super) const DEEPEST: usize = 32;

/// The separator of the names of models and of what they have.
pub(super) const NESTED: &str = "::";

/// The frame of the model that an element is in.
const MODEL: &str = "__model__";

/// The frame of the world.
const WORLD: &str = "world";

/// A model within another, or in a world.
pub(super) struct Inner<'a> {
    /// The `<model>`, or the `<include>` of it.
    pub node: Node<'a, 'a>,
    pub model: Node<'a, 'a>,
    pub name: &'a str,
    /// The folder and the root of the file that is included.
    pub included: Option<(&'a str, Node<'a, 'a>)>,
}

impl<'a> Inner<'a> {
    /// Returns the text of an element of the `<include>`, or else of the model.
    pub fn text(&self, what: &'static str) -> Option<&'a str> {
        text(self.node, what).or_else(|| text(self.model, what))
    }
}

fn text<'a>(of: Node<'a, 'a>, what: &'static str) -> Option<&'a str> {
    element(of, what).and_then(|node| node.text()).map(str::trim)
}

/// Returns the name of the parent or of the child of a joint.
pub(super) fn end_of<'a>(joint: Node<'a, '_>, which: &'static str) -> Result<&'a str, Fault> {
    let text = element(joint, which).and_then(|end| end.text()).map(str::trim);
    text.ok_or_else(|| Fault::at(which, "it is missing"))
}

/// The frames of one model or world, by name.
pub(super) struct Frames<'a, 'f> {
    model: Node<'a, 'a>,
    files: &'f Files<'a>,
    known: HashMap<&'a str, Pose>,
    /// The first link, joint or frame of each name, once one has been looked up.
    elements: Option<HashMap<&'a str, Node<'a, 'a>>>,
    /// The frames of the models within it, once a name has one of them.
    inner: HashMap<NodeId, Frames<'a, 'f>>,
}

impl<'a, 'f> Frames<'a, 'f> {
    pub fn new(model: Node<'a, 'a>, files: &'f Files<'a>) -> Self {
        Self { model, files, known: HashMap::new(), elements: None, inner: HashMap::new() }
    }

    /// Returns the model that an element is or includes.
    pub fn inner_model(&self, node: Node<'a, 'a>) -> Result<Option<Inner<'a>>, Fault> {
        let (model, included) = match node.tag_name().name() {
            "model" => (node, None),
            "include" if flag(node.attribute("merge"), "merge")? == Some(true) => {
                return Err(Fault::Unsupported(format!("{}: <include> with merge is", place_of(node))));
            }
            "include" => {
                let (folder, root, model) = self.files.included(node)?;
                (model, Some((folder, root)))
            }
            _ => return Ok(None),
        };
        let name = text(node, "name").filter(|_| node != model).or_else(|| model.attribute("name"));
        Ok(Some(Inner { node, model, name: name.unwrap_or("model"), included }))
    }

    /// Returns the model of a name within this one.
    fn inner_named(&self, name: &str) -> Result<Option<Inner<'a>>, Fault> {
        for node in self.model.children() {
            if let Some(inner) = self.inner_model(node)?.filter(|inner| inner.name == name) {
                return Ok(Some(inner));
            }
        }
        Ok(None)
    }

    /// Returns the frames of a model within this one.
    fn frames_of(&mut self, inner: &Inner<'a>) -> &mut Self {
        let files = self.files;
        self.inner.entry(inner.node.id()).or_insert_with(|| Self::new(inner.model, files))
    }

    /// Returns the pose of a model within this one.
    pub fn place(&mut self, inner: &Inner<'a>, depth: usize) -> Result<Pose, Fault> {
        let (node, model) = (inner.node, inner.model);
        let pose = element(node, "pose").or_else(|| element(model, "pose"));
        let relative = pose.and_then(|pose| pose.attribute("relative_to"));
        let relative = relative.filter(|frame| !matches!(*frame, "" | WORLD));
        if let (Some(pose), Some(_), None) = (pose, relative, element(node, "pose")) {
            return Err(Fault::Unsupported(format!(
                "{}: a pose of an included model relative to a frame is",
                place_of(pose)
            )));
        }
        let own = pose.map_or(Ok(Pose::IDENTITY), pose_of)?;
        let own = match relative {
            Some(frame) => Pose::compose(&self.pose(frame, depth + 1)?, &own),
            None => own,
        };
        // The pose may place one of the model's frames instead of its own.
        let placed = text(node, "placement_frame").filter(|_| node != model);
        let placed = placed.or_else(|| model.attribute("placement_frame")).unwrap_or("");
        let placed = self.frames_of(inner).pose(placed, depth).map_err(|fault| at_element(fault, node))?;
        Ok(Pose::compose(&own, &inverse(&placed)))
    }

    /// Returns the element of a frame other than a model.
    fn element(&mut self, name: &str) -> Option<Node<'a, 'a>> {
        let elements = self.elements.get_or_insert_with(|| {
            let is_frame = |node: &Node| matches!(node.tag_name().name(), "link" | "joint" | "frame");
            let named = |node: Node<'a, 'a>| Some((node.attribute("name")?, node));
            let mut elements = HashMap::new();
            for (name, node) in self.model.children().filter(is_frame).filter_map(named) {
                elements.entry(name).or_insert(node);
            }
            elements
        });
        elements.get(name).copied()
    }

    /// Returns the element of a frame in this model or in one within it, and the names of the models before
    /// its own name.
    pub fn element_below<'n>(&mut self, name: &'n str) -> Result<Option<(Node<'a, 'a>, &'n str)>, Fault> {
        if let Some(element) = self.element(name) {
            return Ok(Some((element, "")));
        }
        let Some((first, rest)) = name.split_once(NESTED) else { return Ok(None) };
        let Some(inner) = self.inner_named(first)? else { return Ok(None) };
        let found = self.frames_of(&inner).element_below(rest)?;
        Ok(found.map(|(element, before)| (element, &name[..name.len() - rest.len() + before.len()])))
    }

    /// Returns the pose of a frame in the model.
    pub fn pose(&mut self, name: &'a str, depth: usize) -> Result<Pose, Fault> {
        let itself = |name| Fault::at("pose", format!("the frame '{}' is relative to itself", clip(name)));
        // From the frame on to those that it is relative to, until one is known.
        let (mut elements, mut passed, mut above) = (Vec::new(), HashSet::new(), name);
        let mut pose = loop {
            if let Some(&known) = self.known.get(above) {
                break known;
            }
            if matches!(above, "" | MODEL) || above == WORLD && self.model.has_tag_name(WORLD) {
                break Pose::IDENTITY;
            }
            let Some(node) = self.element(above) else {
                if depth == DEEPEST {
                    return Err(itself(above));
                }
                let found = self.pose_below(above, depth)?;
                self.known.insert(above, found);
                break found;
            };
            if !passed.insert(above) {
                return Err(itself(above));
            }
            elements.push((above, node));
            above = frame_of(node);
        };
        for (name, node) in elements.into_iter().rev() {
            if let Some(own) = element(node, "pose") {
                pose = Pose::compose(&pose, &pose_of(own)?);
            }
            self.known.insert(name, pose);
        }
        Ok(pose)
    }

    /// Returns the pose of a model within this one, or of a frame in such a model.
    fn pose_below(&mut self, name: &'a str, depth: usize) -> Result<Pose, Fault> {
        let (first, rest) = name.split_once(NESTED).unwrap_or((name, ""));
        let inner = self.inner_named(first)?;
        let inner = inner.ok_or_else(|| Fault::at("pose", format!("there is no frame '{}'", clip(name))))?;
        if rest.is_empty() {
            return self.place(&inner, depth + 1);
        }
        let above = self.pose(first, depth + 1)?;
        Ok(Pose::compose(&above, &self.frames_of(&inner).pose(rest, depth + 1)?))
    }
}

/// Returns the name of the frame that a link, a joint or a frame is relative to.
fn frame_of<'a>(node: Node<'a, 'a>) -> &'a str {
    let default = match node.tag_name().name() {
        "joint" => element(node, "child").and_then(|child| child.text()).map_or("", str::trim),
        "frame" => node.attribute("attached_to").unwrap_or(""),
        _ => "",
    };
    let relative = element(node, "pose").and_then(|pose| pose.attribute("relative_to"));
    relative.filter(|name| !name.is_empty()).unwrap_or(default)
}
