//! Bodies and their joints, as links; and what is on them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use glam::DVec3;
use roxmltree::Node;

use super::super::error::{Fault, clip};
use super::super::robot::{Joint, Kind, LinkShapes, Robot, Shape};
use super::super::xml::{at_element, place_of};
use super::super::{Source, check_name, path_below};
use super::geoms::{self, Read};
use super::orientation::{direction, pose};
use super::{Model, names_of};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::JointAxis;

/// The largest number of frames within each other.
const DEEPEST: usize = 64;

/// The name of the root, which does not move.
const WORLD: &str = "world";

/// A geom: its shape, and what decides about its contacts.
pub(super) struct Geom<'a> {
    pub shape: Shape<'a>,
    pub name: Option<&'a str>,
    /// The name of its body.
    pub body: Rc<str>,
    /// `contype` and `conaffinity`.
    pub masks: [u32; 2],
}

impl Geom<'_> {
    fn is_visual(&self) -> bool {
        self.masks == [0; 2]
    }
}

/// The bodies of a model.
pub(super) struct Bodies<'a> {
    pub robot: Robot<'a>,
    /// The links of bodies that move in others, and the links of these.
    pub carried: Vec<[usize; 2]>,
    /// The shapes of each link, once they have been chosen.
    pub shapes: Vec<LinkShapes<'a>>,
    /// The name, body and masks of each of these shapes, in order.
    pub chosen: Vec<(Option<&'a str>, Rc<str>, [u32; 2])>,
    pub has_collision: bool,
    /// All geoms of each link.
    geoms: Vec<Vec<Geom<'a>>>,
    /// The numbers of geoms that are not read, by link and by kind.
    left_out: Vec<usize>,
    kinds: BTreeMap<&'static str, usize>,
    /// True if all geoms stand for what is seen, since none is for that alone.
    sees_all: bool,
}

/// A body that is to be visited.
struct Open<'a> {
    node: Node<'a, 'a>,
    /// The link of what carries it, and its pose there.
    link: usize,
    above: Pose,
    class: usize,
    path: Rc<str>,
}

impl<'a> Bodies<'a> {
    pub fn read(model: &Model<'a>, source: &Source) -> Result<Self, Fault> {
        let robot = Robot {
            links: vec![model.files.root()],
            names: vec![WORLD.to_owned()],
            joints: Vec::new(),
            hangs_on: vec![None],
        };
        let mut bodies = Self {
            robot,
            carried: Vec::new(),
            shapes: Vec::new(),
            chosen: Vec::new(),
            has_collision: false,
            geoms: vec![Vec::new()],
            left_out: vec![0],
            kinds: BTreeMap::new(),
            sees_all: false,
        };
        let mut names = Names::default();
        let sections = model.files.children(model.files.root());
        let worlds = sections.into_iter().filter(|node| node.has_tag_name("worldbody"));
        let open =
            |node| Open { node, link: 0, above: Pose::IDENTITY, class: 0, path: format!("/{WORLD}").into() };
        let mut open: Vec<Open> = worlds.map(open).collect();
        open.reverse();
        while let Some(next) = open.pop() {
            let node = next.node;
            let inner = bodies.visit(&next, model, &mut names, source);
            open.extend(inner.map_err(|fault| at_element(fault, node))?.into_iter().rev());
        }
        Ok(bodies)
    }

