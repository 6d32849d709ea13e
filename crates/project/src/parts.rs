//! The parts of a scene that a selector means.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::glob::Patterns;
use crate::rules::Same;
use crate::selector::{Field, Selector};
use closefit_geometry::ids::to_u32;
use closefit_geometry::scene::pair_rules::ALONE;
use closefit_geometry::scene::{Part, Scene};
use closefit_scene::keys::PartKeys;

/// A file of the scene, and its parts: they come after the parts of the files before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneFile {
    /// The name of the file, without its folder.
    pub name: String,
    /// The number of parts up to its last one.
    pub end: usize,
}

/// The parts of a scene with the names that rules give to its files.
pub(crate) struct Parts<'a> {
    scene: &'a Scene,
    keys: OnceCell<PartKeys>,
    files: &'a [SceneFile],
    /// The names of each file.
    models: Vec<Vec<&'a str>>,
}

impl<'a> Parts<'a> {
    /// The parts of a scene, of these files, which are called by the names whose patterns match theirs.
    pub fn new(scene: &'a Scene, files: &'a [SceneFile], models: &'a [(String, Patterns)]) -> Self {
        let names = |file: &SceneFile| {
            let is_called = |(_, patterns): &&(String, Patterns)| patterns.matches(&file.name);
            models.iter().filter(is_called).map(|(name, _)| &name[..]).collect()
        };
        Self { scene, keys: OnceCell::new(), files, models: files.iter().map(names).collect() }
    }

    /// Returns the files of the scene.
    pub fn files(&self) -> &'a [SceneFile] {
        self.files
    }

    /// Returns, for each part, if a selector means it. The sets of all groups that it names are known.
    pub fn selected(&self, selector: &Selector, groups: &[Vec<bool>]) -> Vec<bool> {
        let count = self.scene.parts.len();
        let join = |all: &[Selector], of_none: bool| {
            let mut joined = vec![of_none; count];
            for one in all {
                let set = self.selected(one, groups);
                // A part of any is in if it is in one; a part of all is out if it is out of one.
                joined
                    .iter_mut()
                    .zip(set)
                    .filter(|(_, is_in)| *is_in != of_none)
                    .for_each(|(j, is_in)| *j = is_in);
            }
            joined
        };
        match selector {
            Selector::Group(group) => groups[*group].clone(),
            Selector::Any(any) => join(any, false),
            Selector::All(all) => join(all, true),
            Selector::Not(one) => self.selected(one, groups).into_iter().map(|is_in| !is_in).collect(),
            Selector::Field(field, patterns) => self.matching(*field, patterns),
        }
    }

    fn matching(&self, field: Field, patterns: &Patterns) -> Vec<bool> {
        let parts = || self.scene.parts.iter();
        // Texts that many parts share are compared once.
        let mut known: HashMap<usize, bool> = HashMap::new();
        let mut shared = |text: &Arc<str>| {
            *known.entry(Arc::as_ptr(text).addr()).or_insert_with(|| patterns.matches(text))
        };
        let tagged = |part: &Part, prefix: &str| {
            part.tags.iter().filter_map(|tag| tag.strip_prefix(prefix)).any(|tag| patterns.matches(tag))
        };
        match field {
            Field::Model => self.of_models(patterns),
            Field::Name => parts().map(|part| patterns.matches(&part.name)).collect(),
            Field::Path => parts().map(|part| patterns.matches(&part.path)).collect(),
            Field::Type => parts().map(|part| part.kind.as_ref().is_some_and(&mut shared)).collect(),
            Field::File => parts().map(|part| shared(&part.file)).collect(),
            Field::Storey => parts().map(|part| part.storey.as_ref().is_some_and(&mut shared)).collect(),
            Field::Guid => {
                parts().map(|part| part.guid.as_ref().is_some_and(|guid| patterns.matches(guid))).collect()
            }
            Field::Key => {
                let keys = self.keys.get_or_init(|| PartKeys::of(self.scene));
                keys.of_part.iter().map(|key| patterns.matches(key)).collect()
            }
            Field::Tag(prefix) => parts().map(|part| tagged(part, prefix)).collect(),
        }
    }

    /// Returns the parts of the models that a pattern matches, by the scene's name or the name in the rules.
    fn of_models(&self, patterns: &Patterns) -> Vec<bool> {
        let mut found = Vec::with_capacity(self.scene.parts.len());
        for (file, names) in self.files.iter().zip(&self.models) {
            let is_called = names.iter().any(|name| patterns.matches(name));
            let parts = &self.scene.parts[found.len()..file.end];
            let own = parts.first().is_some_and(|part| patterns.matches(&part.model));
            found.resize(file.end, is_called || own);
        }
        found
    }
}

/// Returns the group of each part: parts of a group have in common what is requested.
pub(crate) fn groups_of(scene: &Scene, files: &[SceneFile], same: Same) -> Vec<u32> {
    let mut known: HashMap<(usize, &str, &str), u32> = HashMap::new();
    let mut groups = Vec::with_capacity(scene.parts.len());
    let mut file = 0;
    for (i, part) in scene.parts.iter().enumerate() {
        while files[file].end <= i {
            file += 1;
        }
        let text = match same {
            Same::Mesh => {
                groups.push(part.mesh.0);
                continue;
            }
            Same::File => Some(&*part.file),
            Same::Parent => parent(part),
            Same::Link => part.name.rsplit_once('/').map(|(link, _)| link),
        };
        let next = to_u32(known.len());
        // Names in one file say nothing about those in another, which may be called the same.
        let group = |text| *known.entry((file, &*part.model, text)).or_insert(next);
        groups.push(text.map_or(ALONE, group));
    }
    groups
}

/// Returns the path of the parent of a part; `None` at the root, and where the path has been cut.
fn parent(part: &Part) -> Option<&str> {
    // The name itself may have a slash.
    let of_name = part.path.strip_suffix(&*part.name).and_then(|path| path.strip_suffix('/'));
    let parent = of_name.or_else(|| part.path.rsplit_once('/').map(|(parent, _)| parent))?;
    Some(parent).filter(|parent| !parent.is_empty() && !parent.starts_with("/..."))
}
