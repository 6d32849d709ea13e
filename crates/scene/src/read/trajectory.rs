//! Trajectories of a robot's joints: CSV with a header `t_s,joint,...` and a row for each time.

use std::collections::HashSet;

use super::error::{Fault, clip};
use super::text::{decoded, number};
use closefit_geometry::units::without_angle_unit;

/// The place of the first row in messages.
pub(super) const HEADER: &str = "the header";

/// Values of joints over time, linear between the rows.
pub(super) struct Trajectory {
    /// The file, as the user gave it.
    pub file: String,
    /// Times in seconds; strictly increasing, at least one.
    pub times: Vec<f64>,
    /// The joints, each once.
    pub joints: Vec<Course>,
}

/// The values of one joint over time.
pub(super) struct Course {
    /// Name of the joint.
    pub joint: String,
    /// Values in radians or metres, one for each time.
    pub values: Vec<f64>,
    /// The first row, from 0, whose value is an angle by its unit.
    pub angle: Option<usize>,
}

impl Course {
    /// Adds a value: a number, or an angle with `deg` or `rad` after it.
    fn push(&mut self, text: &str) -> Result<(), String> {
        let angle = without_angle_unit(text);
        if angle.is_some() {
            self.angle.get_or_insert(self.values.len());
        }
        let (bare, radians) = angle.unwrap_or((text, 1.0));
        self.values.push(number(bare)? * radians);
        Ok(())
    }
}

impl Trajectory {
    /// Parses a file. Rows are counted from 1, which is the header.
    pub fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let text = decoded(bytes)?;
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let mut rows = reader.records().enumerate().map(|(i, row)| {
            row.map_err(|error| Fault::at(format!("row {}", i + 1), error.to_string()))
                .map(|row| (i + 1, row))
        });
        let Some(head) = rows.next() else { return Err(Fault::Empty) };
        let (_, head) = head?;
        if head.get(0) != Some("t_s") {
            let first = clip(head.get(0).unwrap_or(""));
            return Err(Fault::at(HEADER, format!("the first column is '{first}' instead of t_s")));
        }
        let mut seen = HashSet::new();
        if let Some(twice) = head.iter().find(|&name| !seen.insert(name)) {
            return Err(Fault::at(HEADER, format!("there are two columns '{}'", clip(twice))));
        }
        let course = |joint: &str| Course { joint: joint.to_owned(), values: Vec::new(), angle: None };
        let mut joints: Vec<Course> = head.iter().skip(1).map(course).collect();
        let mut times: Vec<f64> = Vec::new();
        for row in rows {
            let (line, row) = row?;
            let fault = |column: &str, why: String| Fault::at(format!("row {line}, {}", clip(column)), why);
            if row.len() != head.len() {
                let why = format!("{} values for {} columns", row.len(), head.len());
                return Err(Fault::at(format!("row {line}"), why));
            }
            let time = number(&row[0]).map_err(|why| fault("t_s", why))?;
            if times.last().is_some_and(|&before| time <= before) {
                return Err(fault("t_s", format!("the time {time} does not come after the one before it")));
            }
            times.push(time);
            for (course, value) in joints.iter_mut().zip(row.iter().skip(1)) {
                let pushed = course.push(value);
                pushed.map_err(|why| fault(&course.joint, why))?;
            }
        }
        if times.is_empty() {
            return Err(Fault::Scene("the trajectory has no rows".to_owned()));
        }
        Ok(Self { file: String::new(), times, joints })
    }

    /// Attributes a fault to the row with this index after the header, and to a column.
    pub fn fault_at(&self, row: usize, column: &str, why: impl Into<String>) -> Fault {
        Fault::at(format!("row {}, {}", row + 2, clip(column)), why).in_file(&self.file)
    }

    /// Sets the name of the file.
    pub fn named(self, file: &str) -> Self {
        Self { file: file.to_owned(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_joints() {
        let t =
            Trajectory::parse("\u{feff}t_s, a ,\"b,c\"\r\n0,1,0.1\r\n0.5,-2e-3,7\r\n".as_bytes()).unwrap();
        assert_eq!(t.times, [0.0, 0.5]);
        let courses: Vec<_> = t.joints.iter().map(|c| (c.joint.as_str(), c.values.as_slice())).collect();
        assert_eq!(courses, [("a", &[1.0, -2e-3][..]), ("b,c", &[0.1, 7.0])]);
    }

    #[test]
    fn angles_may_have_units() {
        let t = Trajectory::parse("t_s,a,b\n0,90deg,1\n1,-0.5 rad,2\n2,0.25,1e2deg\n".as_bytes()).unwrap();
        let right = std::f64::consts::FRAC_PI_2;
        assert_eq!(t.joints[0].values, [right, -0.5, 0.25]);
        assert!((t.joints[1].values[2] - right / 0.9).abs() < 1e-15);
        assert_eq!([t.joints[0].angle, t.joints[1].angle], [Some(0), Some(2)]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, says) in [
            ("", "the file is empty"),
            ("t_s,a\n", "the trajectory has no rows"),
            ("time,a\n0,1\n", "the header: the first column is 'time' instead of t_s"),
            ("t_s,a,a\n0,1,2\n", "the header: there are two columns 'a'"),
            ("t_s,a\n0,1\n0,2\n", "row 3, t_s: the time 0 does not come after the one before it"),
            ("t_s,a\n0,1\n1\n", "row 3: 1 values for 2 columns"),
            ("t_s,a\n0,1\n1,nan\n", "row 3, a: 'nan' is not a finite number"),
            ("t_s,a\n0,x\n", "row 2, a: 'x' is not a number"),
            ("t_s,a\n0,xdeg\n", "row 2, a: 'x' is not a number"),
            ("t_s,a\n0,infrad\n", "row 2, a: 'inf' is not a finite number"),
            ("t_s,a\n0deg,1\n", "row 2, t_s: '0deg' is not a number"),
            ("t_s,a\ninf,1\n", "row 2, t_s: 'inf' is not a finite number"),
        ] {
            let error = Trajectory::parse(text.as_bytes()).err().unwrap().to_string();
            assert_eq!(error, says);
        }
    }
}
