//! 3MF: packages made here.

use std::io::{Cursor, Write};
use std::path::Path;

use closefit_geometry::scene::{Scene, Up};
use closefit_geometry::units::Unit;
use closefit_scene::read::{InMemory, ReadOptions, read_from};
use glam::DVec3;
use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const RELATIONSHIPS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Target="/3D/3dmodel.model" Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
<Relationship Target="/Metadata/picture.png" Id="p" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail"/>
</Relationships>"#;

const MESH: &str = r#"<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/>
<vertex x="0" y="0" z="1"/></vertices><triangles><triangle v1="0" v2="2" v3="1" pid="1"/><triangle v1="0" v2="1" v3="3"/>
<triangle v1="0" v2="3" v3="2"/><triangle v1="1" v2="2" v3="3"/></triangles></mesh>"#;

/// A tetrahedron, a surface and a support, and an assembly of a tetrahedron and one of another file.
fn model() -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<model unit="inch" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" requiredextensions="p"
 xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06">
<metadata name="Title">A title</metadata>
<resources>
 <basematerials id="1"><base name="steel" displaycolor="grey"/></basematerials>
 <object id="2" name="pin" partnumber="17">{MESH}</object>
 <object id="3" partnumber="18" type="surface">{MESH}</object>
 <object id="4" type="support">{MESH}</object>
 <object id="5" name="assembly"><components>
  <component objectid="2" transform="1 0 0 0 1 0 0 0 1 10 0 0"/>
  <component objectid="7" p:path="/3D/other.model" transform="-1 0 0 0 1 0 0 0 1 0 20 0"/></components></object>
</resources>
<build><item objectid="5" transform="0 1 0 -1 0 0 0 0 1 0 0 100"/><item objectid="2"/><item objectid="3"/><item objectid="4"/></build>
</model>"#
    )
}

