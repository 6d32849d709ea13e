//! Ways to deal the pieces of a run to machines, in chunks of equal numbers of neighbouring pieces.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::costs::{Costs, Piece};

/// Chunks for each machine, as `closefit check --shard` has them.
const CHUNKS: usize = 8;

/// A way to deal chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deal {
    /// Every machine has its own chunks from the beginning, each as many as another: an array of jobs.
    Fixed,
    /// Every machine takes the next chunk when it is done with the last: a driver with workers.
    Pulled,
}

impl Deal {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Fixed, Self::Pulled];

    /// Returns its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Pulled => "pulled",
        }
    }

    /// Returns the seconds until the last of some machines is done.
    pub fn time(self, costs: &Costs, count: usize) -> f64 {
        let size = costs.pieces.len().div_ceil(CHUNKS * count).max(1);
        let mut machines: Vec<Machine> = (0..count).map(|_| Machine::default()).collect();
        // Seconds of a finite number of pieces are ordered as their bits are.
        let mut free: BinaryHeap<Reverse<(u64, usize)>> =
            (0..count).map(|machine| Reverse((0, machine))).collect();
        for (number, chunk) in costs.pieces.chunks(size).enumerate() {
            let next = match self {
                Self::Fixed => number % count,
                Self::Pulled => free.pop().map_or(0, |Reverse((_, machine))| machine),
            };
            machines[next].take(costs, chunk);
            free.push(Reverse((machines[next].seconds.to_bits(), next)));
        }
        costs.reading + machines.iter().map(|machine| machine.seconds).fold(0.0, f64::max)
    }
}

/// A machine at work.
#[derive(Default)]
struct Machine {
    /// The meshes whose trees it has built.
    trees: HashSet<usize>,
    /// The time that it has taken, but for reading.
    seconds: f64,
}

impl Machine {
    fn take(&mut self, costs: &Costs, chunk: &[Piece]) {
        for piece in chunk {
            let new = piece.meshes.into_iter().filter(|&mesh| self.trees.insert(mesh));
            let trees: f64 = new.map(|mesh| costs.meshes[mesh]).sum();
            self.seconds += trees + piece.seconds;
        }
    }
}
