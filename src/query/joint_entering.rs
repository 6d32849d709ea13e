//! Containment by open shells over a box of joint values: a part may move into an open part through its hole
//! while they are far apart everywhere.

use std::collections::VecDeque;

use super::Containment;
use super::entering::MOST_POSES;
use super::joint_box::{Configured, JointBoxSearch};
use super::leeway::{Leeway, Reach, Relative};
use closefit_geometry::scene::joint_box::JointBox;

impl JointBoxSearch<'_> {
    /// Returns the reason why it is not known that neither part ever holds the other, although they never
    /// meet; `None` if it is proven.
    ///
    /// The box is halved along the joint that moves the parts most, large boxes first, until the open
    /// shells are proven to hold nothing. Containment is decided at the middle of each box.
    pub(super) fn entered(&self, parts: &mut dyn Configured) -> Option<String> {
        let most = self.most.min(MOST_POSES as usize);
        let mut waiting = VecDeque::from([self.within.clone()]);
        let mut asked = 0;
        while let Some(ranges) = waiting.pop_front() {
            let values = self.robot.values(&ranges.middle());
            let (leeway, widest) = self.leeway(&ranges, &values);
            asked += 1;
            if parts.holds_nothing(&values, &leeway) {
                continue;
            }
            match parts.contained(&values) {
                Containment::None => {}
                Containment::Undecidable(reason) => return Some(reason),
                Containment::AInB | Containment::BInA => return Some("one lies inside the other".to_owned()),
            }
            match widest {
                // No joint moves the parts.
                None => {}
                Some(joint) if asked < most => waiting.extend(ranges.halves(joint)),
                Some(_) => {
                    return Some(format!(
                        "an open part may hold the other: not decided by {most} configurations"
                    ));
                }
            }
        }
        None
    }

    /// Returns how far the points of the parts may be from where they are at the middle of a box, and the
    /// joint that moves them most relative to each other.
    fn leeway(&self, ranges: &JointBox, values: &[f64]) -> (Leeway, Option<usize>) {
        let half_widths = ranges.half_widths();
        let movement = self.pair.movement(values, &half_widths);
        let in_world = self.alone.map(|alone| {
            alone.each_ref().map(|part| Reach::within(part.movement(values, &half_widths).at_most))
        });
        (Leeway { in_world, relative: [Relative::Path(movement.path); 2] }, movement.widest)
    }
}
