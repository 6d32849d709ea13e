//! Parsers of single values.

use std::path::PathBuf;

use bytesize::ByteSize;

use crate::settings::search::Backend;
use closefit::TreeKind;
use closefit_geometry::units::{Length, Unit, UnitError};
use closefit_methods::recipe::{self, RecipeError};
use closefit_methods::{ALL, UnknownTree, parse};

/// The kinds of trees of `--cross-check`.
#[derive(Clone, Debug)]
pub struct Compared(pub Vec<TreeKind>);

pub fn compared(text: &str) -> Result<Compared, UnknownTree> {
    let kinds = match text {
        "all" => Ok(ALL.iter().copied().filter(|kind| !kind.is_quadratic()).collect()),
        _ => text.split(',').map(|name| parse(name.trim())).collect(),
    };
    kinds.map(Compared)
}

/// Parses a size such as `2GB`.
pub fn size(text: &str) -> Result<u64, &'static str> {
    let size: Option<ByteSize> = text.parse().ok();
    size.map(|size| size.as_u64()).filter(|&size| size > 0).ok_or("a size is like 2GB, 512MiB or 1000000000")
}

/// Parses a number of threads.
pub fn threads(text: &str) -> Result<u16, &'static str> {
    text.parse()
        .ok()
        .filter(|threads| (1..=1024).contains(threads))
        .ok_or("a number of threads is from 1 to 1024")
}

/// Returns the path of a picture, unless it is named like another kind of file.
pub fn png(path: PathBuf) -> Result<PathBuf, &'static str> {
    let is_png = path.extension().is_none_or(|extension| extension.eq_ignore_ascii_case("png"));
    if is_png { Ok(path) } else { Err("a picture is a PNG: use .png") }
}

/// Parses a length in metres that is not 0.
pub fn chord(text: &str) -> Result<f64, String> {
    let length: Length = text.parse().map_err(|error: UnitError| error.to_string())?;
    let chord = length.in_unit(Some(Unit::M)).map_err(|error| error.to_string())?;
    if chord > 0.0 { Ok(chord) } else { Err("it is not more than 0".to_owned()) }
}

/// Parses `NAME=FILE`.
pub fn model(text: &str) -> Result<(String, PathBuf), &'static str> {
    named_path(text).ok_or("a model is NAME=FILE")
}

/// Parses `NAME=DIR`.
pub fn package(text: &str) -> Result<(String, PathBuf), &'static str> {
    named_path(text).ok_or("a package is NAME=DIR")
}

fn named_path(text: &str) -> Option<(String, PathBuf)> {
    let named = text.split_once('=').filter(|(name, path)| !name.is_empty() && !path.is_empty());
    named.map(|(name, path)| (name.to_owned(), PathBuf::from(path)))
}

/// Parses a kind of tree. `auto` is the kind that took the least time on every scene and question measured:
/// see `benches/record/methods.md`. Parameters may follow a colon.
pub fn tree(text: &str) -> Result<TreeKind, RecipeError> {
    if text == "auto" { Ok(TreeKind::default()) } else { recipe::parse(text) }
}

/// Parses the name of a backend.
pub fn backend(text: &str) -> Result<Backend, &'static str> {
    match text {
        "auto" => Ok(Backend::Auto),
        "gpu" if cfg!(feature = "gpu") => Ok(Backend::Gpu),
        "gpu" => Err("this program was built without it: use auto, scalar or simd"),
        _ => match text.parse() {
            Ok(executor) => Ok(Backend::On(executor)),
            Err(_) => Err("unknown backend: use auto, scalar, simd or gpu"),
        },
    }
}

/// The largest number of rows, if there is one.
#[derive(Clone, Copy, Debug)]
pub struct Rows(pub Option<usize>);

/// Parses a number of rows, or `all`.
pub fn rows(text: &str) -> Result<Rows, &'static str> {
    match text {
        "all" => Ok(Rows(None)),
        _ => text.parse().map(|rows| Rows(Some(rows))).map_err(|_| "a number of rows is 0 or more, or all"),
    }
}
