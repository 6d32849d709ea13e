//! Budgets: how much of a run is done before it ends with what it has.

use std::str::FromStr;
use std::time::Duration;

/// The limit of a run. What is left then stays undecided, and can be decided later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// A time since the start: no pair is begun afterwards.
    Time(Duration),
    /// A number of pairs to be decided: the first ones in the order of ids.
    Pairs(u64),
}

impl FromStr for Budget {
    type Err = &'static str;

    /// Parses a text such as `30m`, `1.5h`, `90s` or `500pairs`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str =
            "a budget is a time such as 90s, 30m or 2h, or a number of pairs such as 500pairs";
        if let Some(pairs) = text.strip_suffix("pairs") {
            return pairs.parse().map(Self::Pairs).map_err(|_| WRONG);
        }
        let units = [("s", 1.0), ("m", 60.0), ("h", 3600.0)];
        let time = units.iter().find_map(|(unit, seconds)| {
            let number: f64 = text.strip_suffix(unit)?.parse().ok()?;
            Duration::try_from_secs_f64(number * seconds).ok()
        });
        time.map(Self::Time).ok_or(WRONG)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_a_time_or_a_number_of_pairs() {
        let seconds = |seconds| Ok(Budget::Time(Duration::from_secs(seconds)));
        assert_eq!(["90s", "30m", "1.5h"].map(str::parse), [seconds(90), seconds(1800), seconds(5400)]);
        assert_eq!(["0s", "0pairs"].map(str::parse), [seconds(0), Ok(Budget::Pairs(0))]);
        assert_eq!("500pairs".parse(), Ok(Budget::Pairs(500)));
        for wrong in ["", "30", "m", "-1s", "nans", "infh", "1e300h", "5 pairs", "-5pairs", "1.5pairs"] {
            wrong.parse::<Budget>().unwrap_err();
        }
    }
}
