//! Models, and where their links and joints are.

use std::collections::HashMap;
use std::rc::Rc;

use roxmltree::Node;

use super::super::error::{Fault, clip};
use super::super::text::number;
use super::super::xml::{at_element, element, elements, place_of, required};
use super::super::{Source, check_name, finite, path_below};
use super::files::Files;
use super::joints::inverse;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::turn::product;

/// The largest number of models, and of frames, within each other.
const DEEPEST: usize = 32;

/// Bytes of a link or joint while a file is read.
const LINK_BYTES: usize = 1024;

/// A link.
pub(super) struct Link<'a> {
    pub node: Node<'a, 'a>,
    /// Its name, after the names of the models around it but the outermost: `arm::hand`.
    pub name: String,
    /// The path of its part.
    pub path: String,
    /// Its pose in the world, with all joints at 0.
    pub pose: Pose,
    pub is_static: bool,
    /// The name of the included model that it comes from, in whose folder its meshes are.
    pub folder: Option<&'a str>,
}

/// A joint.
pub(super) struct ModelJoint<'a> {
    pub node: Node<'a, 'a>,
    pub name: String,
    /// The prefix of the names in its model.
    pub prefix: Rc<str>,
    /// The indices of its links; `None` for the world.
    pub parent: Option<usize>,
    pub child: usize,
    /// The poses of its frame and of its model in the world.
    pub pose: Pose,
    pub model: Pose,
    /// True if axes are along the model's axes: before version 1.5.
    pub is_old: bool,
}

/// All links and joints.
#[derive(Default)]
pub(super) struct Models<'a> {
    pub links: Vec<Link<'a>>,
    pub joints: Vec<ModelJoint<'a>>,
    /// The links by the number of their root, which is a world or a model in none, and their name; `None` if
    /// several have the same.
    by_name: HashMap<(usize, String), Option<usize>>,
}

/// A model, or a world of models.
struct Open<'a> {
    node: Node<'a, 'a>,
    /// The number of the world, or of the outermost model, that it is in.
    root: usize,
    /// The prefix of its names, and its path.
    prefix: Rc<str>,
    path: Rc<str>,
    pose: Pose,
    is_static: bool,
    folder: Option<&'a str>,
    is_old: bool,
    depth: usize,
}

/// A model or a world whose links are read, and whose joints are not.
struct Scope<'a> {
    open: Open<'a>,
    frames: Frames<'a>,
    /// Its own links.
    own: HashMap<&'a str, usize>,
}

impl<'a> Models<'a> {
    pub fn read(files: &Files<'a>, source: &Source) -> Result<Self, Fault> {
        let root = files.root();
        let mut models = Self::default();
        let (mut open, mut scopes) = (Vec::new(), Vec::new());
        for (number, node) in elements(root, "model").chain(elements(root, "world")).enumerate() {
            let outer = Open {
                node,
                root: number,
                prefix: "".into(),
                path: "".into(),
                pose: Pose::IDENTITY,
                is_static: false,
                folder: None,
                is_old: is_old(root),
                depth: 0,
            };
            if node.has_tag_name("model") {
                open.extend(inner(&outer, node, false, files)?);
            } else {
                open.push(outer);
            }
        }
        open.reverse();
        // Joints may connect links of models within theirs.
        while let Some(next) = open.pop() {
            let node = next.node;
            let (scope, inside) =
                models.add_links(next, files, source).map_err(|fault| at_element(fault, node))?;
            open.extend(inside.into_iter().rev());
            scopes.push(scope);
        }
        for mut scope in scopes {
            let node = scope.open.node;
            models.add_joints(&mut scope, source).map_err(|fault| at_element(fault, node))?;
        }
        Ok(models)
    }

