//! Numbers for people: few digits, a unit that suits parts, and aligned decimal points. The exact numbers are
//! in the report.

use crate::json::number;
use closefit_geometry::units::Unit;

/// The unit in which lengths of a scene are shown: millimetres for every metric unit, inches for feet.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    factor: f64,
    unit: Option<Unit>,
    /// The unit of the scene.
    of: Option<Unit>,
    /// The text after the unit: none for lengths, ² or ³.
    power: &'static str,
    /// The number of significant digits.
    significant: usize,
}

/// The number of significant digits that people need.
const FEW: usize = 4;
/// The number of significant digits with which any two f64 read differently.
const ALL: usize = 17;

/// Returns a number rounded to some significant digits.
pub(super) fn rounded(x: f64, significant: usize) -> String {
    let rounded = format!("{x:.decimals$e}", decimals = significant - 1).parse().unwrap_or(x);
    // JSON has no word for what a unit's factor takes beyond f64.
    if rounded.is_finite() { number(rounded) } else { rounded.to_string() }
}

/// Returns the number of significant digits, at least `fewest`, with which two numbers read differently,
/// unless they are equal.
pub(super) fn digits_apart(fewest: usize, [x, y]: [f64; 2]) -> usize {
    let differ = |&digits: &usize| x == y || rounded(x, digits) != rounded(y, digits);
    (fewest..ALL).find(differ).unwrap_or(ALL)
}

impl Scale {
    pub(super) fn of(scene: Option<Unit>) -> Self {
        let (factor, unit) = match scene {
            Some(Unit::M) => (1000.0, Unit::Mm),
            Some(Unit::Cm) => (10.0, Unit::Mm),
            Some(Unit::Ft) => (12.0, Unit::In),
            Some(unit @ (Unit::Mm | Unit::In)) => (1.0, unit),
            None => return Self { factor: 1.0, unit: None, of: None, power: "", significant: FEW },
        };
        Self { factor, unit: Some(unit), of: scene, power: "", significant: FEW }
    }

    /// Returns the scale of angles, which are shown in degrees. It does not name its unit.
    pub(super) fn degrees() -> Self {
        Self { factor: 1.0_f64.to_degrees(), ..Self::of(None) }
    }

    /// Returns the scale of areas.
    pub(super) fn squared(self) -> Self {
        Self { factor: self.factor * self.factor, power: "²", ..self }
    }

    /// Returns the scale of volumes.
    pub(super) fn cubed(self) -> Self {
        Self { factor: self.factor * self.factor * self.factor, power: "³", ..self }
    }

    /// Returns the scale with which two numbers that are not equal read differently: with more digits if need
    /// be, and in the scene's unit if the factor makes them equal.
    pub(super) fn telling_apart(self, [x, y]: [f64; 2]) -> Self {
        let shown = [x * self.factor, y * self.factor];
        if x != y && shown[0] == shown[1] {
            return Self { factor: 1.0, unit: self.of, significant: ALL, ..self };
        }
        Self { significant: digits_apart(self.significant, shown), ..self }
    }

    /// Returns the scale with which the lower end of a bracket reads larger than a limit, if it is.
    pub(super) fn above(self, bracket: [f64; 2], limit: f64) -> Self {
        let is_above = |scale: &Self| {
            let low = scale.bracket(bracket).0;
            low.parse().is_ok_and(|low: f64| low > limit * scale.factor)
        };
        if bracket[0] <= limit {
            return self;
        }
        let with = |significant| Self { significant, ..self };
        (self.significant..ALL).map(with).find(is_above).unwrap_or(with(ALL))
    }

    /// Returns the factor from lengths of the scene to those that are shown.
    pub(super) fn factor(self) -> f64 {
        self.factor
    }

    /// Returns the unit as it follows a number: a space and its name, or nothing.
    pub(super) fn suffix(self) -> String {
        self.unit.map_or_else(String::new, |unit| format!(" {unit}{}", self.power))
    }

    /// Returns a column's title with its unit, such as `where, mm`.
    pub(super) fn title(self, what: &str) -> String {
        self.unit.map_or_else(|| what.to_owned(), |unit| format!("{what}, {unit}{}", self.power))
    }

    /// Returns a number with the significant digits of the scale, which are four unless more are needed.
    pub(super) fn short(self, x: f64) -> String {
        rounded(x * self.factor, self.significant)
    }

    /// Returns such a number including zeros at the end, for columns of numbers.
    pub(super) fn digits(self, x: f64) -> String {
        let x = x * self.factor;
        let after_first = self.significant - 1;
        let magnitude = magnitude(format!("{x:.after_first$e}").parse().unwrap_or(x));
        match magnitude {
            -5..=3 if x != 0.0 => {
                let decimals = after_first.saturating_add_signed(-magnitude as isize);
                format!("{x:.decimals$}")
            }
            _ => rounded(x, self.significant),
        }
    }

