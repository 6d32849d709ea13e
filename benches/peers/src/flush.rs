//! Flush-to-zero: the CPU's mode in which no result is subnormal. What takes less time in it has subnormal
//! results, which take a hundred times as long on many CPUs.

#[cfg(target_arch = "x86_64")]
mod control {
    use std::arch::asm;

    /// Flush-to-zero and denormals-are-zero.
    pub const FLUSH: u32 = 1 << 15 | 1 << 6;

    pub fn get() -> u32 {
        let mut word = 0u32;
        // SAFETY: stores MXCSR to a local variable, and nothing else.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
        word
    }

    /// # Safety
    /// The caller sets the word back to what it was, and reads no result that depends on it.
    pub unsafe fn set(word: u32) {
        // SAFETY: loads MXCSR from a local variable; a word from `get` with other bits of FLUSH has no
        // reserved bits.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, readonly, preserves_flags)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod control {
    use std::arch::asm;

    /// Flush-to-zero.
    pub const FLUSH: u64 = 1 << 24;

    pub fn get() -> u64 {
        let word;
        // SAFETY: reads FPCR, and nothing else.
        unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
        word
    }

    /// # Safety
    /// The caller sets the word back to what it was, and reads no result that depends on it.
    pub unsafe fn set(word: u64) {
        // SAFETY: writes FPCR a word from `get` with another bit of FLUSH.
        unsafe { asm!("msr fpcr, {}", in(reg) word, options(nomem, nostack, preserves_flags)) };
    }
}

/// Does some work with flush-to-zero on this thread, and sets the mode back. Only the time that it takes has
/// a meaning.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub fn flushed(work: impl FnOnce()) {
    /// Sets the mode back, also when the work panics.
    struct Back<T: Copy>(T, unsafe fn(T));
    impl<T: Copy> Drop for Back<T> {
        fn drop(&mut self) {
            // SAFETY: this is the word that was there before.
            unsafe { (self.1)(self.0) };
        }
    }
    let before = Back(control::get(), control::set);
    // SAFETY: `before` sets it back, and the work has no result.
    unsafe { control::set(before.0 | control::FLUSH) };
    work();
}
