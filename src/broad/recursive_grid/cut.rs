//! The planes that cut a cell into a grid of smaller ones.

use glam::DVec3;

use closefit_geometry::bounds::aabb::Aabb;

/// A cell cut into a grid of smaller ones, its children. The planes between them are evenly spaced; the
/// outermost children reach as far as the cell.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    lo: DVec3,
    /// Distance of the planes; infinite along an axis that is not cut.
    step: DVec3,
    /// Number of cells along an axis that is cut.
    along: u32,
    /// Place of the first child; the others follow it.
    pub first: usize,
}

/// The children that a box meets: the first and the last along each axis.
#[derive(Clone, Copy)]
pub(super) struct Span {
    lo: [usize; 3],
    hi: [usize; 3],
    cells: [usize; 3],
}

impl Cut {
    /// Cuts a box evenly along every axis, into `along` cells each.
    pub fn dividing(b: &Aabb, along: u32) -> Self {
        Self { lo: b.lo, step: (b.hi - b.lo) / f64::from(along), along, first: 0 }
    }

    /// Cuts a box into `along` cells along each axis along which `boxes` take up no more than half of it on
    /// average. Returns `None` if there is no such axis.
    pub fn parting(b: &Aabb, along: u32, boxes: &[&Aabb]) -> Option<Self> {
        let mut cut = Self::dividing(b, along);
        let taken: DVec3 = boxes.iter().map(|other| (other.hi - other.lo).min(b.hi - b.lo)).sum();
        for axis in 0..3 {
            // A step of zero, or one that rounding swallows, parts nothing.
            let parts = cut.lo[axis] < cut.lo[axis] + cut.step[axis];
            let half = cut.step[axis] * f64::from(along / 2);
            if !parts || taken[axis] / boxes.len() as f64 > half {
                cut.step[axis] = f64::INFINITY;
            }
        }
        cut.step.to_array().iter().any(|step| step.is_finite()).then_some(cut)
    }

    fn plane(&self, axis: usize, i: usize) -> f64 {
        self.lo[axis] + self.step[axis] * i as f64
    }

    /// Returns the cell of a coordinate. It never falls as the coordinate rises, so boxes that overlap have a
    /// cell in common.
    fn cell(&self, axis: usize, x: f64) -> usize {
        if self.step[axis] == f64::INFINITY {
            return 0;
        }
        (1..self.along as usize).map(|i| usize::from(self.plane(axis, i) <= x)).sum()
    }

    /// Returns the number of cells along each axis.
    fn cells(&self) -> [usize; 3] {
        self.step.to_array().map(|step| if step == f64::INFINITY { 1 } else { self.along as usize })
    }

    /// Returns the number of children.
    pub fn children(&self) -> usize {
        self.cells().into_iter().product()
    }

    /// Returns the children that a box meets.
    pub fn span(&self, b: &Aabb) -> Span {
        let cells = |x: DVec3| [self.cell(0, x.x), self.cell(1, x.y), self.cell(2, x.z)];
        Span { lo: cells(b.lo), hi: cells(b.hi), cells: self.cells() }
    }

    /// Returns about how many cells of this size meet the box, if the grid had no end.
    pub fn spread(&self, b: &Aabb) -> f64 {
        let along = |axis: usize| {
            let extent = b.hi[axis] - b.lo[axis];
            if extent > 0.0 { extent / self.step[axis] + 1.0 } else { 1.0 }
        };
        along(0) * along(1) * along(2)
    }

    /// Returns the part of `region`, the cell that is cut, that a child takes.
    pub fn region(&self, child: usize, region: &Aabb) -> Aabb {
        let [nx, ny, nz] = self.cells();
        let place = [(child % nx, nx), (child / nx % ny, ny), (child / (nx * ny), nz)];
        let mut b = *region;
        for (axis, (i, cells)) in place.into_iter().enumerate() {
            if i > 0 {
                b.lo[axis] = self.plane(axis, i);
            }
            if i + 1 < cells {
                b.hi[axis] = self.plane(axis, i + 1);
            }
        }
        b
    }
}

impl Span {
    /// Returns the numbers of the children.
    pub fn children(self) -> impl Iterator<Item = usize> {
        let ([x, y, z], [nx, ny, _]) = ([0, 1, 2].map(|axis| self.lo[axis]..=self.hi[axis]), self.cells);
        z.flat_map(move |z| {
            let x = x.clone();
            y.clone().flat_map(move |y| x.clone().map(move |x| (z * ny + y) * nx + x))
        })
    }
}
