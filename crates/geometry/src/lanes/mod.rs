//! SIMD vectors and dispatch: the only file that names a SIMD library.
//!
//! Kernels are written once, over any `S: Simd`, in vectors of fixed width, and compiled for the instruction
//! sets below. `in_lanes!` picks one at run time, so a binary built without flags runs at full speed on a CPU
//! with AVX2 and correctly on any other.
//!
//! An intrinsic needs the instruction set of the function that it ends up in. Every function between
//! `in_lanes!` and an operation on vectors is therefore `#[inline(always)]`.
//!
//! `a.mul_add(b, c)` is fused where the hardware can fuse it, and rounds twice elsewhere. It is for filters,
//! whose error bounds hold either way; code that must be bit-equal everywhere does not use it.

mod poses;
mod vector;

pub use fearless_simd::prelude::*;
pub use fearless_simd::{Level, Simd, f32x4, f32x8, f64x4, mask32x8, mask64x4, u32x8};

pub use poses::{FourNumbers, FourPoses, Poses4, ROWS};
pub use vector::{Triangles4, Vec3x4, Vector};

/// Number of boxes, and of f32, in one vector.
pub const LANES: usize = 8;

/// Evaluates `$body` with `$simd` bound to the best instruction set of this CPU: AVX2 with FMA, or the
/// baseline (SSE2, NEON). The body is compiled for each.
#[macro_export]
macro_rules! in_lanes {
    ($simd:ident => $body:expr) => {
        $crate::lanes::dispatch!($crate::lanes::level(), $simd => $body)
    };
}

/// Evaluates `$body` for the instruction set of a level. Leaves out two for which the library would also
/// compile, since kernels dominate the compile time: no CPU of the last ten years stops at SSE4.2, and
/// AVX-512 gains less than 5 % at eight f32 a vector.
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! dispatch {
    ($level:expr, $simd:ident => $body:expr) => {{
        use $crate::lanes::Simd as _;
        let level: $crate::lanes::Level = $level;
        if let Some($simd) = level.as_avx2() {
            $simd.vectorize(
                #[inline(always)]
                || $body,
            )
        } else {
            let $simd = level.as_sse2().expect("part of x86-64");
            $simd.vectorize(
                #[inline(always)]
                || $body,
            )
        }
    }};
}
#[cfg(target_arch = "x86_64")]
pub use crate::dispatch;
pub use crate::in_lanes;
#[cfg(not(target_arch = "x86_64"))]
pub use fearless_simd::dispatch;

/// Returns the instruction set of this CPU.
pub fn level() -> Level {
    Level::new()
}

/// True if `mul_add` is fused on this CPU, so that lanes and reading copies return the same bits.
#[cfg(any(test, feature = "testing"))]
pub fn is_fused() -> bool {
    #[cfg(target_arch = "x86_64")]
    let fused = level().as_avx2().is_some();
    #[cfg(not(target_arch = "x86_64"))]
    let fused = cfg!(target_arch = "aarch64");
    fused
}

/// Prefetches the cache lines of a value ahead of its use.
#[inline(always)]
#[allow(unsafe_code, reason = "a hint that has no safe form; queries on cold caches wait for memory")]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(value).cast::<i8>();
        for offset in (0..size_of::<T>()).step_by(64) {
            // SAFETY: a prefetch reads nothing, and these addresses lie within the value.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
