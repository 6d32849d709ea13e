//! Bounding boxes in a mesh's own frame, which bound it at any pose: one of the mesh, and one for each space
//! that an open component might enclose.
//!
//! If fans from the middle of each hole to its boundary are added to an open component, it is closed, and
//! does not reach beyond its hull. So around a point outside the hull, the component winds as much as the
//! fans wind the other way: by at most their area over 4 pi and the square of the distance from the hull.

use glam::DVec3;

use super::holes::{Fan, Holes, influence};
use super::spread::Spread;
use super::{largest_coordinate, world_box};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::bounds::posed_ball::{FourBalls, PosedBall};
use closefit_geometry::bounds::posed_box::PosedBox;
use closefit_geometry::bounds::similar_pose::{SimilarPoses, scale_of};
use closefit_geometry::lanes::{FourPoses, ROWS, Simd};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::Topology;

/// The share of a mesh's largest coordinate by which the room of an open component is larger, for the
/// rounding of posed vertices: less than 2^-48 of that coordinate for any of them. Moved by as much as that,
/// [`EDGES`] edges add less than 2^-4 of the area that counts at this distance.
const ROUNDED: f64 = 1.0 / (1 << 12) as f64;

/// Largest number of edges in the boundary of an open component whose room is found.
const EDGES: usize = 1 << 20;

/// The mask of all rows.
const ALL: u32 = (1 << ROWS) - 1;

/// The boxes of a mesh.
#[derive(Clone, Debug)]
pub struct OwnBoxes {
    /// A box around the mesh.
    whole: Obb,
    /// The radius of a ball around the mesh, about the middle of that box.
    radius: f64,
    /// The radius of a ball about that point around the mesh and all rooms; infinite if these are not known.
    radius_with_rooms: f64,
    /// A bound of the coordinates in that ball.
    reach_of_ball: f64,
    /// The rooms of the open components of more than one triangle; `None` if one of them has no consistent
    /// winding, or a boundary of more than [`EDGES`].
    rooms: Option<Vec<Room>>,
    largest: f64,
}

/// The room that an open component might hold.
#[derive(Clone, Debug)]
struct Room {
    /// A box. The winding number of the component is less than 1/2 at every point outside it.
    bounds: Obb,
    /// The middle of each hole, and the distance from it beyond which the hole changes a winding number
    /// by no more than its share.
    holes: Vec<(DVec3, f64)>,
}

/// The balls of a mesh at its poses in four rows, about the middle of its box.
#[derive(Clone, Copy, Debug)]
pub struct PosedBalls {
    /// Balls around the mesh. If asked for, no open component winds by 1/2 around any point beyond them.
    pub whole: FourBalls,
    /// Balls around the mesh alone.
    mesh: FourBalls,
    /// The poses, where they are nearly similarities. What that changes in an area is far below the
    /// difference between the 0.4 of [`influence`] and 1/2.
    similar: SimilarPoses,
}

impl PosedBalls {
    /// Returns a mask of rows in which the pose is certain to keep all vertices in range.
    pub fn in_range(&self) -> u32 {
        self.similar.lanes()
    }
}

/// The boxes of a mesh at a pose.
#[derive(Clone, Debug)]
pub struct PosedOwnBoxes {
    /// The box around the mesh.
    pub whole: PosedBox,
    /// The rooms of its open components; `None` if they are not known at this pose.
    rooms: Option<Vec<PosedRoom>>,
}

/// A room at a pose.
#[derive(Clone, Debug)]
pub struct PosedRoom {
    /// Its box.
    pub bounds: PosedBox,
    holes: Vec<PosedHole>,
}

/// A hole at a pose.
#[derive(Clone, Debug)]
pub struct PosedHole {
    /// Its middle.
    pub middle: DVec3,
    /// The distance from the middle beyond which the hole changes a winding number by no more than its share.
    pub reach: f64,
    /// The middle, to be compared with boxes, and its reach without rounding.
    around: (PosedBox, f64),
}

