//! Primitives: boxes, cylinders, spheres, capsules, cones and ellipsoids, as meshes in their own frames.
//!
//! A box is its twelve triangles. The vertices of the others lie on the true surface, up to rounding, and no
//! point of a mesh is farther from that surface than the chord. Around an axis there is a multiple of four
//! segments, so that the mesh has the box of the true surface.
//!
//! A sphere is divided like an octahedron: the ring `k` of `n` above the equator is at the angle `k π / 2n`
//! from the pole, and has `4k` vertices. A point of a triangle with its corners on a sphere of radius `r` is
//! at least `√(r² − R²)` from the centre, where `R` is the radius of its circumcircle; that decides `n`. An
//! ellipsoid is a sphere of radius 1, stretched: that takes no two points farther apart than its largest
//! radius times.

use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, PI};

use super::error::Fault;
use closefit_geometry::ids::{MeshId, to_u32};
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::mesh::{MOST, Mesh};
use closefit_geometry::scene::Scene;
use glam::DVec3;

/// A primitive about the origin. Its axis, if it has one, is z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Solid {
    /// Half its extents.
    Box(DVec3),
    /// Radius, and half the length.
    Cylinder(f64, f64),
    /// Radius.
    Sphere(f64),
    /// Radius, and half the length between the centres of its ends.
    Capsule(f64, f64),
    /// Radius, and half the length. The apex is up.
    #[cfg_attr(not(any(test, feature = "python")), expect(dead_code, reason = "cones are USD's"))]
    Cone(f64, f64),
    /// Radii along the axes.
    Ellipsoid(DVec3),
}

/// The fewest segments of a quarter turn, so that what is smaller than the chord stays a solid.
const LEAST: usize = 2;

/// Bytes of a triangle while a mesh is made, with its share of the vertices, twice.
const TRIANGLE_BYTES: usize = 2 * (size_of::<[u32; 3]>() + size_of::<DVec3>());

impl Solid {
    /// Returns its word, as in URDF.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Box(_) => "box",
            Self::Cylinder(..) => "cylinder",
            Self::Sphere(_) => "sphere",
            Self::Capsule(..) => "capsule",
            Self::Cone(..) => "cone",
            Self::Ellipsoid(_) => "ellipsoid",
        }
    }

    /// Returns its measures, in the order of its kind.
    fn measures(&self) -> [f64; 3] {
        match *self {
            Self::Box(half) | Self::Ellipsoid(half) => half.to_array(),
            Self::Cylinder(radius, half) | Self::Capsule(radius, half) | Self::Cone(radius, half) => {
                [radius, half, 0.0]
            }
            Self::Sphere(radius) => [radius, 0.0, 0.0],
        }
    }

    /// Returns how far its true surface may lie from a mesh with this chord.
    pub fn chord(&self, chord: f64) -> f64 {
        if matches!(self, Self::Box(_)) { 0.0 } else { chord }
    }

    /// Returns its mesh, no point of which is farther from the true surface than the chord.
    ///
    /// # Errors
    /// If a measure is not positive, or if the mesh would be too large. A capsule may have no length.
    pub fn mesh(&self, chord: f64, memory: &MemoryAccount) -> Result<Mesh, Fault> {
        let measures = self.measures();
        let wanted = match self {
            Self::Box(_) | Self::Ellipsoid(_) => &measures[..],
            Self::Cylinder(..) | Self::Cone(..) => &measures[..2],
            Self::Sphere(_) | Self::Capsule(..) => &measures[..1],
        };
        let (least, word) = (wanted.iter().copied().fold(f64::INFINITY, f64::min), self.word());
        // They are numbers.
        if least <= 0.0 || measures[1] < 0.0 {
            let wrong = if least > 0.0 { measures[1] } else { least };
            return Err(Fault::at(word, format!("the size {wrong:e} is not positive")));
        }
        let rings = |radius: f64, walls: bool| -> Result<usize, Fault> {
            let rings = rings(chord / radius, word)?;
            take(8 * rings * (rings + usize::from(walls)), word, memory)?;
            Ok(rings)
        };
        let mut soup = Soup { vertices: Vec::new(), triangles: Vec::new() };
        match *self {
            Self::Box(half) => {
                take(12, word, memory)?;
                soup.cuboid(half);
            }
            Self::Cylinder(radius, half) | Self::Cone(radius, half) => {
                let quarter = quarter_of_circle(radius, chord);
                refuse_many(16.0 * quarter, word)?;
                take(16 * quarter as usize, word, memory)?;
                let top = if matches!(self, Self::Cone(..)) { 0.0 } else { radius };
                soup.cylinder([radius, top], half, quarter as usize);
            }
            Self::Sphere(radius) => soup.ball(rings(radius, false)?, [0.0; 2], |p| radius * p),
            Self::Capsule(radius, half) => {
                soup.ball(rings(radius, half > 0.0)?, [half, -half], |p| radius * p);
            }
            Self::Ellipsoid(radii) => {
                soup.ball(rings(radii.max_element(), false)?, [0.0; 2], |p| radii * p);
            }
        }
        let mesh = Mesh::new(&soup.vertices, &soup.triangles)?;
        memory.give_back(soup.triangles.len(), TRIANGLE_BYTES);
        memory.take(mesh.bytes(), 1, || format!("a mesh of {} triangles", mesh.triangles().len()))?;
        Ok(mesh)
    }
}

