//! Any bits: no panic, and answers that do not contradict each other.
#![no_main]

mod input;

use closefit::{Depth, Mesh, PairRecord, Pose, Verdict};
use closefit_testing::meshes::{Piece, scene};
use libfuzzer_sys::fuzz_target;

fn piece(bytes: &mut input::Bytes) -> Option<Piece> {
    let kind = bytes.byte()?;
    let triangles = if kind & 1 == 0 {
        input::triangles(usize::from(kind >> 4) + 1, || bytes.double())
    } else {
        input::triangles(usize::from(kind >> 4) + 1, || bytes.small())
    };
    let corners: Vec<_> = triangles.as_flattened().to_vec();
    let indices: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(&corners, &indices).ok()?;
    let mut piece = Piece::new("part", triangles);
    if kind & 2 != 0 {
        let mut rows = Pose::IDENTITY.rows;
        for x in rows.iter_mut().flatten() {
            *x = if kind & 4 == 0 { bytes.double()? } else { bytes.small()? };
        }
        piece.pose = Pose { rows };
    }
    Some(piece)
}

fn consistent(record: &PairRecord) {
    assert!(record.distance >= 0.0 && !record.distance.is_nan());
    assert_eq!(record.distance == 0.0, record.contacts > 0, "distance 0 is contact");
    assert_eq!(record.triangles.as_ref().map(|t| t.len() as u64), Some(record.contacts));
    assert!(record.triangles.as_ref().is_some_and(|t| t.is_sorted()));
    assert_eq!(record.points.is_some(), record.contacts == 0);
    if let Some(Depth { at_least, at_most }) = record.depth {
        assert!((0.0..=at_most).contains(&at_least), "{at_least}..{at_most}");
    }
    if record.duplicate || record.crossing {
        assert_eq!(record.verdict, Verdict::Clash);
    }
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = input::Bytes(data);
    let (Some(a), Some(b)) = (piece(&mut bytes), piece(&mut bytes)) else { return };
    let tolerance = bytes.small().map_or(0.0, f64::abs);
    let [by, other] = [(); 2].map(|()| input::Methods::of(bytes.byte().unwrap_or(0)));
    let there = input::check_all(&scene(&[a.clone(), b.clone()]), tolerance, by);
    let back = input::check_all(&scene(&[b, a]), tolerance, other);
    let (Ok(there), Ok(back)) = (&there, &back) else {
        assert_eq!(there.is_err(), back.is_err());
        return;
    };
    for result in [there, back] {
        let books = &result.ledger;
        assert_eq!(books.pairs, 1);
        assert_eq!(books.pairs, books.apart + books.decided + books.undecided);
        result.pairs.iter().for_each(consistent);
    }
    let summary = |r: &PairRecord| (r.verdict, r.distance, r.contacts, r.duplicate, r.crossing);
    assert_eq!(
        there.pairs.iter().map(summary).collect::<Vec<_>>(),
        back.pairs.iter().map(summary).collect::<Vec<_>>()
    );
});