impl OwnBoxes {
    /// Finds the boxes. `holes` returns the holes of the mesh; closed meshes do not call it.
    pub fn of<'h>(mesh: &Mesh, topology: &Topology, holes: impl FnOnce() -> &'h Holes) -> Self {
        let vertices = mesh.vertices();
        let spread = mesh.triangles().iter().map(|corners| corners.map(|v| vertices[v as usize]));
        let spread = spread.fold(Spread::NONE, |sum, corners| sum.with(Spread::of_triangle(corners)));
        let [along, turned] =
            [Obb::COORDINATE_AXES, spread.axes()].map(|axes| Obb::around(vertices.iter().copied(), axes));
        let whole = if turned.area() < along.area() && turned.has_frame() { turned } else { along };
        let largest = largest_coordinate(vertices);
        let open = (0..).zip(&topology.components);
        let open: Vec<u32> =
            open.filter(|(_, component)| component.may_hold()).map(|(index, _)| index).collect();
        let rooms =
            if open.is_empty() { Some(Vec::new()) } else { rooms(mesh, topology, holes(), &open, largest) };
        // The farthest corner of a box along the axes, from the middle, and its largest coordinate.
        let corner = |room: &Room, from: DVec3| (room.bounds.center - from).abs() + room.bounds.half;
        let rounded_up = |length: f64| length * (1.0 + 8.0 * f64::EPSILON);
        let squared = vertices.iter().map(|p| p.distance_squared(whole.center)).fold(0.0, f64::max);
        let radius = rounded_up(squared.sqrt());
        let of_rooms = rooms.iter().flatten();
        let farthest = of_rooms.clone().map(|room| corner(room, whole.center).length()).fold(0.0, f64::max);
        let radius_with_rooms =
            if rooms.is_some() { radius.max(rounded_up(farthest)) } else { f64::INFINITY };
        let reach_of_rooms = of_rooms.map(|room| corner(room, DVec3::ZERO).max_element()).fold(0.0, f64::max);
        let reach_of_ball = largest.max(reach_of_rooms).max(largest_coordinate(&[whole.center]));
        Self { whole, radius, radius_with_rooms, reach_of_ball, rooms, largest }
    }

    /// Returns balls around the mesh at its poses in four rows. If `with_rooms`, no open component winds by
    /// 1/2 around any point beyond the first of a row.
    #[inline(always)]
    pub fn balls<S: Simd>(&self, simd: S, poses: &FourPoses, with_rooms: bool) -> PosedBalls {
        let loaded = poses.load(simd);
        let similar = SimilarPoses::new(simd, &loaded, self.reach_of_ball);
        let radius = if with_rooms { self.radius_with_rooms } else { self.radius };
        let [whole, mesh] = similar.balls(simd, &loaded, (self.whole.center, [radius, self.radius]));
        let mut balls = PosedBalls { whole, mesh, similar };
        if similar.lanes() != ALL {
            self.set_stretched(&mut balls, poses, with_rooms);
        }
        balls
    }

    /// Sets the balls in the rows in which the pose is no similarity.
    #[cold]
    fn set_stretched(&self, balls: &mut PosedBalls, poses: &FourPoses, with_rooms: bool) {
        for lane in (0..ROWS).filter(|lane| balls.similar.lanes() & 1 << lane == 0) {
            let pose = poses.get(lane);
            let ball = |radius: f64| PosedBall::new(self.whole.center, radius, &pose, self.reach_of_ball);
            balls.whole.set(lane, &ball(if with_rooms { f64::INFINITY } else { self.radius }));
            balls.mesh.set(lane, &ball(self.radius));
        }
    }

    /// Returns a mask in which the bit of a row is set only if the mesh and another one are proven farther
    /// apart than `bound`, by the box of this one, at the poses of its balls, and a ball around the other.
    #[inline(always)]
    pub fn beyond<S: Simd>(
        &self,
        simd: S,
        (poses, own): (&FourPoses, &PosedBalls),
        other: &PosedBalls,
        bound: f64,
    ) -> u32 {
        own.similar.farther(simd, poses, (&self.whole, &other.mesh), bound)
    }

    /// Returns a mask in which the bit of a row is set only if no open component winds by 1/2 around any
    /// point of another mesh, by the rooms of this one and a ball around the other.
    #[inline(always)]
    pub fn rooms_beyond<S: Simd>(
        &self,
        simd: S,
        (poses, own): (&FourPoses, &PosedBalls),
        other: &PosedBalls,
    ) -> u32 {
        let Some(rooms) = &self.rooms else { return 0 };
        let mut beyond = own.similar.lanes();
        for room in rooms {
            beyond &= own.similar.farther(simd, poses, (&room.bounds, &other.mesh), 0.0);
        }
        beyond
    }

    /// Returns the boxes at a pose.
    pub fn posed(&self, pose: &Pose) -> PosedOwnBoxes {
        let posed = |obb: &Obb| PosedBox::new(obb, pose, self.largest);
        let rounding = world_box::margin(pose, self.largest);
        let room = |room: &Room, scale: f64| {
            let holes = room.holes.iter().map(|&(middle, reach)| {
                let point = Obb { center: middle, axes: Obb::COORDINATE_AXES, half: DVec3::ZERO };
                let around = (posed(&point), reach * scale);
                PosedHole { middle: pose.apply(middle), reach: around.1 + rounding, around }
            });
            PosedRoom { bounds: posed(&room.bounds), holes: holes.collect() }
        };
        let rooms = match self.rooms.as_deref() {
            None => None,
            Some([]) => Some(Vec::new()),
            Some(rooms) => scale_of(pose, self.reach_of_ball)
                .map(|scale| rooms.iter().map(|of| room(of, scale)).collect()),
        };
        PosedOwnBoxes { whole: posed(&self.whole), rooms }
    }
}

