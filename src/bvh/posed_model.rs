//! A part ready for queries: a mesh with its tree and topology, at a pose.

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use glam::DVec3;

use super::extremes::Extremes;
use super::holes::Holes;
use super::incidence::Incidence;
use super::lids::Lids;
use super::open_boxes::OpenBoxes;
use super::own_boxes::{OwnBoxes, PosedBalls, PosedHole, PosedOwnBoxes, PosedRoom};
use super::{Hierarchy, world_box};
use crate::narrow::{Work, count};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::bounds::posed_box::PosedBox;
use closefit_geometry::exact::distance::distance;
use closefit_geometry::executor::Executor;
use closefit_geometry::lanes::{FourPoses, Simd};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::math::{Triangle, predicates};
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::open_shells::OpenShells;
use closefit_geometry::mesh::topology::{SeamTriangle, Topology, Winding};

/// The tree and topology of a mesh, built once however many parts share it.
#[derive(Clone, Debug)]
pub struct Model<T> {
    /// The boxes.
    pub tree: T,
    /// The executor of the tree's searches.
    pub executor: Executor,
    /// The components.
    pub topology: Topology,
    has_solid: bool,
    all_closed: bool,
    incidence: OnceLock<Incidence>,
    open_shells: OnceLock<OpenShells>,
    extremes: OnceLock<Extremes>,
    open_boxes: OnceLock<OpenBoxes>,
    holes: OnceLock<Holes>,
    own_boxes: OnceLock<OwnBoxes>,
    thickness: OnceLock<f64>,
}

impl<T: Hierarchy> Model<T> {
    /// Builds tree and topology for poses that are similarities or nearly so. Other poses take more time.
    pub fn of(mesh: &Mesh, executor: Executor, winding: Winding) -> Self {
        Self::new(T::build(mesh), executor, Topology::of(mesh, winding))
    }

    /// Combines a tree and a topology that have already been built.
    pub fn new(tree: T, executor: Executor, topology: Topology) -> Self {
        let has_solid = topology.components.iter().any(|component| component.closed);
        let all_closed = topology.components.iter().all(|component| component.closed);
        let (incidence, open_shells, extremes) = Default::default();
        let (open_boxes, holes, own_boxes, thickness) = Default::default();
        Self {
            tree,
            executor,
            topology,
            has_solid,
            all_closed,
            incidence,
            open_shells,
            extremes,
            open_boxes,
            holes,
            own_boxes,
            thickness,
        }
    }
}

/// A part at a pose, with facts that are computed once however many pairs it is in.
///
/// Queries see a `PosedModel` without its kind of tree, so they are compiled once and not once per kind. They
/// reach the tree only through [`PosedModel::walk`], [`PosedModel::in_box`] and [`PosedModel::near_point`],
/// which [`count`] their tests, and use only results that do not depend on the order or the boxes of the
/// tree. Questions about two bodies go through [`StaticPair`](super::static_pair::StaticPair).
#[derive(Clone, Debug)]
pub struct PosedModel<'a, T: ?Sized = dyn Standing + 'a> {
    /// The shape.
    pub mesh: &'a Mesh,
    /// The shape's topology.
    pub topology: &'a Topology,
    /// World from part.
    pub pose: Pose,
    /// A box around the posed vertices.
    around: Aabb,
    /// The exact box of the posed vertices.
    bounds: OnceLock<Aabb>,
    /// An interior point of each closed component that has one, with a proven lower bound of its depth below
    /// the closed components. The first query that needs it fills it in.
    pub inner_points: OnceLock<Vec<(DVec3, f64)>>,
    /// True when the user declared the open components to be surfaces, not solids with something missing.
    pub is_declared_surface: bool,
    component_boxes: OnceLock<Vec<(u32, Aabb)>>,
    seam_triangles: OnceLock<Vec<Triangle>>,
    has_solid: bool,
    all_closed: bool,
    /// Bound of the rounding error of a box computed in the world, per coordinate.
    margin: f64,
    incidence: &'a OnceLock<Incidence>,
    open_shells: &'a OnceLock<OpenShells>,
    extremes: &'a OnceLock<Extremes>,
    open_boxes: &'a OnceLock<OpenBoxes>,
    holes: &'a OnceLock<Holes>,
    own_boxes: &'a OnceLock<OwnBoxes>,
    posed_own_boxes: OnceLock<Box<PosedOwnBoxes>>,
    /// The lids of each component, found when a question needs them.
    lids: OnceLock<Box<[OnceLock<Option<Lids>>]>>,
    /// An upper bound of the thickness of the mesh's solid, in its own coordinates. The first query that
    /// needs it fills it in.
    pub thickness: &'a OnceLock<f64>,
    /// The posed tree.
    pub tree: T,
}

