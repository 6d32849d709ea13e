//! A table as text.

use std::fmt::Write;

use crate::Effort;
use crate::table::{Author, Row, Table, Value};
use crate::verdict::{Claim, Reading, Rule, TimedClaim};

/// Number of columns of running text.
const WIDTH: usize = 100;

impl Table {
    /// Returns the table as text.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {}\n", self.table, self.title);
        let source = &self.source;
        text +=
            &wrapped(&format!("{}, {}; measured on {}", source.paper, source.place, source.machine), "  ");
        if self.effort == Effort::Quick {
            text += "  Quick: small sizes and few frames. A full run may decide otherwise.\n";
        }
        text += "\nSetting\n";
        for setting in &self.settings {
            let by = match setting.by {
                Author::Paper => "the paper: ",
                Author::Us => "our choice: ",
            };
            text += &wrapped(&format!("{by}{}", setting.text), "  ");
        }
        text.push('\n');
        text += &self.rows_as_text();
        text += "\nClaims\n";
        self.claims.iter().for_each(|claim| text += &claim_as_text(claim));
        if let Some(path) = &self.path {
            let _ = writeln!(text, "\nPath: {path}");
        }
        let machine = &self.this_machine;
        let _ = writeln!(
            text,
            "\nThis machine: {}, {} threads, {:.1} s",
            machine.processor, machine.threads, machine.seconds
        );
        for row in &machine.rows {
            let _ = writeln!(text, "  {}: {:.6} s", row.of, row.seconds);
        }
        machine.claims.iter().for_each(|claim| text += &timed_claim_as_text(claim));
        text
    }

    fn rows_as_text(&self) -> String {
        let cell = |row: &Row, key: &str| {
            let value = row.counts.iter().find(|(column, _)| *column == key);
            value.map_or_else(|| "-".to_owned(), |(_, value)| number(value))
        };
        let names = self.rows.iter().map(|row| match row.of {
            Author::Paper => format!("{} (paper)", row.name),
            Author::Us => row.name.clone(),
        });
        let mut columns = vec![std::iter::once(String::new()).chain(names).collect::<Vec<_>>()];
        for (key, heading) in &self.columns {
            let cells = self.rows.iter().map(|row| cell(row, key));
            columns.push(std::iter::once((*heading).to_owned()).chain(cells).collect());
        }
        let width = |cells: &[String]| cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = columns.iter().map(|cells| width(cells)).collect();
        let mut text = String::new();
        for line in 0..=self.rows.len() {
            let _ = write!(text, "  {:<1$}", columns[0][line], widths[0]);
            for (cells, width) in columns.iter().zip(&widths).skip(1) {
                let _ = write!(text, "  {:>width$}", cells[line]);
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text
    }
}

/// Returns a number with at most four significant digits behind the point, and groups of three before it.
fn number(value: &Value) -> String {
    match value {
        Value::Count(count) => grouped(*count),
        Value::Number(number) if number.abs() >= 1000.0 => grouped(number.round() as u64),
        Value::Number(number) => {
            let digits = if number.abs() >= 100.0 {
                1
            } else if number.abs() >= 10.0 {
                2
            } else {
                3
            };
            format!("{number:.digits$}")
        }
    }
}

fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

fn claim_as_text(claim: &Claim) -> String {
    let head = format!("{}  {}: {}", claim.id, claim.verdict, claim.text);
    let mut text = wrapped(&head, "  ");
    text += &wrapped(&format!("the paper: {}", claim.paper), "      ");
    text += &wrapped(&format!("the rule: {}", claim.rule), "      ");
    if !claim.today.is_empty() {
        text += &wrapped(&format!("here: {}", readings(claim)), "      ");
    }
    let remarks = [("what differs", claim.differs), ("cannot fail", claim.cannot_fail)];
    for (name, remark) in remarks.into_iter().filter_map(|(name, remark)| Some((name, remark?))) {
        text += &wrapped(&format!("{name}: {remark}"), "      ");
    }
    text
}

fn timed_claim_as_text(claim: &TimedClaim) -> String {
    let mut text = wrapped(&format!("{}  {}", claim.id, claim.text), "  ");
    text += &wrapped(&format!("the paper: {}", claim.paper), "      ");
    let readings: Vec<String> =
        claim.today.iter().map(|timed| format!("{} ({})", short(timed.value), timed.of)).collect();
    text + &wrapped(&format!("here: {}", readings.join(", ")), "      ")
}

/// Returns all readings, or of many their range and those that disagree.
fn readings(claim: &Claim) -> String {
    let one = |reading: &Reading| format!("{} ({})", short(reading.value), reading.of);
    let list = |readings: Vec<&Reading>| readings.into_iter().map(one).collect::<Vec<_>>().join(", ");
    if claim.today.len() <= 4 || matches!(claim.rule, Rule::NotComparable(_)) {
        return list(claim.today.iter().collect());
    }
    let values = || claim.today.iter().map(|reading| reading.value);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let against: Vec<&Reading> = claim.today.iter().filter(|reading| !reading.agrees).collect();
    let all = format!("{} to {} in {} cases", short(least), short(most), claim.today.len());
    if against.is_empty() { all } else { format!("{all}; against it {}: {}", against.len(), list(against)) }
}

/// Returns a number with three digits behind the point, or with three significant ones if it is below 1; a
/// whole number has no point.
fn short(x: f64) -> String {
    if x.fract() == 0.0 {
        return format!("{x}");
    }
    // One more for each zero behind the point; a logarithm would be rounded by each system in its own way.
    let mut digits = 3;
    let mut tenfold = 10.0 * x.abs();
    while tenfold < 1.0 {
        (digits, tenfold) = (digits + 1, 10.0 * tenfold);
    }
    format!("{x:.digits$}")
}

/// Breaks a text into lines with an indent; all but the first are indented by two more.
fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = String::new();
    let mut line = indent.to_owned();
    for word in text.split(' ') {
        if line.chars().count() + word.chars().count() >= WIDTH && line.trim() != "" {
            lines += line.trim_end();
            lines.push('\n');
            line = format!("{indent}  ");
        }
        line += word;
        line.push(' ');
    }
    lines += line.trim_end();
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(&Value::Count(1_704_187)), "1 704 187");
        assert_eq!(number(&Value::Number(4_200.4)), "4 200");
        assert_eq!(number(&Value::Number(425.23)), "425.2");
        assert_eq!(number(&Value::Number(16.951)), "16.95");
        assert_eq!(number(&Value::Number(0.0149)), "0.015");
    }

    #[test]
    fn readings_keep_three_digits_however_small() {
        for (x, expected) in [
            (16.0, "16"),
            (-2.0, "-2"),
            (0.0, "0"),
            (16.951_2, "16.951"),
            (0.946_1, "0.946"),
            (0.012_34, "0.0123"),
            (0.000_081_26, "0.0000813"),
            (-0.001_234, "-0.00123"),
            (0.1, "0.100"),
        ] {
            assert_eq!(short(x), expected);
        }
        let claim = |readings: Vec<f64>| {
            let readings = readings.into_iter().map(|x| ("step".to_owned(), x));
            claim_as_text(&Claim::judged("L11", "takes 0.1 s", "0.1 s", Rule::AtMost(0.1), readings))
        };
        let many = claim(vec![0.000_081_26, 0.5, 0.001, 0.002, 0.003]);
        assert!(many.contains("here: 0.0000813 to 0.500 in 5 cases; against it 1: 0.500 (step)"), "{many}");
        assert!(claim(vec![16.0]).contains("here: 16 (step)"));
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let text = wrapped(&"word ".repeat(50), "  ");
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.chars().count() <= WIDTH));
        assert!(text.lines().skip(1).all(|line| line.starts_with("    word")));
    }
}