    /// Returns such a length, area or volume with its unit.
    pub(super) fn length(self, x: f64) -> String {
        format!("{}{}", self.short(x), self.suffix())
    }

    /// Returns the ends of a bracket with its unit.
    pub(super) fn measured(self, bracket: [f64; 2]) -> String {
        match self.bracket(bracket) {
            (number, None) => format!("{number}{}", self.suffix()),
            (low, Some(high)) => format!("{low} to {high}{}", self.suffix()),
        }
    }

    /// Returns points as columns of coordinates, all with as many decimals as show the largest of them to
    /// about a ten-thousandth: enough to find a place.
    pub(super) fn points(self, points: &[Option<[f64; 3]>]) -> Vec<String> {
        let largest =
            points.iter().flatten().flatten().fold(0.0f64, |most, x| most.max(x.abs())) * self.factor;
        let coordinate = |x: f64| match magnitude(largest) {
            magnitude @ -4..9 => {
                let decimals = usize::try_from(3 - magnitude).unwrap_or(0);
                let x: f64 = format!("{:.decimals$}", x * self.factor).parse().unwrap_or(x);
                format!("{:.decimals$}", x + 0.0) // not -0
            }
            _ => self.short(x),
        };
        let axis = |k: usize| {
            let cells = points.iter().map(|point| point.map_or_else(String::new, |p| coordinate(p[k])));
            aligned(&cells.collect::<Vec<_>>())
        };
        let [x, y, z] = [axis(0), axis(1), axis(2)];
        (0..points.len()).map(|i| format!("{} {} {}", x[i], y[i], z[i]).trim_end().to_owned()).collect()
    }

    /// Returns the ends of a bracket with three significant digits, one fewer than the scale has, or with one
    /// decimal if that is more: the lower end rounded down and the upper one up, or one number if they are
    /// nearer to each other than the last digit can tell.
    pub(super) fn bracket(self, [low, high]: [f64; 2]) -> (String, Option<String>) {
        let [low, high] = [low * self.factor, high * self.factor];
        let after_first = self.significant - 2;
        let magnitude = magnitude(format!("{high:.after_first$e}").parse().unwrap_or(high));
        let is_plain = (-5..6).contains(&magnitude);
        let decimals = after_first.saturating_add_signed(-magnitude as isize).max(1);
        let text = |x: f64| match x {
            0.0 => "0".to_owned(),
            _ if is_plain => format!("{x:.decimals$}"),
            _ => rounded(x, self.significant - 1),
        };
        let place = if is_plain { -(decimals as i32) } else { magnitude - after_first as i32 };
        let step: f64 = format!("1e{place}").parse().unwrap_or(0.0);
        if high - low < step {
            return (text(0.5 * low + 0.5 * high), None);
        }
        // What the conversion of units has rounded is no reason for another step.
        let slack = 4.0 * f64::EPSILON * high;
        let nearest = |x: f64| text(x).parse().unwrap_or(x);
        let (down, up) = (nearest(low), nearest(high));
        let down = if down > low + slack { down - step } else { down };
        let up = if up < high - slack { up + step } else { up };
        (text(down), Some(text(up)))
    }
}

/// Returns a bracket of a length for people, with its unit: three significant digits, or one decimal if that
/// is more, rounded outwards, such as `1.65 mm` or `4.2 to 4.4 mm`.
pub fn measured(bracket: [f64; 2], unit: Option<Unit>) -> String {
    Scale::of(unit).measured(bracket)
}

/// Returns the exponent of a number's first digit: 2 for 123.
fn magnitude(x: f64) -> i32 {
    format!("{x:e}").rsplit('e').next().and_then(|exponent| exponent.parse().ok()).unwrap_or(0)
}

/// Returns a number of things, with the singular or the plural: `1 part`, `2 parts`.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Returns brackets as `low to high`, or as one number each, with aligned decimal points of the first
/// numbers.
pub(super) fn brackets(sizes: &[Option<[f64; 2]>], scale: Scale) -> Vec<String> {
    let ends = sizes.iter().map(|size| size.map_or_else(Default::default, |size| scale.bracket(size)));
    let (lows, highs): (Vec<String>, Vec<Option<String>>) = ends.unzip();
    let text = |(low, high): (String, Option<String>)| {
        let low = low.trim_end();
        high.map_or_else(|| low.to_owned(), |high| format!("{low} to {high}"))
    };
    aligned(&lows).into_iter().zip(highs).map(text).collect()
}

