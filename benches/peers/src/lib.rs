//! closefit behind the C interface of a harness that times collision engines side by side.
//!
//! A peer is a pair of triangle meshes with f64 vertices and u32 indices. The first is fixed; each query
//! poses the second by 12 numbers, a matrix row by row (9) and a translation (3). Every query returns the
//! nanoseconds of this thread's CPU time that it took, or -1 if it has no answer. A panic does not cross the
//! interface: the query has no answer.

pub mod broad;
pub mod clock;
pub mod engine;
pub mod flush;

use std::any::Any;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;
use std::time::Duration;

use closefit::{Mesh, Motion, Pose};
use closefit_geometry::motion::joint::{Span, Timed};
use closefit_geometry::motion::travel::Travel;
use closefit_geometry::motion::turn::Turn;
use glam::{DMat3, DQuat, DVec3};

use clock::timed;
use engine::Pair;

/// Builds both meshes for the engine named `kind`; `ns` receives the time that it took. Returns null for an
/// unknown kind and for meshes that closefit refuses.
///
/// # Safety
/// `kind` is a C string, `ns` is writable, and the arrays hold `3 * nva` and `3 * nvb` coordinates and
/// `3 * nta` and `3 * ntb` indices, all for the time of this call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_new(
    kind: *const c_char,
    va: *const f64,
    nva: u32,
    ta: *const u32,
    nta: u32,
    vb: *const f64,
    nvb: u32,
    tb: *const u32,
    ntb: u32,
    ns: *mut i64,
) -> *mut Box<dyn Pair> {
    // SAFETY: the caller's promises, passed on.
    let (kind, [a, b]) = unsafe {
        let meshes = [(va, nva, ta, nta), (vb, nvb, tb, ntb)];
        (CStr::from_ptr(kind), meshes.map(|(v, nv, t, nt)| (rows::<f64>(v, nv), rows::<u32>(t, nt))))
    };
    let (pair, time) = timed(|| guarded(|| engine::build(kind.to_str().ok()?, [mesh(a)?, mesh(b)?])));
    // SAFETY: the caller promises that it is writable.
    unsafe { ns.write(nanoseconds(time)) };
    pair.map_or(std::ptr::null_mut(), |pair| Box::into_raw(Box::new(pair)))
}

/// Frees a peer.
///
/// # Safety
/// `peer` came from [`peer_new`] and is not used again; null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_del(peer: *mut Box<dyn Pair>) {
    if !peer.is_null() {
        // SAFETY: it came from `Box::into_raw` and is freed only here.
        let pair = unsafe { Box::from_raw(peer) };
        guarded(|| {
            drop(pair);
            Some(())
        });
    }
}

/// Tests whether any triangle of one mesh is in contact with one of the other; `hit` receives 1 or 0.
///
/// # Safety
/// `peer` came from [`peer_new`], `pose` holds 12 numbers, `hit` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_bool(peer: *const Box<dyn Pair>, pose: *const f64, hit: *mut i32) -> i64 {
    // SAFETY: the caller's promises, passed on.
    let (peer, pose) = unsafe { (&*peer, read_pose(pose)) };
    let (touches, time) = timed(|| guarded(|| peer.touches(&pose)));
    // SAFETY: the caller promises that it is writable.
    unsafe { hit.write(touches.map_or(-1, i32::from)) };
    nanoseconds(time)
}

