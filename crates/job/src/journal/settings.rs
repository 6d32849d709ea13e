//! The settings on which the records of a run depend, in words, so that the first that differs can be named.

use std::fmt::{self, Write};

use closefit::{CheckRequest, DepthDetail, SweepRequest, Winding};
use closefit_geometry::scene::Scene;
use closefit_report::digest::Digests;
use closefit_report::document::Word;

/// The version of answers. It grows with every change of what closefit answers or records of a pair, so that
/// no report mixes two of them.
const ANSWERS: u32 = 5;

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

/// Returns the settings of a check at many rows. `rows` is a hash of them.
pub(crate) fn of_check_rows(
    scene: &Scene,
    request: &CheckRequest,
    (rows, ends_at_clash): (blake3::Hash, bool),
) -> Settings {
    let mut settings = of_check(scene, request, &Digests::standing(scene));
    settings[0].1 = "check of rows".to_owned();
    let ends = if ends_at_clash { "their first clash" } else { "their last pair" };
    settings.extend(named([("values of rows", short(rows)), ("rows end at", ends.to_owned())]));
    settings
}

/// Returns the settings of the checks of a list of scenes. `list` is its hash.
pub(crate) fn of_list(list: blake3::Hash) -> Settings {
    let all =
        [("command", "batch".to_owned()), ("version of answers", ANSWERS.to_string()), ("list", short(list))];
    named(all).collect()
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

/// Returns the settings of every command: what is read, and which pairs are checked and how.
fn of_scene(command: &str, scene: &Scene, digests: &Digests) -> Settings {
    // Both are lists and sorted maps, so their text depends on their values alone.
    let rules = hash_of(&(&scene.excluded, &scene.rules));
    let all = [
        ("command", command.to_owned()),
        ("version of answers", ANSWERS.to_string()),
        ("scene", short(digests.scene)),
        ("rules and exclusions", short(rules)),
    ];
    named(all).collect()
}

/// Returns a hash of the text of a value.
pub(crate) fn hash_of(value: &impl fmt::Debug) -> blake3::Hash {
    let mut hashed = Hashed(blake3::Hasher::new());
    write!(hashed, "{value:?}").expect("a hasher takes every text");
    hashed.0.finalize()
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
pub(super) fn short(hash: blake3::Hash) -> String {
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
