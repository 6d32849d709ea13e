//! Heat maps: vertices with a lower bound of their distance, and a colour by band.

use std::fs;

use closefit_testing::command::*;
use serde_json::Value;

const GEARBOX: &str = "examples/gearbox.glb";

/// Returns the document and the buffer of a binary glTF.
fn parts_of(glb: &[u8]) -> (Value, &[u8]) {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&glb[20..20 + length]).unwrap(), &glb[28 + length..])
}

/// Returns the numbers of a vertex attribute of the first mesh.
fn attribute(glb: &[u8], name: &str) -> Vec<f32> {
    let (document, buffer) = parts_of(glb);
    let accessor = document["meshes"][0]["primitives"][0]["attributes"][name].as_u64().unwrap() as usize;
    let view = document["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
    let view = &document["bufferViews"][view];
    let [from, length] = ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap() as usize);
    let numbers = buffer[from..from + length].as_chunks::<4>().0.iter();
    numbers.map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

#[test]
fn vertices_have_their_distance_and_the_colour_of_its_band() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("heat.glb");
    let map = |parts: &str| {
        let flags = ["--clearance", "0.1mm", "--quiet", "--json", "--heatmap", parts, shown(&file)];
        let output = run(&[&["check", GEARBOX], &flags[..]].concat());
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        (serde_json::from_slice::<Value>(&output.stdout).unwrap(), fs::read(&file).unwrap())
    };
    let (report, pair) = map("planet_3,washer_back_3");
    let (_, of_all) = map("planet_3");
    let near =
        report["pairs"].as_array().unwrap().iter().find(|pair| pair["verdict"] == "clearance").unwrap();
    let distance = near["distance"].as_f64().unwrap();
    let [to_washer, to_all] = [&pair, &of_all].map(|glb| attribute(glb, "_DISTANCE"));
    // Two flat faces: the corners of the gear are as near as its surface is.
    let least = f64::from(to_washer.iter().copied().fold(f32::INFINITY, f32::min));
    assert!(distance * (1.0 - 1e-6) <= least && least <= 1.001 * distance, "{least} for {distance}");
    let both = || to_washer.iter().zip(&to_all);
    assert!(both().all(|(one, all)| one >= all) && both().any(|(one, all)| one > all));
    let clearance = 1e-4_f32;
    let mut bands = [0; 3];
    for (colour, &at_least) in attribute(&pair, "COLOR_0").chunks(3).zip(&to_washer) {
        let band = usize::from(at_least >= clearance) + usize::from(at_least >= 2.0 * clearance);
        bands[band] += 1;
        let expected = [[0.665, 0.112, 0.0], [1.0, 0.723, 0.021], [0.72, 0.74, 0.78]][band];
        assert_eq!(colour, expected, "{at_least}");
    }
    assert!(bands[0] > 0 && bands[2] > 0, "{bands:?}");
    let (document, _) = parts_of(&pair);
    assert_eq!(document["nodes"].as_array().unwrap().iter().filter(|node| node["mesh"].is_u64()).count(), 2);
}

#[test]
fn what_makes_no_heat_map_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("heat.glb");
    for (parts, clearance, expected) in [
        ("planet_3", "0", "it needs a --clearance, which separates its colours"),
        ("planet_33", "1mm", "there is no part 'planet_33'"),
        ("planet_3,washer", "1mm", "there is no part 'washer'"),
        ("planet_3,planet_3", "1mm", "it needs two different parts"),
    ] {
        let line = refusal(&["check", GEARBOX, "--clearance", clearance, "--heatmap", parts, shown(&file)]);
        assert!(line.contains(&format!("--heatmap {parts}")) && line.contains(expected), "{line}");
        assert!(!file.exists());
    }
}