/// The box of posed vertices, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub enum PosedBounds {
    /// The exact box.
    Exact(Aabb),
    /// A box that contains it; the exact one is found when a question needs it.
    Around(Aabb),
}

/// A posed tree, as queries about one body see it.
pub trait Standing: Debug + Send + Sync {
    /// Calls `visit` with the triangles of every leaf whose world box passes `enter`, if the boxes of all
    /// its ancestors do.
    fn walk(&self, enter: &mut dyn FnMut(&Aabb) -> bool, visit: &mut dyn FnMut(u32), work: &mut Work);

    /// Calls `visit` with the triangles, and their posed corners, of every leaf that is not proven apart from
    /// a world-aligned box, until it breaks off.
    fn in_box(
        &self,
        bounds: &Aabb,
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
        work: &mut Work,
    ) -> ControlFlow<()>;

    /// Does the same for the convex hull of some corners, which are nearly in one plane.
    fn near_face(
        &self,
        corners: &[DVec3],
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
        work: &mut Work,
    ) -> ControlFlow<()> {
        self.in_box(&Aabb::of(corners.iter().copied()), visit, work)
    }

    /// Calls `visit` with the triangles, and their posed corners, of every leaf that is not proven farther
    /// from a point than the bound, near ones roughly first. `visit` returns the new bound, which must not
    /// grow, or a negative number to stop.
    fn near_point(&self, p: DVec3, bound: f64, visit: &mut dyn FnMut(u32, &Triangle) -> f64, work: &mut Work);

    /// Does the same for every leaf that is not proven farther than the bound from one of two points.
    fn near_both(
        &self,
        points: [DVec3; 2],
        bound: f64,
        visit: &mut dyn FnMut(u32, &Triangle) -> f64,
        work: &mut Work,
    ) {
        self.near_point(points[0], bound, visit, work);
    }
}

/// A posed tree of a known kind, and its model.
#[derive(Clone, Debug)]
pub struct PosedTree<'a, T: Hierarchy + 'a>(pub T::Posed<'a>, &'a Model<T>);

impl<T: Hierarchy> Standing for PosedTree<'_, T> {
    fn walk(&self, enter: &mut dyn FnMut(&Aabb) -> bool, visit: &mut dyn FnMut(u32), work: &mut Work) {
        self.0.walk(enter, visit, work);
    }

    fn in_box(
        &self,
        bounds: &Aabb,
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
        work: &mut Work,
    ) -> ControlFlow<()> {
        self.0.in_box(bounds, visit, work)
    }

    fn near_face(
        &self,
        corners: &[DVec3],
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
        work: &mut Work,
    ) -> ControlFlow<()> {
        self.0.near_face(corners, visit, work)
    }

    fn near_point(
        &self,
        p: DVec3,
        bound: f64,
        visit: &mut dyn FnMut(u32, &Triangle) -> f64,
        work: &mut Work,
    ) {
        self.0.near_point(p, bound, visit, work);
    }

    fn near_both(
        &self,
        points: [DVec3; 2],
        bound: f64,
        visit: &mut dyn FnMut(u32, &Triangle) -> f64,
        work: &mut Work,
    ) {
        self.0.near_both(points, bound, visit, work);
    }
}

