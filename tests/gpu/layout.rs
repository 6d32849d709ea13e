//! Compares the shaders' structs, bindings and constants with those in Rust.

use std::mem::{offset_of, size_of};

use closefit::internals::broad::on_device::columns::{CHUNK, Ends, Sweep, SweepSettings};
use closefit::internals::broad::on_device::kernels as broad;
use closefit::internals::bvh::wide_obb::on_device::columns::{
    BoxItem, Counts, GroupSettings, LeafItem, NO_PAIR, Pair, Queue, Record, Root, SEGMENTS, Settings,
    UNFINISHED,
};
use closefit::internals::bvh::wide_obb::on_device::frames::{Frame, PlacedPiece, Unplaced};
use closefit::internals::bvh::wide_obb::on_device::groups;
use closefit::internals::bvh::wide_obb::on_device::kernels::ALL;
use closefit::internals::bvh::wide_obb::on_device::motions::Motion;
use closefit::internals::bvh::wide_obb::on_device::near_columns::{
    BINS, NearItem, NearRecord, NearSettings, Progress, Search,
};
use closefit::internals::gpu::sort::{Digit, TILE};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Module, TypeInner};

/// Returns the module of a shader, which is valid.
fn parsed(name: &str, source: &str) -> Module {
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(source)));
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
    info.unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(source)));
    module
}

/// Returns the size of a shader's struct, and the names and offsets of its members.
fn members(module: &Module, name: &str) -> Option<(usize, Vec<(String, usize)>)> {
    let (_, found) = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name))?;
    let TypeInner::Struct { members, span } = &found.inner else { panic!("{name} is no struct") };
    let named = members.iter().map(|m| (m.name.clone().expect("a name"), m.offset as usize));
    Some((*span as usize, named.collect()))
}

macro_rules! expected {
    ($of:ident { $($field:ident),+ }) => {
        (stringify!($of), size_of::<$of>(), vec![$((stringify!($field).to_owned(), offset_of!($of, $field))),+])
    };
}

pub fn structs_are_the_same() {
    let counts = expected!(Counts {
        slice_begin,
        slice,
        fresh_begin,
        fresh,
        leaves,
        drain,
        records,
        segments,
        rounds,
        items,
        box_tests,
        triangle_tests,
        posed_tests,
        next,
        finished,
        box_steps,
        leaf_steps
    });
    let mut queue = expected!(Queue { begins, ends });
    queue.2 = counts.2.into_iter().chain(queue.2).collect();
    let all = [
        expected!(Pair {
            turn,
            shift,
            centers,
            poses,
            rotation,
            ratio,
            inverse_ratio,
            margin,
            blur,
            exponent,
            scalings,
            blocks,
            corners,
            vertices,
            any,
            query,
            zero
        }),
        expected!(BoxItem { pair, block, other }),
        expected!(LeafItem { pair, first, two }),
        expected!(Record { pair, first, found }),
        expected!(Settings { stack, reserve, leaves, records, round, zero }),
        queue,
        expected!(Root { words, are_leaves }),
        expected!(Frame { pose, origin, quarter, of_directions, of_places }),
        expected!(PlacedPiece { center, scaling, blocks, corners, vertices }),
        expected!(Unplaced {
            frames,
            pieces,
            quarter,
            quarter_scaled,
            exponent,
            any,
            ratio,
            inverse_ratio,
            margin
        }),
        expected!(GroupSettings { questions, steps, stack, leaves, reserve, records, zero }),
        expected!(Digit { count, tiles, word, shift }),
        expected!(Ends { lo, strip, hi, id }),
        expected!(SweepSettings { first, rows, others, own, lower_begin, lower_end, pairs, round }),
        expected!(Sweep { chunks, begin, slice, found, tests }),
        expected!(Motion { way, turn, added, by_acceleration, added_back, turned, mover, levels }),
        expected!(NearItem { pair, block, other, at_least }),
        expected!(NearRecord { pair, first, at_least }),
        expected!(Search { limit, last, share, bin, partial, taken }),
        expected!(NearSettings { capacity, reserve, leaves, records, round, queries, zero }),
        expected!(Progress {
            waiting,
            half,
            next,
            opened,
            allowance,
            crowded,
            busy,
            still_busy,
            leaves,
            records,
            begun,
            rounds,
            items,
            box_tests,
            triangle_tests
        }),
    ];
    for (shader, source) in ALL.into_iter().chain(broad::ALL) {
        let module = parsed(shader, source);
        let entry = &module.entry_points[0];
        assert_eq!((module.entry_points.len(), entry.name.as_str()), (1, shader));
        let threads = match shader {
            "plan" | "begin_round" | "plan_sweep" => 1,
            "ask_group" | "ask_octets" | "ask_nearest" | "swept_boxes" | "interval_boxes" => 32,
            "count_digits" | "scan" | "sort" => TILE as u32,
            _ => 64,
        };
        assert_eq!(entry.workgroup_size, [threads, 1, 1]);
        let bindings = module.global_variables.iter().filter_map(|(_, v)| v.binding);
        let mut bindings: Vec<(u32, u32)> = bindings.map(|b| (b.group, b.binding)).collect();
        bindings.sort_unstable();
        assert_eq!(bindings, (0..bindings.len() as u32).map(|i| (0, i)).collect::<Vec<_>>());
        let storage = |v: &naga::GlobalVariable| matches!(v.space, naga::AddressSpace::Storage { .. });
        assert!(module.global_variables.iter().filter(|(_, v)| storage(v)).count() <= 8);
        for (name, size, fields) in &all {
            if let Some((span, members)) = members(&module, name) {
                assert_eq!((span, &members), (*size, fields), "{name} in {shader}");
            }
        }
        let teams = if shader == "ask_octets" { groups::OCTETS } else { groups::ONE_TEAM };
        let flags = [
            ("UNFINISHED", UNFINISHED),
            ("NO_PAIR", NO_PAIR),
            ("TEAMS", teams.number),
            ("STACK", teams.stack),
            ("LEAVES", teams.leaves),
            ("RUN", groups::RUN),
        ]
        .map(|(name, flag)| (name, flag as usize));
        let sizes = [
            ("SEGMENTS", SEGMENTS),
            ("BINS", BINS),
            ("TILE", TILE),
            ("CHUNK", CHUNK as usize),
            ("HEAD", groups::HEAD),
            ("BODY", teams.body(if ["ask_group", "ask_octets"].contains(&shader) { 2 } else { 3 })),
        ];
        for (name, expected) in sizes.into_iter().chain(flags) {
            let constant = module.constants.iter().find(|(_, c)| c.name.as_deref() == Some(name));
            let Some((_, constant)) = constant else { continue };
            let value = module.global_expressions[constant.init].clone();
            assert_eq!(value, naga::Expression::Literal(naga::Literal::U32(expected as u32)));
        }
    }
}

/// Checks that the sweep of boxes has no floating-point arithmetic, so that rounding cannot matter.
pub fn sweeps_compare_integers() {
    for (shader, source) in broad::ALL {
        let module = parsed(shader, source);
        let kinds: Vec<_> = module.types.iter().filter_map(|(_, t)| t.inner.scalar_kind()).collect();
        assert!(!kinds.is_empty() && !kinds.contains(&naga::ScalarKind::Float), "{shader}");
    }
}
