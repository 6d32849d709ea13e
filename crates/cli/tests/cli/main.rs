//! Tests of the program: what it prints, writes and returns, and that damaged, hostile and large files do it
//! no harm.

#![allow(clippy::disallowed_methods)]

mod audit;
mod batch;
mod bench;
mod claims;
mod commands;
mod contact_geometry;
mod cross_check;
mod damaged;
mod depth;
mod diff;
mod features;
mod heat_map;
mod hostile;
mod jobs;
mod joint_box;
mod licenses;
#[cfg(unix)]
mod long_runs;
mod many_poses;
#[cfg(unix)]
mod memory;
mod motions;
mod names;
mod open_parts;
#[cfg(unix)]
mod output;
mod outside;
mod page;
mod pressed;
mod primitives;
mod readers;
mod reproduce;
mod robots;
mod row_shards;
mod rules;
mod scenes;
mod schema;
mod shards;
mod shown;
mod skewed_poses;
mod slack;
mod sweep;
mod table;
mod trees;
#[cfg(unix)]
mod tutorials;
mod volume_limits;
mod waivers;