impl<'a, T: Hierarchy> PosedModel<'a, PosedTree<'a, T>> {
    /// Poses a mesh. `bounds` is the exact box of its posed vertices and must be admissible: 2^200 at most.
    pub fn new(mesh: &'a Mesh, model: &'a Model<T>, pose: Pose, bounds: Aabb) -> Self {
        let body = Self::within(mesh, model, pose, |_| bounds);
        body.bounds.set(bounds).expect("it is not found yet");
        body
    }

    /// Poses a mesh whose box is known, or a box around that. The box must be admissible.
    pub fn bounded(mesh: &'a Mesh, model: &'a Model<T>, pose: Pose, bounds: PosedBounds) -> Self {
        match bounds {
            PosedBounds::Exact(bounds) => Self::new(mesh, model, pose, bounds),
            PosedBounds::Around(around) => Self::within(mesh, model, pose, |_| around),
        }
    }

    /// Returns the body at another pose.
    pub fn at(&self, pose: Pose, bounds: PosedBounds) -> Self {
        Self::bounded(self.mesh, self.tree.1, pose, bounds).declared_surface(self.is_declared_surface)
    }

    /// Returns the tree at another pose.
    pub fn tree_at(&self, pose: &Pose) -> T::Posed<'a> {
        let model = self.tree.1;
        model.tree.place(self.mesh, pose, model.executor)
    }

    /// Poses a mesh without visiting its vertices. `around` returns an admissible box that contains the posed
    /// ones.
    pub fn within(
        mesh: &'a Mesh,
        model: &'a Model<T>,
        pose: Pose,
        around: impl FnOnce(&T::Posed<'a>) -> Aabb,
    ) -> Self {
        let tree = PosedTree(model.tree.place(mesh, &pose, model.executor), model);
        Self {
            mesh,
            topology: &model.topology,
            pose,
            around: around(&tree.0),
            bounds: OnceLock::new(),
            inner_points: OnceLock::new(),
            is_declared_surface: false,
            component_boxes: OnceLock::new(),
            seam_triangles: OnceLock::new(),
            all_closed: model.all_closed,
            has_solid: model.has_solid,
            margin: world_box::margin(&pose, model.tree.largest_coordinate()),
            incidence: &model.incidence,
            open_shells: &model.open_shells,
            extremes: &model.extremes,
            open_boxes: &model.open_boxes,
            holes: &model.holes,
            own_boxes: &model.own_boxes,
            posed_own_boxes: OnceLock::new(),
            lids: OnceLock::new(),
            thickness: &model.thickness,
            tree,
        }
    }

    /// Returns the body moved by a step.
    pub fn moved(&self, step: DVec3) -> Self {
        let mut pose = self.pose;
        for (row, step) in pose.rows.iter_mut().zip(step.to_array()) {
            row[3] += step;
        }
        let Aabb { lo, hi } = *self.bounds();
        // The posed vertices are rounded again.
        let around = Aabb { lo: lo + step - self.margin, hi: hi + step + self.margin };
        self.at(pose, PosedBounds::Around(around))
    }

    /// Sets whether the body is declared a surface.
    pub fn declared_surface(mut self, is_surface: bool) -> Self {
        self.is_declared_surface = is_surface;
        self
    }
}

