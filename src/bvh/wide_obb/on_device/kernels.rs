//! The kernels. Each source is the concatenation of its shader with the shared parts it needs, in the order
//! given here.

use std::sync::OnceLock;

use crate::continuous::method::Boxes;
use crate::gpu::{Device, DeviceError, Kernel, shader, sort};

/// Source of the kernel that plans the next round.
pub const PLAN: &str = shader!("shared/columns.wgsl", "plan.wgsl");

/// Source of the kernel that opens blocks and tests boxes.
pub const BOX_BOX: &str = shader!(
    "shared/bounds.wgsl",
    "shared/fixed_point.wgsl",
    "shared/columns.wgsl",
    "shared/vectors.wgsl",
    "shared/boxes.wgsl",
    "shared/apart.wgsl",
    "shared/opening.wgsl",
    "box_box.wgsl"
);

/// Source of the kernel that tests triangles.
pub const TRIANGLE_TRIANGLE: &str = shader!(
    "shared/bounds.wgsl",
    "shared/fixed_point.wgsl",
    "shared/columns.wgsl",
    "shared/vectors.wgsl",
    "shared/corners.wgsl",
    "shared/contact.wgsl",
    "triangle_triangle.wgsl"
);

/// Joins the entry point of a kernel to the search for contacts by groups of lanes.
macro_rules! contacts_shader {
    ($($file:literal),*) => {
        shader!(
            "shared/bounds.wgsl",
            "shared/fixed_point.wgsl",
            "shared/columns.wgsl",
            "shared/vectors.wgsl",
            "shared/boxes.wgsl",
            "shared/apart.wgsl",
            "shared/corners.wgsl",
            "shared/contact.wgsl",
            "shared/group_settings.wgsl",
            "shared/groups.wgsl",
            "shared/group_records.wgsl",
            "shared/ask_contacts.wgsl",
            $($file),*
        )
    };
}

/// Source of the kernel whose groups of lanes answer a question each.
pub const ASK_GROUP: &str = contacts_shader!("shared/one_team.wgsl", "ask_group.wgsl");

/// Source of the kernel whose groups of lanes answer four questions each.
pub const ASK_OCTETS: &str = contacts_shader!("ask_octets.wgsl");

/// Source of the kernel that places pairs by the frames of their trees.
pub const PLACE_PAIRS: &str = shader!(
    "shared/fixed_point.wgsl",
    "shared/columns.wgsl",
    "shared/group_settings.wgsl",
    "place_pairs.wgsl"
);

/// Source of the kernel that tests undecided triangles again, in doubles.
pub const POSED_TRIANGLES: &str =
    shader!("shared/bounds.wgsl", "shared/doubles.wgsl", "shared/columns.wgsl", "posed_triangles.wgsl");

/// Source of the kernel that begins a round of the search for distances.
pub const BEGIN_ROUND: &str = shader!("shared/columns.wgsl", "shared/near_columns.wgsl", "begin_round.wgsl");

/// Source of the kernel that ranks the items of each query.
pub const RANK: &str = shader!("shared/columns.wgsl", "shared/near_columns.wgsl", "rank.wgsl");

/// Source of the kernel that decides how many items of each query are opened.
pub const THRESHOLD: &str = shader!("shared/columns.wgsl", "shared/near_columns.wgsl", "threshold.wgsl");

/// Source of the kernel that takes these items out of the queue.
pub const SELECT_NEAR: &str = shader!("shared/columns.wgsl", "shared/near_columns.wgsl", "select_near.wgsl");

/// Source of the kernel that opens blocks and bounds the distances of boxes.
pub const BOX_DISTANCE: &str = shader!(
    "shared/bounds.wgsl",
    "shared/fixed_point.wgsl",
    "shared/columns.wgsl",
    "shared/near_columns.wgsl",
    "shared/vectors.wgsl",
    "shared/boxes.wgsl",
    "shared/near_boxes.wgsl",
    "box_distance.wgsl"
);

