//! The SIMD fence: the only file that names a SIMD library.
//!
//! Kernels are written once, over any `S: Simd`, in vectors of fixed width, and compiled for the
//! instruction sets below; `in_lanes!` picks one at run time, so that a binary built without
//! flags runs at full speed on a CPU with AVX2 and correctly on any other.
//!
//! What an intrinsic needs is the instruction set of the function it ends up in. So every function
//! between `in_lanes!` and an operation on vectors is `#[inline(always)]`.
//!
//! `a.mul_add(b, c)` is fused where the hardware can and two roundings elsewhere: for filters, whose
//! error bounds hold either way. What must be bit-equal everywhere does not use it.

mod vector;

pub use fearless_simd::prelude::*;
pub use fearless_simd::{Level, Simd, f32x8, f64x4, mask32x8, mask64x4, u32x8};

pub use vector::{Triangles4, Vec3x4, Vector};

/// How many boxes, and how many f32, one vector holds.
pub const LANES: usize = 8;

/// Evaluates `$body` with `$simd` standing for the best instruction set of this CPU: AVX-512, AVX2 with
/// FMA, or the baseline (SSE2, NEON). The body is compiled for each.
macro_rules! in_lanes {
    ($simd:ident => $body:expr) => {
        $crate::lanes::dispatch!($crate::lanes::level(), $simd => $body)
    };
}

/// The same for the instruction set of a level. Without SSE4.2, which the library would compile for too: no CPU
/// of the last ten years stops there, and kernels are what takes long to compile.
#[cfg(target_arch = "x86_64")]
macro_rules! dispatch {
    ($level:expr, $simd:ident => $body:expr) => {{
        use $crate::lanes::Simd as _;
        let level: $crate::lanes::Level = $level;
        if let Some($simd) = level.as_avx512() {
            $simd.vectorize(
                #[inline(always)]
                || $body,
            )
        } else if let Some($simd) = level.as_avx2() {
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
#[cfg(not(target_arch = "x86_64"))]
use fearless_simd::dispatch;
pub(crate) use {dispatch, in_lanes};

/// The instruction set of this CPU.
pub fn level() -> Level {
    Level::new()
}

/// Asks for the cache lines of a value ahead of its use.
#[inline(always)]
#[allow(unsafe_code, reason = "a hint that has no safe form; queries on cold caches wait for memory")]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(value).cast::<i8>();
        for offset in (0..size_of::<T>()).step_by(64) {
            // SAFETY: prefetching reads nothing, and these addresses lie within the value.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