fn other() -> String {
    format!(r#"<model unit="inch"><resources><object id="7">{MESH}</object></resources><build/></model>"#)
}

fn package(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (index, (name, text)) in files.iter().enumerate() {
        let method = if index % 2 == 0 { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        archive.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn read_bytes(bytes: &[u8], allow_missing: bool) -> Result<Scene, String> {
    let mut files = InMemory::default();
    files.insert("a.3mf", bytes).unwrap();
    let options = ReadOptions { memory: Some(1 << 26), allow_missing, ..ReadOptions::default() };
    read_from(&files, &[Path::new("a.3mf")], &options).map_err(|error| error.to_string())
}

fn read(model: &str) -> Result<Scene, String> {
    let files = [("_rels/.rels", RELATIONSHIPS), ("3D/3dmodel.model", model), ("3D/other.model", &other())];
    read_bytes(&package(&files), false)
}

#[test]
fn items_of_the_build_are_parts() {
    let scene = read(&model()).unwrap();
    let parts: Vec<(&str, &str, bool)> =
        scene.parts.iter().map(|part| (&*part.name, &*part.path, part.is_surface)).collect();
    let expected = [
        ("pin", "/assembly/pin", false),
        ("assembly", "/assembly/object 7", false),
        ("pin", "/pin", false),
        ("18", "/18", true),
    ];
    assert_eq!(parts, expected);
    assert_eq!((scene.unit, scene.up), (Some(Unit::In), Some(Up::Z)));
    assert_eq!(scene.notes, ["a.3mf: supports and other objects that are no models left out: 1"]);
    assert_eq!(scene.parts[0].mesh, scene.parts[2].mesh, "one mesh for all of an object");
    assert_eq!(scene.meshes[0].triangles().len(), 4);
    // Rows of coordinates are multiplied from the left: the assembly takes x to y, and y to -x.
    let quarter = |p: DVec3| DVec3::new(-p.y, p.x, p.z + 100.0);
    let p = DVec3::new(0.25, 2.0, -3.0);
    assert_eq!(scene.parts[0].pose.apply(p), quarter(p + DVec3::new(10.0, 0.0, 0.0)));
    assert_eq!(scene.parts[1].pose.apply(p), quarter(DVec3::new(-p.x, p.y + 20.0, p.z)), "mirrored");
    assert_eq!(scene.parts[2].pose.apply(p), p);
}

/// The format requires an object to follow its components. Some writers do not comply.
#[test]
fn objects_may_come_after_those_that_consist_of_them() {
    let pin = format!(" <object id=\"2\" name=\"pin\" partnumber=\"17\">{MESH}</object>\n");
    let last = model().replace(&pin, "").replace("</resources>", &format!("{pin}</resources>"));
    let named = |scene: Scene| scene.parts.iter().map(|part| part.path.to_string()).collect::<Vec<_>>();
    assert_eq!(named(read(&last).unwrap()), named(read(&model()).unwrap()));
}

#[test]
fn units_are_those_of_the_file() {
    let unit = |name: &str| read(&model().replace("inch", name)).map(|scene| scene.unit);
    // The other file is in inches.
    assert!(
        unit("foot")
            .unwrap_err()
            .contains("/3D/other.model: unit: 'inch' is not the unit of the first model")
    );
    let alone = |name: &str| {
        let text = format!(
            r#"<model unit="{name}"><resources><object id="1">{MESH}</object></resources><build><item objectid="1"/></build></model>"#
        );
        let scene = read(&text)?;
        Ok::<_, String>((scene.unit.unwrap(), scene.parts[0].pose.apply(DVec3::new(1000.0, 0.0, 0.0)).x))
    };
    for (name, unit) in
        [("millimeter", Unit::Mm), ("centimeter", Unit::Cm), ("foot", Unit::Ft), ("meter", Unit::M)]
    {
        assert_eq!(alone(name).unwrap(), (unit, 1000.0));
    }
    assert_eq!(alone("micron").unwrap(), (Unit::Mm, 1.0));
    assert_eq!(alone("ell").unwrap_err(), "a.3mf: /3D/3dmodel.model: unit: 'ell' is no unit of 3MF");
}

#[test]
fn what_is_wrong_is_named() {
    let with = |from: &str, to: &str| read(&model().replacen(from, to, 1)).unwrap_err();
    let in_model = |text: &str| format!("a.3mf: /3D/3dmodel.model: {text}");
    let lattice = "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02";
    let production = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06";
    assert_eq!(
        with(production, lattice),
        in_model(&format!("the required extension 'p' ({lattice}) is not supported"))
    );
    assert_eq!(
        with("<component objectid=\"2\"", "<component objectid=\"5\""),
        in_model("the object '5' is part of itself, or has one that is")
    );
    assert_eq!(
        with("10 0 0\"", "10 0\""),
        in_model("part 'assembly' (object, line 16): line 17: transform: 11 numbers instead of 12")
    );
    assert_eq!(with("objectid=\"7\"", "objectid=\"8\""), "a.3mf: /3D/other.model: there is no object '8'");
    assert_eq!(
        with("/3D/other.model", "/3D/none.model"),
        "a.3mf: /3D/none.model: the package has no such file"
    );
    assert_eq!(
        with("object id=\"3\"", "object id=\"2\""),
        in_model("part object, line 10: id: two objects have the id 2")
    );
    let vertex = with("x=\"1\" y=\"0\"", "x=\"one\" y=\"0\"");
    assert!(vertex.contains("part 'pin' (object, line 7): line 7: 'one' is not a number"), "{vertex}");
    let corner = with("v1=\"1\"", "v1=\"4\"");
    assert!(corner.contains("the vertex index 4, but there are 4 vertices"), "{corner}");
    assert!(corner.contains("(--allow-missing leaves them out)"), "{corner}");
    let beams = with("</vertices>", "</vertices><beamlattice/>");
    assert!(beams.contains("a beam lattice is not supported"), "{beams}");
    assert_eq!(read("<html/>").unwrap_err(), in_model("line 1: <html> instead of <model>"));
}

#[test]
fn parts_that_cannot_be_read_may_be_left_out() {
    let broken = model().replacen("v1=\"1\"", "v1=\"4\"", 1);
    let files = [("_rels/.rels", RELATIONSHIPS), ("3D/3dmodel.model", &broken), ("3D/other.model", &other())];
    let scene = read_bytes(&package(&files), true).unwrap();
    assert_eq!((scene.parts.len(), scene.left_out.parts), (2, 2));
}

#[test]
fn packages_that_are_none_are_refused() {
    assert!(
        read_bytes(b"PK\x03\x04", false)
            .unwrap_err()
            .starts_with("a.3mf: archive: it is damaged, or no archive")
    );
    let refused = |files: &[(&str, &str)]| read_bytes(&package(files), false).unwrap_err();
    assert_eq!(refused(&[("a.txt", "")]), "a.3mf: /_rels/.rels: the package has no such file");
    assert_eq!(refused(&[("_rels/.rels", "<R/>")]), "a.3mf: /_rels/.rels: 0 models instead of one");
    // A bomb: a megabyte of blanks.
    let bomb = refused(&[("_rels/.rels", &" ".repeat(1 << 20))]);
    assert!(bomb.contains("the archive would unpack to 1048576 bytes, which is too much"), "{bomb}");
}

#[test]
fn objects_of_objects_of_objects_do_not_take_all_memory() {
    let mut objects = format!("<object id=\"0\">{MESH}</object>");
    for level in 1..40 {
        let one = format!("<component objectid=\"{}\"/>", level - 1);
        objects += &format!("<object id=\"{level}\"><components>{one}{one}</components></object>");
    }
    let text =
        format!("<model><resources>{objects}</resources><build><item objectid=\"39\"/></build></model>");
    let refused = read(&text).unwrap_err();
    assert!(refused.contains("memory") || refused.contains("more than"), "{refused}");
}

proptest! {
    /// Damaged models and packages are read, or refused in one line.
    #[test]
    fn damaged_files_end_in_one_line(at in 0_usize..2000, byte in any::<u8>(), from in 0_usize..2000, cut in 0_usize..40) {
        let text = model();
        let damaged = super::damaged(&text, (at.min(text.len() - 1), byte), (from.min(text.len() - 1), cut));
        if let Err(line) = read(&String::from_utf8_lossy(&damaged)) {
            prop_assert_eq!(line.lines().count(), 1);
        }
        let files = [("_rels/.rels", RELATIONSHIPS), ("3D/3dmodel.model", &text[..]), ("3D/other.model", &other())];
        let mut bytes = package(&files);
        let place = at % bytes.len();
        bytes[place] ^= byte;
        bytes.truncate(bytes.len() - cut % bytes.len());
        if let Err(line) = read_bytes(&bytes, false) {
            prop_assert_eq!(line.lines().count(), 1);
        }
    }
}