    /// Adds a body, its joints and its geoms. Returns the bodies on it.
    fn visit(
        &mut self,
        open: &Open<'a>,
        model: &Model<'a>,
        names: &mut Names,
        source: &Source,
    ) -> Result<Vec<Open<'a>>, Fault> {
        let Open { node, .. } = *open;
        let is_world = node.has_tag_name("worldbody");
        let class =
            node.attribute("childclass").map_or(Ok(open.class), |name| model.defaults.class(name, node))?;
        let name: Rc<str> = if is_world { WORLD.into() } else { names.of_body(node)?.into() };
        let path = if is_world { open.path.clone() } else { path_below(&open.path, &name).into() };
        source.memory.take(1, BODY_BYTES + path.len(), || format!("{} bodies", names.bodies))?;
        let own = if is_world {
            Pose::IDENTITY
        } else {
            pose(&model.defaults.resolve(node, class)?, &model.compiler)?
        };
        let mut at = Pose::compose(&open.above, &own);
        let mut link = open.link;
        let inside = contents(model, node, class)?;
        for (child, frame, class) in &inside {
            let is_free = child.has_tag_name("freejoint");
            if !is_free && !child.has_tag_name("joint") {
                continue;
            }
            if is_world || frame.is_some() {
                return Err(Fault::Unsupported(format!(
                    "{}: a joint of the world or of a <frame> is",
                    place_of(*child)
                )));
            }
            let made = joint(*child, is_free, *class, (model, &name, names), at);
            let (mut joint, after) = made.map_err(|fault| at_element(fault, *child))?;
            joint.parent = link;
            joint.child = self.robot.links.len();
            link = joint.child;
            self.robot.links.push(node);
            self.robot.names.push(name.to_string());
            self.robot.hangs_on.push(Some(self.robot.joints.len()));
            self.robot.joints.push(joint);
            self.geoms.push(Vec::new());
            self.left_out.push(0);
            at = after;
        }
        if link != open.link {
            self.carried.push([link, open.link]);
        }
        let mut bodies = Vec::new();
        for (child, frame, class) in inside {
            let at = frame.map_or(at, |frame| Pose::compose(&at, &frame));
            if child.has_tag_name("body") {
                bodies.push(Open { node: child, link, above: at, class, path: path.clone() });
            } else if child.has_tag_name("geom") {
                let added = self.add_geom(child, class, (model, link, at), (&name, &path));
                added.map_err(|fault| at_element(fault, child))?;
            }
        }
        Ok(bodies)
    }

    fn add_geom(
        &mut self,
        node: Node<'a, 'a>,
        class: usize,
        (model, link, at): (&Model<'a>, usize, Pose),
        (body, path): (&Rc<str>, &str),
    ) -> Result<(), Fault> {
        let element = model.defaults.resolve(node, class)?;
        let masks = [element.mask("contype")?, element.mask("conaffinity")?];
        match geoms::read(&element, model)? {
            Read::LeftOut(kind) => {
                *self.kinds.entry(kind).or_default() += 1;
                self.left_out[link] += 1;
            }
            Read::Shape { own, form, pose } => {
                check_name(&own)?;
                let (name, path) = (format!("{body}/{own}"), path_below(path, &own));
                let shape = Shape { name, path, form, pose: Pose::compose(&at, &pose), node };
                let geom = Geom { shape, name: node.attribute("name"), body: body.clone(), masks };
                self.has_collision |= !geom.is_visual();
                self.geoms[link].push(geom);
            }
        }
        Ok(())
    }

    /// Chooses the geoms that are read. Returns true if they are the collision geometry.
    pub fn choose(&mut self, source: &Source) -> bool {
        let robot = source.robot;
        let takes_collision = robot.collision_geometry || robot.collision_if_any && self.has_collision;
        let has_visual = self.geoms.iter().flatten().any(Geom::is_visual);
        self.sees_all = !takes_collision && !has_visual;
        for (geoms, &left_out) in std::mem::take(&mut self.geoms).into_iter().zip(&self.left_out) {
            let mut of_link = LinkShapes { shapes: Vec::new(), left_out };
            for geom in geoms {
                if self.sees_all || geom.is_visual() != takes_collision {
                    self.chosen.push((geom.name, geom.body, geom.masks));
                    of_link.shapes.push(geom.shape);
                }
            }
            self.shapes.push(of_link);
        }
        takes_collision
    }

    /// Says why a model has nothing to check.
    pub fn told(&self) -> String {
        match self.kinds.is_empty() {
            true => "none of its bodies has a geom of that kind".to_owned(),
            false => format!("none of its bodies has a geom that is read; left out: {}", self.kinds_told()),
        }
    }

    fn kinds_told(&self) -> String {
        let told: Vec<String> = self.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        told.join(", ")
    }

    /// Notes what is not read, and what is in place of visual geometry.
    pub fn add_notes(&self, takes_collision: bool, notes: &mut Vec<String>) {
        if !self.kinds.is_empty() {
            notes.push(format!("geoms left out: {}", self.kinds_told()));
        }
        if self.sees_all && !takes_collision && self.has_collision {
            notes.push("no geom is visual alone, so the collision geometry is read".to_owned());
        }
        let without: Vec<String> = (self.robot.names.iter().zip(&self.shapes).skip(1))
            .filter(|(_, shapes)| shapes.shapes.is_empty() && shapes.left_out > 0)
            .map(|(name, _)| name.clone())
            .collect();
        if !without.is_empty() {
            notes.push(format!("bodies without a geom that is read: {}", names_of(&without)));
        }
    }
}

/// Bytes of a body while a model is read, without its path.
const BODY_BYTES: usize = 512;