/// Returns times in seconds with aligned decimal points, all with as many decimals as show the `longest` to
/// about a ten-thousandth.
pub(super) fn seconds(times: &[Option<f64>], longest: f64) -> Vec<String> {
    let decimals = usize::try_from(4 - magnitude(longest)).unwrap_or(0).min(9);
    let text =
        |time: &Option<f64>| time.map_or_else(String::new, |time| format!("{:.decimals$}", time + 0.0));
    let texts = aligned(&times.iter().map(text).collect::<Vec<_>>());
    texts.into_iter().map(|text| text.trim_end().to_owned()).collect()
}

/// Pads numbers on both sides, so that their decimal points are aligned.
pub(super) fn aligned(numbers: &[String]) -> Vec<String> {
    let before = |n: &str| n.find(['.', 'e']).unwrap_or(n.len());
    let left = numbers.iter().map(|n| before(n)).max().unwrap_or(0);
    let right = numbers.iter().map(|n| n.len() - before(n)).max().unwrap_or(0);
    let pad = |n: &String| {
        let shift = left - before(n);
        format!("{}{n:<width$}", " ".repeat(shift), width = left + right - shift)
    };
    numbers.iter().map(pad).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lengths_are_short_and_in_a_unit_for_parts() {
        let metre = Scale::of(Some(Unit::M));
        assert_eq!(metre.length(0.0000555271), "0.05553 mm");
        assert_eq!(metre.length(1.70523e-17), "1.705e-14 mm");
        assert_eq!(metre.length(0.0), "0 mm");
        assert_eq!(Scale::of(Some(Unit::Ft)).length(0.5), "6 in");
        assert_eq!(Scale::of(None).length(12345.6), "12350");
        assert_eq!(
            ["1", "0.25", "9.9996", "54321"].map(|x| Scale::of(None).digits(x.parse().unwrap())),
            ["1.000", "0.2500", "10.00", "54320"]
        );
        assert_eq!([0.0, 4e-7, 1.5e-9].map(|x| metre.digits(x)), ["0", "0.0004000", "1.5e-6"]);
        assert_eq!(metre.title("where"), "where, mm");
        assert_eq!(Scale::of(None).title("where"), "where");
        assert_eq!(
            (metre.squared().length(0.5), metre.cubed().title("hull")),
            ("500000 mm²".into(), "hull, mm³".into())
        );
    }

    #[test]
    fn what_a_unit_takes_beyond_f64_is_no_null() {
        assert_eq!(Scale::of(Some(Unit::M)).length(1e308), "inf mm");
        assert_eq!(Scale::of(None).length(f64::MAX), "inf");
    }

    #[test]
    fn numbers_stand_beneath_one_another() {
        let numbers = ["1.25", "", "100", "0.0625"].map(str::to_owned);
        assert_eq!(aligned(&numbers), ["  1.25  ", "        ", "100     ", "  0.0625"]);
    }

    #[test]
    fn points_have_the_decimals_of_the_largest() {
        let mm = Scale::of(Some(Unit::Mm));
        let points = [Some([153.0154321, -0.0, 7.0]), None, Some([-2.54, 1.0, -0.04])];
        assert_eq!(mm.points(&points), ["153.0 0.0 7.0", "", " -2.5 1.0 0.0"]);
        assert_eq!(mm.points(&[Some([0.0, 0.0, 0.0625])]), ["0.00000 0.00000 0.06250"]);
        assert_eq!(mm.points(&[Some([12345.6, 0.0, 1.5])]), ["12346 0 2"]);
        assert_eq!(mm.points(&[Some([0.0, 1e-30, 1e50])]), ["0 1e-30 1e50"]);
        assert_eq!(mm.points(&[Some([0.0; 3])]), ["0.000 0.000 0.000"]);
        assert_eq!(mm.points(&[]), Vec::<String>::new());
    }

    #[test]
    fn brackets_are_short_and_rounded_outwards() {
        for (low, high, expected) in [
            (0.12, 0.1212, "0.120 to 0.122"),
            (0.00012, 0.0001212, "0.000120 to 0.000122"),
            (98.67, 98.71, "98.7"),
            (222.49, 224.61, "222.4 to 224.7"),
            (1.0 - 1e-9, 1.0 + 1e-9, "1.00"),
            (1.0 - 1e-9, 1.0 - 1e-12, "1.00"),
            (0.0, 0.09999, "0 to 0.100"),
            (9.999, 10.11, "9.9 to 10.2"),
            (0.0, 0.0, "0"),
            (0.0, 0.0005, "0 to 0.000500"),
            (1.2345e-9, 1.2455e-9, "1.23e-9 to 1.25e-9"),
            (1.2345e9, 1.2455e9, "1230000000 to 1250000000"),
        ] {
            assert_eq!(brackets(&[Some([low, high])], Scale::of(None)), [expected]);
        }
        // 0.9 mm in metres, times 1000, is not 0.9.
        assert_eq!(brackets(&[Some([0.0009, 0.00091])], Scale::of(Some(Unit::M))), ["0.900 to 0.910"]);
        let several = [Some([1.0, 1.01]), None, Some([20.5, 20.5])];
        assert_eq!(brackets(&several, Scale::of(None)), [" 1.00 to 1.01", "", "20.5"]);
    }

    #[test]
    fn times_have_the_decimals_of_the_longest() {
        assert_eq!(seconds(&[Some(2.99951), None, Some(0.000488281)], 6.0), ["2.9995", "", "0.0005"]);
        assert_eq!(seconds(&[Some(1234.5), Some(-0.0)], 1234.5), ["1234.5", "   0.0"]);
        assert_eq!(seconds(&[Some(1e-7)], 1e-7), ["0.000000100"]);
        assert_eq!(seconds(&[None], 0.0), [""]);
    }

    #[test]
    fn numbers_that_are_not_equal_read_differently() {
        let bare = Scale::of(None);
        let apart = |x: f64, y: f64| [x, y].map(|one| bare.telling_apart([x, y]).length(one));
        assert_eq!(apart(0.1, 0.1), ["0.1", "0.1"]);
        assert_eq!(apart(0.1, 0.2), ["0.1", "0.2"]);
        assert_eq!(apart(0.1, 0.100_02), ["0.1", "0.10002"]);
        assert_eq!(apart(2.0, 2.0_f64.next_up()), ["2", "2.0000000000000004"]);
        assert_eq!(bare.telling_apart([1.0, 0.999_97]).digits(0.999_97), "0.99997");
        // 1000 times both is the same number.
        let mut neighbours = std::iter::successors(Some(0.0019_f64), |x| Some(x.next_up()));
        let one = neighbours.find(|x| x * 1000.0 == x.next_up() * 1000.0).unwrap();
        let other = one.next_up();
        let metre = Scale::of(Some(Unit::M)).telling_apart([one, other]);
        assert_ne!(metre.length(one), metre.length(other));
        assert!(metre.length(one).ends_with(" m"), "{}", metre.length(one));
    }

    #[test]
    fn a_bracket_above_a_limit_reads_so() {
        let of = |low: f64, high: f64, limit: f64| {
            let scale = Scale::of(None).above([low, high], limit);
            brackets(&[Some([low, high])], scale).remove(0)
        };
        assert_eq!(of(0.12, 0.1212, 0.1), "0.120 to 0.122");
        assert_eq!(of(0.100_004, 0.101_1, 0.1), "0.100004 to 0.101100");
        assert_eq!(of(0.100_004, 0.100_004, 0.1), "0.100004");
        assert_eq!(of(0.09, 0.1005, 0.1), "0.090 to 0.101", "it is not");
    }

    proptest! {
        /// Neighbours and other numbers read differently, in every unit.
        #[test]
        fn unequal_numbers_never_read_alike(x in 1e-12..1e12, steps in 1_u64..1 << 40, unit in 0_usize..6) {
            let x: f64 = x;
            let y = f64::from_bits(x.to_bits() + steps);
            let units = [None, Some(Unit::Mm), Some(Unit::Cm), Some(Unit::M), Some(Unit::In), Some(Unit::Ft)];
            let lengths = Scale::of(units[unit]);
            for scale in [lengths, lengths.squared(), lengths.cubed()] {
                let scale = scale.telling_apart([x, y]);
                prop_assert!(scale.length(x) != scale.length(y), "{} {}", x, y);
                prop_assert!(scale.digits(x) != scale.digits(y), "{} {}", x, y);
            }
        }

        /// The shown bracket contains the exact one, and is wider by at most two units of the third digit.
        #[test]
        fn brackets_contain_what_they_show(low in 1e-12..1e12, wider in 0.0..0.02) {
            let high = low * (1.0 + wider);
            let number = |text: &str| text.parse::<f64>().unwrap();
            match Scale::of(None).bracket([low, high]) {
                (one, None) => {
                    let one = number(&one);
                    prop_assert!((one - low).abs().max((one - high).abs()) <= 0.02 * high);
                }
                (down, Some(up)) => {
                    let (down, up) = (number(&down), number(&up));
                    prop_assert!(down <= low * (1.0 + 1e-15) && high * (1.0 - 1e-15) <= up);
                    prop_assert!(up - down <= high - low + 0.02 * high + 1e-15 * high);
                }
            }
        }
    }
}
