//! Helpers of the text formats: lines of tokens, and decimal numbers read as the nearest f64.

use super::error::{Fault, clip};

/// Parses a finite number, rounded once from its decimal text.
pub(super) fn number(token: &str) -> Result<f64, String> {
    match token.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(format!("'{}' is not a finite number", clip(token))),
        Err(_) => Err(format!("'{}' is not a number", clip(token))),
    }
}

/// Parses the next three tokens as a point.
pub(super) fn point<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Result<glam::DVec3, String> {
    let mut coordinates = [0.0; 3];
    for (i, coordinate) in coordinates.iter_mut().enumerate() {
        *coordinate = number(tokens.next().ok_or(format!("only {i} of 3 coordinates"))?)?;
    }
    Ok(coordinates.into())
}

/// Creates a fault on a line, counted from 1.
pub(super) fn on_line(line: usize, why: impl Into<String>) -> Fault {
    Fault::at(format!("line {line}"), why)
}

/// Cuts a polygon into a fan of triangles from its first corner, in order.
pub(super) fn fan(corners: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    let first = corners.first().copied().unwrap_or_default();
    corners.windows(2).skip(1).map(move |pair| [first, pair[0], pair[1]])
}