    /// Adds the links of a model or a world. Returns the models in it, too.
    fn add_links(
        &mut self,
        open: Open<'a>,
        files: &Files<'a>,
        source: &Source,
    ) -> Result<(Scope<'a>, Vec<Open<'a>>), Fault> {
        let mut frames = Frames { model: open.node, known: HashMap::new() };
        let mut own: HashMap<&str, usize> = HashMap::new();
        for node in elements(open.node, "link") {
            let name = required(node, "name")?;
            check_name(name)?;
            let pose = finite(Pose::compose(&open.pose, &frames.pose(name, 0)?))?;
            let path = path_below(&open.path, name);
            source.memory.take(1, LINK_BYTES + path.len(), || format!("{} links", self.links.len() + 1))?;
            let link = Link {
                node,
                name: format!("{}{name}", open.prefix),
                path,
                pose,
                is_static: open.is_static,
                folder: open.folder,
            };
            check_name(&link.name)?;
            if own.insert(name, self.links.len()).is_some() {
                return Err(Fault::at(place_of(node), format!("a second link '{}'", clip(name))));
            }
            let known = self.by_name.entry((open.root, link.name.clone()));
            known.and_modify(|known| *known = None).or_insert(Some(self.links.len()));
            self.links.push(link);
        }
        let mut inside = Vec::new();
        for node in open.node.children().filter(Node::is_element) {
            inside.extend(inner(&open, node, true, files)?);
        }
        Ok((Scope { open, frames, own }, inside))
    }

    fn add_joints(&mut self, scope: &mut Scope<'a>, source: &Source) -> Result<(), Fault> {
        for node in elements(scope.open.node, "joint") {
            let joint = self.joint(node, scope).map_err(|fault| at_element(fault, node))?;
            source.memory.take(1, LINK_BYTES, || format!("{} joints", self.joints.len() + 1))?;
            self.joints.push(joint);
        }
        Ok(())
    }

    fn joint(&self, node: Node<'a, 'a>, scope: &mut Scope<'a>) -> Result<ModelJoint<'a>, Fault> {
        let name = required(node, "name")?;
        let parent = end_of(node, "parent")?;
        let parent = match parent {
            "world" => None,
            _ => Some(self.link_of(parent, scope).map_err(|fault| at_element(fault, node))?),
        };
        let child = end_of(node, "child")?;
        let carried = self.link_of(child, scope)?;
        // The frame of a joint is that of its child, unless its pose says otherwise.
        let own = element(node, "pose");
        let is_relative = own.and_then(|pose| pose.attribute("relative_to")).is_some_and(|to| !to.is_empty());
        let pose = match own {
            _ if is_relative || !child.contains(NESTED) => {
                Pose::compose(&scope.open.pose, &scope.frames.pose(name, 0)?)
            }
            Some(pose) => Pose::compose(&self.links[carried].pose, &pose_of(pose)?),
            None => self.links[carried].pose,
        };
        let open = &scope.open;
        let name = format!("{}{name}", open.prefix);
        check_name(&name)?;
        let (pose, model, is_old) = (finite(pose)?, open.pose, open.is_old);
        Ok(ModelJoint {
            node,
            name,
            prefix: open.prefix.clone(),
            parent,
            child: carried,
            pose,
            model,
            is_old,
        })
    }

    /// Returns the link that a name in a model means: a link, or what a frame or a joint is attached to.
    fn link_of(&self, name: &str, scope: &Scope) -> Result<usize, Fault> {
        let mut at = name;
        for _ in 0..DEEPEST {
            if let Some(&link) = scope.own.get(at) {
                return Ok(link);
            }
            if at.contains(NESTED) {
                let full = (scope.open.root, format!("{}{at}", scope.open.prefix));
                return self.by_name.get(&full).copied().flatten().ok_or_else(|| {
                    Fault::at("joint", format!("no link of a model within its own is '{}'", clip(at)))
                });
            }
            let Some(frame) = scope.frames.element(at) else {
                return Err(Fault::at("joint", format!("there is no link or frame '{}'", clip(at))));
            };
            at = match frame.tag_name().name() {
                "joint" => end_of(frame, "child")?,
                _ => frame.attribute("attached_to").unwrap_or(""),
            };
            if matches!(at, "" | "__model__") {
                let why = format!("a joint at '{}', a frame of a model and no link, is", clip(name));
                return Err(Fault::Unsupported(why));
            }
        }
        Err(Fault::at("joint", format!("the frame '{}' is attached to itself", clip(name))))
    }
}

/// The separator of the names of models and links within each other.
const NESTED: &str = "::";

/// Returns the name of the parent or of the child of a joint.
fn end_of<'a>(joint: Node<'a, '_>, which: &'static str) -> Result<&'a str, Fault> {
    let text = element(joint, which).and_then(|end| end.text()).map(str::trim);
    text.ok_or_else(|| Fault::at(which, "it is missing"))
}

