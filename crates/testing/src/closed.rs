//! Pairs of small closed meshes, random and degenerate: overlapping deeply, by rounding, or by far less than
//! f64 resolves at their position; touching exactly; one inside the other; or apart.

use glam::DVec3;

use crate::meshes::{Soup, cuboid, moved, octahedron, prism, reversed, square_ring};
use crate::rng::{Rng, power_of_two};

/// Two meshes and the kind of their pair.
pub struct Pair {
    /// The kind, for messages.
    pub kind: &'static str,
    /// The meshes at their positions.
    pub soups: [Soup; 2],
}

/// Makes the meshes of a kind.
type Make = fn(&mut Rng) -> [Soup; 2];

/// The kinds, with their makers.
const KINDS: [(&str, Make); 12] = [
    ("random tetrahedra", |rng| [tetrahedron(|| rng.point()), tetrahedron(|| rng.point())]),
    ("lattice tetrahedra", |rng| [tetrahedron(|| rng.lattice(2)), tetrahedron(|| rng.lattice(2))]),
    ("solids on a lattice", |rng| [on_a_lattice(rng), on_a_lattice(rng)]),
    ("solids turned", |rng| {
        let turn = Turn::new(rng);
        [on_a_lattice(rng), on_a_lattice(rng)].map(|soup| turn.apply(&soup))
    }),
    ("each turned its own way", |rng| [(); 2].map(|()| Turn::new(rng).apply(&on_a_lattice(rng)))),
    ("shared corners", shared_corners),
    ("an edge dips in", edge_dips_in),
    ("a corner dips in", corner_dips_in),
    ("slivers", |rng| [sliver(rng), if rng.coin() { sliver(rng) } else { on_a_lattice(rng) }]),
    ("almost the same", almost_the_same),
    ("shells in shells", |rng| [shells(rng), shells(rng)]),
    ("sizes apart", sizes_apart),
];

/// Makes a pair from a seed. Some are far from the origin, tiny or huge.
pub fn pair(seed: u64) -> Pair {
    let mut rng = Rng::new("closed pairs", seed);
    let (kind, make) = KINDS[rng.index(KINDS.len())];
    let mut soups = make(&mut rng);
    let by = match rng.index(8) {
        0 => rng.lattice(1_000_000),
        1 => rng.point() * power_of_two(rng.int(0, 40)),
        _ => DVec3::ZERO,
    };
    let scale = if rng.index(6) == 0 { rng.power_of_two(-120, 120) } else { 1.0 };
    for soup in &mut soups {
        soup.iter_mut().flatten().for_each(|p| *p = (*p + by) * scale);
    }
    Pair { kind, soups }
}

/// Makes a tetrahedron of any orientation.
fn tetrahedron(mut corner: impl FnMut() -> DVec3) -> Soup {
    let [a, b, c, d] = [(); 4].map(|()| corner());
    outward(vec![[a, b, c], [a, d, b], [a, c, d], [b, d, c]])
}

/// Orients the faces so that the volume is not negative.
fn outward(soup: Soup) -> Soup {
    let origin = soup[0][0];
    let volume: f64 = soup.iter().map(|[a, b, c]| (a - origin).dot((b - origin).cross(c - origin))).sum();
    if volume < 0.0 { reversed(&soup) } else { soup }
}

fn on_a_lattice(rng: &mut Rng) -> Soup {
    let at = rng.lattice(2) * 0.5;
    let soup = match rng.index(6) {
        0 | 1 => {
            let size = DVec3::from_array(std::array::from_fn(|_| rng.int(1, 4) as f64 * 0.5));
            cuboid([0.0; 3], size.to_array())
        }
        2 => octahedron(DVec3::ZERO, rng.int(1, 3) as f64 * 0.5),
        3 => square_ring(0.5, 1.0, -0.5, 0.5),
        4 => prism(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]], 0.0, 0.5),
        _ => tetrahedron(|| rng.lattice(2)),
    };
    moved(&soup, at)
}

/// Rotates about the origin, rounding to f64.
struct Turn([DVec3; 3]);

impl Turn {
    fn new(rng: &mut Rng) -> Self {
        let [x, y] = [(); 2].map(|()| rng.point());
        let x = x.normalize();
        let z = x.cross(y).normalize();
        Self([x, z.cross(x), z])
    }

    fn apply(&self, soup: &Soup) -> Soup {
        let [x, y, z] = self.0;
        soup.iter().map(|t| t.map(|p| x * p.x + y * p.y + z * p.z)).collect()
    }
}

