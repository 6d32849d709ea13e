//! Files that are damaged or made to do harm: one line and status 2, or a building.

use closefit_testing::command::run_in;
use closefit_testing::fixtures::Folder;
use closefit_testing::rng::Rng;

use super::models::{block, file, house};
use super::refused::refusal;

/// Runs a file, which is read or refused in one line.
fn survives(folder: &Folder, file: impl AsRef<[u8]>) -> bool {
    folder.put("a.ifc", file);
    let (status, _, err) =
        run_in(&folder.path(""), &["inspect", "a.ifc", "--json", "--quiet", "--ifc-limit", "20"]);
    assert!(status == 0 && err.is_empty() || status == 2 && err.lines().count() == 1, "{status}: {err}");
    status == 0
}

#[test]
fn files_cut_at_each_tenth_are_refused() {
    let house = house();
    for tenth in 0..10 {
        let line = refusal("a.ifc", &house[..house.len() * tenth / 10], &[]);
        assert!(
            line.contains("cut short") || line.contains("empty") || line.contains("not an IFC"),
            "{line}"
        );
    }
}

/// Bytes are changed, references and numbers swapped, and records lost; `CLOSEFIT_CASES` says how often.
#[test]
fn damaged_files_are_read_or_refused() {
    let cases = std::env::var("CLOSEFIT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let (folder, house) = (Folder::new(), house());
    let mut rng = Rng::new("ifc", 0);
    let mut read = 0;
    for case in 0..cases {
        let mut bytes = house.clone().into_bytes();
        for _ in 0..=case % 3 {
            let at = rng.index(bytes.len());
            match rng.index(4) {
                0 => bytes[at] = b"#0123456789(),.'$*E-;"[rng.index(21)],
                1 => bytes[at] = rng.index(256) as u8,
                2 => _ = bytes.drain(at..(at + rng.index(40)).min(bytes.len())),
                _ => {
                    // Another number in place of one.
                    let from = bytes[at..].iter().position(u8::is_ascii_digit).map_or(0, |digit| at + digit);
                    let to = bytes[from..]
                        .iter()
                        .position(|byte| !byte.is_ascii_digit())
                        .map_or(from, |end| from + end);
                    let other = ["0", "10", "107", "1.E308", "-5", "999999999", "1.E-320"][rng.index(7)];
                    drop(bytes.splice(from..to, other.bytes()));
                }
            }
        }
        read += u32::from(survives(&folder, bytes));
    }
    println!("{read} of {cases} were read");
}

/// Records that refer to each other in circles, deep parentheses and large numbers end.
#[test]
fn cycles_and_depths_end() {
    let folder = Folder::new();
    let wall = || block(100, "IFCWALL", "Wall", [0.0; 3], [1000.0; 3]);
    let deep = "(".repeat(200_000) + &")".repeat(200_000);
    for (what, records) in [
        ("placements", wall().replace("IFCLOCALPLACEMENT(#6,#101)", "IFCLOCALPLACEMENT(#102,#101)")),
        (
            "booleans",
            wall().replace(
                "IFCEXTRUDEDAREASOLID(#103,#2,#11,1000.0)",
                "IFCBOOLEANRESULT(.DIFFERENCE.,#104,#104)",
            ),
        ),
        (
            "maps",
            wall().replace("IFCEXTRUDEDAREASOLID(#103,#2,#11,1000.0)", "IFCMAPPEDITEM(#150,#151)")
                + "#150=IFCREPRESENTATIONMAP(#2,#105);\n#151=IFCCARTESIANTRANSFORMATIONOPERATOR3D($,$,#1,1.,$);\n",
        ),
        (
            "storeys",
            wall()
                + "#160=IFCRELAGGREGATES('0Rel0000000000000000ZZ',$,$,$,#107,(#7));\n#161=IFCRELCONTAINEDINSPATIALSTRUCTURE('0Rel0000000000000000ZY',$,$,$,(#107),#10);\n",
        ),
        ("parentheses", wall() + &format!("#160=IFCPOLYLINE({deep});\n")),
        ("names", wall().replace("'Wall'", &format!("'{}'", "n".repeat(5000)))),
        (
            "materials",
            wall()
                + "#160=IFCMATERIALLIST((#160));\n#161=IFCRELASSOCIATESMATERIAL('0Rel0000000000000000ZX',$,$,$,(#107),#160);\n",
        ),
        (
            "indices",
            wall()
                .replace(
                    "IFCEXTRUDEDAREASOLID(#103,#2,#11,1000.0)",
                    "IFCTRIANGULATEDFACESET(#160,$,$,((1,2,4000000000)),$)",
                )
                .replace("'SweptSolid'", "'Tessellation'")
                + "#160=IFCCARTESIANPOINTLIST3D(((0.,0.,0.),(1.,0.,0.),(0.,1.,0.)));\n",
        ),
    ] {
        let read = survives(&folder, file(&records));
        println!("{what}: {}", if read { "read" } else { "refused" });
    }
    // A chain of booleans as long as the file allows.
    let mut chain = wall().replace("(#104));", "(#20999));");
    for i in 1000..21000 {
        let before = if i == 1000 { 104 } else { i - 1 };
        chain += &format!("#{i}=IFCBOOLEANRESULT(.UNION.,#{before},#104);\n");
    }
    survives(&folder, file(&chain));
}
