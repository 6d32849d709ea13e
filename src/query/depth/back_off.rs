//! The times at which to try, once more, to resolve all that is queued at once. An attempt costs as much as
//! everything queued, so that it must not be repeated whenever the limit has grown a little, unless it pays.

/// The growth of the limit after which an attempt that has paid is repeated.
const AGAIN: f64 = 1.05;

/// That growth after the first attempt that has not. It is squared after each one more.
const BACK_OFF: f64 = 2.0;

/// The share of what is tried that must come free, one in this many, for an attempt to pay.
const SHARE: usize = 8;

/// True if an attempt has paid that freed some of what it tried.
pub fn pays(freed: usize, tried: usize) -> bool {
    SHARE * freed >= tried
}

/// The attempts so far to free all of a kind at once.
pub struct BackOff {
    /// The limit at the last attempt.
    tried_at: f64,
    /// The growth of the limit from there at which the next is due.
    growth: f64,
}

impl Default for BackOff {
    fn default() -> Self {
        Self { tried_at: 0.0, growth: AGAIN }
    }
}

impl BackOff {
    /// True if the limit has grown enough for another attempt.
    pub fn is_due(&self, limit: f64) -> bool {
        limit > self.growth * self.tried_at
    }

    /// Records an attempt at a limit.
    pub fn tried(&mut self, limit: f64, has_paid: bool) {
        self.tried_at = limit;
        self.growth = if has_paid { AGAIN } else { (self.growth * self.growth).max(BACK_OFF) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_put_attempts_off_until_one_pays() {
        let mut attempts = BackOff::default();
        assert!(attempts.is_due(1.0));
        for (limit, has_paid, next) in [
            (1.0, true, 1.05),
            (2.0, false, 4.0),
            (5.0, false, 20.0),
            (21.0, false, 336.0),
            (400.0, true, 420.0),
        ] {
            attempts.tried(limit, has_paid);
            assert!(!attempts.is_due(next) && attempts.is_due(next * 1.001), "{limit} {next}");
        }
    }
}
