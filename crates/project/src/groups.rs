//! Groups: selectors with names, which may name each other.

use crate::fault::{Fault, quoted};
use crate::selector::{GroupNames, Selector};
use crate::source::{Key, Node, Value};

/// A named group.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub name: String,
    pub at: usize,
    pub selector: Selector,
    /// True if its parts are declared surfaces.
    pub is_surface: bool,
    /// True if its parts are zones: space to keep free.
    pub is_zone: bool,
}

/// All groups.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    pub all: Vec<Group>,
    /// Their indices, each after the parts of the groups that it names.
    pub order: Vec<usize>,
}

impl Groups {
    /// Reads the table of groups.
    pub fn read(node: Option<&Node>) -> Result<Self, Fault> {
        let Some(node) = node else { return Ok(Self::default()) };
        let entries = node.table()?;
        let names = GroupNames::new(entries.iter().map(|(key, _)| &key.name[..]));
        let read = |(key, node): &(Key, Node)| {
            group(key, node, &names).map_err(|fault| fault.of(&format!("group {}", quoted(&key.name))))
        };
        let all: Vec<Group> = entries.iter().map(read).collect::<Result<_, _>>()?;
        let order = in_order(&all)?;
        Ok(Self { all, order })
    }

    /// Returns the names.
    pub fn names(&self) -> GroupNames<'_> {
        GroupNames::new(self.all.iter().map(|group| &group.name[..]))
    }
}

fn group(key: &Key, node: &Node, names: &GroupNames) -> Result<Group, Fault> {
    refuse_control(&key.name, key.at)?;
    let (name, at) = (key.name.clone(), key.at);
    let Value::Table(entries) = &node.value else {
        return Ok(Group {
            name,
            at,
            selector: Selector::read(node, names)?,
            is_surface: false,
            is_zone: false,
        });
    };
    let (mut is_surface, mut is_zone) = (false, false);
    for (key, node) in entries {
        match &key.name[..] {
            "surface" => is_surface = node.bool()?,
            "zone" => is_zone = node.bool()?,
            _ => {}
        }
    }
    let selecting = entries.iter().filter(|(key, _)| !matches!(&key.name[..], "surface" | "zone"));
    Ok(Group { name, at, selector: Selector::all(selecting, names)?, is_surface, is_zone })
}

/// Refuses a text with characters that would break a line or drive a terminal.
pub(crate) fn refuse_control(text: &str, at: usize) -> Result<(), Fault> {
    match text.chars().find(|c| c.is_control()) {
        Some(c) => {
            Err(Fault::new(at, format!("the control character {} is not allowed", c.escape_default())))
        }
        None => Ok(()),
    }
}

/// Orders groups so that each comes after those that it names.
fn in_order(groups: &[Group]) -> Result<Vec<usize>, Fault> {
    let mut named_by = vec![Vec::new(); groups.len()];
    let mut waits_for = vec![0; groups.len()];
    for (index, group) in groups.iter().enumerate() {
        let mut named = Vec::new();
        group.selector.add_groups(&mut named);
        waits_for[index] = named.len();
        named.into_iter().for_each(|other| named_by[other].push(index));
    }
    let mut order: Vec<usize> = (0..groups.len()).filter(|&index| waits_for[index] == 0).collect();
    let mut next = 0;
    while let Some(&ready) = order.get(next) {
        next += 1;
        for &index in &named_by[ready] {
            waits_for[index] -= 1;
            if waits_for[index] == 0 {
                order.push(index);
            }
        }
    }
    if order.len() == groups.len() { Ok(order) } else { Err(cycle(groups, &waits_for)) }
}

/// Names the groups of a cycle, beginning with the first of those that wait for another.
fn cycle(groups: &[Group], waits_for: &[usize]) -> Fault {
    let named = |index: usize| {
        let mut named = Vec::new();
        groups[index].selector.add_groups(&mut named);
        named.into_iter().find(|&other| waits_for[other] > 0).expect("it waits for another that waits")
    };
    let first = waits_for.iter().position(|&waits| waits > 0).expect("some group waits");
    let mut path = vec![first];
    let begin = loop {
        let next = named(path[path.len() - 1]);
        match path.iter().position(|&on_path| on_path == next) {
            Some(begin) => break begin,
            None => path.push(next),
        }
    };
    let names = path[begin..].iter().chain([&path[begin]]).map(|&index| quoted(&groups[index].name));
    let told = names.collect::<Vec<_>>().join(" names ");
    Fault::new(groups[path[begin]].at, format!("groups define each other: {told}"))
}
