//! The content of a rules file.

use std::collections::HashSet;
use std::path::Path;

use crate::claims::Claim;
use crate::fault::{Fault, RulesError, quoted};
use crate::glob::Patterns;
use crate::groups::{Groups, refuse_control};
use crate::selector::{GroupNames, Selector};
use crate::source::{Fields, Key, Node, Value, parse};
use crate::waive::Waiver;
use closefit_geometry::units::{Size, Unit};

mod matrix;

/// The version of the format.
const VERSION: &str = "1";

/// The largest number of rules, exclusions and claims together: each takes bits of every kind of part.
const MOST_ENTRIES: usize = 4096;

/// A rules file.
#[derive(Clone, Debug)]
pub struct RulesFile {
    /// The file and its text, for messages.
    pub(crate) file: String,
    pub(crate) text: String,
    /// The groups, rules and exclusions as text, without what changes no exclusion.
    pub(crate) selects: String,
    pub(crate) models: Vec<(String, Patterns)>,
    pub(crate) groups: Groups,
    pub(crate) excludes: Vec<Exclude>,
    pub(crate) rules: Vec<Rule>,
    /// The accepted findings.
    pub waivers: Vec<Waiver>,
    pub(crate) claims: Vec<Claim>,
}

/// A rule about the pairs of two selectors.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub id: String,
    pub at: usize,
    pub sides: [Selector; 2],
    /// The rule's lengths, or none to take the lengths of the command.
    pub clearance: Option<GivenLength>,
    pub tolerance: Option<GivenLength>,
    /// The overlap up to which its pairs are accepted.
    pub volume_at_most: Option<GivenVolume>,
    pub fail: Option<Fail>,
    pub severity: Option<Severity>,
    /// True if its pairs are not looked at.
    pub is_off: bool,
}

/// An exclusion.
#[derive(Clone, Debug)]
pub(crate) struct Exclude {
    pub sides: [Selector; 2],
    pub same: Option<Same>,
    pub reason: String,
}

/// A thing that the two parts of an excluded pair have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Same {
    Mesh,
    File,
    Parent,
    Link,
}

/// The mildest verdict with which a pair fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fail {
    /// A clash.
    Clash,
    /// A clash, or a pair that cannot be decided.
    Undecided,
    /// Those, or a contact.
    Contact,
    /// Those, or less than the clearance.
    Clearance,
    /// None.
    Never,
}

const FAILS: [(Fail, &str); 5] = [
    (Fail::Clash, "clash"),
    (Fail::Undecided, "undecided"),
    (Fail::Contact, "contact"),
    (Fail::Clearance, "clearance"),
    (Fail::Never, "never"),
];

/// The severity that the user gives to a rule's findings. It changes no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Critical.
    Critical,
    /// Major.
    Major,
    /// Minor.
    Minor,
    /// Information only.
    Info,
}

impl Severity {
    /// Every severity with its word.
    pub const WORDS: [(Self, &str); 4] =
        [(Self::Critical, "critical"), (Self::Major, "major"), (Self::Minor, "minor"), (Self::Info, "info")];

    /// Returns the word.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize].1
    }
}

/// A length or volume with its place in the file. A bare number is in the file's unit, if it says one, and
/// otherwise in the unit of the scene.
#[derive(Clone, Debug)]
pub(crate) struct Given<const POWER: u32> {
    pub size: Size<POWER>,
    pub at: usize,
}

pub(crate) type GivenLength = Given<1>;
pub(crate) type GivenVolume = Given<3>;

impl<const POWER: u32> Given<POWER> {
    pub(crate) fn read(node: &Node, unit: Option<Unit>) -> Result<Self, Fault> {
        let word = Size::<POWER>::WORD;
        let (Value::Text(text) | Value::Number(text)) = &node.value else {
            let example = Size::<POWER>::suffix(Unit::Mm);
            return Err(Fault::new(node.at, format!("expected a {word}, such as 5 or \"25{example}\"")));
        };
        let refused = || Fault::new(node.at, format!("{} is not a {word}", quoted(text)));
        let given: Size<POWER> = text.parse().map_err(|_| refused())?;
        let size = match unit.filter(|_| given.is_bare()) {
            Some(unit) => format!("{text}{}", Size::<POWER>::suffix(unit)).parse().map_err(|_| refused())?,
            None => given,
        };
        Ok(Self { size, at: node.at })
    }

