//! The settings on which the records of a run depend, in words, so that the first that differs can be named.

use std::fmt::{self, Write};

use closefit::{CheckRequest, DepthDetail, SweepRequest, Winding};
use closefit_geometry::scene::Scene;
use closefit_report::digest::Digests;
use closefit_report::document::Word;

/// The version of answers. It grows with every change of what closefit answers or records of a pair, so that
/// no report mixes two of them.
const ANSWERS: u32 = 1;

/// Names and values.
type Settings = Vec<(String, String)>;

/// Returns the settings of a check.
pub(crate) fn of_check(scene: &Scene, request: &CheckRequest, digests: &Digests) -> Settings {
    let length = |length| in_unit(scene, length);
    let mut settings = of_scene("check", scene, digests);
    settings.extend(named([
        ("clearance", length(request.clearance)),
        ("tolerance", length(request.tolerance)),
        ("depth", DepthDetail::word(request.depth).to_owned()),
        ("contacts", listed(request.list_contacts)),
        ("meshes", meshes(request.winding)),
    ]));
    settings
}

/// Returns the settings of a sweep.
pub(crate) fn of_sweep(scene: &Scene, request: &SweepRequest, digests: &Digests) -> Settings {
    let length = |length| in_unit(scene, length);
    let mut settings = of_scene("sweep", scene, digests);
    settings.extend(named([
        ("clearance", length(request.clearance)),
        ("tolerance", length(request.tolerance)),
        ("precision", length(request.precision)),
        ("from", request.from.to_string()),
        ("to", request.to.to_string()),
        ("intervals", listed(request.intervals)),
        ("meshes", meshes(request.winding)),
    ]));
    settings
}

fn named<const N: usize>(settings: [(&str, String); N]) -> impl Iterator<Item = (String, String)> {
    settings.into_iter().map(|(name, value)| (name.to_owned(), value))
}

/// Returns the settings of every command: what is read, and which pairs are asked how.
fn of_scene(command: &str, scene: &Scene, digests: &Digests) -> Settings {
    let mut rules = Hashed(blake3::Hasher::new());
    // Both are lists and sorted maps, so their text is that of their values alone.
    write!(rules, "{:?}\n{:?}", scene.excluded, scene.rules).expect("a hasher takes every text");
    let all = [
        ("command", command.to_owned()),
        ("version of answers", ANSWERS.to_string()),
        ("scene", short(digests.scene)),
        ("rules and exclusions", short(rules.0.finalize())),
    ];
    named(all).collect()
}

/// A hasher of text.
struct Hashed(blake3::Hasher);

impl Write for Hashed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

/// Returns a hash as a person can compare it.
fn short(hash: blake3::Hash) -> String {
    hash.to_hex()[..32].to_owned()
}

fn in_unit(scene: &Scene, length: f64) -> String {
    let unit = scene.unit.map_or_else(String::new, |unit| format!(" {unit}"));
    format!("{length}{unit}")
}

fn listed(is_listed: bool) -> String {
    if is_listed { "listed" } else { "not listed" }.to_owned()
}

fn meshes(winding: Winding) -> String {
    if winding == Winding::AsFound { "as they are" } else { "repaired" }.to_owned()
}
