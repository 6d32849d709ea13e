//! Joints: the connections between links.

use std::collections::HashMap;

use glam::DVec3;
use roxmltree::Node;

use super::super::error::{Fault, clip};
use super::xml::{element, optional, origin, required, vector};
use crate::similar_names::did_you_mean;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::JointAxis;
use closefit_geometry::scene::robot::rest_within;

/// A joint and the links that it connects.
pub(super) struct Joint<'a> {
    pub name: &'a str,
    pub kind: Kind,
    pub parent: usize,
    pub child: usize,
    pub origin: Pose,
    /// Axis of length 1.
    pub axis: DVec3,
    pub limits: Option<[f64; 2]>,
    pub mimic: Option<Mimic<'a>>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Fixed,
    /// Floating or planar: it stands at identity.
    Free,
    Turning,
    Sliding,
}

/// The value `multiplier * joint + offset`.
#[derive(Clone, Copy)]
pub(super) struct Mimic<'a> {
    pub joint: &'a str,
    pub multiplier: f64,
    pub offset: f64,
}

impl<'a> Joint<'a> {
    pub fn new(node: Node<'a, 'a>, links: &HashMap<&str, usize>) -> Result<Self, Fault> {
        let kind = match required(node, "type")? {
            "fixed" => Kind::Fixed,
            "revolute" | "continuous" => Kind::Turning,
            "prismatic" => Kind::Sliding,
            "planar" | "floating" => Kind::Free,
            other => return Err(Fault::at("type", format!("unknown type '{}'", clip(other)))),
        };
        let end = |which: &'static str| {
            let end = element(node, which).ok_or_else(|| Fault::at(which, "it is missing"))?;
            let link = required(end, "link")?;
            let wrong = || {
                let mut names: Vec<&str> = links.keys().copied().collect();
                names.sort_unstable();
                let meant = did_you_mean(link, names);
                Fault::at(which, format!("'{}' is not the name of a link{meant}", clip(link)))
            };
            links.get(link).copied().ok_or_else(wrong)
        };
        let axis = element(node, "axis").map_or(Ok(DVec3::X), |axis| vector(axis, "xyz", DVec3::X))?;
        let length = axis.length();
        if matches!(kind, Kind::Turning | Kind::Sliding) && !(length > 0.0 && length.is_finite()) {
            return Err(Fault::at("axis", format!("{axis} has no direction")));
        }
        let limit = element(node, "limit").filter(|_| node.attribute("type") != Some("continuous"));
        let limits = limit.map(|limit| -> Result<_, Fault> {
            let [lower, upper] = ["lower", "upper"].map(|key| optional(limit, key));
            Ok((lower?, upper?))
        });
        let limits = match limits.transpose()? {
            None | Some((None, None)) => None,
            Some((lower, upper)) => Some([lower.unwrap_or(0.0), upper.unwrap_or(0.0)]),
        };
        let mimic = element(node, "mimic").map(|mimic| -> Result<_, Fault> {
            Ok(Mimic {
                joint: required(mimic, "joint")?,
                multiplier: optional(mimic, "multiplier")?.unwrap_or(1.0),
                offset: optional(mimic, "offset")?.unwrap_or(0.0),
            })
        });
        Ok(Self {
            name: required(node, "name")?,
            kind,
            parent: end("parent")?,
            child: end("child")?,
            origin: origin(node, [1.0; 3])?,
            axis: axis / length,
            limits,
            mimic: mimic.transpose()?,
        })
    }

    /// Returns the value at which the joint stands that nothing moves.
    pub fn rest(&self) -> f64 {
        rest_within(self.limits)
    }

    /// Returns the axis; `None` for a joint that stands.
    pub fn axis(&self) -> Option<JointAxis> {
        match self.kind {
            Kind::Fixed | Kind::Free => None,
            Kind::Turning => Some(JointAxis::Turning(self.axis)),
            Kind::Sliding => Some(JointAxis::Sliding(self.axis)),
        }
    }
}