/// Returns the model that an element in another, or in a world, is or includes.
fn inner<'a>(
    outer: &Open<'a>,
    node: Node<'a, 'a>,
    in_another: bool,
    files: &Files<'a>,
) -> Result<Option<Open<'a>>, Fault> {
    let (folder, model, old) = match node.tag_name().name() {
        "model" => (outer.folder, node, outer.is_old),
        "include" if flag(node.attribute("merge"), "merge")? == Some(true) => {
            return Err(Fault::Unsupported(format!("{}: <include> with merge is", place_of(node))));
        }
        "include" => {
            let (name, root, model) = files.included(node)?;
            (Some(name), model, is_old(root))
        }
        _ => return Ok(None),
    };
    if outer.depth == DEEPEST {
        return Err(Fault::at(place_of(node), format!("more than {DEEPEST} models are within each other")));
    }
    let text =
        |of: Node<'a, 'a>, what: &'static str| element(of, what).and_then(|node| node.text()).map(str::trim);
    let name =
        text(node, "name").filter(|_| node != model).or_else(|| model.attribute("name")).unwrap_or("model");
    check_name(name)?;
    let own = match element(node, "pose").or_else(|| element(model, "pose")) {
        Some(pose)
            if pose.attribute("relative_to").is_some_and(|frame| !frame.is_empty() && frame != "world") =>
        {
            return Err(Fault::Unsupported(format!(
                "{}: a pose of a model relative to a frame is",
                place_of(pose)
            )));
        }
        Some(pose) => pose_of(pose)?,
        None => Pose::IDENTITY,
    };
    // The pose may be that of one of the model's frames.
    let placed = text(node, "placement_frame").filter(|_| node != model);
    let placed = placed.or_else(|| model.attribute("placement_frame")).unwrap_or("");
    let placed =
        Frames { model, known: HashMap::new() }.pose(placed, 0).map_err(|fault| at_element(fault, node))?;
    let own = Pose::compose(&own, &inverse(&placed));
    let word = text(node, "static").filter(|_| node != model).or_else(|| text(model, "static"));
    let is_static = flag(word, "static")? == Some(true);
    let prefix = if in_another { format!("{}{name}::", outer.prefix) } else { String::new() };
    Ok(Some(Open {
        node: model,
        root: outer.root,
        prefix: prefix.into(),
        path: path_below(&outer.path, name).into(),
        pose: finite(Pose::compose(&outer.pose, &own))?,
        is_static: outer.is_static || is_static,
        folder,
        is_old: old,
        depth: outer.depth + 1,
    }))
}

/// True for a file of a version before 1.5.
fn is_old(root: Node) -> bool {
    let version = root.attribute("version").and_then(|version| version.split_once('.'));
    let minor = version.and_then(|(major, minor)| (major == "1").then_some(minor.parse::<u32>().ok()?));
    minor.is_some_and(|minor| minor < 5)
}

/// The frames of one model: its links, joints and explicit frames, by name.
struct Frames<'a> {
    model: Node<'a, 'a>,
    known: HashMap<&'a str, Pose>,
}

