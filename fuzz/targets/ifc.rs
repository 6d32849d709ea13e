//! Bytes of a building, or of an archive with one: products or one typed error.
#![no_main]

use std::time::Duration;

use closefit_ifc::{Limits, read, unpacked};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let limits = Limits { time: Some(Duration::from_secs(30)), memory: 1 << 30 };
    let found = unpacked(data, limits.memory).and_then(|text| read(&text, &limits));
    match found {
        Ok(building) => {
            for product in &building.products {
                let vertices = product.shape.vertices.len();
                assert!(product.shape.triangles.iter().flatten().all(|&corner| (corner as usize) < vertices));
                assert!(product.node < building.nodes.len());
            }
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "one line: {error}"),
    }
});