impl PosedOwnBoxes {
    /// Returns the rooms that are not proven apart from a posed box; `None` if rooms are not known. No open
    /// component winds by 1/2 around any point of that box outside these rooms.
    pub fn rooms_near<'r>(&'r self, other: &'r PosedBox) -> Option<impl Iterator<Item = &'r PosedRoom>> {
        let is_near = |room: &&PosedRoom| !room.bounds.is_farther(other, 0.0);
        self.rooms.as_ref().map(|rooms| rooms.iter().filter(is_near))
    }
}

impl PosedRoom {
    /// Returns the holes that are not proven far from a posed box. Each component in a box that is far from
    /// all is held as a whole or not at all, unless it meets the mesh.
    pub fn holes_near<'r>(&'r self, other: &'r PosedBox) -> impl Iterator<Item = &'r PosedHole> {
        self.holes
            .iter()
            .filter(|PosedHole { around: (middle, reach), .. }| !middle.is_farther(other, *reach))
    }
}

/// Returns the rooms of some open components; `None` if one has no consistent winding, or too many edges.
fn rooms(mesh: &Mesh, topology: &Topology, holes: &Holes, open: &[u32], largest: f64) -> Option<Vec<Room>> {
    let mut boxes = vec![Aabb::EMPTY; topology.components.len()];
    for (triangle, &component) in (0u32..).zip(&topology.component_of) {
        let bounds = &mut boxes[component as usize];
        *bounds = bounds.union(Aabb::of(mesh.corners(triangle)));
    }
    let vertex = |v: u32| mesh.vertices()[v as usize];
    let room = |&component: &u32| {
        let boundaries = holes.of_component(component)?;
        if boundaries.iter().map(Vec::len).sum::<usize>() > EDGES {
            return None;
        }
        let fan = |edges: &Vec<[u32; 2]>| Fan::of(edges.iter().map(|ends| ends.map(vertex)));
        let fans: Vec<Fan> = boundaries.iter().map(fan).collect();
        let (area, count): (f64, f64) = (fans.iter().map(|fan| fan.area).sum(), fans.len() as f64);
        let wider = |area: f64| influence(area) + ROUNDED * largest;
        let Aabb { lo, hi } = boxes[component as usize];
        let [lo, hi] = [lo - wider(area), hi + wider(area)];
        Some(Room {
            bounds: Obb::around([lo, hi].into_iter(), Obb::COORDINATE_AXES),
            holes: fans.iter().map(|fan| (fan.middle, fan.radius + wider(fan.area * count))).collect(),
        })
    };
    open.iter().map(room).collect()
}
