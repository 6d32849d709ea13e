//! The contacts of a part with itself: a row of a report.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::PartRow;

/// A part with triangles that share more than their common vertices and edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfContactsRow {
    /// Its index in the list of parts.
    pub id: u32,
    /// Its name.
    pub name: Arc<str>,
    /// The number of pairs of triangles.
    pub contacts: u64,
    /// These pairs, the lower index first, sorted.
    pub triangles: Vec<[u32; 2]>,
}

impl SelfContactsRow {
    /// Returns a row for each part that has such pairs.
    pub(super) fn of(parts: &[PartRow], found: Vec<Vec<[u32; 2]>>) -> Vec<Self> {
        let rows = (0..).zip(found).filter(|(_, triangles)| !triangles.is_empty());
        let row = |(id, triangles): (u32, Vec<[u32; 2]>)| Self {
            id,
            name: parts[id as usize].name.clone(),
            contacts: triangles.len() as u64,
            triangles,
        };
        rows.map(row).collect()
    }

    /// Returns a note on the part.
    pub fn in_words(&self) -> String {
        let Self { name, contacts, .. } = self;
        let pairs = if *contacts == 1 { "1 pair".to_owned() } else { format!("{contacts} pairs") };
        format!(
            "{name}: touches itself: {pairs} of triangles share more than their common vertices and edges"
        )
    }
}