/// Names of bodies and joints. Where a name is missing, one is made.
#[derive(Default)]
struct Names {
    known: HashMap<&'static str, HashSet<String>>,
    bodies: usize,
}

impl Names {
    fn of_body(&mut self, node: Node) -> Result<String, Fault> {
        self.bodies += 1;
        let name = node.attribute("name").map_or_else(|| format!("body{}", self.bodies), str::to_owned);
        self.add("body", name)
    }

    fn add(&mut self, kind: &'static str, name: String) -> Result<String, Fault> {
        check_name(&name)?;
        match self.known.entry(kind).or_default().insert(name.clone()) {
            true => Ok(name),
            false => Err(Fault::Scene(format!("a second {kind} '{}'", clip(&name)))),
        }
    }
}

/// An element in a body, the pose of the frames around it, and its class.
type Inside<'a> = (Node<'a, 'a>, Option<Pose>, usize);

/// Returns the elements of a body and of its frames, in order.
fn contents<'a>(model: &Model<'a>, body: Node<'a, 'a>, class: usize) -> Result<Vec<Inside<'a>>, Fault> {
    let mut all = Vec::new();
    let children = |node: Node<'a, 'a>, pose: Option<Pose>, class: usize, depth: usize| {
        let children = model.files.children(node).into_iter().rev();
        children.map(move |child| (child, pose, class, depth)).collect::<Vec<_>>()
    };
    let mut open = children(body, None, class, 0);
    while let Some((node, above, class, depth)) = open.pop() {
        if !node.has_tag_name("frame") {
            all.push((node, above, class));
            continue;
        }
        if depth == DEEPEST {
            return Err(Fault::at(
                place_of(node),
                format!("more than {DEEPEST} frames are within each other"),
            ));
        }
        let class =
            node.attribute("childclass").map_or(Ok(class), |name| model.defaults.class(name, node))?;
        let own = pose(&model.defaults.resolve(node, class)?, &model.compiler)?;
        let pose = above.map_or(own, |above| Pose::compose(&above, &own));
        open.extend(children(node, Some(pose), class, depth + 1));
    }
    Ok(all)
}

/// Reads a joint of a body that stands somewhere, and returns where the body stands on the link of that
/// joint.
fn joint<'a>(
    node: Node<'a, 'a>,
    is_free: bool,
    class: usize,
    (model, body, names): (&Model<'a>, &str, &mut Names),
    at: Pose,
) -> Result<(Joint, Pose), Fault> {
    let element = model.defaults.resolve(node, class)?;
    let kind = match if is_free { "free" } else { element.get("type").unwrap_or("hinge") } {
        "hinge" => Kind::Turning,
        "slide" => Kind::Sliding,
        "ball" | "free" => Kind::Free,
        other => return Err(Fault::at("type", format!("unknown type '{}'", clip(other)))),
    };
    let name = match node.attribute("name") {
        Some(name) => names.add("joint", name.to_owned())?,
        None => {
            let count = names.known.get("joint").map_or(0, HashSet::len);
            names.add("joint", format!("{body}_joint{}", count + 1))?
        }
    };
    let unit = if kind == Kind::Turning { model.compiler.angle } else { 1.0 };
    let axis = element.array("axis")?.map_or(DVec3::Z, DVec3::from_array);
    let axis = if kind == Kind::Free { DVec3::Z } else { direction(axis, "axis")? };
    let range = element.array::<2>("range")?;
    let is_limited = match element.get("limited").unwrap_or("auto") {
        "true" => true,
        "false" => false,
        "auto" => model.compiler.limits_by_range && range.is_some(),
        other => return Err(Fault::at("limited", format!("unknown word '{}'", clip(other)))),
    };
    let limits =
        range.filter(|_| is_limited && kind != Kind::Free).map(|range| range.map(|value| value * unit));
    let anchor = if is_free { DVec3::ZERO } else { element.point("pos")? };
    let mut origin = Pose::compose(&at, &Pose::translation(anchor.to_array()));
    let initial = element.number("ref")?.unwrap_or(0.0) * unit;
    if initial != 0.0 {
        let back = match kind {
            Kind::Turning => JointAxis::Turning(axis).pose(-initial),
            Kind::Sliding => JointAxis::Sliding(axis).pose(-initial),
            Kind::Fixed | Kind::Free => Pose::IDENTITY,
        };
        origin = Pose::compose(&origin, &back);
    }
    let joint = Joint { name, kind, parent: 0, child: 0, origin, axis, limits, mimic: None, initial };
    Ok((joint, Pose::translation((-anchor + DVec3::ZERO).to_array())))
}
