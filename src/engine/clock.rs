//! The wall-clock time of stages that follow each other without a gap.

use closefit_geometry::clock::Instant;

/// A clock that measures one lap after another.
#[derive(Clone, Debug)]
pub struct Clock {
    started: Instant,
    lap_began: Instant,
}

impl Clock {
    /// Starts the first lap.
    pub fn start() -> Self {
        let now = Instant::now();
        Self { started: now, lap_began: now }
    }

    /// Ends a lap and starts the next. Returns the seconds that it took.
    pub fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let began = std::mem::replace(&mut self.lap_began, now);
        now.duration_since(began).as_secs_f64()
    }

    /// Returns the seconds of all laps that have ended.
    pub fn total(&self) -> f64 {
        self.lap_began.duration_since(self.started).as_secs_f64()
    }
}
