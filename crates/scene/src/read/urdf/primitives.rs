//! Shapes of a robot that have no mesh, counted by kind.

use roxmltree::Node;

use super::xml::element;

/// The shapes of a robot that have no mesh, by kind.
#[derive(Default)]
pub(super) struct Primitives([usize; PRIMITIVES.len()]);

/// The kinds of shapes without a mesh, and what one and several are called. The last is any other.
const PRIMITIVES: [[&str; 3]; 5] = [
    ["box", "a box", "boxes"],
    ["cylinder", "a cylinder", "cylinders"],
    ["sphere", "a sphere", "spheres"],
    ["capsule", "a capsule", "capsules"],
    ["", "another shape", "other shapes"],
];

impl Primitives {
    /// Counts a shape, unless it is a mesh.
    pub fn count<'a>(&mut self, shape: Node<'a, 'a>) {
        let of = element(shape, "geometry");
        let Some(of) = of.and_then(|geometry| geometry.first_element_child()) else { return };
        let name = of.tag_name().name();
        if name != "mesh" {
            let kind = PRIMITIVES.iter().position(|[kind, ..]| *kind == name);
            self.0[kind.unwrap_or(PRIMITIVES.len() - 1)] += 1;
        }
    }

    /// Says why a robot with these shapes alone has nothing to check.
    pub fn told(&self, geometry: &str) -> String {
        let Self(counts) = self;
        let found = || counts.iter().zip(PRIMITIVES).filter(|(count, _)| **count > 0);
        let total: usize = counts.iter().sum();
        let each = total == found().count();
        let names: Vec<&str> =
            found().map(|(_, [_, one, several])| if each { one } else { several }).collect();
        let many = if each { String::new() } else { format!("{total} ") };
        match &names[..] {
            [] => format!("none of its links has {geometry} geometry"),
            [name] if each => format!("its {geometry} geometry is {name}, which is not read"),
            [name] => format!("its {geometry} geometry is {many}{name}, which are not read"),
            [names @ .., last] => {
                format!(
                    "its {geometry} geometry is {many}{} and {last}, which are not read",
                    names.join(", ")
                )
            }
        }
    }
}