/// Finds all pairs of triangles in contact: `n` receives their number, `pairs` the first `cap` of them.
///
/// # Safety
/// `peer` came from [`peer_new`], `pose` holds 12 numbers, `n` is writable, and so are 2 `cap` indices at
/// `pairs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_all(
    peer: *const Box<dyn Pair>,
    pose: *const f64,
    pairs: *mut u32,
    cap: i64,
    n: *mut i64,
) -> i64 {
    // SAFETY: the caller's promises, passed on.
    let (peer, pose) = unsafe { (&*peer, read_pose(pose)) };
    let (count, time) = timed(|| {
        let found = guarded(|| peer.contacts(&pose))?;
        let room = usize::try_from(cap).unwrap_or(0);
        let written = found[..found.len().min(room)].as_flattened();
        // SAFETY: at most `cap` pairs are copied, for which there is room; the source is our own memory.
        unsafe { pairs.copy_from_nonoverlapping(written.as_ptr(), written.len()) };
        Some(found.len() as i64)
    });
    // SAFETY: the caller promises that it is writable.
    unsafe { n.write(count.unwrap_or(-1)) };
    nanoseconds(time)
}

/// Measures the smallest distance, 0 in contact.
///
/// # Safety
/// `peer` came from [`peer_new`], `pose` holds 12 numbers, `distance` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_dist(peer: *const Box<dyn Pair>, pose: *const f64, distance: *mut f64) -> i64 {
    // SAFETY: the caller's promises, passed on.
    let (peer, pose) = unsafe { (&*peer, read_pose(pose)) };
    let (found, time) = timed(|| guarded(|| peer.distance(&pose)));
    // SAFETY: the caller promises that it is writable.
    unsafe { distance.write(found.unwrap_or(-1.0)) };
    nanoseconds(time)
}

/// Finds the first time of contact along a motion, from 0 to 1, or 2 for none; `tolerance` is a length. At
/// time `s` the second mesh has the rotation `exp(s w) R0` and the translation `t0 + s (t1 - t0)`.
///
/// # Safety
/// `peer` came from [`peer_new`], `motion` holds 18 numbers (R0 row by row, t0, w, t1), `time` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_ccd(
    peer: *const Box<dyn Pair>,
    motion: *const f64,
    _mode: i32,
    tolerance: f64,
    time: *mut f64,
) -> i64 {
    // SAFETY: the caller's promises, passed on.
    let (peer, motion) = unsafe { (&*peer, slice::from_raw_parts(motion, 18)) };
    let (found, spent) = timed(|| guarded(|| peer.time_of_impact(&path(motion)?, tolerance)));
    // SAFETY: the caller promises that it is writable.
    unsafe { time.write(found.map_or(-1.0, |time| time.unwrap_or(2.0))) };
    nanoseconds(spent)
}

/// Creates a motion from 18 numbers.
fn path(m: &[f64]) -> Option<Motion> {
    let vector = |i: usize| DVec3::new(m[i], m[i + 1], m[i + 2]);
    let (start, turn, end) = (vector(9), vector(12), vector(15));
    let rotation = DMat3::from_cols(vector(0), vector(3), vector(6)).transpose();
    let rotation = DQuat::from_mat3(&rotation).to_array();
    let turn = Turn::about(rotation, turn, turn.length())?;
    let (from, to) = (0.0, 1.0);
    let span = Span {
        turn: Timed { from, to, piece: turn },
        travel: Timed { from, to, piece: Travel::straight(start, end) },
    };
    let stops = vec![(turn.at(0.0), start), (turn.at(1.0), end)];
    Motion::of_spans(vec![from, to], stops, vec![span], [1.0; 3]).ok()
}

/// Returns the answer of the work, or none if it panics; the panic hook has then printed the message.
fn guarded<T>(work: impl FnOnce() -> Option<T>) -> Option<T> {
    // A panic leaves nothing half done: queries only read a pair, and everything else is dropped.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_: Box<dyn Any + Send>| None)
}