    /// Reads the value of a key, if the table has it.
    pub(crate) fn take(
        fields: &mut Fields,
        key: &'static str,
        unit: Option<Unit>,
    ) -> Result<Option<Self>, Fault> {
        let given = fields.take(key).map(|node| Self::read(node, unit)).transpose();
        given.map_err(|fault| fault.of(key))
    }

    /// Returns the number in the unit of a scene.
    pub(crate) fn in_unit(&self, scene: Option<Unit>) -> Result<f64, Fault> {
        if self.size.is_bare() && scene.is_none() {
            let why = format!(
                "'{}' has no unit, and neither has the scene: say unit = \"mm\" at the top, or '{}{}'",
                self.size,
                self.size,
                Size::<POWER>::suffix(Unit::Mm)
            );
            return Err(Fault::new(self.at, why));
        }
        self.size.in_unit(scene).map_err(|error| Fault::new(self.at, error.to_string()))
    }
}

impl RulesFile {
    /// Reads the text of a rules file: JSON if that is the file's extension, or else TOML.
    ///
    /// # Errors
    /// [`RulesError`] for the first fault.
    pub fn read(file: &Path, text: &str) -> Result<Self, RulesError> {
        let name = file.display().to_string();
        let read = parse(file, text).and_then(|root| Self::of(&root));
        let read = read.map_err(|fault| fault.in_file(&name, text))?;
        Ok(Self { file: name, text: text.to_owned(), ..read })
    }

    fn of(root: &Node) -> Result<Self, Fault> {
        let mut fields = Fields::of("the rules file", root)?;
        version(fields.require("closefit-rules")?)?;
        let unit = fields.take("unit").map(unit).transpose()?;
        let models = models(fields.take("models"))?;
        let groups = Groups::read(fields.take("groups"))?;
        let names = groups.names();
        let rules = each(fields.take("rule"), |node| rule(node, unit, &names))?;
        let of_matrix = fields.take("matrix").map(|node| matrix::read(node, unit, &names)).transpose()?;
        let excludes = each(fields.take("exclude"), |node| exclude(node, &names))?;
        let waivers = each(fields.take("waive"), |node| Waiver::read(node, unit, &names))?;
        let claims = each(fields.take("require"), |node| Claim::read(node, unit, &names))?;
        fields.finish()?;
        let rules: Vec<Rule> = rules.into_iter().chain(of_matrix.into_iter().flatten()).collect();
        refuse_repeated("rules", rules.iter().map(|rule| (&rule.id, rule.at)))?;
        refuse_repeated("claims", claims.iter().map(|claim| (&claim.id, claim.at)))?;
        if rules.len() + excludes.len() + claims.len() > MOST_ENTRIES {
            return Err(Fault::new(
                root.at,
                format!("there are more than {MOST_ENTRIES} rules, exclusions and claims"),
            ));
        }
        let (file, text) = Default::default();
        Ok(Self { file, text, selects: selects(root)?, models, groups, excludes, rules, waivers, claims })
    }

    /// Returns the text. Reports and certificates have its digest.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns a fault of this file for people.
    pub(crate) fn refused(&self, fault: Fault) -> RulesError {
        fault.in_file(&self.file, &self.text)
    }
}

/// Keys of a rules file, and of its rules, that change no exclusion.
const SELECT_NOTHING: [&str; 3] = ["unit", "waive", "require"];
const RULE_SELECTS_NOTHING: [&str; 6] =
    ["id", "clearance", "tolerance", "volume_at_most", "fail", "severity"];

/// Returns the groups, rules and exclusions of a file, without what changes no exclusion.
fn selects(root: &Node) -> Result<String, Fault> {
    let mut text = String::new();
    for (key, node) in root.table()?.iter().filter(|(key, _)| !SELECT_NOTHING.contains(&&*key.name)) {
        text.push_str(&key.name);
        let is_rule = key.name == "rule";
        node.write_plainly(&mut text, &|name| !(is_rule && RULE_SELECTS_NOTHING.contains(&name)));
    }
    Ok(text)
}

fn version(node: &Node) -> Result<(), Fault> {
    match &node.value {
        Value::Number(number) if number == VERSION => Ok(()),
        Value::Number(number) if number.parse::<u64>().is_ok_and(|number| number > 1) => {
            Err(Fault::new(node.at, format!("closefit-rules = {number}: made for a newer closefit")))
        }
        _ => Err(Fault::new(node.at, format!("closefit-rules must be {VERSION}"))),
    }
}

