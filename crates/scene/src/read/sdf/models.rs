//! Models, and where their links and joints are.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use roxmltree::Node;

use super::super::error::{Fault, clip};
use super::super::xml::{at_element, element, elements, place_of, required};
use super::super::{Source, check_name, finite, path_below};
use super::files::Files;
use super::frames::{DEEPEST, Frames, NESTED, end_of};
use super::values::{flag, pose_of};
use closefit_geometry::math::pose::Pose;

/// Bytes of a model, a link or a joint while a file is read.
const LINK_BYTES: usize = 1024;

/// The largest number of models. Those that are included twice, and include others twice, soon are millions.
const MOST_MODELS: usize = 1 << 20;

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
struct Scope<'a, 'f> {
    open: Open<'a>,
    frames: Frames<'a, 'f>,
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
                open.extend(inner(&outer, node, false, &mut Frames::new(root, files))?);
            } else {
                open.push(outer);
            }
        }
        open.reverse();
        // Joints may connect links of models within theirs.
        while let Some(next) = open.pop() {
            let node = next.node;
            if scopes.len() == MOST_MODELS {
                return Err(Fault::Scene(format!("there are more than {MOST_MODELS} models")));
            }
            source.memory.take(1, LINK_BYTES, || format!("{} models", scopes.len() + 1))?;
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
    fn add_links<'f>(
        &mut self,
        open: Open<'a>,
        files: &'f Files<'a>,
        source: &Source,
    ) -> Result<(Scope<'a, 'f>, Vec<Open<'a>>), Fault> {
        let mut frames = Frames::new(open.node, files);
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
            inside.extend(inner(&open, node, true, &mut frames)?);
        }
        Ok((Scope { open, frames, own }, inside))
    }

    fn add_joints(&mut self, scope: &mut Scope<'a, '_>, source: &Source) -> Result<(), Fault> {
        for node in elements(scope.open.node, "joint") {
            let joint = self.joint(node, scope).map_err(|fault| at_element(fault, node))?;
            source.memory.take(1, LINK_BYTES, || format!("{} joints", self.joints.len() + 1))?;
            self.joints.push(joint);
        }
        Ok(())
    }

    fn joint(&self, node: Node<'a, 'a>, scope: &mut Scope<'a, '_>) -> Result<ModelJoint<'a>, Fault> {
        let name = required(node, "name")?;
        let parent = end_of(node, "parent")?;
        let parent = match parent {
            "world" => None,
            _ => Some(self.link_of(parent, scope).map_err(|fault| at_element(fault, node))?),
        };
        let child = end_of(node, "child")?;
        let carried = self.link_of(child, scope)?;
        // A joint has the frame of its child, unless its pose says otherwise.
        let own = element(node, "pose");
        let is_relative = own.and_then(|pose| pose.attribute("relative_to")).is_some_and(|to| !to.is_empty());
        let below = format!("{}{child}", scope.open.prefix);
        let is_link_below = child.contains(NESTED) && self.links[carried].name == below;
        let pose = match own {
            _ if is_relative || !is_link_below => {
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

    /// Returns the link that a name in a model means: a link, or what a frame or a joint is attached to, in
    /// it or in a model within it.
    fn link_of(&self, name: &str, scope: &mut Scope<'a, '_>) -> Result<usize, Fault> {
        let (mut at, mut passed) = (name.to_owned(), HashSet::new());
        // The names of a model that includes itself have no end.
        while at.matches(NESTED).count() <= DEEPEST && passed.insert(at.clone()) {
            if let Some(&link) = scope.own.get(&at[..]) {
                return Ok(link);
            }
            let is_below = at.contains(NESTED);
            if is_below {
                let full = (scope.open.root, format!("{}{at}", scope.open.prefix));
                if let Some(link) = self.by_name.get(&full).copied().flatten() {
                    return Ok(link);
                }
            }
            let found = scope.frames.element_below(&at)?;
            let Some((frame, prefix)) = found.filter(|(frame, _)| !frame.has_tag_name("link")) else {
                let why = match is_below {
                    true => format!("no link or frame of a model within its own is '{}'", clip(&at)),
                    false => format!("there is no link or frame '{}'", clip(&at)),
                };
                return Err(Fault::at("joint", why));
            };
            let next = match frame.tag_name().name() {
                "joint" => end_of(frame, "child")?,
                _ => frame.attribute("attached_to").unwrap_or(""),
            };
            if matches!(next, "" | "__model__") {
                let why = format!("a joint at '{}', a frame of a model and no link, is", clip(name));
                return Err(Fault::Unsupported(why));
            }
            at = format!("{prefix}{next}");
        }
        Err(Fault::at("joint", format!("the frame '{}' is attached to itself", clip(name))))
    }
}

/// Returns the model that an element in another, or in a world, is or includes; `frames` are the other's, or
/// the world's.
fn inner<'a>(
    outer: &Open<'a>,
    node: Node<'a, 'a>,
    in_another: bool,
    frames: &mut Frames<'a, '_>,
) -> Result<Option<Open<'a>>, Fault> {
    let Some(inner) = frames.inner_model(node)? else { return Ok(None) };
    if outer.depth == DEEPEST {
        return Err(Fault::at(place_of(node), format!("more than {DEEPEST} models are within each other")));
    }
    let name = inner.name;
    check_name(name)?;
    let own = frames.place(&inner, 0)?;
    let is_static = flag(inner.text("static"), "static")? == Some(true);
    let prefix = if in_another { format!("{}{name}{NESTED}", outer.prefix) } else { String::new() };
    let (folder, is_old) = match inner.included {
        Some((folder, root)) => (Some(folder), is_old(root)),
        None => (outer.folder, outer.is_old),
    };
    Ok(Some(Open {
        node: inner.model,
        root: outer.root,
        prefix: prefix.into(),
        path: path_below(&outer.path, name).into(),
        pose: finite(Pose::compose(&outer.pose, &own))?,
        is_static: outer.is_static || is_static,
        folder,
        is_old,
        depth: outer.depth + 1,
    }))
}

/// True for a file of a version before 1.5.
fn is_old(root: Node) -> bool {
    let version = root.attribute("version").and_then(|version| version.split_once('.'));
    let minor = version.and_then(|(major, minor)| (major == "1").then_some(minor.parse::<u32>().ok()?));
    minor.is_some_and(|minor| minor < 5)
}
