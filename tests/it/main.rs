//! Tests of the library: meshes, hulls, exact answers, motions and sweeps, worlds, scenes and reports, each
//! against an answer from elsewhere.

#![allow(clippy::disallowed_methods)]

mod caps;
mod cases;
mod closest_features;
mod collision_mesh;
mod contact_geometry;
mod contact_region;
mod convex_hull;
mod counters;
mod depth;
mod depth_search;
mod exact_meshes;
mod exact_triangles;
mod extreme_vertices;
mod flat;
mod golden;
mod hull_features;
mod intervals;
mod joint_boxes;
mod journal;
mod lasting_contact;
mod lasting_gaps;
mod library;
mod motion_properties;
mod motion_truth;
mod observer;
mod open_motion;
mod overlap_volume;
mod part_order;
mod pose_batch;
mod pressed;
mod properties;
mod protrusion;
mod readers;
mod rows;
mod self_contacts;
mod separation;
mod slack;
mod surface;
mod sweep;
mod sweep_work;
mod thickness;
mod ties;
mod vertex_distances;
mod winding;
mod work;
mod world_advance;
mod world_filters;
mod worlds;