fn unit(node: &Node) -> Result<Unit, Fault> {
    node.text()?.parse().map_err(|error| Fault::new(node.at, format!("{error}")))
}

fn models(node: Option<&Node>) -> Result<Vec<(String, Patterns)>, Fault> {
    let entries = node.map(Node::table).transpose()?.unwrap_or_default();
    let read = |(key, node): &(Key, Node)| {
        let of_model = |fault: Fault| fault.of(&format!("model {}", quoted(&key.name)));
        Ok((key.name.clone(), Patterns::read(node).map_err(of_model)?))
    };
    entries.iter().map(read).collect()
}

/// Reads each table of a list, if there is one.
fn each<T>(node: Option<&Node>, read: impl Fn(&Node) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
    node.map(Node::list).transpose()?.unwrap_or_default().iter().map(read).collect()
}

fn rule(node: &Node, unit: Option<Unit>, groups: &GroupNames) -> Result<Rule, Fault> {
    let mut fields = Fields::of("a rule", node)?;
    let id = fields.require("id")?;
    let name = visible(id)?;
    let read = |mut fields: Fields| {
        let sides = sides(&mut fields, groups)?.ok_or_else(|| Fault::new(node.at, "it needs 'a'"))?;
        let rule = Rule {
            id: name.clone(),
            at: id.at,
            sides,
            clearance: GivenLength::take(&mut fields, "clearance", unit)?,
            tolerance: GivenLength::take(&mut fields, "tolerance", unit)?,
            volume_at_most: GivenVolume::take(&mut fields, "volume_at_most", unit)?,
            fail: fields.take("fail").map(|node| node.word(&FAILS)).transpose()?,
            severity: fields.take("severity").map(|node| node.word(&Severity::WORDS)).transpose()?,
            is_off: false,
        };
        fields.finish()?;
        Ok(rule)
    };
    read(fields).map_err(|fault: Fault| fault.of(&format!("rule {}", quoted(&name))))
}

/// Reads the sides `a` and `b`; without `b`, pairs within `a` are meant.
pub(crate) fn sides(fields: &mut Fields, groups: &GroupNames) -> Result<Option<[Selector; 2]>, Fault> {
    let mut side = |name| {
        let read = |node| Selector::read(node, groups).map_err(|fault: Fault| fault.of(name));
        fields.take(name).map(|node| (node.at, read(node)))
    };
    match (side("a"), side("b")) {
        (None, None) => Ok(None),
        (None, Some((at, _))) => Err(Fault::new(at, "'b' needs 'a' beside it")),
        (Some((_, a)), None) => a.map(|a| Some([a.clone(), a])),
        (Some((_, a)), Some((_, b))) => Ok(Some([a?, b?])),
    }
}

fn exclude(node: &Node, groups: &GroupNames) -> Result<Exclude, Fault> {
    const SAMES: [(Same, &str); 4] =
        [(Same::Mesh, "mesh"), (Same::File, "file"), (Same::Parent, "parent"), (Same::Link, "link")];
    let read = || {
        let mut fields = Fields::of("an exclude", node)?;
        let same = fields.take("same").map(|node| node.word(&SAMES)).transpose()?;
        let everything = || Selector::All(Vec::new());
        let sides = match sides(&mut fields, groups)? {
            Some(sides) => sides,
            None if same.is_some() => [everything(), everything()],
            None => return Err(Fault::new(node.at, "it needs 'a' or 'same'")),
        };
        let reason = visible(fields.require("reason")?)?;
        fields.finish()?;
        Ok(Exclude { sides, same, reason })
    };
    read().map_err(|fault: Fault| fault.of("exclude"))
}

/// Reads a text that reports show: not empty, and without control characters.
pub(crate) fn visible(node: &Node) -> Result<String, Fault> {
    let text = node.text()?;
    refuse_control(text, node.at)?;
    if text.trim().is_empty() { Err(Fault::new(node.at, "the text is empty")) } else { Ok(text.to_owned()) }
}

fn refuse_repeated<'i>(what: &str, mut ids: impl Iterator<Item = (&'i String, usize)>) -> Result<(), Fault> {
    let mut known = HashSet::new();
    match ids.find(|(id, _)| !known.insert(*id)) {
        Some((id, at)) => Err(Fault::new(at, format!("there are two {what} {}", quoted(id)))),
        None => Ok(()),
    }
}