/// Source of the kernel that bounds the distances of triangles.
pub const TRIANGLE_DISTANCE: &str = shader!(
    "shared/bounds.wgsl",
    "shared/fixed_point.wgsl",
    "shared/columns.wgsl",
    "shared/near_columns.wgsl",
    "shared/vectors.wgsl",
    "shared/corners.wgsl",
    "shared/closest.wgsl",
    "shared/near_leaves.wgsl",
    "triangle_distance.wgsl"
);

/// Source of the kernel whose groups of lanes search a distance each.
pub const ASK_NEAREST: &str = shader!(
    "shared/bounds.wgsl",
    "shared/fixed_point.wgsl",
    "shared/columns.wgsl",
    "shared/near_columns.wgsl",
    "shared/vectors.wgsl",
    "shared/boxes.wgsl",
    "shared/near_boxes.wgsl",
    "shared/corners.wgsl",
    "shared/closest.wgsl",
    "shared/near_leaves.wgsl",
    "shared/group_settings.wgsl",
    "shared/one_team.wgsl",
    "shared/groups.wgsl",
    "shared/group_records.wgsl",
    "ask_nearest.wgsl"
);

/// Joins a test of moving boxes to the search over stretches of time.
macro_rules! stretch_shader {
    ($file:literal) => {
        shader!(
            "shared/bounds.wgsl",
            "shared/fixed_point.wgsl",
            "shared/columns.wgsl",
            "shared/passing.wgsl",
            "shared/vectors.wgsl",
            "shared/boxes.wgsl",
            "shared/moving_boxes.wgsl",
            "shared/corners.wgsl",
            "shared/closest.wgsl",
            "shared/moving_corners.wgsl",
            "shared/group_settings.wgsl",
            "shared/one_team.wgsl",
            "shared/groups.wgsl",
            "shared/ask_stretch.wgsl",
            $file
        )
    };
}

/// Source of the kernel that tests moving boxes along axes fixed to the tree at rest, and triangles.
pub const SWEPT_BOXES: &str = stretch_shader!("swept_boxes.wgsl");

/// Source of the kernel that tests moving boxes along axes each fixed to its own tree, and triangles.
pub const INTERVAL_BOXES: &str = stretch_shader!("interval_boxes.wgsl");

/// Name and source of every kernel of the search, and of those that sort its results.
pub const ALL: [(&str, &str); 19] = [
    ("plan", PLAN),
    ("box_box", BOX_BOX),
    ("triangle_triangle", TRIANGLE_TRIANGLE),
    ("ask_group", ASK_GROUP),
    ("ask_octets", ASK_OCTETS),
    ("place_pairs", PLACE_PAIRS),
    ("posed_triangles", POSED_TRIANGLES),
    ("begin_round", BEGIN_ROUND),
    ("rank", RANK),
    ("threshold", THRESHOLD),
    ("select_near", SELECT_NEAR),
    ("box_distance", BOX_DISTANCE),
    ("triangle_distance", TRIANGLE_DISTANCE),
    ("ask_nearest", ASK_NEAREST),
    ("swept_boxes", SWEPT_BOXES),
    ("interval_boxes", INTERVAL_BOXES),
    ("count_digits", sort::COUNT_DIGITS),
    ("scan", sort::SCAN),
    ("sort", sort::SORT),
];

/// The compiled kernels of the search for contacts in rounds.
#[derive(Debug)]
pub struct ContactKernels {
    pub(super) plan: Kernel,
    pub(super) box_box: Kernel,
    pub(super) triangle_triangle: Kernel,
    pub(super) posed_triangles: Kernel,
}

/// The compiled kernels of groups.
#[derive(Debug)]
pub(super) struct GroupKernels {
    pub place_pairs: Kernel,
    pub ask_group: Kernel,
    pub ask_octets: Kernel,
}

