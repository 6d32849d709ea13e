//! The C interface of the broad phase: `n` boxes of fixed half extents that move from frame to frame.

use std::slice;

use closefit::Aabb;
use closefit::internals::broad::grid::Grid;
use glam::Vec3;

/// Moving boxes.
pub struct Broad {
    half: Vec<Vec3>,
    grid: Grid,
}

impl Broad {
    /// Creates boxes with these half extents, three numbers each; an incomplete box at the end is ignored.
    pub fn new(half: &[f32]) -> Self {
        let (half, _) = half.as_chunks();
        Self { half: half.iter().copied().map(Vec3::from_array).collect(), grid: Grid::on_this_thread() }
    }

    /// Returns the number of overlapping pairs of boxes around these centres; touching counts. The boxes'
    /// corners are sums of f32, rounded to f32.
    ///
    /// # Panics
    /// Panics if there are fewer centres than boxes.
    pub fn count(&mut self, centres: &[f32]) -> u64 {
        let (half, (centres, _)) = (&self.half[..], centres.as_chunks::<3>());
        let centres = &centres[..half.len()];
        let boxes = |i: usize| {
            let centre = Vec3::from_array(centres[i]);
            Aabb { lo: (centre - half[i]).as_dvec3(), hi: (centre + half[i]).as_dvec3() }
        };
        self.grid.count(half.len(), boxes, 0.0)
    }
}

/// Creates `n` boxes with these half extents.
///
/// # Safety
/// `half` holds `3 * n` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn broad_new(n: u32, half: *const f32) -> *mut Broad {
    // SAFETY: the caller's promise.
    let half = unsafe { numbers(half, n as usize) };
    Box::into_raw(Box::new(Broad::new(half)))
}

/// Returns the number of overlapping pairs of boxes around these centres, or -1 if closefit fails.
///
/// # Safety
/// `broad` came from [`broad_new`], and `centres` holds three numbers for each of its boxes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn broad_frame(broad: *mut Broad, centres: *const f32) -> i64 {
    // SAFETY: the caller's promises; nobody else holds `broad` during the call.
    let broad = unsafe { &mut *broad };
    // SAFETY: the caller promises three numbers for each body.
    let centres = unsafe { numbers(centres, broad.half.len()) };
    // A panic must not cross into C.
    let count = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| broad.count(centres)));
    count.ok().and_then(|count| i64::try_from(count).ok()).unwrap_or(-1)
}

/// Frees the boxes.
///
/// # Safety
/// `broad` came from [`broad_new`] and is not used again; null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn broad_del(broad: *mut Broad) {
    if !broad.is_null() {
        // SAFETY: it came from `Box::into_raw` and is freed only here.
        drop(unsafe { Box::from_raw(broad) });
    }
}

/// Returns three numbers for each of `n` boxes.
///
/// # Safety
/// The numbers exist for as long as the slice is used.
unsafe fn numbers<'a>(at: *const f32, n: usize) -> &'a [f32] {
    if n == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(at, 3 * n) }
}
