//! A tree over the profiles of a part's triangles.

use std::ops::Range;

use glam::{DVec2, DVec3};

use super::{Axis, polygon};
use crate::narrow::Work;
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;

/// Largest number of triangles in a leaf.
const LEAF: usize = 4;

/// Largest number of corners of a node's polygon. Polygons with more are replaced by boxes, so that memory is
/// bounded by the number of triangles.
const CORNERS: usize = 32;

/// A part at the pose at which its profiles are taken.
#[derive(Clone, Copy, Debug)]
pub struct PosedProfile<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// World from part.
    pub pose: Pose,
    /// The axis, in the world.
    pub axis: Axis,
    /// A world axis along which coordinates are compared as they are, besides the profiles.
    pub constant: Option<usize>,
}

impl PosedProfile<'_> {
    fn triangle(&self, triangle: u32) -> Triangle {
        self.mesh.corners(triangle).map(|v| self.pose.apply(v))
    }

    /// Returns the smallest and the largest coordinate along the constant world axis.
    fn levels(&self, triangle: &Triangle) -> [f64; 2] {
        let level = |p: &DVec3| self.constant.map_or(0.0, |axis| p[axis]);
        let [p, q, r] = triangle.each_ref().map(level);
        [p.min(q).min(r), p.max(q).max(r)]
    }

    fn outline(&self, triangle: u32) -> Outline {
        let corners = self.triangle(triangle);
        Outline { polygon: self.axis.profile(&corners), levels: self.levels(&corners) }
    }
}

/// A polygon that contains profiles, and the range of coordinates along the constant world axis.
#[derive(Clone, Debug)]
struct Outline {
    polygon: Vec<DVec2>,
    levels: [f64; 2],
}

#[derive(Clone, Debug)]
struct ProfileNode {
    /// Positions in the order of the triangles.
    range: Range<u32>,
    /// The second child; the first follows its parent. 0 in a leaf.
    second: u32,
    /// Corners of a convex polygon that contains the profiles.
    corners: Range<u32>,
    lo: DVec2,
    hi: DVec2,
    /// Size that opening the node gains: its own less its larger child's; negative in a leaf. Where
    /// profiles lie on each other, opening a node gains nothing.
    gain: f64,
    levels: [f64; 2],
}

/// A binary tree over the profiles of a part's triangles.
#[derive(Clone, Debug)]
pub struct ProfileTree {
    triangles: Vec<u32>,
    nodes: Vec<ProfileNode>,
    corners: Vec<DVec2>,
}

/// The state of building a tree.
struct Builder<'a> {
    posed: &'a PosedProfile<'a>,
    /// Centres of the triangles' profiles.
    centers: Vec<DVec2>,
    tree: ProfileTree,
}

impl ProfileTree {
    /// Builds the tree of a mesh.
    pub fn build(posed: &PosedProfile) -> Self {
        let count = to_u32(posed.mesh.triangles().len());
        let center = |triangle: u32| {
            let places = posed.triangle(triangle).map(|p| posed.axis.place(p));
            places.iter().map(|place| DVec2::new(place.radius, place.height)).sum()
        };
        let centers = (0..count).map(center).collect();
        let tree = Self { triangles: (0..count).collect(), nodes: Vec::new(), corners: Vec::new() };
        let mut builder = Builder { posed, centers, tree };
        builder.node(0..count);
        builder.tree
    }

    /// True only if no two triangles of two parts have profiles within `limit + slack` of each other,
    /// unless their constant coordinates are farther apart than `limit`. That holds for every shift of the
    /// second part's heights between the two `slides`.
    pub fn farther(
        [a, b]: [&Self; 2],
        posed: &[PosedProfile; 2],
        slides: [f64; 2],
        [limit, slack]: [f64; 2],
        work: &mut Work,
    ) -> bool {
        let question = Question { trees: [a, b], posed, slides, limit, slack };
        let most = 4 * (a.triangles.len() + b.triangles.len());
        let mut stack = vec![[0, 0]];
        let mut tests = 0;
        while let Some([i, j]) = stack.pop() {
            tests += 1;
            let (p, q) = (&a.nodes[i as usize], &b.nodes[j as usize]);
            if question.nodes_apart(p, q) {
                continue;
            }
            let opens_first = [p.gain, p.size()] >= [q.gain, q.size()];
            let decided = match (p.second, q.second) {
                (0, 0) => question.triangles_apart(p, q, work),
                _ if opens_first => {
                    stack.extend([[p.second, j], [i + 1, j]]);
                    true
                }
                _ => {
                    stack.extend([[i, q.second], [i, j + 1]]);
                    true
                }
            };
            if !decided || tests > most {
                *work += Work::boxes(tests as u64);
                return false;
            }
        }
        *work += Work::boxes(tests as u64);
        true
    }
}

impl ProfileNode {
    fn size(&self) -> f64 {
        let size = self.hi - self.lo;
        size.x + size.y
    }
}

/// Two trees and the distance in question.
struct Question<'a> {
    trees: [&'a ProfileTree; 2],
    posed: &'a [PosedProfile<'a>; 2],
    slides: [f64; 2],
    limit: f64,
    slack: f64,
}

