//! Counts of a device's work, for the record of a run.

use std::ops::{AddAssign, Sub};

/// Declares a struct of counters, with the sum and the difference of two, and the names and values of all
/// that are whole numbers. Those under `largest` keep the larger value in a sum, and the later one in a
/// difference.
macro_rules! counters {
    (
        $(#[$about:meta])*
        $name:ident { $($(#[$doc:meta])* $counter:ident,)* }
        largest { $($(#[$largest_doc:meta])* $largest:ident,)* }
        other { $($(#[$other_doc:meta])* $other:ident: $type:ty,)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $counter: u64,)*
            $($(#[$largest_doc])* pub $largest: u64,)*
            $($(#[$other_doc])* pub $other: $type,)*
        }

        impl $name {
            /// Returns the names and values of the counters that are whole numbers, in their order.
            pub fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($counter), self.$counter),)* $((stringify!($largest), self.$largest),)*].into_iter()
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                $(self.$counter += other.$counter;)*
                $(self.$largest = self.$largest.max(other.$largest);)*
                $(self.$other += other.$other;)*
            }
        }

        impl Sub for $name {
            type Output = Self;

            fn sub(self, before: Self) -> Self {
                Self {
                    $($counter: self.$counter - before.$counter,)*
                    $($largest: self.$largest,)*
                    $($other: self.$other - before.$other,)*
                }
            }
        }
    };
}

counters! {
    /// Counts of part pairs that a device cannot search, by reason.
    #[derive(Eq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize))]
    Refused {
        /// A pose has shear or uneven scale.
        sheared,
        /// The parts' sizes are more than `2^20` apart.
        sizes_differ,
        /// The parts are several times their size apart.
        far_apart,
        /// The poses round positions by more than the parts' size.
        imprecise,
        /// A part's boxes are not finite in f32.
        not_finite,
    }
    largest {}
    other {}
}

impl Refused {
    /// Returns the number of pairs.
    pub fn total(&self) -> u64 {
        self.counts().map(|(_, count)| count).sum()
    }
}

counters! {
    /// Counts of the work that a device has done.
    Tally {
        /// Batches of part pairs sent to the device.
        batches,
        /// Part pairs in these batches.
        pairs,
        /// Rounds of the device's queue.
        rounds,
        /// Kernels launched, in rounds with and without work.
        launches,
        /// Questions that groups of lanes answered.
        answered,
        /// Steps in which groups opened boxes, up to 32 each.
        box_steps,
        /// Steps in which groups tested leaf pairs, up to 32 each.
        leaf_steps,
        /// Queue items processed: a block of one tree against a box of the other.
        items,
        /// Box pairs tested.
        box_tests,
        /// Triangle pairs tested.
        triangle_tests,
        /// Undecided triangle pairs that the device tested again, in doubles.
        posed_tests,
        /// Triangle pairs that the device proved to be in contact.
        meets,
        /// Triangle pairs that the device could not decide.
        unsure,
        /// Undecided triangle pairs that the CPU's f64 kernel decided; f64 on the device would have decided
        /// them too.
        extra_unsure,
        /// Pairs of trees (or of their pieces) whose distance the device searched.
        distances,
        /// Rounds of these searches; `rounds` counts them as well.
        distance_rounds,
        /// Triangle pairs tested in these searches; `triangle_tests` counts them as well.
        distance_triangle_tests,
        /// Triangle pairs that may be the closest, whose distance the CPU compared exactly.
        survivors,
        /// Stretches of time that the device searched, each of one part pair.
        stretches,
        /// Stretches among them throughout which the device proved the parts apart.
        stretches_apart,
        /// Triangle pairs tested over stretches; `triangle_tests` counts them as well.
        stretch_triangle_tests,
        /// Part boxes given to the device's broad phase, summed over frames.
        broad_boxes,
        /// Box tests of the broad phase.
        broad_tests,
        /// Pairs of boxes that overlap on the device, to which the CPU applied the exact predicate.
        broad_pairs,
        /// Trees sent to the device.
        trees,
        /// Bytes sent to the device for them.
        tree_bytes_up,
        /// Bytes sent to the device, with those for trees.
        bytes_up,
        /// Bytes read back.
        bytes_down,
    }
    largest {
        /// Largest number of bytes of device memory allocated at once.
        peak_bytes,
        /// The same without trees.
        peak_working_bytes,
    }
    other {
        /// Part pairs left to the CPU.
        refused: Refused,
        /// Seconds spent waiting for the device.
        waited_s: f64,
    }
}

impl Tally {
    /// Returns the number of triangle pairs tested for contact.
    pub fn contact_tests(&self) -> u64 {
        self.triangle_tests - self.distance_triangle_tests - self.stretch_triangle_tests
    }

    /// Returns the number of these that the device proved apart.
    pub fn proven_apart(&self) -> u64 {
        self.contact_tests().saturating_sub(self.meets + self.unsure)
    }
}
