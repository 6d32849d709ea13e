//! Products of IFC files as meshes.
//!
//! The file's text is read here: its header, its end, its records, names, types, storeys and tags, and which
//! entities the kernel would draw wrong. Geometry comes from a kernel, ifc-lite, which is trusted with
//! nothing else: it runs in a process of its own ([`kernel_program`]) that may take only so much time and
//! memory, what it prints goes nowhere, and each product counts only with a receipt of the kernel that
//! nothing of it was lost.
//!
//! [`read`] is the only door to all of it; [`run_kernel`] is the other side, for the program that
//! [`kernel_program`] names.

mod archive;
mod curves;
mod error;
mod kernel;
mod model;
mod output;
mod process;
mod products;
mod records;
mod refused;
mod relations;
mod schema;
mod units;
mod values;

use std::borrow::Cow;
use std::time::Duration;

pub use error::Refused;
pub use model::{Building, Flawed, Node, Product, Shape};
pub use process::{kernel_program, run_kernel};

/// The limits of reading a file.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time for the geometry; `None` for [`default_time`].
    pub time: Option<Duration>,
    /// Memory in bytes.
    pub memory: u64,
}

/// Returns the time that the geometry of a file of so many bytes may take unless the user says otherwise:
/// 30 s, or 1 s per MB of larger files. A hundred public files of up to 10 MB took 0.2 s on average.
pub fn default_time(bytes: usize) -> Duration {
    Duration::from_secs((bytes as u64 / 1_000_000).max(30))
}

/// Returns the bytes of memory that the records of a file take, per byte of the file.
pub const PER_BYTE: usize = 8;

/// Returns the text of a file: the bytes themselves, or of a `.ifczip` what it holds.
///
/// # Errors
/// If it is an archive that has no IFC file, or more than one, or that is damaged or would unpack to more
/// than `most` bytes.
pub fn unpacked(bytes: &[u8], most: u64) -> Result<Cow<'_, [u8]>, Refused> {
    if archive::is_archive(bytes) {
        archive::unpack(bytes, most).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(bytes))
    }
}

/// Reads the products of a file.
///
/// # Errors
/// [`Refused`], if it is no IFC file of a schema that is read, is cut short or contradicts itself, or if the
/// kernel fails or takes too much.
pub fn read(text: &[u8], limits: &Limits) -> Result<Building, Refused> {
    let records = records::Records::of(text)?;
    let schema = schema::of(&records)?;
    let found = products::find(&records)?;
    units::check(&records)?;
    let drawn = process::draw(&found.text_to_draw(text), &found.ids(), limits)?;
    found.into_building(&records, schema, drawn)
}
