//! Default classes: what an element means by an attribute that it does not have.

use std::collections::HashMap;

use glam::DVec3;
use roxmltree::Node;

use super::super::error::{Fault, clip};
use super::super::text::number;
use super::super::xml::place_of;
use super::files::Files;

/// The class of everything that has no other.
const MAIN: &str = "main";

/// The largest number of classes within each other.
const DEEPEST: usize = 64;

/// All classes.
pub(super) struct Defaults<'a> {
    by_name: HashMap<&'a str, usize>,
    classes: Vec<Class<'a>>,
}

struct Class<'a> {
    /// The class that it refines; `None` for the outermost.
    above: Option<usize>,
    /// Elements by their names, the last first.
    elements: Vec<Node<'a, 'a>>,
}

/// An element, and the class from which it takes what it does not say.
#[derive(Clone, Copy)]
pub(super) struct Resolved<'a, 'd> {
    pub node: Node<'a, 'a>,
    /// The name of the elements that speak for it in a class.
    in_class: &'a str,
    defaults: &'d Defaults<'a>,
    class: usize,
}

impl<'a> Defaults<'a> {
    pub fn read(files: &Files<'a>) -> Result<Self, Fault> {
        let main = Class { above: None, elements: Vec::new() };
        let mut defaults = Self { by_name: HashMap::from([(MAIN, 0)]), classes: vec![main] };
        for node in files.children(files.root()).into_iter().filter(|node| node.has_tag_name("default")) {
            if let Some(name) = node.attribute("class") {
                defaults.by_name.insert(name, 0);
            }
            defaults.add(files, node, 0, 0)?;
        }
        Ok(defaults)
    }

    fn add(
        &mut self,
        files: &Files<'a>,
        node: Node<'a, 'a>,
        class: usize,
        depth: usize,
    ) -> Result<(), Fault> {
        if depth > DEEPEST {
            return Err(Fault::at(
                place_of(node),
                format!("more than {DEEPEST} classes are within each other"),
            ));
        }
        for child in files.children(node) {
            if !child.has_tag_name("default") {
                self.classes[class].elements.insert(0, child);
                continue;
            }
            let name = child.attribute("class");
            let name = name.ok_or_else(|| Fault::at(place_of(child), "<default> has no class"))?;
            let inner = self.classes.len();
            if self.by_name.insert(name, inner).is_some() {
                return Err(Fault::at(place_of(child), format!("a second class '{}'", clip(name))));
            }
            self.classes.push(Class { above: Some(class), elements: Vec::new() });
            self.add(files, child, inner, depth + 1)?;
        }
        Ok(())
    }

    /// Returns the index of a class.
    pub fn class(&self, name: &str, node: Node) -> Result<usize, Fault> {
        let found = self.by_name.get(name).copied();
        found.ok_or_else(|| Fault::at(place_of(node), format!("there is no class '{}'", clip(name))))
    }

    /// Returns an element with its class: its own, or else the one given.
    pub fn resolve<'d>(&'d self, node: Node<'a, 'a>, class: usize) -> Result<Resolved<'a, 'd>, Fault> {
        self.resolve_as(node, node.tag_name().name(), class)
    }

    /// Returns an element with its class, in which elements of another name speak for it.
    pub fn resolve_as<'d>(
        &'d self,
        node: Node<'a, 'a>,
        in_class: &'a str,
        class: usize,
    ) -> Result<Resolved<'a, 'd>, Fault> {
        let class = node.attribute("class").map_or(Ok(class), |name| self.class(name, node))?;
        Ok(Resolved { node, in_class, defaults: self, class })
    }
}

impl<'a> Resolved<'a, '_> {
    /// Returns the value of an attribute: the element's own, or else the nearest class's that has one.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.nodes().find_map(|node| node.attribute(name))
    }

    /// Returns the one of some attributes that counts where they exclude each other: the element's own, or
    /// else the nearest class's.
    pub fn nearest_of(&self, names: &[&'static str]) -> Option<&'static str> {
        self.nodes().find_map(|node| names.iter().copied().find(|name| node.has_attribute(*name)))
    }

    /// Returns the element, and then the elements of its classes that speak for it, the nearest first.
    fn nodes(&self) -> impl Iterator<Item = Node<'a, 'a>> {
        let defaults = self.defaults;
        let classes = std::iter::successors(Some(self.class), |&class| defaults.classes[class].above);
        let elements = classes.flat_map(|class| defaults.classes[class].elements.iter().copied());
        let alike = elements.filter(|node| node.tag_name().name() == self.in_class);
        std::iter::once(self.node).chain(alike)
    }

    /// Returns the numbers of an attribute, if there is one.
    pub fn numbers(&self, name: &'static str) -> Result<Option<Vec<f64>>, Fault> {
        self.get(name).map(|text| numbers(text, name)).transpose()
    }

    /// Returns the numbers of an attribute: the element's own and, until there are `most`, the further ones
    /// of the nearest class that has more.
    pub fn numbers_over_classes(&self, name: &'static str, most: usize) -> Result<Vec<f64>, Fault> {
        let mut all = Vec::new();
        for text in self.nodes().filter_map(|node| node.attribute(name)) {
            let own = numbers(text, name)?;
            all.extend(own.get(all.len()..).unwrap_or_default());
            if all.len() >= most {
                break;
            }
        }
        Ok(all)
    }

    /// Returns exactly so many numbers of an attribute, if there is one.
    pub fn array<const N: usize>(&self, name: &'static str) -> Result<Option<[f64; N]>, Fault> {
        self.numbers(name)?.map(|numbers| exactly(numbers, name)).transpose()
    }

    /// Returns exactly so many numbers of an attribute that is there.
    pub fn given<const N: usize>(&self, name: &'static str) -> Result<[f64; N], Fault> {
        exactly(self.numbers(name)?.unwrap_or_default(), name)
    }

    /// Returns a point, or zero.
    pub fn point(&self, name: &'static str) -> Result<DVec3, Fault> {
        Ok(self.array(name)?.map_or(DVec3::ZERO, DVec3::from_array))
    }

    /// Returns a number, if there is one.
    pub fn number(&self, name: &'static str) -> Result<Option<f64>, Fault> {
        Ok(self.array::<1>(name)?.map(|[value]| value))
    }

    /// Returns a mask, which is 1 unless it is given.
    pub fn mask(&self, name: &'static str) -> Result<u32, Fault> {
        let Some(text) = self.get(name) else { return Ok(1) };
        let value: Option<i64> = text.trim().parse().ok();
        // Negative numbers stand for their bits.
        let bits = value.and_then(|value| {
            u32::try_from(value).ok().or(i32::try_from(value).ok().map(i32::cast_unsigned))
        });
        bits.ok_or_else(|| Fault::at(name, format!("'{}' is not a mask of 32 bits", clip(text))))
    }
}

fn exactly<const N: usize>(numbers: Vec<f64>, name: &'static str) -> Result<[f64; N], Fault> {
    let many = numbers.len();
    numbers.try_into().map_err(|_| Fault::at(name, format!("{many} numbers instead of {N}")))
}

/// Reads the numbers of a text.
pub(super) fn numbers(text: &str, name: &'static str) -> Result<Vec<f64>, Fault> {
    text.split_ascii_whitespace().map(number).collect::<Result<_, _>>().map_err(|why| Fault::at(name, why))
}
