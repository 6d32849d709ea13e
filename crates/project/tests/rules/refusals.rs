//! Refusals of rules files, each with its place and the nearest name.

use super::*;

/// Returns the line that refuses rules of which the first line is the version.
fn refused(text: &str) -> String {
    rules(text).expect_err(text).to_string()
}

/// Groups that begin a text, in place of WALLS.
const WALLS: &str = "[groups]\nwalls = { type = \"IfcWall*\" }\nelectrical = { model = \"E\" }\n";

/// A rule about them, in place of RULE.
const RULE: &str = "WALLS[[rule]]\nid = \"E-A\"\na = \"walls\"\n";

/// Texts, and the lines that refuse them.
const REFUSED: &[(&str, &str)] = &[
    ("unti = \"mm\"", "2:1: unknown key 'unti' in the rules file: did you mean 'unit'?"),
    ("unit = \"mmm\"", "2:8: unknown unit 'mmm': use mm, cm, m, in or ft"),
    ("unit = 5", "2:8: expected a text, found the number '5'"),
    (
        "RULEb = \"electrcal\"",
        "8:5: rule 'E-A': b: group 'electrcal' is not defined: did you mean 'electrical'?",
    ),
    ("RULEtolerence = 1", "8:1: rule 'E-A': unknown key 'tolerence' in a rule: did you mean 'tolerance'?"),
    ("RULEtolerance = -2", "8:13: rule 'E-A': tolerance: '-2' is not a length"),
    ("RULEclearance = \"5parsec\"", "8:13: rule 'E-A': clearance: '5parsec' is not a length"),
    ("RULEclearance = nan", "8:13: rule 'E-A': clearance: 'nan' is not a length"),
    ("RULEclearance = []", "8:13: rule 'E-A': clearance: expected a length, such as 5 or \"25mm\""),
    ("RULEvolume_at_most = -2", "8:18: rule 'E-A': volume_at_most: '-2' is not a volume"),
    ("RULEvolume_at_most = \"5mm\"", "8:18: rule 'E-A': volume_at_most: '5mm' is not a volume"),
    (
        "RULEvolume_at_most = []",
        "8:18: rule 'E-A': volume_at_most: expected a volume, such as 5 or \"25mm3\"",
    ),
    ("RULEfail = \"crash\"", "8:8: rule 'E-A': 'crash' is not clash, undecided, contact, clearance or never"),
    ("RULEseverity = \"high\"", "8:12: rule 'E-A': 'high' is not critical, major, minor or info"),
    ("RULE[[rule]]\nid = \"E-A\"\na = \"walls\"", "9:6: there are two rules 'E-A'"),
    ("RULE[[rule]]\na = \"walls\"", "8:1: a rule needs 'id'"),
    ("RULE[[rule]]\nid = \"a\\nb\"\na = \"walls\"", "9:6: the control character \\n is not allowed"),
    ("RULE[[rule]]\nid = \" \"\na = \"walls\"", "9:6: the text is empty"),
    ("RULE[[rule]]\nid = \"x\"", "8:1: rule 'x': it needs 'a'"),
    ("RULE[[rule]]\nid = \"x\"\nb = \"walls\"", "10:5: rule 'x': 'b' needs 'a' beside it"),
    ("RULEb = { typ = \"x\" }", "8:7: rule 'E-A': b: unknown key 'typ' in a selector: did you mean 'type'?"),
    ("RULEb = { name = \"[\" }", "8:14: rule 'E-A': b: the pattern '[' is wrong: a bracket is not closed"),
    ("RULEb = { name = [] }", "8:14: rule 'E-A': b: the list is empty"),
    (
        "[groups]\na = { not = \"b\" }\nb = \"c\"\nc = { any = [\"b\", \"a\"] }",
        "4:1: groups define each other: 'b' names 'c' names 'b'",
    ),
    ("[groups]\na = \"a\"", "3:1: groups define each other: 'a' names 'a'"),
    (
        "[groups]\na = { name = \"x\", zone = 1 }",
        "3:26: group 'a': expected true or false, found the number '1'",
    ),
    (
        "[groups]\na = { name = \"x\", surface = 1 }",
        "3:29: group 'a': expected true or false, found the number '1'",
    ),
    ("[[exclude]]\nsame = \"mesh\"", "2:1: exclude: an exclude needs 'reason'"),
    ("[[exclude]]\nsame = \"mesh\"\nreason = \"\"", "4:10: exclude: the text is empty"),
    (
        "[[exclude]]\nsame = \"messh\"\nreason = \"r\"",
        "3:8: exclude: 'messh' is not mesh, file, parent or link",
    ),
    ("[[exclude]]\nreason = \"r\"", "2:1: exclude: it needs 'a' or 'same'"),
    (
        "WALLS[matrix]\ngroups = [\"walls\", \"electrical\"]\nwalls = [\"off\"]\nelectrical = [\"off\"]",
        "8:14: row 'electrical' has 1 cells: it needs 2, one for each group up to its own",
    ),
    (
        "WALLS[matrix]\ngroups = [\"walls\"]\nwals = [\"off\"]",
        "7:1: row 'wals' is not one of 'groups': did you mean 'walls'?",
    ),
    (
        "WALLS[matrix]\ngroups = [\"walls\"]\nwalls = [\"of\"]",
        "7:10: row 'walls': 'of' is not a length: use off, clash, contact or a length",
    ),
    ("[matrix]\nwalls = [\"off\"]", "2:1: the matrix needs 'groups'"),
    (
        "WALLS[matrix]\ngroups = [\"walls\", \"electrical\"]\nwalls = [\"off\"]",
        "6:10: the matrix has no row 'electrical'",
    ),
    (
        "WALLS[matrix]\ngroups = [\"walls\", \"walls\"]\nwalls = [\"off\"]",
        "6:20: 'walls' is in 'groups' twice",
    ),
    ("[[waive]]\npairs = [\"8be9bc86b7d73450ab75\"]\nreason = \"r\"", "2:1: waive: a waive needs 'up_to'"),
    (
        "[[waive]]\npairs = [\"8be\"]\nreason = \"r\"\nup_to = 1",
        "3:10: waive: '8be' is not 20 hexadecimal digits",
    ),
    ("[[waive]]\nreason = \"r\"\nup_to = 1", "2:1: waive: it needs either 'pairs', or 'a' and perhaps 'b'"),
    (
        "[[waive]]\npairs = \"8be9bc86b7d73450ab75\"\npinned = true\nreason = \"r\"\nup_to = 1",
        "2:1: waive: pinned = true needs the 'digests' of the parts of one pair",
    ),
    ("rule = 5", "2:8: expected a list, found the number '5'"),
    ("[[rule]\n", "2:8: unclosed array table, expected `]`"),
];

