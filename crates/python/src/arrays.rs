//! Arrays from NumPy, and whatever NumPy makes arrays of: checked, and copied only where it has to be.

use std::borrow::Cow;

use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::error::Refusal;

/// An array in row-major order and aligned.
pub struct Rows<'py, T: Element>(PyReadonlyArrayDyn<'py, T>);

impl<'py, T: Element> Rows<'py, T> {
    /// Takes an array as it is if it can be read as one slice.
    fn as_is(given: &Bound<'py, PyAny>) -> Option<Self> {
        let array = given.cast::<PyArrayDyn<T>>().ok()?;
        let is_aligned = array.data().addr() % align_of::<T>() == 0;
        (is_aligned && array.is_c_contiguous()).then(|| array.try_readonly().ok()).flatten().map(Self)
    }

    /// Converts a value to an array, and reads it as one slice.
    fn converted(given: &Bound<'py, PyAny>, key: &str, kinds: &str) -> PyResult<Self> {
        let py = given.py();
        let array = asarray(given, key)?;
        let dtype = array.getattr("dtype")?;
        let kind: String = dtype.getattr("kind")?.extract()?;
        if !kinds.contains(&kind) {
            let wanted = if kinds.contains('f') { "numbers" } else { "integers" };
            return Err(Refusal::of(key, format!("{wanted} are needed, not {dtype}")).into());
        }
        static REQUIRE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let require = REQUIRE.import(py, "numpy", "require")?;
        let array = require.call1((array, numpy::dtype::<T>(py), "CA"))?;
        let shape = || PyTypeError::new_err("numpy.require returned another kind of array");
        Self::as_is(&array).ok_or_else(shape)
    }

    /// Reads an array of numbers of any kind among `kinds`, NumPy's letters.
    fn of(given: &Bound<'py, PyAny>, key: &str, kinds: &str) -> PyResult<Self> {
        refuse_masked(given, key)?;
        Self::as_is(given).map_or_else(|| Self::converted(given, key, kinds), Ok)
    }

    /// Returns the lengths along the array's axes.
    pub fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// Returns all entries, row after row.
    pub fn entries(&self) -> &[T] {
        self.0.as_slice().expect("its order was checked")
    }
}

/// Refuses an array with masked entries, which NumPy would read as if they were not masked.
fn refuse_masked(given: &Bound<'_, PyAny>, key: &str) -> PyResult<()> {
    static MASKED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = given.py();
    if given.is_exact_instance_of::<PyUntypedArray>()
        || !given.is_instance(MASKED.import(py, "numpy.ma", "MaskedArray")?)?
    {
        return Ok(());
    }
    static COUNT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let count: usize = COUNT.import(py, "numpy.ma", "count_masked")?.call1((given,))?.extract()?;
    match count {
        0 => Ok(()),
        1 => Err(Refusal::of(key, "an entry is masked: fill it or leave it out").into()),
        _ => Err(Refusal::of(key, format!("{count} entries are masked: fill them or leave them out")).into()),
    }
}

/// Makes an array of a value, in NumPy's words if that is not possible.
fn asarray<'py>(given: &Bound<'py, PyAny>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    static ASARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = given.py();
    let made = ASARRAY.import(py, "numpy", "asarray")?.call1((given,));
    made.map_err(|error| {
        let is_of_input = error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyTypeError>(py);
        if is_of_input { Refusal::of(key, error.value(py)).into() } else { error }
    })
}

/// Returns the refusal of an array for its shape.
pub fn misshapen(key: &str, wanted: &str, shape: &[usize]) -> PyErr {
    let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
    Refusal::of(key, format!("an array of shape {wanted} is needed, not ({})", shape.join(", "))).into()
}

/// Reads an array of f64, of any number of rows of some length.
pub fn vectors<'py, const N: usize>(given: &Bound<'py, PyAny>, key: &str) -> PyResult<Rows<'py, f64>> {
    let rows = Rows::of(given, key, "fiu")?;
    match rows.shape() {
        &[_, length] if length == N => Ok(rows),
        shape => Err(misshapen(key, &format!("(n, {N})"), shape)),
    }
}

/// Reads an array of f64 in one row.
pub fn numbers<'py>(given: &Bound<'py, PyAny>, key: &str) -> PyResult<Rows<'py, f64>> {
    let rows = Rows::of(given, key, "fiu")?;
    match rows.shape() {
        [_] => Ok(rows),
        shape => Err(misshapen(key, "(n,)", shape)),
    }
}

/// Reads an array of floating-point numbers of any shape.
pub fn floats<'py>(given: &Bound<'py, PyAny>, key: &str) -> PyResult<Rows<'py, f64>> {
    Rows::of(given, key, "fiu")
}

/// Reads triangles as triples of vertex indices, and gives them to `each`.
pub fn with_triangles<R>(
    given: &Bound<'_, PyAny>,
    key: &str,
    each: impl FnOnce(Cow<'_, [[u32; 3]]>) -> PyResult<R>,
) -> PyResult<R> {
    refuse_masked(given, key)?;
    if let Some(rows) = Rows::<u32>::as_is(given) {
        let triangles = triples(&rows, key)?;
        return each(Cow::Borrowed(triangles));
    }
    let array = asarray(given, key)?;
    let is_unsigned = array
        .cast::<PyUntypedArray>()
        .is_ok_and(|array| array.dtype().getattr("kind").is_ok_and(|kind| kind.eq("u").unwrap_or(false)));
    // Only what has no sign is read without one: what is below 0 would become large.
    let triangles = if is_unsigned {
        let rows = Rows::<u64>::of(&array, key, "u")?;
        narrowed(triples(&rows, key)?, key)?
    } else {
        let rows = Rows::<i64>::of(&array, key, "i")?;
        narrowed(triples(&rows, key)?, key)?
    };
    each(Cow::Owned(triangles))
}

fn triples<'a, T: Element + Copy>(rows: &'a Rows<'_, T>, key: &str) -> PyResult<&'a [[T; 3]]> {
    match rows.shape() {
        [_, 3] => Ok(rows.entries().as_chunks().0),
        shape => Err(misshapen(key, "(n, 3)", shape)),
    }
}

/// Converts vertex indices to 32 bits.
fn narrowed<T: Copy + TryInto<u32> + std::fmt::Display>(
    triangles: &[[T; 3]],
    key: &str,
) -> PyResult<Vec<[u32; 3]>> {
    let mut narrow = Vec::with_capacity(triangles.len());
    for (triangle, corners) in triangles.iter().enumerate() {
        let mut indices = [0; 3];
        for (index, &corner) in indices.iter_mut().zip(corners) {
            let refused = |_| {
                Refusal::of(key, format!("triangle {triangle} has the vertex index {corner}, out of range"))
            };
            *index = corner.try_into().map_err(refused)?;
        }
        narrow.push(indices);
    }
    Ok(narrow)
}
