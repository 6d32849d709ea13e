//! Numbers for people: few digits, a unit that suits parts, and aligned decimal points. The exact numbers are
//! in the report.

use crate::json::number;
use closefit_geometry::units::Unit;

/// The unit in which lengths of a scene are shown: millimetres for every metric unit, inches for feet.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    factor: f64,
    unit: Option<Unit>,
    /// The text after the unit: none for lengths, ² or ³.
    power: &'static str,
}

impl Scale {
    pub(super) fn of(scene: Option<Unit>) -> Self {
        let (factor, unit) = match scene {
            Some(Unit::M) => (1000.0, Unit::Mm),
            Some(Unit::Cm) => (10.0, Unit::Mm),
            Some(Unit::Ft) => (12.0, Unit::In),
            Some(unit @ (Unit::Mm | Unit::In)) => (1.0, unit),
            None => return Self { factor: 1.0, unit: None, power: "" },
        };
        Self { factor, unit: Some(unit), power: "" }
    }

    /// Returns the scale of areas.
    pub(super) fn squared(self) -> Self {
        Self { factor: self.factor * self.factor, power: "²", ..self }
    }

    /// Returns the scale of volumes.
    pub(super) fn cubed(self) -> Self {
        Self { factor: self.factor * self.factor * self.factor, power: "³", ..self }
    }

    /// Returns the unit as it follows a number: a space and its name, or nothing.
    pub(super) fn suffix(self) -> String {
        self.unit.map_or_else(String::new, |unit| format!(" {unit}{}", self.power))
    }

    /// Returns a column's title with its unit, such as `where, mm`.
    pub(super) fn title(self, what: &str) -> String {
        self.unit.map_or_else(|| what.to_owned(), |unit| format!("{what}, {unit}{}", self.power))
    }

    /// Returns a number with four significant digits.
    pub(super) fn short(self, x: f64) -> String {
        let x = x * self.factor;
        number(format!("{x:.3e}").parse().unwrap_or(x))
    }

    /// Returns a number with four significant digits, including zeros at the end, for columns of numbers.
    pub(super) fn digits(self, x: f64) -> String {
        let x = x * self.factor;
        let rounded = format!("{x:.3e}");
        match rounded.rsplit('e').next().map(str::parse::<i32>) {
            Some(Ok(magnitude @ -5..=3)) if x != 0.0 => {
                format!("{x:.decimals$}", decimals = usize::try_from(3 - magnitude).unwrap_or(0))
            }
            _ => number(rounded.parse().unwrap_or(x)),
        }
    }

    /// Returns a length, or an area or volume, with four significant digits and its unit.
    pub(super) fn length(self, x: f64) -> String {
        format!("{}{}", self.short(x), self.suffix())
    }

    /// Returns points as columns of coordinates, all with as many decimals as show the largest of them to
    /// about a millionth.
    pub(super) fn points(self, points: &[Option<[f64; 3]>]) -> Vec<String> {
        let largest =
            points.iter().flatten().flatten().fold(0.0f64, |most, x| most.max(x.abs())) * self.factor;
        let magnitude = format!("{largest:e}").rsplit('e').next().and_then(|e| e.parse::<i32>().ok());
        let coordinate = |x: f64| match magnitude.unwrap_or(0) {
            0.. if largest < 1e9 => {
                let decimals = usize::try_from(5 - magnitude.unwrap_or(0)).unwrap_or(0);
                format!("{:.decimals$}", x * self.factor + 0.0)
            }
            -4..0 => format!("{:.6}", x * self.factor + 0.0),
            _ => self.short(x),
        };
        let axis = |k: usize| {
            let cells = points.iter().map(|point| point.map_or_else(String::new, |p| coordinate(p[k])));
            aligned(&cells.collect::<Vec<_>>())
        };
        let [x, y, z] = [axis(0), axis(1), axis(2)];
        (0..points.len()).map(|i| format!("{} {} {}", x[i], y[i], z[i]).trim_end().to_owned()).collect()
    }
}

/// Returns a number of things, with the singular or the plural: `1 part`, `2 parts`.
pub(super) fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Returns single numbers, and `low to high` if the two differ as shown.
pub(super) fn brackets(sizes: &[Option<(f64, Option<f64>)>], scale: Scale) -> Vec<String> {
    let low = |size: &Option<(f64, _)>| size.map_or_else(String::new, |(low, _)| scale.digits(low));
    let lows = aligned(&sizes.iter().map(low).collect::<Vec<_>>());
    let high = |size: &Option<(f64, Option<f64>)>| match *size {
        Some((low, Some(high))) if scale.digits(low) != scale.digits(high) => scale.digits(high),
        _ => String::new(),
    };
    let highs: Vec<String> = sizes.iter().map(high).collect();
    let columns = lows.into_iter().zip(aligned(&highs)).zip(&highs);
    columns
        .map(|((low, padded), high)| if high.is_empty() { low } else { format!("{low} to {padded}") })
        .collect()
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
    fn numbers_stand_beneath_one_another() {
        let numbers = ["1.25", "", "100", "0.0625"].map(str::to_owned);
        assert_eq!(aligned(&numbers), ["  1.25  ", "        ", "100     ", "  0.0625"]);
    }

    #[test]
    fn points_have_the_decimals_of_the_largest() {
        let mm = Scale::of(Some(Unit::Mm));
        let points = [Some([153.0154321, -0.0, 7.0]), None, Some([-2.5, 1.0, 0.125])];
        assert_eq!(mm.points(&points), ["153.015 0.000 7.000", "", " -2.500 1.000 0.125"]);
        assert_eq!(mm.points(&[Some([0.0, 0.0, 0.0625])]), ["0.000000 0.000000 0.062500"]);
        assert_eq!(mm.points(&[Some([0.0, 1e-30, 1e50])]), ["0 1e-30 1e50"]);
        assert_eq!(mm.points(&[Some([0.0; 3])]), ["0.00000 0.00000 0.00000"]);
        assert_eq!(mm.points(&[]), Vec::<String>::new());
    }
}