fn nanoseconds(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

fn mesh((vertices, triangles): (&[[f64; 3]], &[[u32; 3]])) -> Option<Mesh> {
    let vertices: Vec<DVec3> = vertices.iter().map(|&v| DVec3::from_array(v)).collect();
    Mesh::new(&vertices, triangles).ok()
}

/// Returns the rows of three of a dense C array, which may be null if it is empty.
///
/// # Safety
/// `data` holds `3 * count` numbers that stay unchanged while the rows are used.
unsafe fn rows<'a, T>(data: *const T, count: u32) -> &'a [[T; 3]] {
    if count == 0 {
        return &[];
    }
    // SAFETY: an array of three has the alignment of its entries and no gaps; the caller vouches for the
    // length and the lifetime.
    unsafe { slice::from_raw_parts(data.cast(), count as usize) }
}

/// # Safety
/// `numbers` holds 12 numbers.
unsafe fn read_pose(numbers: *const f64) -> Pose {
    // SAFETY: the caller's promise; arrays of numbers need no more alignment than a number.
    let [r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z] = unsafe { numbers.cast::<[f64; 12]>().read() };
    Pose { rows: [[r0, r1, r2, x], [r3, r4, r5, y], [r6, r7, r8, z]] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    const CORNERS: [f64; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    const HIGHER: [f64; 9] = [0.0, 0.0, 0.5, 1.0, 0.0, 0.5, 0.0, 1.0, 0.5];

    /// Creates a peer of a triangle and another one half a unit above it.
    fn peer(kind: &CStr, corners: &[u32; 3]) -> (*mut Box<dyn Pair>, i64) {
        let mut ns = -1;
        let t = corners.as_ptr();
        // SAFETY: arrays of three rows of three, and one of three.
        let peer = unsafe {
            let (va, vb) = (CORNERS.as_ptr(), HIGHER.as_ptr());
            peer_new(kind.as_ptr(), va, 3, t, 1, vb, 3, t, 1, &raw mut ns)
        };
        (peer, ns)
    }

    fn lifted(z: f64) -> [f64; 12] {
        [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, z]
    }

    /// Returns the answers of the three queries, and the pair that was written.
    fn ask(peer: *mut Box<dyn Pair>, pose: [f64; 12], cap: i64) -> (i32, i64, f64, [u32; 2]) {
        let (mut hit, mut n, mut distance, mut pairs) = (7, 7, 7.0, [7; 2]);
        // SAFETY: the peer is alive, there are twelve numbers, and `cap` does not exceed the room for one
        // pair.
        let times = unsafe {
            [
                peer_bool(peer, pose.as_ptr(), &raw mut hit),
                peer_all(peer, pose.as_ptr(), pairs.as_mut_ptr(), cap, &raw mut n),
                peer_dist(peer, pose.as_ptr(), &raw mut distance),
            ]
        };
        assert!(times.iter().all(|&ns| ns >= 0));
        (hit, n, distance, pairs)
    }

    #[test]
    fn every_kind_answers_every_question() {
        for kind in [c"scalar", c"simd", c"closefit"] {
            let (peer, ns) = peer(kind, &[0, 1, 2]);
            assert!(!peer.is_null() && ns >= 0);
            assert_eq!(ask(peer, lifted(-0.5), 1), (1, 1, 0.0, [0, 0]));
            assert_eq!(ask(peer, lifted(-0.5), 0), (1, 1, 0.0, [7, 7]), "no room, still counted");
            assert_eq!(ask(peer, lifted(-0.25), 1), (0, 0, 0.25, [7, 7]));
            // SAFETY: created above, and freed only here.
            unsafe { peer_del(peer) };
        }
    }

    #[test]
    fn what_cannot_be_answered_says_so() {
        let (peer_there, _) = peer(c"scalar", &[0, 1, 2]);
        for z in [f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(ask(peer_there, lifted(z), 1), (-1, -1, -1.0, [7, 7]));
        }
        // SAFETY: created above, and freed only here; then null.
        unsafe {
            peer_del(peer_there);
            peer_del(null_mut());
        }
        assert!(peer(c"abacus", &[0, 1, 2]).0.is_null());
        assert!(peer(c"scalar", &[0, 1, 3]).0.is_null(), "an index out of range");
    }

    #[test]
    fn a_panic_is_no_answer() {
        assert_eq!(guarded::<()>(|| panic!("as intended")), None);
    }
}
