//! Parts that cannot be read: one line names all of them, or they are left out if the user allows it.

use super::error::Fault;
use closefit_geometry::scene::Scene;

/// The parts of a file that cannot be read.
#[derive(Default)]
pub(super) struct Missing {
    faults: Vec<Fault>,
    parts: u64,
}

impl Missing {
    /// Adds the fault of so many parts.
    ///
    /// # Errors
    /// The fault, if it is about memory and thus not caused by these parts.
    pub fn add(&mut self, fault: Fault, parts: u64) -> Result<(), Fault> {
        if fault.is_about_memory() {
            return Err(fault);
        }
        self.faults.push(fault);
        self.parts += parts;
        Ok(())
    }

    /// Counts the parts in the scene, and notes them.
    ///
    /// # Errors
    /// All faults as one, unless such parts may be left out.
    pub fn leave_out(self, is_allowed: bool, scene: &mut Scene) -> Result<(), Fault> {
        let Self { faults, parts } = self;
        match (&faults[..], is_allowed) {
            ([], _) => Ok(()),
            (_, false) => Err(Fault::Missing(faults)),
            (_, true) => {
                scene.left_out.parts += parts;
                scene.notes.push(format!("parts left out, since they cannot be read: {}", listed(&faults)));
                Ok(())
            }
        }
    }
}

/// Returns the number of faults and their texts.
pub(super) fn listed(faults: &[Fault]) -> String {
    let texts: Vec<String> = faults.iter().map(Fault::to_string).collect();
    format!("{}: {}", faults.len(), texts.join("; "))
}
