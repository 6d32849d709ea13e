//! Entities that the kernel draws wrong without a word, and the products whose shapes have them.

use std::collections::HashMap;

use crate::records::Records;
use crate::values::{argument, reference, references};

/// Solids along curves. The kernel's are closed, so nothing else would tell: a roof, a footing and a wall
/// lacked up to 6 m of their extent.
const DRAWN_WRONG: [&str; 8] = [
    "IFCSURFACECURVESWEPTAREASOLID",
    "IFCFIXEDREFERENCESWEPTAREASOLID",
    "IFCDIRECTRIXCURVESWEPTAREASOLID",
    "IFCDIRECTRIXDERIVEDREFERENCESWEPTAREASOLID",
    "IFCSECTIONEDSOLID",
    "IFCSECTIONEDSOLIDHORIZONTAL",
    "IFCSECTIONEDSPINE",
    "IFCSECTIONEDSURFACE",
];

/// Returns the products in whose shapes, or in whose openings, such entities are, each with the name of one.
/// `is_product` says of a kind whether it is a product.
pub fn find(records: &Records, is_product: impl Fn(u32) -> bool) -> HashMap<u32, String> {
    let wrong: Vec<bool> = records.kinds.iter().map(|kind| DRAWN_WRONG.contains(&kind.as_str())).collect();
    let mut found = HashMap::new();
    if !wrong.contains(&true) {
        return found;
    }
    let users = Users::of(records);
    let all: Vec<_> = records.all().collect();
    let mut reached = vec![false; all.len()];
    for (start, record) in all.iter().enumerate().filter(|(_, record)| wrong[record.kind as usize]) {
        let name = spelt(records.kind(record));
        let mut open = vec![start as u32];
        while let Some(place) = open.pop() {
            if std::mem::replace(&mut reached[place as usize], true) {
                continue;
            }
            for user in users.of_place(place) {
                let record = all[user as usize];
                match records.kind(record) {
                    "IFCRELVOIDSELEMENT" => {
                        if let Some(host) = reference(argument(records.arguments(record), 4)) {
                            found.entry(host).or_insert_with(|| name.clone());
                        }
                    }
                    kind if kind.starts_with("IFCREL") => {}
                    _ if found.contains_key(&record.id) => {}
                    _ if is_product(record.kind) => {
                        found.entry(record.id).or_insert_with(|| name.clone());
                        // An opening goes on to what it is in.
                        let voids = users.of_place(user).filter_map(|user| {
                            let record = all[user as usize];
                            (records.kind(record) == "IFCRELVOIDSELEMENT").then_some(record)
                        });
                        for host in voids.filter_map(|void| reference(argument(records.arguments(void), 4))) {
                            found.entry(host).or_insert_with(|| name.clone());
                        }
                    }
                    _ => open.push(user),
                }
            }
        }
    }
    found
}

/// Returns a name as people write it, such as `IfcSectionedSpine`.
fn spelt(upper: &str) -> String {
    ifc_lite_core::IfcType::from_str(upper).name().to_owned()
}

/// The records that refer to each record, by places in the order of all.
struct Users {
    /// Used and user, ascending.
    pairs: Vec<[u32; 2]>,
}

impl Users {
    fn of(records: &Records) -> Self {
        let mut pairs = Vec::new();
        for (user, record) in records.all().enumerate() {
            let used = references(records.arguments(record)).filter_map(|id| records.place(id));
            pairs.extend(used.map(|used| [used as u32, user as u32]));
        }
        pairs.sort_unstable();
        Self { pairs }
    }

    fn of_place(&self, place: u32) -> impl Iterator<Item = u32> {
        let first = self.pairs.partition_point(|&[used, _]| used < place);
        self.pairs[first..].iter().take_while(move |&&[used, _]| used == place).map(|&[_, user]| user)
    }
}
