//! Sizes that Python gives: whole numbers that are not negative.

use std::fmt::Display;

use closefit_geometry::text::printable;
use pyo3::prelude::*;

use crate::error::Refusal;
use crate::work::MOST_THREADS;

/// Returns a number of threads; 0 for one per core.
pub fn threads(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    size(given, "threads", MOST_THREADS)
}

/// Returns a number of worlds.
pub fn count(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    size(given, "count", u32::MAX as usize)
}

/// Returns a number of points.
pub fn points(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    size(given, "points", usize::MAX)
}

/// Returns a number of tests, if one is given.
pub fn budget(given: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    unless_none(given, |given| size(given, "budget", u64::MAX))
}

/// Returns a number of seconds, if one is given.
pub fn ifc_limit(given: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
    unless_none(given, |given| size(given, "ifc_limit", u32::MAX))
}

/// Returns the bits of the groups that a body belongs to.
pub fn memberships(given: &Bound<'_, PyAny>) -> PyResult<u32> {
    size(given, "memberships", u32::MAX)
}

/// Returns the bits of the groups that a body meets.
pub fn filter(given: &Bound<'_, PyAny>) -> PyResult<u32> {
    size(given, "filter", u32::MAX)
}

/// Returns both, if they are given.
pub fn group(given: &Bound<'_, PyAny>) -> PyResult<Option<(u32, u32)>> {
    unless_none(given, |given| {
        let (memberships, filter): (Bound<'_, PyAny>, Bound<'_, PyAny>) = given.extract()?;
        Ok((size(&memberships, "group", u32::MAX)?, size(&filter, "group", u32::MAX)?))
    })
}

fn unless_none<T>(
    given: &Bound<'_, PyAny>,
    read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Option<T>> {
    if given.is_none() { Ok(None) } else { read(given).map(Some) }
}

/// Returns a whole number from 0 to `most`.
fn size<T: TryFrom<u64> + PartialOrd + Display>(given: &Bound<'_, PyAny>, key: &str, most: T) -> PyResult<T> {
    let number = given.extract::<u64>().ok().and_then(|number| T::try_from(number).ok());
    match number {
        Some(number) if number <= most => Ok(number),
        _ => {
            let shown = printable(&given.repr()?.to_string_lossy());
            Err(Refusal::of(key, format!("{shown} is not a whole number from 0 to {most}")).into())
        }
    }
}
