//! Entities that the kernel draws wrong without a word, and the products whose shapes have them.

use std::collections::HashMap;

use crate::curves::{WrongPipe, wrong_pipe};
use crate::records::{Record, Records};
use crate::values::{argument, reference, references};

/// Solids along curves, a profile, and solids with voids. What the kernel draws is closed, so nothing else
/// would tell: a roof, a footing and a wall lacked up to 6 m of their extent, the flanges of a Z reached
/// too far out, and voids within a solid were full.
const DRAWN_WRONG: [&str; 11] = [
    "IFCSURFACECURVESWEPTAREASOLID",
    "IFCFIXEDREFERENCESWEPTAREASOLID",
    "IFCDIRECTRIXCURVESWEPTAREASOLID",
    "IFCDIRECTRIXDERIVEDREFERENCESWEPTAREASOLID",
    "IFCSECTIONEDSOLID",
    "IFCSECTIONEDSOLIDHORIZONTAL",
    "IFCSECTIONEDSPINE",
    "IFCSECTIONEDSURFACE",
    "IFCZSHAPEPROFILEDEF",
    "IFCFACETEDBREPWITHVOIDS",
    "IFCADVANCEDBREPWITHVOIDS",
];

/// Pipes, which are drawn wrong along some curves.
const PIPES: [&str; 2] = ["IFCSWEPTDISKSOLID", "IFCSWEPTDISKSOLIDPOLYGONAL"];

/// Returns how a record that would be drawn wrong is called.
fn drawn_wrong(records: &Records, record: &Record, left: &mut usize) -> Option<String> {
    let kind = records.kind(record);
    if !PIPES.contains(&kind) {
        return Some(spelt(kind));
    }
    wrong_pipe(records, record, left).map(|why| match why {
        WrongPipe::Corner => format!("{} around a corner", spelt(kind)),
        WrongPipe::Trimmed => format!("{} along a trimmed polyline", spelt(kind)),
        WrongPipe::Long => format!("{} along a curve of too many edges", spelt(kind)),
    })
}

/// Returns the products in whose shapes, or in whose openings, such entities are, each with the name of one.
/// `is_product` says of a kind whether it is a product.
pub fn find(records: &Records, is_product: impl Fn(u32) -> bool) -> HashMap<u32, String> {
    let is_suspect = |kind: &String| DRAWN_WRONG.contains(&kind.as_str()) || PIPES.contains(&kind.as_str());
    let suspect: Vec<bool> = records.kinds.iter().map(is_suspect).collect();
    // An edge takes more than a byte, unless curves are shared many times.
    let mut left = records.text.len();
    let all_suspect = records.all().enumerate().filter(|(_, record)| suspect[record.kind as usize]);
    let wrong: Vec<(usize, String)> = all_suspect
        .filter_map(|(place, record)| Some((place, drawn_wrong(records, record, &mut left)?)))
        .collect();
    let mut found = HashMap::new();
    if wrong.is_empty() {
        return found;
    }
    let users = Users::of(records);
    let all: Vec<_> = records.all().collect();
    let mut reached = vec![false; all.len()];
    for (start, name) in wrong {
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
