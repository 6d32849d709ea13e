//! Caps classify and do not filter: what a body meets inside a concavity does not depend on the cap.

use closefit::{CollisionMesh, DVec3, Pose, contact_triangles};
use closefit_geometry::hull::caps::Caps;
use closefit_geometry::hull::features::Features;
use closefit_testing::meshes::{Soup, cuboid, mesh, square_ring};
use closefit_testing::solid;

/// Returns the contacts, which brute force finds too.
fn met(a: &Soup, b: &Soup) -> Vec<[u32; 2]> {
    let trees = [a, b].map(|soup| CollisionMesh::build(&mesh(soup)));
    let [a_at, b_at] = trees.each_ref().map(|tree| tree.at(&Pose::IDENTITY).expect("admissible"));
    let met = contact_triangles(&a_at, &b_at);
    assert_eq!(met, solid::contacts(a, b));
    met
}

/// The numbers of contacts by the kinds of triangles that meet (the cases of Fig. 10). Caps do not
/// distinguish them: a body that comes through a wall meets the concavity and no cap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ContactKinds {
    /// Two hull features, a "real" collision.
    hull_hull: usize,
    /// A hull feature of one mesh and a concavity feature of the other.
    hull_concavity: usize,
    /// Two concavity features.
    concavity_concavity: usize,
}

impl ContactKinds {
    /// Counts pairs of triangles of two meshes in contact.
    fn of(features: [&Features; 2], contacts: &[[u32; 2]]) -> Self {
        let mut kinds = Self::default();
        for &[a, b] in contacts {
            *match (features[0].is_on_hull(a), features[1].is_on_hull(b)) {
                (true, true) => &mut kinds.hull_hull,
                (false, false) => &mut kinds.concavity_concavity,
                _ => &mut kinds.hull_concavity,
            } += 1;
        }
        kinds
    }
}

fn kinds(a: &Soup, b: &Soup) -> ContactKinds {
    let features = [a, b].map(|soup| Features::of(&mesh(soup)).expect("in range"));
    ContactKinds::of(features.each_ref(), &met(a, b))
}

/// A cup: a square ring from 1 to 2 around the z axis, from 0 to 4, on a plate.
fn cup() -> Soup {
    let mut cup = square_ring(1.0, 2.0, 0.0, 4.0);
    cup.extend(cuboid([-2.0, -2.0, -1.0], [2.0, 2.0, 0.0]));
    cup
}

/// The triangles of the caps of a mesh.
fn caps(soup: &Soup) -> Soup {
    let features = Features::of(&mesh(soup)).expect("in range");
    let corners = |t: [u32; 3]| t.map(|v| features.mesh.vertices()[v as usize]);
    Caps::of(&features).caps.iter().flat_map(|cap| &cap.triangles).map(|&t| corners(t)).collect()
}

/// Read literally, concavity features are looked at only where their cap is met. Then a bar through the wall,
/// which touches the inside of the cup, would have no contact there.
#[test]
fn a_bar_through_the_wall_meets_the_inside_and_no_cap() {
    let (cup, bar) = (cup(), cuboid([0.0, -0.25, 1.5], [3.0, 0.25, 2.0]));
    let caps = caps(&cup);
    assert!(!caps.is_empty());
    assert!(met(&caps, &bar).is_empty(), "the caps are not met");
    let kinds = kinds(&cup, &bar);
    assert!(kinds.hull_hull > 0 && kinds.hull_concavity > 0, "{kinds:?}");
    // A bar that stands in the cup comes through the cap and meets the concavity alone.
    let bar = cuboid([0.0, -0.25, 0.0], [0.5, 0.25, 6.0]);
    assert!(!met(&caps, &bar).is_empty());
    let kinds = self::kinds(&cup, &bar);
    assert!(kinds.hull_hull == 0 && kinds.hull_concavity > 0, "{kinds:?}");
}

/// The three cases of Fig. 10.
#[test]
fn contacts_are_classified() {
    let cup = cup();
    let beside = kinds(&cup, &cuboid([2.0, -0.5, 1.0], [3.0, 0.5, 2.0]));
    assert!(beside.hull_hull > 0, "a box against the wall: {beside:?}");
    assert_eq!((beside.hull_concavity, beside.concavity_concavity), (0, 0));
    // One cup upside down, with its wall in the other's pocket: inner walls meet.
    let turned: Soup = cup.iter().map(|t| t.map(|p| DVec3::new(p.x + 1.5, -p.y, 6.0 - p.z))).collect();
    let linked = kinds(&cup, &turned);
    assert!(linked.hull_concavity > 0 && linked.concavity_concavity > 0, "hooked: {linked:?}");
}
