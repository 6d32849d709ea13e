//! The table on stdout. Reports and files have all pairs, whatever it shows.

use std::collections::BTreeSet;

use anyhow::anyhow;

use crate::errors::of_flag;
use closefit::Verdict;
use closefit_geometry::scene::Scene;
use closefit_job::parts_named;
use closefit_report::named::is_key;
use closefit_report::table::{Only, Sort, View};

/// The rows of the table, before the parts of the scene are known.
#[derive(Clone, Debug)]
pub struct TableSettings {
    /// The mildest verdict shown; `None` for all but contact.
    pub mildest: Option<Verdict>,
    /// The most rows; `None` for all.
    pub rows: Option<usize>,
    pub sort: Sort,
    /// The parts whose pairs are shown, as the user names them.
    pub only: Option<String>,
}

impl TableSettings {
    /// Returns the view of the pairs of a scene.
    ///
    /// # Errors
    /// `--only` names a part that does not exist.
    pub fn view(&self, scene: &Scene) -> anyhow::Result<View> {
        let only = self.only.as_ref().map(|named| {
            let refused = |why| of_flag(anyhow!("{why}"), format!("--only '{named}'"));
            let named_parts = parts_named(scene, named);
            if named_parts.is_err() && is_key(named) {
                let keys = Some([named.clone()].into());
                return Ok(Only { named: named.clone(), parts: BTreeSet::new(), both: false, keys });
            }
            let (parts, names) = named_parts.map_err(refused)?;
            anyhow::Ok(Only { named: named.clone(), parts, both: names > 1, keys: None })
        });
        Ok(View { mildest: self.mildest, rows: self.rows, sort: self.sort, only: only.transpose()? })
    }
}