#[test]
fn every_fault_is_one_line_with_its_place() {
    let mut wrong = Vec::new();
    for (text, expected) in REFUSED {
        let told = refused(&text.replace("RULE", RULE).replace("WALLS", WALLS));
        if told != format!("r.toml:{expected}") || told.lines().count() != 1 {
            wrong.push(format!("{told}\n{expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_version_comes_first() {
    let refused = |text: &str| read(text).unwrap_err().to_string();
    assert_eq!(refused(""), "r.toml:1:1: the rules file needs 'closefit-rules'");
    assert_eq!(refused("closefit-rules = 3"), "r.toml:1:18: closefit-rules = 3: made for a newer closefit");
    assert_eq!(refused("closefit-rules = \"1\""), "r.toml:1:18: closefit-rules must be 1");
}

#[test]
fn json_is_refused_in_the_same_words() {
    let refused = |text: &str| RulesFile::read(Path::new("r.JSON"), text).unwrap_err().to_string();
    let text = "{\"closefit-rules\": 1,\n \"rule\": [{\"id\": \"E-A\", \"a\": {},\n  \"tolerence\": 1}]}";
    let expected = "r.JSON:3:3: rule 'E-A': unknown key 'tolerence' in a rule: did you mean 'tolerance'?";
    assert_eq!(refused(text), expected);
    assert_eq!(
        refused("{\"closefit-rules\": 1, \"unit\": \"mm\", \"unit\": \"mm\"}"),
        "r.JSON:1:37: the key 'unit' is given twice"
    );
    assert!(refused("{\"closefit-rules\": 1,\n x}").starts_with("r.JSON:2:2: key must be a string"));
}
