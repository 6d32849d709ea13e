//! Ends of lines, encodings, old formats, and files without a surface.

use closefit_geometry::scene::Scene;
use closefit_scene::read::{Format, MeshFormat, read_bytes};

use super::STL;

const OBJ: &str = "# a square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 \\\n3\nf 1 3 4\n";

const PLY: &str = "ply
format ascii 1.0
element vertex 3
property float x
property float y
property float z
element face 1
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
3 0 1 2
";

const ROBOT: &str = "<robot name='r'><link name='a'/></robot>";

fn read(format: Format, bytes: impl AsRef<[u8]>) -> Result<Scene, String> {
    read_bytes(format, "a", bytes.as_ref()).map_err(|error| error.to_string())
}

fn mesh(format: MeshFormat, bytes: impl AsRef<[u8]>) -> Scene {
    read(Format::Mesh(format), bytes).unwrap()
}

#[test]
fn lines_end_as_on_any_system() {
    for (format, text) in [(MeshFormat::Obj, OBJ), (MeshFormat::Stl, STL), (MeshFormat::Ply, PLY)] {
        let expected = mesh(format, text).meshes;
        for end in ["\r", "\r\n", "\r\r\n"] {
            let text = text.replace('\n', end);
            // A header in which lines end twice is none.
            if (format, end) != (MeshFormat::Ply, "\r\r\n") {
                assert_eq!(mesh(format, &text).meshes, expected, "{format:?} {end:?}");
                assert_eq!(mesh(format, text.trim_end()).meshes, expected, "{format:?} {end:?}");
            }
        }
    }
    // A body that begins like the end of a line.
    let head = "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
                property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    let first = f32::from_le_bytes([b'\n', b'\r', 0, 1]);
    let mut body: Vec<u8> =
        [first, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].into_iter().flat_map(f32::to_le_bytes).collect();
    body.extend([3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
    let with = |end: &str| mesh(MeshFormat::Ply, [head.replace('\n', end).as_bytes(), &body].concat()).meshes;
    assert_eq!([with("\r"), with("\r\n")], [with("\n"), with("\n")]);
    // Lines are counted alike.
    let wrong = |end: &str| {
        read(Format::Mesh(MeshFormat::Obj), OBJ.replace("1 1 0", "x").replace('\n', end)).unwrap_err()
    };
    assert_eq!([wrong("\r"), wrong("\r\n")], [wrong("\n"), wrong("\n")]);
}

#[test]
fn utf_16_is_told() {
    let gltf = "{ \"asset\": { \"version\": \"2.0\" } }";
    for (format, text) in [
        (Format::Mesh(MeshFormat::Obj), OBJ),
        (Format::Mesh(MeshFormat::Stl), STL),
        (Format::Mesh(MeshFormat::Ply), PLY),
        (Format::Urdf, ROBOT),
        (Format::Manifest, "{ \"parts\": [] }"),
        (Format::Gltf, gltf),
    ] {
        for mark in ["", "\u{feff}"] {
            let units: Vec<u16> = format!("{mark}{text}").encode_utf16().collect();
            let bytes = [u16::to_le_bytes, u16::to_be_bytes];
            for bytes in bytes.map(|of| units.iter().copied().flat_map(of).collect::<Vec<u8>>()) {
                let told = read(format, bytes).unwrap_err();
                assert_eq!(told, "a: the text is in UTF-16: save it as UTF-8", "{format:?} {mark:?}");
            }
        }
        // The first word of a PLY is its first bytes.
        if format != Format::Mesh(MeshFormat::Ply) {
            let marked = read(format, format!("\u{feff}{text}"));
            assert_eq!(marked.map(|_| ()), read(format, text).map(|_| ()), "{format:?}");
        }
    }
}

#[test]
fn the_first_gltf_is_told() {
    let told = Err("a: glTF 1.0 is not read; save it as glTF 2.0".to_owned());
    let read = |bytes: &[u8]| read(Format::Gltf, bytes).map(|_| ());
    for asset in
        ["", "\"asset\": { \"version\": \"1.0\" },", "\"asset\": { \"version\": \"1.1\", \"profile\": {} },"]
    {
        let text = format!(
            "{{ {asset} \"nodes\": {{ \"n\": {{ \"meshes\": [\"m\"] }} }}, \"meshes\": {{ \"m\": {{}} }} }}"
        );
        assert_eq!(read(text.as_bytes()), told, "{asset}");
    }
    assert_eq!(read(b"{ \"asset\": { \"version\": \"1.0\" } }"), told);
    assert_eq!(read(b"glTF\x01\0\0\0\x14\0\0\0\0\0\0\0\0\0\0\0"), told);
}

#[test]
fn files_without_a_surface_say_what_they_have() {
    let told = |format, text: &str| read(format, text).unwrap_err();
    let obj = |text: &str| told(Format::Mesh(MeshFormat::Obj), text);
    assert_eq!(obj("v 0 0 0\nv 1 0 0\n"), "a: it has points only");
    assert_eq!(obj("v 0 0 0\nv 1 0 0\np 1\n"), "a: it has points only");
    assert_eq!(obj("v 0 0 0\nv 1 0 0\nl 1 2\n"), "a: it has lines only");
    assert_eq!(obj("v 0 0 0\nv 1 0 0\nl 1 2\np 1\n"), "a: it has points and lines only");
    let cloud =
        PLY.replace("element face 1\nproperty list uchar int vertex_indices\n", "").replace("3 0 1 2\n", "");
    assert_eq!(told(Format::Mesh(MeshFormat::Ply), &cloud), "a: it has points only");
    let wires = PLY
        .replace(
            "face 1\nproperty list uchar int vertex_indices",
            "edge 1\nproperty int vertex1\nproperty int vertex2",
        )
        .replace("3 0 1 2\n", "0 1\n");
    assert_eq!(told(Format::Mesh(MeshFormat::Ply), &wires), "a: it has lines only");
    let gltf = |modes: &[u32]| {
        let primitives: Vec<String> =
            modes.iter().map(|mode| format!("{{ \"attributes\": {{}}, \"mode\": {mode} }}")).collect();
        let primitives = primitives.join(",");
        told(
            Format::Gltf,
            &format!(
                "{{ \"asset\": {{ \"version\": \"2.0\" }}, \"nodes\": [{{ \"mesh\": 0 }}],
                \"meshes\": [{{ \"primitives\": [{primitives}] }}] }}"
            ),
        )
    };
    assert_eq!(gltf(&[0]), "a: it has points only");
    assert_eq!(gltf(&[1, 3]), "a: it has lines only");
    assert_eq!(gltf(&[2, 0]), "a: it has points and lines only");
    let robot = |shapes: &[&str]| {
        let shapes: String =
            shapes.iter().map(|shape| format!("<visual><geometry><{shape}/></geometry></visual>")).collect();
        told(Format::Urdf, &format!("<robot name='r'><link name='a'>{shapes}</link></robot>"))
    };
    assert_eq!(robot(&[]), "a: none of its links has visual geometry");
    assert_eq!(robot(&["plane"]), "a: its visual geometry is a shape of an unknown kind");
    assert_eq!(robot(&["plane", "heightmap"]), "a: its visual geometry is 2 shapes of unknown kinds");
    assert_eq!(robot(&["sphere"]), "a: part 'a' (link, line 1): line 1: <sphere> has no radius");
}

#[test]
fn xml_may_declare_its_encoding() {
    let link = |name: &str| {
        format!("<link name='{name}'><visual><geometry><box size='1 1 1'/></geometry></visual></link>")
    };
    let robot = |encoding: &str| {
        let joint = "<joint name='j' type='fixed'><parent link='é'/><child link='è'/></joint>";
        let links = [link("é"), link("è")].concat();
        format!("<?xml version='1.0' encoding={encoding} ?><robot name='r'>{links}{joint}</robot>")
    };
    let latin = |text: String| text.chars().map(|c| u8::try_from(c).unwrap()).collect::<Vec<u8>>();
    let names = |bytes: Vec<u8>| {
        let scene = read(Format::Urdf, bytes)?;
        Ok::<_, String>(scene.parts.iter().map(|part| part.name.to_string()).collect::<Vec<_>>())
    };
    let expected = names(robot("'UTF-8'").into_bytes()).unwrap();
    assert!(expected.len() == 2 && expected[0].contains('é') && expected[1].contains('è'), "{expected:?}");
    for encoding in ["'iso-8859-1'", "\"ISO-8859-1\""] {
        assert_eq!(names(latin(robot(encoding))).as_ref(), Ok(&expected));
    }
    let told = names(latin(robot("'windows-1252'"))).unwrap_err();
    assert_eq!(told, "a: the text is in 'windows-1252': save it as UTF-8");
    let ascii = robot("'windows-1252'").replace('é', "e").replace('è', "f");
    assert_eq!(names(ascii.into_bytes()).unwrap().len(), 2, "ASCII is the same in all of them");
}
