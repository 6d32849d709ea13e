//! closefit for C and C++. The header `include/closefit.h` is made from these sources; `docs/c.md` is the
//! manual.
//!
//! Every function asks the same of its caller. A pointer to an object is null, or one that this library
//! returned and that was not freed. Any other pointer is null, or points at as many items as the function
//! says, which nobody changes meanwhile, and at writable memory where results go. Null pointers are errors.

#![allow(non_camel_case_types, reason = "these are the names that C sees")]
#![allow(clippy::missing_safety_doc, reason = "the crate's documentation says what all functions ask for")]

pub mod border;
pub mod contact;
pub mod mesh;
pub mod motion;
pub mod pair;
pub mod record;
pub mod step;
pub mod world;
pub mod worlds;
