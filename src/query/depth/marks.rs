//! A map from small numbers that is cleared in constant time.

/// Values for some of the numbers from 0.
#[derive(Default)]
pub struct Marks {
    /// The round in which a number was set, and its value.
    set: Vec<(u32, u32)>,
    round: u32,
}

impl Marks {
    /// Clears the map. Numbers below `count` may be set afterwards.
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

    /// Returns the value of a number, if set.
    pub fn get(&self, number: u32) -> Option<u32> {
        let (round, value) = self.set[number as usize];
        (round == self.round).then_some(value)
    }

    /// Sets a number that has no value. Returns false, and keeps the old value, if it has one.
    pub fn set(&mut self, number: u32, value: u32) -> bool {
        let entry = &mut self.set[number as usize];
        let new = entry.0 != self.round;
        if new {
            *entry = (self.round, value);
        }
        new
    }
}
