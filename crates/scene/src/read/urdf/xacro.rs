//! What is left of xacro in a URDF: macros that nobody has expanded.

use roxmltree::Node;

use super::super::error::Fault;
use super::super::xml::place_of;

/// Refuses elements of xacro that may stand for links, joints or what is on them, and notes all others.
pub(super) fn refuse(root: Node, notes: &mut Vec<String>) -> Result<(), Fault> {
    let is_left = |node: &Node| node.tag_name().namespace().is_some_and(|name| name.ends_with("xacro"));
    let mut others = 0;
    for left in root.descendants().filter(is_left) {
        let is_on_robot = left.parent() == Some(root)
            || left.ancestors().any(|above| above.has_tag_name("link") || above.has_tag_name("joint"));
        if is_on_robot {
            let advice = "pip install xacrodoc && xacrodoc FILE.urdf.xacro -o FILE.urdf";
            return Err(Fault::at(place_of(left), format!("xacro is not expanded; expand it: {advice}")));
        }
        others += 1;
    }
    if others > 0 {
        notes.push(format!("elements of xacro left out, since they are on no link or joint: {others}"));
    }
    Ok(())
}