/// Makes tetrahedra with one to three corners in common.
fn shared_corners(rng: &mut Rng) -> [Soup; 2] {
    let lattice = rng.coin();
    let mut corner = || if lattice { rng.lattice(2) } else { rng.point() };
    let first = [(); 4].map(|()| corner());
    let mut second = [(); 4].map(|()| corner());
    let common = 1 + rng.index(3);
    second[..common].copy_from_slice(&first[..common]);
    [first, second].map(|corners| {
        let mut corners = corners.into_iter();
        tetrahedron(|| corners.next().expect("four"))
    })
}

/// Returns a tiny number, sometimes far below the last place of numbers near 1.
fn tiny(rng: &mut Rng) -> f64 {
    let size = power_of_two(-rng.int(1, 120));
    if rng.coin() { size } else { size * (1.0 + 0.5 * rng.unit()) }
}

/// Makes a tetrahedron with an edge along, across or through an edge or face of a box, slightly inside it.
fn edge_dips_in(rng: &mut Rng) -> [Soup; 2] {
    let depth = tiny(rng);
    let span = if rng.coin() { 1.0 } else { power_of_two(-rng.int(0, 60)) };
    let (from, to) = match rng.index(4) {
        // Over the face z = 0, parallel to it or not.
        0 => (DVec3::new(-0.5, 0.1, -depth), DVec3::new(0.6, 0.2, -depth * rng.int(0, 2) as f64)),
        // From outside to outside.
        1 => (DVec3::new(-2.5, rng.unit(), -depth), DVec3::new(2.5, rng.unit(), -depth)),
        // Past the edge x = z = 0, by the last places of its coordinates.
        2 => {
            let mut z = span;
            (0..rng.int(1, 4)).for_each(|_| z = z.next_down());
            (DVec3::new(span, 0.1, -span), DVec3::new(-span, 0.2, z))
        }
        _ => (DVec3::new(rng.unit(), rng.unit(), -depth), DVec3::new(rng.unit() * 3.0, 0.2, 1.0 + depth)),
    };
    let mut corners =
        [from, to, rng.point() + DVec3::Z * 2.0, rng.point() + DVec3::new(1.5, 0.0, 2.0)].into_iter();
    let bottom = cuboid([-2.0, -1.0, -2.0], [0.0, 1.0, 0.0]);
    [bottom, tetrahedron(|| corners.next().expect("four"))]
}

fn corner_dips_in(rng: &mut Rng) -> [Soup; 2] {
    let depth = tiny(rng);
    let at = match rng.index(3) {
        0 => DVec3::new(0.3, 0.4, -depth),
        1 => DVec3::new(-depth, 0.4, -tiny(rng)),
        _ => DVec3::new(-depth, -tiny(rng), -tiny(rng)),
    };
    let mut corners =
        [at, rng.point() + DVec3::Z * 2.0, rng.point() + DVec3::Z * 2.0, rng.point() + DVec3::Z * 2.0]
            .into_iter();
    [cuboid([-1.0; 3], [0.0, 1.0, 0.0]), tetrahedron(|| corners.next().expect("four"))]
}

/// Makes a flat or needle-shaped mesh.
fn sliver(rng: &mut Rng) -> Soup {
    let squeeze = [(); 3].map(|()| if rng.coin() { 1.0 } else { tiny(rng) });
    let soup = if rng.coin() { on_a_lattice(rng) } else { tetrahedron(|| rng.point()) };
    let soup: Soup = soup.iter().map(|t| t.map(|p| p * DVec3::from_array(squeeze))).collect();
    if rng.coin() { Turn::new(rng).apply(&soup) } else { soup }
}

/// Makes the same solid twice, one moved slightly or by a lattice step.
fn almost_the_same(rng: &mut Rng) -> [Soup; 2] {
    let soup = if rng.coin() { on_a_lattice(rng) } else { Turn::new(rng).apply(&on_a_lattice(rng)) };
    let by = rng.lattice(1) * if rng.coin() { tiny(rng) } else { 0.5 };
    let other = moved(&soup, by);
    [soup, other]
}

/// Makes a mesh of two shells, the second reversed or not.
fn shells(rng: &mut Rng) -> Soup {
    let (mut first, second) = (on_a_lattice(rng), on_a_lattice(rng));
    first.extend(if rng.coin() { second } else { reversed(&second) });
    first
}

fn sizes_apart(rng: &mut Rng) -> [Soup; 2] {
    let scale = power_of_two(-rng.int(3, 30));
    let at = if rng.coin() { rng.lattice(2) * 0.5 } else { rng.point() };
    let small = on_a_lattice(rng).iter().map(|t| t.map(|p| p * scale + at)).collect();
    [on_a_lattice(rng), small]
}
