//! The pairs of a report as columns: for NumPy, and as Arrow's record batches.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, BooleanBuilder, Float64Builder, StringBuilder, UInt64Builder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use closefit_report::Document;
use closefit_report::columns::{Cell, Kind, PairTable, Tabled};
use closefit_report::document::Report;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyString};

/// Returns the columns of the pairs by their names: lists of text, and arrays of numbers. A missing text is
/// None, a missing number NaN, a missing count -1.
pub fn of<'py>(py: Python<'py>, document: &Document) -> PyResult<Bound<'py, PyDict>> {
    match document {
        Document::Check(report) => columns(py, report),
        Document::Sweep(report) => columns(py, report),
        _ => Ok(PyDict::new(py)),
    }
}

/// The values of a column so far.
enum Values<'py> {
    Text(Vec<Option<Bound<'py, PyString>>>),
    Number(Vec<f64>),
    Count(Vec<i64>),
    Truth(Vec<bool>),
}

impl<'py> Values<'py> {
    fn of(kind: Kind) -> Self {
        match kind {
            Kind::Text => Self::Text(Vec::new()),
            Kind::Number => Self::Number(Vec::new()),
            Kind::Count => Self::Count(Vec::new()),
            Kind::Truth => Self::Truth(Vec::new()),
        }
    }

    /// Adds a cell. `known` holds the texts so far: few are different.
    fn push<'r>(
        &mut self,
        py: Python<'py>,
        cell: Cell<'r>,
        known: &mut HashMap<Cow<'r, str>, Bound<'py, PyString>>,
    ) {
        match (self, cell) {
            (Self::Text(values), Cell::Text(text)) => {
                let made = |text: &Cow<str>| PyString::new(py, text);
                values.push(Some(known.entry(text).or_insert_with_key(made).clone()));
            }
            (Self::Text(values), _) => values.push(None),
            (Self::Number(values), Cell::Number(value)) => values.push(value),
            (Self::Number(values), _) => values.push(f64::NAN),
            (Self::Count(values), Cell::Count(count)) => {
                values.push(i64::try_from(count).unwrap_or(i64::MAX))
            }
            (Self::Count(values), _) => values.push(-1),
            (Self::Truth(values), cell) => values.push(cell == Cell::Truth(true)),
        }
    }

    fn finish(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Self::Text(values) => PyList::new(py, values)?.into_any(),
            Self::Number(values) => PyArray1::from_vec(py, values).into_any(),
            Self::Count(values) => PyArray1::from_vec(py, values).into_any(),
            Self::Truth(values) => PyArray1::from_vec(py, values).into_any(),
        })
    }
}

fn columns<'py, S, P: Tabled>(py: Python<'py>, report: &Report<S, P>) -> PyResult<Bound<'py, PyDict>> {
    let table = PairTable::of(report);
    let mut all: Vec<Values> = table.columns().map(|(_, kind)| Values::of(kind)).collect();
    let mut known = HashMap::new();
    for pair in &report.pairs {
        for (values, cell) in all.iter_mut().zip(table.cells(pair)) {
            values.push(py, cell, &mut known);
        }
    }
    let named = PyDict::new(py);
    for ((name, _), values) in table.columns().zip(all) {
        named.set_item(name, values.finish(py)?)?;
    }
    Ok(named)
}

/// The number of pairs in a record batch: so few that their texts always fit into one array.
const BATCH: usize = 1 << 16;

/// The pairs of a report as record batches, each made when it is requested.
pub struct Batches {
    document: Arc<Document>,
    schema: SchemaRef,
    /// The number of pairs in the batches so far.
    done: usize,
}

impl Batches {
    /// The batches of a document.
    pub fn new(document: Arc<Document>) -> Self {
        let schema = Arc::new(match &*document {
            Document::Check(report) => schema(report),
            Document::Sweep(report) => schema(report),
            _ => Schema::empty(),
        });
        Self { document, schema, done: 0 }
    }

    /// Wraps the batches as Arrow's C stream.
    pub fn into_capsule(self, py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
        let stream = FFI_ArrowArrayStream::new(Box::new(self));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let from = self.done;
        self.done += BATCH;
        match &*self.document {
            Document::Check(report) => batch(report, from, &self.schema),
            Document::Sweep(report) => batch(report, from, &self.schema),
            _ => None,
        }
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

fn schema<S, P: Tabled>(report: &Report<S, P>) -> Schema {
    let field = |(name, kind)| {
        let kind = match kind {
            Kind::Text => DataType::Utf8,
            Kind::Number => DataType::Float64,
            Kind::Count => DataType::UInt64,
            Kind::Truth => DataType::Boolean,
        };
        Field::new(name, kind, true)
    };
    Schema::new(PairTable::of(report).columns().map(field).collect::<Vec<_>>())
}

/// An Arrow array under construction.
enum Building {
    Text(StringBuilder),
    Number(Float64Builder),
    Count(UInt64Builder),
    Truth(BooleanBuilder),
}

impl Building {
    fn of(kind: Kind) -> Self {
        match kind {
            Kind::Text => Self::Text(StringBuilder::new()),
            Kind::Number => Self::Number(Float64Builder::new()),
            Kind::Count => Self::Count(UInt64Builder::new()),
            Kind::Truth => Self::Truth(BooleanBuilder::new()),
        }
    }

    fn push(&mut self, cell: Cell) {
        match (self, cell) {
            (Self::Text(array), Cell::Text(text)) => array.append_value(text),
            (Self::Text(array), _) => array.append_null(),
            (Self::Number(array), Cell::Number(value)) => array.append_value(value),
            (Self::Number(array), _) => array.append_null(),
            (Self::Count(array), Cell::Count(count)) => array.append_value(count),
            (Self::Count(array), _) => array.append_null(),
            (Self::Truth(array), Cell::Truth(value)) => array.append_value(value),
            (Self::Truth(array), _) => array.append_null(),
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            Self::Text(mut array) => ArrayBuilder::finish(&mut array),
            Self::Number(mut array) => ArrayBuilder::finish(&mut array),
            Self::Count(mut array) => ArrayBuilder::finish(&mut array),
            Self::Truth(mut array) => ArrayBuilder::finish(&mut array),
        }
    }
}

/// Returns the batch that begins with a pair, if there is one.
fn batch<S, P: Tabled>(
    report: &Report<S, P>,
    from: usize,
    schema: &SchemaRef,
) -> Option<Result<RecordBatch, ArrowError>> {
    let pairs = report.pairs.get(from..).filter(|pairs| !pairs.is_empty())?;
    let table = PairTable::of(report);
    let mut all: Vec<Building> = table.columns().map(|(_, kind)| Building::of(kind)).collect();
    for pair in &pairs[..pairs.len().min(BATCH)] {
        for (array, cell) in all.iter_mut().zip(table.cells(pair)) {
            array.push(cell);
        }
    }
    let arrays = all.into_iter().map(Building::finish).collect();
    Some(RecordBatch::try_new(Arc::clone(schema), arrays))
}
