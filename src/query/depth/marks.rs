//! A map from small numbers that is emptied in no time.

/// Values of some of the numbers from 0 on.
#[derive(Default)]
pub struct Marks {
    /// For each number the round in which it was set, and the value.
    set: Vec<(u32, u32)>,
    round: u32,
}

impl Marks {
    /// Forgets all; numbers up to `count` may be set then.
    pub fn clear(&mut self, count: usize) {
        if self.round == u32::MAX {
            self.set.clear();
            self.round = 0;
        }
        self.round += 1;
        if self.set.len() < count {
            self.set.resize(count, (0, 0));
        }
    }

    /// The value of a number, if it has one.
    pub fn get(&self, number: u32) -> Option<u32> {
        let (round, value) = self.set[number as usize];
        (round == self.round).then_some(value)
    }

    /// Sets the value of a number that has none. False if it has one, which stays.
    pub fn set(&mut self, number: u32, value: u32) -> bool {
        let entry = &mut self.set[number as usize];
        let new = entry.0 != self.round;
        if new {
            *entry = (self.round, value);
        }
        new
    }
}
