use glam::DVec3;
use proptest::prelude::*;

use super::patches::Piece;
use super::*;

/// Bound of the rounding error of sampled points, whose coordinates are below 4. A bicubic patch takes six
/// rounds of `a + (b - a) * t` in intervals. Each makes a width at most 3 times as large and adds three
/// roundings of both ends, by an ulp of at most 8.9e-16: 364 * 5.4e-15 in all, and sqrt(3) / 2 times that for
/// the radius of a point.
const ROUNDING: f64 = 2e-12;

fn twisted() -> Bezier {
    let height = [0.0, 1.0, -1.0, 0.5, 0.3, 2.0, 1.0, 0.0, -0.7, 0.1, 0.9, 0.2, 1.0, 0.0, 0.4, -1.2];
    let control: Vec<_> = (0..16)
        .map(|i| {
            DVec3::new(f64::from(i / 4), f64::from(i % 4) - 0.3 * height[i as usize], height[i as usize])
        })
        .collect();
    Bezier::new([3, 3], &control).unwrap()
}

fn surfaces() -> Vec<Box<dyn Surface>> {
    let corners = [DVec3::ZERO, DVec3::new(3.0, 0.1, 0.2), DVec3::new(0.5, 2.0, -1.0)];
    let flat = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 2.0), DVec3::Z, DVec3::ONE];
    vec![
        Box::new(Torus::new(2.0, 0.5).unwrap()),
        Box::new(Torus::new(1.0, 1.5).unwrap()),
        Box::new(Ellipsoid::new(DVec3::new(2.0, 1.0, 0.01)).unwrap()),
        Box::new(twisted()),
        Box::new(Bezier::new([2, 1], &flat).unwrap()),
        Box::new(Bezier::new([0, 1], &flat[..2]).unwrap()),
        Box::new(triangle::Facet::of(corners)),
        Box::new(triangle::Facet::of([corners[0], corners[1], corners[1]])),
        Box::new(triangle::Facet::of([corners[1]; 3])),
    ]
}

impl Surface for Box<dyn Surface> {
    fn domain(&self) -> [Interval; 2] {
        self.as_ref().domain()
    }

    fn place(&self, parameters: [Interval; 2]) -> IntervalVec3 {
        self.as_ref().place(parameters)
    }

    fn tangents(&self, parameters: [Interval; 2]) -> [IntervalVec3; 2] {
        self.as_ref().tangents(parameters)
    }
}

/// True when a box contains a point, up to rounding.
fn holds(piece: &Piece, p: DVec3) -> bool {
    let obb = &piece.obb;
    (0..3).all(|k| obb.axes[k].dot(p - obb.center).abs() <= obb.half[k] + ROUNDING)
}

fn between(range: Interval, share: f64) -> f64 {
    (range.lo + share * (range.hi - range.lo)).clamp(range.lo, range.hi)
}

fn point(surface: &dyn Surface, parameters: [f64; 2]) -> IntervalVec3 {
    surface.place(parameters.map(Interval::point))
}

