//! The unit of length. The kernel takes a file without one to be in metres.

use crate::error::Refused;
use crate::records::{Record, Records};
use crate::values::argument;

/// Checks that a file has a unit of length, and that metric ones are metres. What a unit of
/// another system is worth, the kernel finds.
///
/// # Errors
/// If there is none, or one is no length.
pub fn check(records: &Records) -> Result<(), Refused> {
    let mut found = false;
    for record in records.all() {
        let is_metric = records.kind(record) == "IFCSIUNIT";
        if !(is_metric || records.kind(record).starts_with("IFCCONVERSIONBASEDUNIT")) {
            continue;
        }
        if value(records, record, 1) != b".LENGTHUNIT." {
            continue;
        }
        found = true;
        if is_metric && value(records, record, 3) != b".METRE." {
            return Err(Refused::at(format!("#{}", record.id), "the unit of length is no length"));
        }
    }
    if found { Ok(()) } else { Err(Refused::file("it has no unit of length")) }
}

/// Returns the argument at a place, in capitals.
fn value(records: &Records, record: &Record, place: usize) -> Vec<u8> {
    argument(records.arguments(record), place).to_ascii_uppercase()
}
