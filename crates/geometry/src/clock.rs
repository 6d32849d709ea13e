//! The wall clock of the system, or of the web page that runs this code.

pub use web_time::Instant;
