//! The SIMD fence: the only file that names a SIMD library.
//!
//! Kernels are written once, over any `S: Simd`, in vectors of fixed width, and compiled for the
//! instruction sets below; [`in_lanes!`](crate::lanes::in_lanes) picks one at run time, so that a binary built without
//! flags runs at full speed on a CPU with AVX2 and correctly on any other.
//!
//! What an intrinsic needs is the instruction set of the function it ends up in. So every function
//! between `in_lanes!` and an operation on vectors is `#[inline(always)]`.
//!
//! `a.mul_add(b, c)` is fused where the hardware can and two roundings elsewhere: for filters, whose
//! error bounds hold either way. What must be bit-equal everywhere does not use it.

pub use fearless_simd::prelude::*;
pub use fearless_simd::{Level, Simd, f32x8, f64x4, mask32x8, mask64x4, u32x8};

/// How many boxes, and how many f32, one vector holds.
pub const LANES: usize = 8;

/// Evaluates `$body` with `$simd` standing for the best instruction set of this CPU: AVX2 with FMA, or the
/// baseline (SSE2, NEON). The body is compiled for both. (AVX-512 gained nothing on vectors of this width.)
#[cfg(target_arch = "x86_64")]
macro_rules! in_lanes {
    ($simd:ident => $body:expr) => {
        match $crate::lanes::level() {
            $crate::lanes::Level::Avx2($simd) => $crate::lanes::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $body,
            ),
            level => match level.as_sse2() {
                Some($simd) => $crate::lanes::Simd::vectorize(
                    $simd,
                    #[inline(always)]
                    || $body,
                ),
                None => unreachable!("every x86-64 has SSE2"),
            },
        }
    };
}
#[cfg(not(target_arch = "x86_64"))]
macro_rules! in_lanes {
    ($simd:ident => $body:expr) => {
        $crate::lanes::dispatch!($crate::lanes::level(), $simd => $body)
    };
}
#[allow(unused_imports, reason = "tests choose an instruction set, and other CPUs have another macro")]
pub(crate) use {fearless_simd::dispatch, in_lanes};

/// The instruction set of this CPU, of those that kernels are compiled for.
pub fn level() -> Level {
    let level = Level::new();
    #[cfg(target_arch = "x86_64")]
    let level = level.as_avx2().map_or(level, Level::Avx2);
    level
}
