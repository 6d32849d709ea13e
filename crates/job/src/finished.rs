//! The findings of a finished job.

use closefit::{Counters, Strategy};
use closefit_report::{Certificate, CrossCheckRecord, Seconds};

/// A finished check or sweep.
#[derive(Clone, Debug)]
pub struct Finished<R> {
    /// The report, which is a pure function of scene, project and settings.
    pub report: R,
    /// The findings about the claims, if there are any.
    pub certificate: Option<Certificate>,
    /// Notes on sides, groups, rules and waivers that decide nothing.
    pub notes: Vec<String>,
    /// Notes on the meshes that were repaired.
    pub repairs: Vec<String>,
    /// The strategy that the job took. Its device may have failed.
    pub strategy: Strategy,
    /// The work done.
    pub counters: Counters,
    /// The kinds of trees that were compared, if any were. All agree.
    pub cross_check: Option<CrossCheckRecord>,
    /// The seconds of its stages, without writing the report.
    pub seconds: Seconds,
}