impl<'a> Frames<'a> {
    /// Returns the element of a frame.
    fn element(&self, name: &str) -> Option<Node<'a, 'a>> {
        let is_frame = |node: &Node| matches!(node.tag_name().name(), "link" | "joint" | "frame");
        self.model.children().find(|node| is_frame(node) && node.attribute("name") == Some(name))
    }

    /// Returns the pose of a frame in the model.
    fn pose(&mut self, name: &'a str, depth: usize) -> Result<Pose, Fault> {
        if let Some(&known) = self.known.get(name) {
            return Ok(known);
        }
        if matches!(name, "" | "__model__") {
            return Ok(Pose::IDENTITY);
        }
        if depth == DEEPEST {
            return Err(Fault::at("pose", format!("the frame '{}' is relative to itself", clip(name))));
        }
        let node = self.element(name);
        let node = node.ok_or_else(|| Fault::at("pose", format!("there is no frame '{}'", clip(name))))?;
        let pose = element(node, "pose");
        let default = match node.tag_name().name() {
            "joint" => element(node, "child").and_then(|child| child.text()).map_or("", str::trim),
            "frame" => node.attribute("attached_to").unwrap_or(""),
            _ => "",
        };
        let relative = pose.and_then(|pose| pose.attribute("relative_to")).filter(|name| !name.is_empty());
        let above = self.pose(relative.unwrap_or(default), depth + 1)?;
        let found = match pose {
            Some(pose) => Pose::compose(&above, &pose_of(pose)?),
            None => above,
        };
        self.known.insert(name, found);
        Ok(found)
    }
}

/// Returns the value of a flag: `true` or `1`, `false` or `0`, in letters of either case. `None` for one that
/// is missing or empty.
pub(super) fn flag(text: Option<&str>, what: &'static str) -> Result<Option<bool>, Fault> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let is = |words: [&str; 2]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match (is(["true", "1"]), is(["false", "0"])) {
        (true, _) => Ok(Some(true)),
        (_, true) => Ok(Some(false)),
        _ => Err(Fault::at(what, format!("'{}' is neither true nor false", clip(text)))),
    }
}

/// Reads a pose: a point, and roll, pitch and yaw, or a quaternion.
pub(super) fn pose_of(node: Node) -> Result<Pose, Fault> {
    let wrong = |why: String| Fault::at("pose", why);
    let text = node.text().unwrap_or("");
    let numbers: Vec<f64> =
        text.split_whitespace().take(8).map(number).collect::<Result<_, _>>().map_err(wrong)?;
    let is_quaternion = node.attribute("rotation_format") == Some("quat_xyzw");
    let is_in_degrees = flag(node.attribute("degrees"), "degrees")? == Some(true);
    let unit = if is_in_degrees { f64::to_radians(1.0) } else { 1.0 };
    let (at, turn) = match numbers[..] {
        [] => return Ok(Pose::IDENTITY),
        [x, y, z, qx, qy, qz, qw] if is_quaternion => ([x, y, z], [qx, qy, qz, qw]),
        [x, y, z, roll, pitch, yaw] if !is_quaternion => {
            let half = |angle: f64| libm::sincos(0.5 * (unit * angle));
            let ((sx, cx), (sy, cy), (sz, cz)) = (half(roll), half(pitch), half(yaw));
            let (about_x, about_y, about_z) = ([sx, 0.0, 0.0, cx], [0.0, sy, 0.0, cy], [0.0, 0.0, sz, cz]);
            ([x, y, z], product(about_z, product(about_y, about_x)))
        }
        _ => return Err(wrong(format!("'{}' is not a point and three angles", clip(text.trim())))),
    };
    let pose = Pose::from_trs(turn, [1.0; 3], at);
    pose.ok_or_else(|| wrong(format!("the quaternion {turn:?} has no direction")))
}
