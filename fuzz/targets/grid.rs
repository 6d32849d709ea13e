//! Two meshes on a small lattice: the engine must give the rational oracle's answers.
#![no_main]

mod input;

use closefit::Containment;
use closefit_testing::meshes::{Piece, cuboid, reversed, scene};
use closefit_testing::{rational, solid};
use libfuzzer_sys::fuzz_target;

/// One mesh: a few loose triangles, then perhaps a box, perhaps with a cavity.
fn mesh(bytes: &mut input::Bytes) -> Option<Vec<rational::Triangle>> {
    let kind = bytes.byte()?;
    let mut soup = input::triangles(usize::from(kind % 4), || bytes.small());
    if kind & 16 != 0 || soup.is_empty() {
        let lo = [bytes.small()?, bytes.small()?, bytes.small()?];
        let mut size = || bytes.byte().map(|b| f64::from(b % 4) + 1.0);
        let hi = [lo[0] + size()?, lo[1] + size()?, lo[2] + size()?];
        soup.extend(cuboid(lo, hi));
        if kind & 32 != 0 {
            soup.extend(reversed(&cuboid(lo.map(|x| x + 0.25), hi.map(|x| x - 0.25))));
        }
    }
    Some(soup)
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = input::Bytes(data);
    let (Some(a), Some(b)) = (mesh(&mut bytes), mesh(&mut bytes)) else { return };
    let pieces = [Piece::new("a", a.clone()), Piece::new("b", b.clone())];
    let by = input::Methods::of(bytes.byte().unwrap_or(0));
    let result = input::check_all(&scene(&pieces), 0.0, by).expect("small coordinates");
    let found = &result.pairs[0];
    let contacts = solid::contacts(&a, &b);
    assert_eq!(found.triangles.as_deref(), Some(&contacts[..]), "contact set");
    if !contacts.is_empty() {
        assert_eq!(found.distance, 0.0);
        return;
    }
    assert_eq!(found.distance, solid::distance(&a, &b), "distance");
    let (a_in_b, b_in_a) = (solid::contains(&b, &a), solid::contains(&a, &b));
    match found.contained {
        Containment::AInB => assert!(a_in_b),
        Containment::BInA => assert!(b_in_a),
        Containment::None => assert!(!a_in_b && !b_in_a),
        // Only an open shell leaves it open.
        Containment::Undecidable(_) => {
            assert!([&a, &b].iter().any(|s| solid::shells(s).iter().any(|shell| !shell.closed)));
        }
    }
});
