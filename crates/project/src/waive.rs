//! Waivers: findings that are accepted as long as they are no worse.

use crate::fault::{Fault, quoted};
use crate::rules::{GivenLength, sides, visible};
use crate::selector::{GroupNames, Selector};
use crate::source::{Fields, Node};
use closefit_geometry::units::Unit;

/// An accepted finding. It is read and validated; no report applies it yet.
#[derive(Clone, Debug)]
pub struct Waiver {
    /// The pairs, by their keys; empty if it is about two sides.
    pub pairs: Vec<String>,
    /// The digests of both parts with which it was accepted.
    pub digests: Option<[String; 2]>,
    /// True if it holds only while the parts have these digests.
    pub pinned: bool,
    /// The reason.
    pub reason: String,
    /// The sides, if it is not about single pairs.
    pub(crate) sides: Option<[Selector; 2]>,
    /// The largest depth or shortfall that is accepted.
    pub(crate) up_to: GivenLength,
}

impl Waiver {
    /// Returns the largest accepted depth, as it is written.
    pub fn up_to(&self) -> String {
        self.up_to.length.to_string()
    }

    /// True if it is about two sides rather than single pairs.
    pub fn is_about_sides(&self) -> bool {
        self.sides.is_some()
    }

    pub(crate) fn read(node: &Node, unit: Option<Unit>, groups: &GroupNames) -> Result<Self, Fault> {
        Self::of(node, unit, groups).map_err(|fault| fault.of("waive"))
    }

    fn of(node: &Node, unit: Option<Unit>, groups: &GroupNames) -> Result<Self, Fault> {
        let mut fields = Fields::of("a waive", node)?;
        let pairs = fields.take("pairs").map(|node| hashes(node, 20)).transpose()?.unwrap_or_default();
        let sides = sides(&mut fields, groups)?;
        if pairs.is_empty() == sides.is_none() {
            return Err(Fault::new(node.at, "it needs either 'pairs', or 'a' and perhaps 'b'"));
        }
        let up_to = GivenLength::read(fields.require("up_to")?, unit)?;
        let reason = visible(fields.require("reason")?)?;
        let pinned = fields.take("pinned").map(Node::bool).transpose()?.unwrap_or(false);
        let digests = fields.take("digests").map(two_digests).transpose()?;
        if pinned && (digests.is_none() || pairs.len() != 1) {
            return Err(Fault::new(node.at, "pinned = true needs the 'digests' of the parts of one pair"));
        }
        fields.finish()?;
        Ok(Self { pairs, digests, pinned, reason, sides, up_to })
    }
}

fn two_digests(node: &Node) -> Result<[String; 2], Fault> {
    let digests = hashes(node, 64)?;
    digests.try_into().map_err(|_| Fault::new(node.at, "'digests' are two, those of both parts"))
}

/// Reads hashes of a number of hexadecimal digits.
fn hashes(node: &Node, digits: usize) -> Result<Vec<String>, Fault> {
    let hash = |node: &Node| {
        let text = node.text()?;
        let is_hash = text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let refused = || Fault::new(node.at, format!("{} is not {digits} hexadecimal digits", quoted(text)));
        is_hash.then(|| text.to_owned()).ok_or_else(refused)
    };
    node.one_or_more()?.iter().map(hash).collect()
}