fn parts(patches: &Patches, piece: &Piece) -> Vec<Piece> {
    let mut parts = Vec::new();
    assert!(patches.open(piece, |part| parts.push(part)));
    parts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn inclusions_contain_the_values(which in 0..9usize, ends in prop::array::uniform4(0.0..1.0f64), narrow in 0..3, s in 0.0..1.0f64, t in 0.0..1.0f64) {
        let surface = &surfaces()[which];
        let domain = surface.domain();
        let shrink = 10f64.powi(-3 * narrow);
        let part = [0, 1].map(|k| {
            let (lo, hi) = (ends[k], ends[k] + (ends[k + 2] - ends[k]).abs() * shrink);
            Interval::new(between(domain[k], lo), between(domain[k], hi.min(1.0)))
        });
        let at = [between(part[0], s), between(part[1], t)];
        let place = surface.place(part).widened(ROUNDING);
        let tangents = surface.tangents(part).map(|tangent| tangent.widened(1e-7));
        let p = point(surface.as_ref(), at);
        prop_assert!(place.contains(p.middle()) && p.radius() < ROUNDING, "{place:?} {p:?}");
        // Difference quotients equal derivatives at some point in between.
        for k in 0..2 {
            let (early, late) = ((at[k] - 1e-6).max(part[k].lo), (at[k] + 1e-6).min(part[k].hi));
            if late - early > 1e-7 {
                let (mut from, mut to) = (at, at);
                (from[k], to[k]) = (early, late);
                let quotient = (point(surface.as_ref(), to).middle() - point(surface.as_ref(), from).middle()) / (late - early);
                prop_assert!(tangents[k].contains(quotient), "{k}: {:?} {quotient}", tangents[k]);
            }
        }
    }

    #[test]
    fn boxes_contain_their_patches(which in 0..9usize, ways in prop::collection::vec(any::<bool>(), 25), s in 0.0..1.0f64, t in 0.0..1.0f64) {
        let surface = surfaces().swap_remove(which);
        let patches = Patches::of(surfaces().swap_remove(which));
        let mut piece = patches.whole().unwrap();
        for later in ways {
            let [u, v, _] = piece.patch.unwrap().parameters;
            let p = point(surface.as_ref(), [between(u, s), between(v, t)]).middle();
            prop_assert!(holds(&piece, p), "{piece:?} misses {p}");
            let witness = patches.witness(&piece).unwrap();
            prop_assert!(holds(&piece, witness.middle()));
            let parts = parts(&patches, &piece);
            prop_assert_eq!(parts.len(), 2);
            piece = parts[usize::from(later)];
        }
    }

    /// Each point of the surface is in a box at every size, with a witness nearby.
    #[test]
    fn cells_lose_no_point(torus in any::<bool>(), s in 0.0..1.0f64, t in 0.0..1.0f64) {
        every_cell_holds(torus, [s, t])?;
    }
}

/// The middle of this point's box is too close to the surface to tell on which side it lies.
#[test]
fn a_witness_is_small_although_the_middle_is_on_the_surface() {
    every_cell_holds(true, [0.28976443709986816, 0.10071788980751345]).unwrap();
}

fn every_cell_holds(torus: bool, [s, t]: [f64; 2]) -> Result<(), TestCaseError> {
    let (p, patches) = if torus {
        let torus = Torus::new(2.0, 0.5).unwrap();
        (
            point(&torus, [between(torus.domain()[0], s), between(torus.domain()[1], t)]),
            Patches::of_implicit(torus),
        )
    } else {
        let ellipsoid = Ellipsoid::new(DVec3::new(2.0, 1.0, 0.3)).unwrap();
        let domain = ellipsoid.domain();
        (point(&ellipsoid, [between(domain[0], s), between(domain[1], t)]), Patches::of_implicit(ellipsoid))
    };
    let p = p.middle();
    let mut piece = patches.whole().unwrap();
    for _ in 0..36 {
        prop_assert!(holds(&piece, p), "{piece:?} misses {p}");
        let near = |part: &Piece| IntervalVec3(part.patch.unwrap().parameters).widened(1e-15).contains(p);
        piece = parts(&patches, &piece).into_iter().find(near).expect("no part is lost");
    }
    let witness = patches.witness(&piece).expect("the sign changes");
    prop_assert!((witness.middle() - p).length() <= 4.0 * piece.obb.half.length());
    prop_assert!(witness.radius() < 0.01 * piece.obb.half.length());
    Ok(())
}

#[test]
fn boxes_are_thin() {
    let torus = Torus::new(2.0, 0.5).unwrap();
    for patches in [Patches::of(torus), Patches::of_implicit(torus)] {
        let mut piece = patches.whole().unwrap();
        for _ in 0..30 {
            piece = parts(&patches, &piece)[0];
        }
        let size = piece.obb.half.length();
        assert!(size < 0.01 && piece.obb.half.min_element() < 3.0 * size * size, "{piece:?}");
    }
}

#[test]
fn a_mesh_is_its_triangles() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let mesh =
        closefit_geometry::mesh::Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
    let patches = Patches::of_mesh(&mesh);
    let (mut stack, mut seen) = (vec![patches.whole().unwrap()], Vec::new());
    while let Some(piece) = stack.pop() {
        match piece.patch {
            None => stack.extend(parts(&patches, &piece)),
            Some(patch) => {
                let corners = mesh.corners(patch.index);
                assert!(corners.into_iter().all(|p| holds(&piece, p)), "{piece:?} {corners:?}");
                seen.push(patch.index);
            }
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, [0, 1, 2, 3]);
}