impl GroupKernels {
    /// Returns the kernels, compiled at the first call.
    pub fn of(device: &Device) -> Result<&'static Self, DeviceError> {
        static COMPILED: OnceLock<Result<GroupKernels, DeviceError>> = OnceLock::new();
        let compiled = COMPILED.get_or_init(|| {
            Ok(Self {
                place_pairs: Kernel::new(device, "place_pairs", PLACE_PAIRS)?,
                ask_group: Kernel::new(device, "ask_group", ASK_GROUP)?,
                ask_octets: Kernel::new(device, "ask_octets", ASK_OCTETS)?,
            })
        });
        compiled.as_ref().map_err(Clone::clone)
    }
}

impl ContactKernels {
    /// Returns the kernels, compiled at the first call.
    pub fn of(device: &Device) -> Result<&'static Self, DeviceError> {
        static COMPILED: OnceLock<Result<ContactKernels, DeviceError>> = OnceLock::new();
        let compiled = COMPILED.get_or_init(|| {
            Ok(Self {
                plan: Kernel::new(device, "plan", PLAN)?,
                box_box: Kernel::new(device, "box_box", BOX_BOX)?,
                triangle_triangle: Kernel::new(device, "triangle_triangle", TRIANGLE_TRIANGLE)?,
                posed_triangles: Kernel::new(device, "posed_triangles", POSED_TRIANGLES)?,
            })
        });
        compiled.as_ref().map_err(Clone::clone)
    }
}

/// The compiled kernels of the search for distances.
#[derive(Debug)]
pub struct NearKernels {
    pub(super) begin_round: Kernel,
    pub(super) rank: Kernel,
    pub(super) threshold: Kernel,
    pub(super) select_near: Kernel,
    pub(super) box_distance: Kernel,
    pub(super) triangle_distance: Kernel,
}

impl NearKernels {
    /// Returns the kernels, compiled at the first call.
    pub fn of(device: &Device) -> Result<&'static Self, DeviceError> {
        static COMPILED: OnceLock<Result<NearKernels, DeviceError>> = OnceLock::new();
        let compiled = COMPILED.get_or_init(|| {
            Ok(Self {
                begin_round: Kernel::new(device, "begin_round", BEGIN_ROUND)?,
                rank: Kernel::new(device, "rank", RANK)?,
                threshold: Kernel::new(device, "threshold", THRESHOLD)?,
                select_near: Kernel::new(device, "select_near", SELECT_NEAR)?,
                box_distance: Kernel::new(device, "box_distance", BOX_DISTANCE)?,
                triangle_distance: Kernel::new(device, "triangle_distance", TRIANGLE_DISTANCE)?,
            })
        });
        compiled.as_ref().map_err(Clone::clone)
    }
}

/// Returns the kernel of the search for distances by groups, compiled at the first call.
pub(super) fn ask_nearest(device: &Device) -> Result<&'static Kernel, DeviceError> {
    static COMPILED: OnceLock<Result<Kernel, DeviceError>> = OnceLock::new();
    let compiled = COMPILED.get_or_init(|| Kernel::new(device, "ask_nearest", ASK_NEAREST));
    compiled.as_ref().map_err(Clone::clone)
}

/// Returns the kernel of the search over stretches of time by a test of boxes, compiled at its first call.
/// Natural intervals have no kernel of their own: they only widen those of `interval_boxes`, and either proof
/// is sound.
pub(super) fn moving_boxes(device: &Device, boxes: Boxes) -> Result<&'static Kernel, DeviceError> {
    static SWEPT: OnceLock<Result<Kernel, DeviceError>> = OnceLock::new();
    static INTERVAL: OnceLock<Result<Kernel, DeviceError>> = OnceLock::new();
    let (compiled, name, source) = match boxes {
        Boxes::Swept => (&SWEPT, "swept_boxes", SWEPT_BOXES),
        Boxes::Interval | Boxes::Natural => (&INTERVAL, "interval_boxes", INTERVAL_BOXES),
    };
    compiled.get_or_init(|| Kernel::new(device, name, source)).as_ref().map_err(Clone::clone)
}
