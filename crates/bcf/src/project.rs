//! The files of an archive as a whole: version, project, and the words that its topics use.

use std::collections::BTreeSet;
use std::io;

use crate::guid;
use crate::markup::TYPE;
use crate::options::{Options, Version};
use crate::topic::Topic;
use crate::xml::{self, Out, clean, element, empty, text};

/// Returns `bcf.version`.
pub fn version(version: Version) -> Vec<u8> {
    xml::document(|out| match version {
        Version::V2_1 => {
            element(out, "Version", &[("VersionId", "2.1")], |out| text(out, "DetailedVersion", "2.1"))
        }
        Version::V3_0 => empty(out, "Version", &[("VersionId", "3.0")]),
    })
}

/// Returns `project.bcfp` for the models of a scene.
pub fn project(models: &BTreeSet<&str>, version: Version) -> Vec<u8> {
    let key = models.iter().copied().collect::<Vec<_>>().join("\0");
    let id = guid::of("project", &key);
    let names: Vec<String> = models.iter().map(|name| clean(name)).filter(|name| !name.is_empty()).collect();
    let project = |out: &mut Out| match &names[..] {
        [] => empty(out, "Project", &[("ProjectId", &id)]),
        names => element(out, "Project", &[("ProjectId", &id)], |out| text(out, "Name", &names.join(" + "))),
    };
    xml::document(|out| match version {
        Version::V2_1 => element(out, "ProjectExtension", &[], |out| {
            project(out)?;
            text(out, "ExtensionSchema", "")
        }),
        Version::V3_0 => element(out, "ProjectInfo", &[], project),
    })
}

/// Returns `extensions.xml` of version 3.0: all words that the topics use.
pub fn extensions<'t>(topics: impl Iterator<Item = &'t Topic> + Clone, options: &Options) -> Vec<u8> {
    let labels: BTreeSet<&str> =
        topics.clone().flat_map(|topic| &topic.labels).map(|label| &label[..]).collect();
    let priorities: BTreeSet<&str> = topics.filter_map(|topic| topic.priority.as_deref()).collect();
    let list = |out: &mut Out, all: &str, one: &str, words: &[&str]| -> io::Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        element(out, all, &[], |out| words.iter().try_for_each(|word| text(out, one, word)))
    };
    xml::document(|out| {
        element(out, "Extensions", &[], |out| {
            list(out, "TopicTypes", "TopicType", &[TYPE])?;
            list(out, "TopicStatuses", "TopicStatus", &["Open", "Closed"])?;
            list(out, "Priorities", "Priority", &Vec::from_iter(priorities))?;
            list(out, "TopicLabels", "TopicLabel", &Vec::from_iter(labels))?;
            list(out, "Users", "User", &[&options.author])
        })
    })
}
