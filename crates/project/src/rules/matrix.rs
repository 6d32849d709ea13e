//! The matrix of groups: the short form of a rule for each pair of them.

use super::{Fail, GivenLength, Rule};
use crate::fault::{Fault, quoted};
use crate::selector::{GroupNames, Selector};
use crate::source::{Node, Value};
use closefit_geometry::units::Unit;

/// Reads the cells of a matrix as rules, row by row: `off` are pairs that are not looked at, `clash` asks for
/// no more than the command does, with `contact` touching fails too, and with a length coming so close.
pub(super) fn read(node: &Node, unit: Option<Unit>, names: &GroupNames) -> Result<Vec<Rule>, Fault> {
    let groups = node.table()?.iter().find(|(key, _)| key.name == "groups").map(|(_, node)| node);
    let groups = groups.ok_or_else(|| Fault::new(node.at, "the matrix needs 'groups'"))?;
    let mut columns: Vec<(&str, Selector)> = Vec::new();
    for group in groups.list()? {
        let name = group.text()?;
        if columns.iter().any(|(other, _)| *other == name) {
            return Err(Fault::new(group.at, format!("{} is in 'groups' twice", quoted(name))));
        }
        columns.push((name, Selector::read(group, names)?));
    }
    let mut rules = Vec::new();
    for (key, row) in node.table()?.iter().filter(|(key, _)| key.name != "groups") {
        let Some(index) = columns.iter().position(|(name, _)| *name == key.name) else {
            let similar = closefit_scene::similar_names::did_you_mean(&key.name, columns.iter().map(|c| c.0));
            return Err(Fault::new(
                key.at,
                format!("row {} is not one of 'groups'{similar}", quoted(&key.name)),
            ));
        };
        let cells = row.list()?;
        if cells.len() != index + 1 {
            let why = format!(
                "row {} has {} cells: it needs {}, one for each group up to its own",
                quoted(&key.name),
                cells.len(),
                index + 1
            );
            return Err(Fault::new(row.at, why));
        }
        for (cell, column) in cells.iter().zip(&columns) {
            let rule = rule(cell, [column, &columns[index]], unit);
            rules.push(rule.map_err(|fault| fault.of(&format!("row {}", quoted(&key.name))))?);
        }
    }
    for (name, _) in columns {
        if !node.table()?.iter().any(|(key, _)| key.name == name) {
            return Err(Fault::new(groups.at, format!("the matrix has no row {}", quoted(name))));
        }
    }
    Ok(rules)
}

fn rule(cell: &Node, sides: [&(&str, Selector); 2], unit: Option<Unit>) -> Result<Rule, Fault> {
    let plain = Rule {
        id: format!("{}-{}", sides[0].0, sides[1].0),
        at: cell.at,
        sides: sides.map(|(_, selector)| selector.clone()),
        clearance: None,
        tolerance: None,
        volume_at_most: None,
        fail: None,
        severity: None,
        is_off: false,
    };
    match &cell.value {
        Value::Text(word) if word == "off" => Ok(Rule { is_off: true, ..plain }),
        Value::Text(word) if word == "clash" => Ok(plain),
        Value::Text(word) if word == "contact" => Ok(Rule { fail: Some(Fail::Contact), ..plain }),
        _ => {
            let clearance = GivenLength::read(cell, unit).map_err(|fault| Fault {
                why: format!("{}: use off, clash, contact or a length", fault.why),
                ..fault
            })?;
            Ok(Rule { clearance: Some(clearance), fail: Some(Fail::Clearance), ..plain })
        }
    }
}