/// The meshes of primitives: equal ones with the same chord share one.
#[derive(Default)]
pub(super) struct SolidMeshes(HashMap<(&'static str, [u64; 3], u64), MeshId>);

impl SolidMeshes {
    /// Returns the mesh of a primitive with this chord, which is added to the scene once.
    pub fn get(
        &mut self,
        solid: Solid,
        chord: f64,
        memory: &MemoryAccount,
        scene: &mut Scene,
    ) -> Result<MeshId, Fault> {
        let key = (solid.word(), solid.measures().map(f64::to_bits), solid.chord(chord).to_bits());
        if let Some(&known) = self.0.get(&key) {
            return Ok(known);
        }
        let id = scene.add_mesh(solid.mesh(chord, memory)?);
        self.0.insert(key, id);
        Ok(id)
    }
}

/// Refuses a mesh of too many triangles.
fn refuse_many(triangles: f64, word: &str) -> Result<(), Fault> {
    match triangles <= MOST as f64 {
        true => Ok(()),
        false => {
            let why =
                format!("it has {triangles:.3e} triangles; the limit is {MOST}: a larger --chord needs less");
            Err(Fault::at(word, why))
        }
    }
}

/// Takes the memory of so many triangles while they are made.
fn take(triangles: usize, word: &str, memory: &MemoryAccount) -> Result<(), Fault> {
    Ok(memory.take(triangles, TRIANGLE_BYTES, || format!("a {word} of {triangles} triangles"))?)
}

/// Returns the number of segments of a quarter of a circle whose chords are so near it.
fn quarter_of_circle(radius: f64, chord: f64) -> f64 {
    // The sagitta of an angle 2a is r (1 - cos a), or 2 r sin² (a / 2).
    let share = (0.5 * chord / radius).sqrt().min(0.5);
    let half = libm::asin(share);
    (PI / (8.0 * half)).ceil().max(LEAST as f64)
}

/// Returns the number of rings from pole to equator of a sphere of radius 1 that stays within a chord.
fn rings(chord: f64, word: &str) -> Result<usize, Fault> {
    // No circumcircle is smaller than the right triangle's at the pole, of two sides of about π / 2n.
    let mut rings = (0.5 * FRAC_PI_2 / chord.sqrt()).floor().max(LEAST as f64);
    loop {
        refuse_many(8.0 * rings * rings, word)?;
        let found = sagitta(rings as usize);
        if found <= chord {
            return Ok(rings as usize);
        }
        // It shrinks a little more slowly than with the square of the rings.
        rings = (rings * (found / chord).sqrt()).floor().max(rings + 1.0);
    }
}

/// Returns the largest distance of a divided sphere of radius 1 from the true one.
fn sagitta(rings: usize) -> f64 {
    let mut most: f64 = 0.0;
    let mut octant = Soup { vertices: Vec::new(), triangles: Vec::new() };
    for ring in 0..rings {
        let [upper, lower] = [ring, ring + 1].map(|ring| {
            let first = octant.vertices.len();
            (0..=ring).for_each(|step| octant.vertices.push(on_octant(rings, ring, step)));
            first
        });
        // Halves of an octant are mirror images.
        for step in 0..=ring / 2 {
            let corner = |first: usize, step: usize| octant.vertices[first + step];
            let upward = [corner(upper, step), corner(lower, step), corner(lower, step + 1)];
            most = most.max(circumradius_squared(upward));
            if step < ring {
                let downward = [corner(upper, step), corner(lower, step + 1), corner(upper, step + 1)];
                most = most.max(circumradius_squared(downward));
            }
        }
        octant.vertices.clear();
    }
    // 1 - √(1 - R²), without cancellation.
    most / (1.0 + (1.0 - most.min(1.0)).sqrt())
}

fn circumradius_squared([a, b, c]: [DVec3; 3]) -> f64 {
    let sides = [b - a, c - b, a - c];
    let [p, q, r] = sides.map(DVec3::length_squared);
    p * q * r / (4.0 * sides[0].cross(sides[1]).length_squared())
}

/// Returns a vertex of the first octant of a sphere of radius 1: of a ring, counted from the pole, and a step
/// along it.
fn on_octant(rings: usize, ring: usize, step: usize) -> DVec3 {
    let (sine, cosine) = quarter(ring, rings);
    let (y, x) = if ring == 0 { (0.0, 1.0) } else { quarter(step, ring) };
    DVec3::new(sine * x, sine * y, cosine)
}

/// Returns sine and cosine of a share of a quarter turn, exact at its ends.
fn quarter(step: usize, of: usize) -> (f64, f64) {
    match step {
        0 => (0.0, 1.0),
        _ if step == of => (1.0, 0.0),
        _ => libm::sincos(FRAC_PI_2 * (step as f64 / of as f64)),
    }
}

/// Returns a point after so many quarter turns about z.
fn turned(p: DVec3, quarters: usize) -> DVec3 {
    match quarters % 4 {
        0 => p,
        1 => DVec3::new(-p.y, p.x, p.z),
        2 => DVec3::new(-p.x, -p.y, p.z),
        _ => DVec3::new(p.y, -p.x, p.z),
    }
}

/// A mesh in the making.
struct Soup {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Soup {
    fn vertex(&mut self, p: DVec3) -> u32 {
        self.vertices.push(p);
        to_u32(self.vertices.len() - 1)
    }

    /// Adds a box, each side as two triangles seen counterclockwise from outside.
    fn cuboid(&mut self, half: DVec3) {
        for corner in 0..8 {
            let sign = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            self.vertex(DVec3::new(sign(0), sign(1), sign(2)) * half);
        }
        for [a, b, c, d] in
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
        {
            self.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }

    /// Adds a cylinder, or a cone, of four times so many segments, with the radii of its ends.
    fn cylinder(&mut self, [bottom, top]: [f64; 2], half: f64, quarter_segments: usize) {
        let segments = 4 * quarter_segments;
        let [low, high] = [(bottom, -half), (top, half)].map(|(radius, z)| {
            let centre = self.vertex(DVec3::new(0.0, 0.0, z));
            for segment in 0..if radius > 0.0 { segments } else { 0 } {
                let (y, x) = quarter(segment % quarter_segments, quarter_segments);
                let p = turned(DVec3::new(radius * x, radius * y, z), segment / quarter_segments);
                self.vertex(p);
            }
            centre
        });
        for segment in 0..segments {
            let next = (segment + 1) % segments;
            let [a, b] = [segment, next].map(|at| low + 1 + to_u32(at));
            self.triangles.push([low, b, a]);
            if top == 0.0 {
                self.triangles.push([a, b, high]);
                continue;
            }
            let [c, d] = [segment, next].map(|at| high + 1 + to_u32(at));
            self.triangles.extend([[high, c, d], [a, b, d], [a, d, c]]);
        }
    }

    /// Adds two halves of a sphere of radius 1 and, where they are shifted apart along z, the wall between.
    /// `shape` takes a point of the sphere to the true surface.
    fn ball(&mut self, rings: usize, [up, down]: [f64; 2], shape: impl Fn(DVec3) -> DVec3) {
        let shifted = up != down;
        let [upper, lower] = [1.0, -1.0].map(|side: f64| {
            let shift = if side > 0.0 { up } else { down };
            let mut last = Vec::new();
            for ring in 0..=rings {
                if ring == rings && side < 0.0 && !shifted {
                    break;
                }
                let at = |step: usize| {
                    let p = turned(on_octant(rings, ring, step % ring.max(1)), step / ring.max(1));
                    shape(DVec3::new(p.x, p.y, side * p.z)) + DVec3::new(0.0, 0.0, shift)
                };
                let around: Vec<u32> = (0..(4 * ring).max(1)).map(|step| self.vertex(at(step))).collect();
                self.band(&last, &around, side);
                last = around;
            }
            last
        });
        if shifted {
            self.wall(&upper, &lower);
        } else {
            self.band(&lower, &upper, -1.0);
        }
    }

    /// Adds the triangles between a ring and the one below it, which has four vertices more.
    fn band(&mut self, inner: &[u32], outer: &[u32], side: f64) {
        let ring = outer.len() / 4;
        if inner.is_empty() {
            return;
        }
        let mut add =
            |[a, b, c]: [u32; 3]| self.triangles.push(if side > 0.0 { [a, b, c] } else { [a, c, b] });
        for quarter in 0..4 {
            for step in 0..ring {
                let above = |step: usize| inner[(quarter * (ring - 1) + step) % inner.len()];
                let below = |step: usize| outer[(quarter * ring + step) % outer.len()];
                add([above(step), below(step), below(step + 1)]);
                if step + 1 < ring {
                    add([above(step), below(step + 1), above(step + 1)]);
                }
            }
        }
    }

    /// Adds the wall between two rings of equally many vertices.
    fn wall(&mut self, upper: &[u32], lower: &[u32]) {
        for step in 0..upper.len() {
            let next = (step + 1) % upper.len();
            self.triangles
                .extend([[lower[step], lower[next], upper[next]], [lower[step], upper[next], upper[step]]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use proptest::prelude::*;

    use super::*;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::mesh::health::Health;
    use closefit_geometry::mesh::topology::Winding;

    fn mesh(solid: Solid, chord: f64) -> Mesh {
        solid.mesh(chord, &MemoryAccount::new(None)).unwrap()
    }

    /// Returns how far a point inside is from the true surface: the smallest distance of all directions,
    /// found by formulas of their own.
    fn distance(solid: Solid, p: DVec3) -> f64 {
        let radial = p.truncate().length();
        match solid {
            Solid::Box(half) => (half - p.abs()).min_element(),
            Solid::Cylinder(radius, half) => (radius - radial).min(half - p.z.abs()),
            Solid::Sphere(radius) => radius - p.length(),
            Solid::Capsule(radius, half) => {
                radius - (p - DVec3::new(0.0, 0.0, p.z.clamp(-half, half))).length()
            }
            Solid::Cone(radius, half) => {
                let slant = radius.hypot(2.0 * half);
                let of_side = (0.5 * radius * (half - p.z) / half - radial) * 2.0 * half / slant;
                of_side.min(half + p.z)
            }
            // The radial distance, which is no smaller.
            Solid::Ellipsoid(radii) => {
                let length = (p / radii).length();
                p.length() * (1.0 / length - 1.0)
            }
        }
    }

    fn volume(solid: Solid) -> f64 {
        match solid {
            Solid::Box(half) => 8.0 * half.x * half.y * half.z,
            Solid::Cylinder(r, half) => PI * r * r * 2.0 * half,
            Solid::Sphere(r) => 4.0 / 3.0 * PI * r * r * r,
            Solid::Capsule(r, half) => 4.0 / 3.0 * PI * r * r * r + PI * r * r * 2.0 * half,
            Solid::Cone(r, half) => PI * r * r * 2.0 * half / 3.0,
            Solid::Ellipsoid(r) => 4.0 / 3.0 * PI * r.x * r.y * r.z,
        }
    }

    fn solids() -> impl Strategy<Value = Solid> {
        let size = 0.01..2.0;
        let sizes = || [size.clone(), size.clone(), size.clone()].prop_map(DVec3::from_array);
        prop_oneof![
            sizes().prop_map(Solid::Box),
            sizes().prop_map(|s| Solid::Cylinder(s.x, s.y)),
            sizes().prop_map(|s| Solid::Sphere(s.x)),
            sizes().prop_map(|s| Solid::Capsule(s.x, s.y)),
            sizes().prop_map(|s| Solid::Cone(s.x, s.y)),
            sizes().prop_map(Solid::Ellipsoid),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4, ..ProptestConfig::default() })]
        /// The true surface by formulas of its own, at points all over the mesh.
        #[test]
        fn meshes_are_closed_inscribed_and_within_the_chord(solid in solids(), chord in -4.0..-0.5) {
            let chord = libm::exp10(chord);
            let mesh = mesh(solid, chord);
            let health = Health::of(&mesh, Winding::AsFound);
            prop_assert!(health.closed() && health.volume > 0.0, "{:?}", solid);
            prop_assert!(health.volume <= volume(solid) * (1.0 + 1e-12));
            let chord = solid.chord(chord);
            let size = DVec3::from_array(solid.measures()).max_element();
            prop_assert!(mesh.vertices().iter().all(|&p| distance(solid, p).abs() <= 1e-14 * size));
            for &[a, b, c] in mesh.triangles() {
                let [a, b, c] = [a, b, c].map(|corner| mesh.vertices()[corner as usize]);
                for [u, v] in [[0.5, 0.5], [0.0, 0.5], [0.5, 0.0], [1.0 / 3.0, 1.0 / 3.0], [0.45, 0.1], [0.1, 0.45]] {
                    let p = a + u * (b - a) + v * (c - a);
                    let deep = distance(solid, p);
                    prop_assert!(deep <= chord * (1.0 + 1e-9) + 1e-14 || chord >= size, "{solid:?}: {deep} > {chord}");
                }
            }
            let bounds = mesh.posed_bounds(&Pose::IDENTITY);
            let half = match solid {
                Solid::Box(half) | Solid::Ellipsoid(half) => half,
                Solid::Cylinder(r, half) | Solid::Cone(r, half) => DVec3::new(r, r, half),
                Solid::Sphere(r) => DVec3::splat(r),
                Solid::Capsule(r, half) => DVec3::new(r, r, r + half),
            };
            prop_assert_eq!((bounds.lo, bounds.hi), (-half, half), "the box of the true surface");
        }
    }

    #[test]
    fn as_many_segments_as_the_chord_needs() {
        // The fewest with which the sphere is near enough.
        const RINGS: usize = 22;
        assert!(sagitta(RINGS) <= 0.002 && sagitta(RINGS - 1) > 0.002);
        let triangles = |solid: Solid, chord: f64| mesh(solid, chord).triangles().len();
        assert_eq!(triangles(Solid::Box(DVec3::ONE), 1e-4), 12);
        assert_eq!(triangles(Solid::Cylinder(0.05, 0.1), 1e-4), 4 * 52);
        assert_eq!(triangles(Solid::Sphere(0.05), 1e-4), 8 * RINGS * RINGS);
        assert_eq!(triangles(Solid::Capsule(0.05, 0.1), 1e-4), 8 * RINGS * (RINGS + 1));
        assert_eq!(triangles(Solid::Sphere(0.05), 9.0), 8 * 2 * 2, "smaller than the chord");
        for rings in 2..200 {
            assert!(sagitta(rings) > sagitta(rings + 1), "{rings}");
        }
    }

    #[test]
    fn what_is_no_solid_or_too_large_is_refused() {
        let memory = MemoryAccount::new(Some(1 << 20));
        let told = |solid: Solid, chord: f64| solid.mesh(chord, &memory).unwrap_err().to_string();
        assert_eq!(told(Solid::Sphere(0.0), 1.0), "sphere: the size 0e0 is not positive");
        assert_eq!(told(Solid::Box(DVec3::new(1.0, -1.0, 1.0)), 1.0), "box: the size -1e0 is not positive");
        assert_eq!(told(Solid::Capsule(1.0, -1.0), 1.0), "capsule: the size -1e0 is not positive");
        assert!(
            told(Solid::Sphere(1e9), 1e-9).contains("the limit is 1073741822: a larger --chord needs less")
        );
        assert!(told(Solid::Sphere(1e150), 1e-9).contains("triangles"));
        assert!(told(Solid::Cylinder(1e3, 1.0), 1e-9).contains("limit"), "memory");
    }
}
