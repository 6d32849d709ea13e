//! `markup.bcf`: a topic with its comment and its viewpoint.

use std::io;

use crate::options::Version;
use crate::topic::Topic;
use crate::xml::{self, Out, element, empty, text};

/// The type of all topics.
pub const TYPE: &str = "Clash";

/// Returns the file of a topic.
pub fn document(topic: &Topic, index: usize, author: &str, date: &str, version: Version) -> Vec<u8> {
    let markup = Markup { topic, index: &index.to_string(), author, date };
    xml::document(|out| {
        element(out, "Markup", &[], |out| match version {
            Version::V2_1 => markup.write_2_1(out),
            Version::V3_0 => markup.write_3_0(out),
        })
    })
}

struct Markup<'t> {
    topic: &'t Topic,
    index: &'t str,
    author: &'t str,
    date: &'t str,
}

impl Markup<'_> {
    /// Comments and viewpoints follow the topic.
    fn write_2_1(&self, out: &mut Out) -> io::Result<()> {
        self.header(out, |out, files| files.iter().try_for_each(|name| file(out, "isExternal", name)))?;
        self.topic(out, |out| {
            text(out, "Index", self.index)?;
            self.topic.labels.iter().try_for_each(|label| text(out, "Labels", label))
        })?;
        self.comment(out)?;
        self.viewpoint(out, "Viewpoints")
    }

    /// Lists have an element of their own, and comments and viewpoints are in the topic.
    fn write_3_0(&self, out: &mut Out) -> io::Result<()> {
        self.header(out, |out, files| {
            element(out, "Files", &[], |out| files.iter().try_for_each(|name| file(out, "IsExternal", name)))
        })?;
        self.topic_with(
            out,
            |out| {
                if self.topic.labels.is_empty() {
                    return Ok(());
                }
                let labels =
                    |out: &mut Out| self.topic.labels.iter().try_for_each(|label| text(out, "Label", label));
                element(out, "Labels", &[], labels)
            },
            |out| {
                element(out, "Comments", &[], |out| self.comment(out))?;
                element(out, "Viewpoints", &[], |out| self.viewpoint(out, "ViewPoint"))
            },
        )
    }

    /// Writes the files of the parts, if there are any.
    fn header(
        &self,
        out: &mut Out,
        files: impl FnOnce(&mut Out, &[String]) -> io::Result<()>,
    ) -> io::Result<()> {
        match &self.topic.files[..] {
            [] => Ok(()),
            some => element(out, "Header", &[], |out| files(out, some)),
        }
    }

    fn topic(&self, out: &mut Out, labels: impl FnOnce(&mut Out) -> io::Result<()>) -> io::Result<()> {
        self.topic_with(out, labels, |_| Ok(()))
    }

    /// Writes the topic; `labels` and `last` write what versions write differently.
    fn topic_with(
        &self,
        out: &mut Out,
        labels: impl FnOnce(&mut Out) -> io::Result<()>,
        last: impl FnOnce(&mut Out) -> io::Result<()>,
    ) -> io::Result<()> {
        let Topic { guid, title, status, priority, description, .. } = self.topic;
        let attributes = [("Guid", &guid[..]), ("TopicType", TYPE), ("TopicStatus", status)];
        element(out, "Topic", &attributes, |out| {
            text(out, "Title", title)?;
            priority.iter().try_for_each(|priority| text(out, "Priority", priority))?;
            labels(out)?;
            text(out, "CreationDate", self.date)?;
            text(out, "CreationAuthor", self.author)?;
            text(out, "Description", description)?;
            last(out)
        })
    }

    fn comment(&self, out: &mut Out) -> io::Result<()> {
        element(out, "Comment", &[("Guid", &self.topic.comment_guid)], |out| {
            text(out, "Date", self.date)?;
            text(out, "Author", self.author)?;
            text(out, "Comment", &self.topic.comment)?;
            empty(out, "Viewpoint", &[("Guid", &self.topic.viewpoint_guid)])
        })
    }

    fn viewpoint(&self, out: &mut Out, name: &str) -> io::Result<()> {
        element(out, name, &[("Guid", &self.topic.viewpoint_guid)], |out| {
            text(out, "Viewpoint", "viewpoint.bcfv")?;
            text(out, "Snapshot", "snapshot.png")?;
            text(out, "Index", "0")
        })
    }
}

fn file(out: &mut Out, external: &str, name: &str) -> io::Result<()> {
    element(out, "File", &[(external, "true")], |out| text(out, "Filename", name))
}