impl<T: Standing + ?Sized> PosedModel<'_, T> {
    /// Returns the exact box of the posed vertices, found on first use.
    pub fn bounds(&self) -> &Aabb {
        self.bounds.get_or_init(|| self.mesh.posed_bounds(&self.pose))
    }

    /// True unless it is certain, without finding the exact box of either, that no component of another body
    /// lies in the interior of this one's box.
    pub fn may_surround(&self, other: &PosedModel) -> bool {
        if self.bounds.get().is_some() && other.bounds.get().is_some() {
            return true;
        }
        let is_inside = |&vertex: &u32| {
            let p = other.pose.apply(other.mesh.vertices()[vertex as usize]);
            self.around.lo.cmplt(p).all() && p.cmplt(self.around.hi).all()
        };
        other.extremes().of_components().iter().any(|vertices| vertices.iter().all(is_inside))
    }

    /// True unless it is certain, without finding the exact box of either, that no open component of this
    /// body that counts as an incomplete solid holds anything of another one. The bodies must not be in
    /// contact.
    pub fn may_hold(&self, other: &PosedModel) -> bool {
        if !self.has_incomplete_solid() || !overlap(&self.around, &other.around) {
            return false;
        }
        // Boxes in the frames of meshes are worth their while only for many poses.
        let is_known = self.bounds.get().is_some() && other.bounds.get().is_some();
        if is_known && (self.own_boxes.get().is_none() || other.own_boxes.get().is_none()) {
            return true;
        }
        let (own, around) = (self.posed_own_boxes(), other.posed_own_boxes());
        self.may_hold_at(own, other, &other.pose, &around.whole, |hole| other.is_beyond(hole))
    }

    /// Returns balls at other poses of the body, in four rows. Of a body beyond the whole, no component is in
    /// contact with this one, or held by one of its open components that counts as an incomplete solid.
    #[inline(always)]
    pub fn balls_at<S: Simd>(&self, simd: S, poses: &FourPoses) -> PosedBalls {
        self.own_boxes().balls(simd, poses, self.has_incomplete_solid())
    }

    /// Returns a mask in which the bit of one of the rows asked for is set only if this body, at the pose of
    /// its balls, is proven farther from another one than `bound`, or the other one from this one; and if
    /// neither might hold the other in one of its open components.
    #[inline(always)]
    pub fn beyond_balls<S: Simd>(
        &self,
        simd: S,
        own: (&FourPoses, &PosedBalls),
        (other, of_other): (&Self, (&FourPoses, &PosedBalls)),
        (bound, rows): (f64, u32),
    ) -> u32 {
        let (a, b) = (self.own_boxes(), other.own_boxes());
        let mut beyond = rows & a.beyond(simd, own, of_other.1, bound);
        if beyond != rows {
            beyond |= rows & b.beyond(simd, of_other, own.1, bound);
        }
        if beyond != 0 && self.has_incomplete_solid() {
            beyond &= a.rooms_beyond(simd, own, of_other.1);
        }
        if beyond != 0 && other.has_incomplete_solid() {
            beyond &= b.rooms_beyond(simd, of_other, own.1);
        }
        beyond
    }

    /// True only if all triangles are farther from the middle of another body's hole than its reach.
    fn is_beyond(&self, PosedHole { middle, reach, .. }: &PosedHole) -> bool {
        let mut is_beyond = true;
        self.near_point(*middle, *reach, &mut |_, corners| {
            is_beyond = distance(&[*middle; 3], corners) > *reach;
            if is_beyond { *reach } else { -1.0 }
        });
        is_beyond
    }

    /// Returns [`PosedModel::may_hold`] for other poses of both bodies. `own` are the boxes of this body at
    /// its pose, and `around` is the other body's box at `at`. `is_beyond` says if the other body is proven
    /// to be far from a hole that this box is near. Boxes along the axes of the world are not compared.
    pub fn may_hold_at(
        &self,
        own: &PosedOwnBoxes,
        other: &PosedModel,
        at: &Pose,
        around: &PosedBox,
        is_beyond: impl Fn(&PosedHole) -> bool,
    ) -> bool {
        if !self.has_incomplete_solid() {
            return false;
        }
        let Some(mut rooms) = own.rooms_near(around) else { return true };
        let leaves = |room: &PosedRoom, vertices: &[u32; 6]| {
            let place = |&vertex: &u32| at.apply(other.mesh.vertices()[vertex as usize]);
            vertices.iter().map(place).any(|p| room.bounds.excludes(p))
        };
        // Far from the holes, a component is held as a whole or not at all: one vertex outside decides.
        rooms.any(|room| {
            !other.extremes().of_components().iter().all(|vertices| leaves(room, vertices))
                || !room.holes_near(around).all(&is_beyond)
        })
    }

    /// True unless it is certain, without finding the exact box, that a point does not lie in its interior.
    pub fn may_contain(&self, p: DVec3) -> bool {
        self.known_bounds().strictly_contains(&Aabb { lo: p, hi: p })
    }

    /// True unless it is certain, without finding the exact box of either, that the boxes of two bodies at
    /// most touch.
    pub fn may_overlap(&self, other: &PosedModel) -> bool {
        overlap(self.known_bounds(), other.known_bounds())
    }

    /// True when the box of this body overlaps another box by more than the tolerance along every axis.
    pub fn overlaps_by_more(&self, other: &Aabb, tolerance: f64) -> bool {
        self.known_bounds().overlaps_by_more(other, tolerance)
            && (self.within_bounds().overlaps_by_more(other, tolerance)
                || self.bounds().overlaps_by_more(other, tolerance))
    }

    /// True when the box of a component overlaps another box by more than the tolerance along every axis.
    pub fn component_overlaps_by_more(&self, component: u32, other: &Aabb, tolerance: f64) -> bool {
        if self.component_boxes.get().is_none() {
            let extremes = &self.extremes().of_components()[component as usize];
            if self.posed_box_of(extremes).overlaps_by_more(other, tolerance) {
                return true;
            }
            if !self.box_around(extremes).overlaps_by_more(other, tolerance) {
                return false;
            }
        }
        self.component_boxes()[component as usize].1.overlaps_by_more(other, tolerance)
    }

    /// True when the box of a component of another body lies in the interior of this one's box.
    pub fn surrounds(&self, other: &PosedModel, component: u32) -> bool {
        if !other.knows_boxes() {
            let extremes = &other.extremes().of_components()[component as usize];
            let [within, around] = [other.posed_box_of(extremes), other.box_around(extremes)];
            if !self.around.strictly_contains(&within) {
                return false;
            }
            if self.within_bounds().strictly_contains(&around) || self.bounds().strictly_contains(&around) {
                return true;
            }
            if !self.bounds().strictly_contains(&within) {
                return false;
            }
        }
        self.bounds().strictly_contains(&other.component_boxes()[component as usize].1)
    }

    /// True unless it is certain, without finding an exact box, that [`PosedModel::surrounds`] is false.
    pub fn may_surround_component(&self, other: &PosedModel, component: u32) -> bool {
        if self.knows_boxes() && other.knows_boxes() {
            return self.surrounds(other, component);
        }
        let extremes = &other.extremes().of_components()[component as usize];
        self.known_bounds().strictly_contains(&other.posed_box_of(extremes))
    }

    /// Returns the lowest triangle of a component.
    pub fn lowest_triangle(&self, component: u32) -> u32 {
        if self.knows_boxes() {
            self.component_boxes()[component as usize].0
        } else {
            self.extremes().lowest_triangles()[component as usize]
        }
    }

    /// True when the boxes of components need not be avoided, since exact boxes are in use.
    fn knows_boxes(&self) -> bool {
        self.bounds.get().is_some() || self.component_boxes.get().is_some()
    }

    /// Returns a box around the posed vertices; the exact one if it is known.
    fn known_bounds(&self) -> &Aabb {
        self.bounds.get().unwrap_or(&self.around)
    }

    /// Returns a box within the exact one; the exact one if it is known.
    pub fn within_bounds(&self) -> Aabb {
        self.bounds.get().copied().unwrap_or_else(|| self.posed_box_of(self.extremes().of_whole()))
    }

    /// Returns the box of some posed vertices.
    fn posed_box_of(&self, vertices: &[u32]) -> Aabb {
        Aabb::of(vertices.iter().map(|&vertex| self.pose.apply(self.mesh.vertices()[vertex as usize])))
    }

    /// Returns a box around all vertices that have these extremes.
    ///
    /// The margin is 128 roundings of its `size`. Posing a vertex and this box takes 19, of values of at most
    /// twice that.
    fn box_around(&self, extremes: &[u32; 6]) -> Aabb {
        let bound = |k: usize| self.mesh.vertices()[extremes[k] as usize][k % 3];
        let [lo, hi] = [[0, 1, 2], [3, 4, 5]].map(|of| DVec3::from(of.map(bound)));
        let own = Obb { center: 0.5 * (lo + hi), axes: Obb::COORDINATE_AXES, half: 0.5 * (hi - lo) };
        world_box::around(&own, &self.pose, self.margin)
    }

    /// Returns a box around each component, in order: not always its own.
    pub fn boxes_around_components(&self) -> impl Iterator<Item = Aabb> {
        self.extremes().of_components().iter().map(|extremes| self.box_around(extremes))
    }

    /// Returns the posed corners of a triangle.
    #[inline]
    pub fn triangle(&self, triangle: u32) -> Triangle {
        let [p, q, r] = self.mesh.corners(triangle);
        [self.pose.apply(p), self.pose.apply(q), self.pose.apply(r)]
    }

    /// Returns the posed corners of a triangle, counterclockwise as seen from outside its shell.
    pub fn oriented(&self, triangle: u32) -> Triangle {
        self.turned_out(triangle, self.triangle(triangle))
    }

    /// Puts a triangle's corners into the order of [`Self::oriented`].
    pub fn turned_out(&self, triangle: u32, [a, b, c]: Triangle) -> Triangle {
        if self.topology.is_turned(triangle) { [a, c, b] } else { [a, b, c] }
    }

    /// Returns the posed triangles that close the seams of closed components, oriented, without triangles
    /// of zero area. They are exactly flat in the mesh's frame and fill the cracks that the rounding of the
    /// pose opens.
    pub fn seam_triangles(&self) -> &[Triangle] {
        self.seam_triangles.get_or_init(|| {
            let posed =
                |seam: &SeamTriangle| seam.corners.map(|v| self.pose.apply(self.mesh.vertices()[v as usize]));
            let seams = self.topology.seam_triangles.iter().map(posed);
            seams.filter(|&[a, b, c]| !predicates::collinear(a, b, c)).collect()
        })
    }

    /// Returns a bound of the distance between a posed vertex and its place without rounding: 4 roundings of
    /// half an EPSILON per coordinate, and one of the pose itself. The margin has room for 8 times as much.
    pub fn rounding(&self) -> f64 {
        0.125 * self.margin
    }

    /// Returns a bound of the distance between any point of a seam triangle and the closed triangles on whose
    /// edges it lies in the mesh's frame; 0 without seams.
    pub fn seam_width(&self) -> f64 {
        if self.topology.seam_triangles.is_empty() { 0.0 } else { 2.0 * self.rounding() }
    }

    /// Returns the number of triangles.
    pub fn len(&self) -> u32 {
        closefit_geometry::ids::to_u32(self.mesh.triangles().len())
    }

    /// Always false: a mesh has triangles.
    pub fn is_empty(&self) -> bool {
        self.mesh.triangles().is_empty()
    }

    /// True when any component is open.
    pub fn has_open(&self) -> bool {
        !self.all_closed
    }

    /// True when some component is open and counts as a solid with something missing, because the body is not
    /// declared a surface.
    pub fn has_incomplete_solid(&self) -> bool {
        self.has_open() && !self.is_declared_surface
    }

    /// True when the triangle belongs to a closed component.
    #[inline]
    pub fn is_closed(&self, triangle: u32) -> bool {
        if self.all_closed {
            return true;
        }
        self.topology.is_closed(triangle)
    }

    /// Returns the triangles at each vertex, collected on first use.
    pub fn incidence(&self) -> &Incidence {
        self.incidence.get_or_init(|| Incidence::of(self.mesh))
    }

    /// Returns the open components as shells, oriented on first use.
    pub fn open_shells(&self) -> &OpenShells {
        self.open_shells.get_or_init(|| OpenShells::of(self.mesh, self.topology))
    }

    /// Returns the boxes of the open components in the mesh's own coordinates, found on first use.
    pub fn open_boxes(&self) -> &OpenBoxes {
        self.open_boxes.get_or_init(|| OpenBoxes::of(self.mesh, self.topology))
    }

    /// Returns the holes of the open components, found on first use.
    pub fn holes(&self) -> &Holes {
        self.holes.get_or_init(|| Holes::of(self.open_shells(), self.topology.components.len()))
    }

    /// Returns posed triangles that close an open component, found on first use; `None` if it has no
    /// consistent winding.
    pub fn lids(&self, component: u32) -> Option<&Lids> {
        let all = self.lids.get_or_init(|| vec![OnceLock::new(); self.topology.components.len()].into());
        let at = |vertex: u32| self.pose.apply(self.mesh.vertices()[vertex as usize]);
        let lids = || self.open_shells().boundary(component).map(|boundary| Lids::of(boundary, at));
        all[component as usize].get_or_init(lids).as_ref()
    }

    /// Returns the extreme vertices of each component, found on first use.
    fn extremes(&self) -> &Extremes {
        self.extremes.get_or_init(|| Extremes::of(self.mesh, self.topology))
    }

    /// Returns the boxes of the mesh's own frame at the pose, found on first use.
    pub fn posed_own_boxes(&self) -> &PosedOwnBoxes {
        self.posed_own_boxes.get_or_init(|| Box::new(self.own_boxes().posed(&self.pose)))
    }

    /// Returns the boxes of the mesh in its own frame, found on first use.
    pub fn own_boxes(&self) -> &OwnBoxes {
        self.own_boxes.get_or_init(|| OwnBoxes::of(self.mesh, self.topology, || self.holes()))
    }

    /// True when some component is closed, so that it bounds a solid.
    pub fn has_solid(&self) -> bool {
        self.has_solid
    }

    /// Returns the lowest triangle and the posed box of every component, in order.
    pub fn component_boxes(&self) -> &[(u32, Aabb)] {
        self.component_boxes.get_or_init(|| {
            let topology = self.topology;
            if topology.components.len() == 1 {
                return vec![(0, *self.bounds())];
            }
            let extremes = self.extremes();
            let boxed = |(component, &lowest): (usize, &u32)| {
                (lowest, self.posed_box_of(extremes.vertices_of(component)))
            };
            extremes.lowest_triangles().iter().enumerate().map(boxed).collect()
        })
    }

    /// Calls `visit` with the triangles of every leaf whose world box passes `enter`, if the boxes of all
    /// its ancestors do.
    pub fn walk(&self, mut enter: impl FnMut(&Aabb) -> bool, mut visit: impl FnMut(u32)) {
        let mut work = Work::NONE;
        self.tree.walk(&mut enter, &mut visit, &mut work);
        count(work);
    }

    /// Calls `visit` with the triangles, and their posed corners, of every leaf that is not proven apart from
    /// a world-aligned box, until it breaks off.
    pub fn in_box(
        &self,
        bounds: &Aabb,
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut work = Work::NONE;
        let flow = self.tree.in_box(bounds, visit, &mut work);
        count(work);
        flow
    }

    /// Does the same for the convex hull of some corners, which are nearly in one plane.
    pub fn near_face(
        &self,
        corners: &[DVec3],
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut work = Work::NONE;
        let flow = self.tree.near_face(corners, visit, &mut work);
        count(work);
        flow
    }

    /// Calls `visit` with the triangles, and their posed corners, of every leaf that is not proven farther
    /// from a point than the bound, near ones roughly first. `visit` returns the new bound, which must not
    /// grow, or a negative number to stop.
    pub fn near_point(&self, p: DVec3, bound: f64, visit: &mut dyn FnMut(u32, &Triangle) -> f64) {
        let mut work = Work::NONE;
        self.tree.near_point(p, bound, visit, &mut work);
        count(work);
    }

    /// Does the same for every leaf that is not proven farther than the bound from one of two points.
    pub fn near_both(&self, points: [DVec3; 2], bound: f64, visit: &mut dyn FnMut(u32, &Triangle) -> f64) {
        let mut work = Work::NONE;
        self.tree.near_both(points, bound, visit, &mut work);
        count(work);
    }
}

/// True when two boxes overlap along every axis: more than touch.
fn overlap(a: &Aabb, b: &Aabb) -> bool {
    a.lo.cmplt(b.hi).all() && b.lo.cmplt(a.hi).all()
}
