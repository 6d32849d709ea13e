//! The Python module of closefit. `python/closefit` has what is in Python itself, and the types.
//!
//! No call holds the interpreter's lock while it works, no panic leaves, and refused input becomes one
//! exception with the text of the library.

mod arrays;
mod audit;
mod backend;
mod collision_mesh;
mod columns;
mod contact;
mod error;
mod files;
mod jobs;
mod joint_box;
mod joints;
mod many;
mod mesh;
mod motion;
mod pair;
mod part;
mod poses;
mod program;
mod progress;
mod report;
mod rows;
mod scene;
mod shown;
mod sizes;
mod slack;
mod verdict;
mod work;
mod world;
mod worlds;

/// Exact clash and clearance checking of triangle-mesh assemblies.
#[pyo3::pymodule]
mod _closefit {
    #[pymodule_export]
    use super::audit::audit;
    #[pymodule_export]
    use super::collision_mesh::CollisionMesh;
    #[pymodule_export]
    use super::contact::{
        ContactGeometry, ContactPatch, OverlapVolume, contact_geometry, overlap_volume, self_contacts,
    };
    #[pymodule_export]
    use super::jobs::{check, sweep};
    #[pymodule_export]
    use super::joint_box::{EncounterFindings, joint_box};
    #[pymodule_export]
    use super::joints::Joint;
    #[pymodule_export]
    use super::many::{distance_many, intersects_many, verdict_many};
    #[pymodule_export]
    use super::mesh::Mesh;
    #[pymodule_export]
    use super::motion::{Clearance, Motion, TimeOfImpact, closest_approach, time_of_impact};
    #[pymodule_export]
    use super::pair::{Distance, contact_triangles, distance, intersects, intersects_within};
    #[pymodule_export]
    use super::part::Part;
    #[pymodule_export]
    use super::program::run_program;
    #[pymodule_export]
    use super::report::Findings;
    #[pymodule_export]
    use super::rows::check_configurations;
    #[pymodule_export]
    use super::scene::Scene;
    #[pymodule_export]
    use super::slack::slack;
    #[pymodule_export]
    use super::verdict::{Depth, PairVerdict, Undecidable, contains, depth, verdict};
    #[pymodule_export]
    use super::world::{ContactEvent, Pairs, Step, Work, World};
    #[pymodule_export]
    use super::worlds::{Worlds, WorldsContacts, WorldsDistances, WorldsStep};
}