impl Question<'_> {
    fn nodes_apart(&self, p: &ProfileNode, q: &ProfileNode) -> bool {
        if self.levels_apart(p.levels, q.levels) {
            return true;
        }
        let [down, up] = self.slides;
        let gap = (p.lo - q.hi - DVec2::new(0.0, up)).max(q.lo + DVec2::new(0.0, down) - p.hi);
        let enough = self.limit + self.slack;
        if gap.max_element() > enough {
            return true;
        }
        let [a, b] = [(0, p), (1, q)].map(|(side, node): (usize, &ProfileNode)| {
            &self.trees[side].corners[node.corners.start as usize..node.corners.end as usize]
        });
        self.polygons_apart(a, b)
    }

    fn triangles_apart(&self, p: &ProfileNode, q: &ProfileNode, work: &mut Work) -> bool {
        let outlines = |side: usize, node: &ProfileNode| {
            let triangles = &self.trees[side].triangles[node.range.start as usize..node.range.end as usize];
            triangles.iter().map(|&t| self.posed[side].outline(t)).collect::<Vec<_>>()
        };
        let (of_p, of_q) = (outlines(0, p), outlines(1, q));
        *work += Work::triangles((of_p.len() * of_q.len()) as u64);
        of_p.iter().all(|p| {
            of_q.iter()
                .all(|q| self.levels_apart(p.levels, q.levels) || self.polygons_apart(&p.polygon, &q.polygon))
        })
    }

    /// True only if constant coordinates are farther apart than the limit. A difference, rounded to the
    /// nearest, is not larger than any distance, rounded to the nearest.
    fn levels_apart(&self, p: [f64; 2], q: [f64; 2]) -> bool {
        self.posed[0].constant.is_some() && (q[0] - p[1] > self.limit || p[0] - q[1] > self.limit)
    }

    fn polygons_apart(&self, a: &[DVec2], b: &[DVec2]) -> bool {
        let enough = self.limit + self.slack;
        if self.slides == [0.0; 2] {
            return polygon::farther(a, b, enough);
        }
        let mut swept: Vec<DVec2> =
            self.slides.iter().flat_map(|slide| b.iter().map(|p| *p + DVec2::new(0.0, *slide))).collect();
        polygon::hull(&mut swept);
        polygon::farther(a, &swept, enough)
    }
}

impl Builder<'_> {
    /// Appends the node of a range of triangles, and those below it. Returns its index.
    fn node(&mut self, range: Range<u32>) -> u32 {
        let index = self.tree.nodes.len();
        self.tree.nodes.push(ProfileNode {
            range: range.clone(),
            second: 0,
            corners: 0..0,
            lo: DVec2::ZERO,
            hi: DVec2::ZERO,
            gain: -1.0,
            levels: [0.0; 2],
        });
        let (second, outline) = if range.len() <= LEAF {
            let of_range = &self.tree.triangles[range.start as usize..range.end as usize];
            (0, Outline::around(of_range.iter().map(|&t| self.posed.outline(t))))
        } else {
            let middle = self.split(range.clone());
            let first = self.node(range.start..middle);
            let second = self.node(middle..range.end);
            (second, Outline::around([first, second].map(|node| self.outline(node))))
        };
        let Outline { polygon, levels } = outline;
        let lo = polygon.iter().copied().fold(DVec2::INFINITY, DVec2::min);
        let hi = polygon.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
        let start = to_u32(self.tree.corners.len());
        if polygon.len() > CORNERS {
            self.tree.corners.extend([lo, DVec2::new(hi.x, lo.y), hi, DVec2::new(lo.x, hi.y)]);
        } else {
            self.tree.corners.extend(polygon);
        }
        let corners = start..to_u32(self.tree.corners.len());
        self.tree.nodes[index] = ProfileNode { range, second, corners, lo, hi, gain: -1.0, levels };
        if second != 0 {
            let size = |node: usize| self.tree.nodes[node].size();
            self.tree.nodes[index].gain = size(index) - size(index + 1).max(size(second as usize));
        }
        to_u32(index)
    }

    fn outline(&self, node: u32) -> Outline {
        let ProfileNode { corners, levels, .. } = &self.tree.nodes[node as usize];
        let polygon = self.tree.corners[corners.start as usize..corners.end as usize].to_vec();
        Outline { polygon, levels: *levels }
    }

    /// Puts the triangles of a range whose centres are lower along the longer side of their box first.
    /// Returns the middle of the range.
    fn split(&mut self, range: Range<u32>) -> u32 {
        let centers = &self.centers;
        let triangles = &mut self.tree.triangles[range.start as usize..range.end as usize];
        let of = |t: &u32| centers[*t as usize];
        let lo = triangles.iter().map(of).fold(DVec2::INFINITY, DVec2::min);
        let hi = triangles.iter().map(of).fold(DVec2::NEG_INFINITY, DVec2::max);
        let size = hi - lo;
        let axis = usize::from(size.y > size.x);
        let half = triangles.len() / 2;
        triangles.select_nth_unstable_by(half, |s, t| of(s)[axis].total_cmp(&of(t)[axis]).then(s.cmp(t)));
        range.start + to_u32(half)
    }
}

impl Outline {
    /// Returns an outline around others.
    fn around(outlines: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self { polygon: Vec::new(), levels: [f64::INFINITY, f64::NEG_INFINITY] };
        for Self { polygon, levels } in outlines {
            all.polygon.extend(polygon);
            all.levels = [all.levels[0].min(levels[0]), all.levels[1].max(levels[1])];
        }
        polygon::hull(&mut all.polygon);
        all
    }
}
