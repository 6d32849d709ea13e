//! Translates every shader for Vulkan, Metal and Direct3D.

use closefit::internals::broad::on_device::kernels as broad;
use closefit::internals::bvh::wide_obb::on_device::kernels as trees;
use naga::back::{hlsl, msl, spv};
use naga::valid::{Capabilities, ValidationFlags, Validator};

#[test]
fn shaders_translate() {
    for (shader, source) in trees::ALL.into_iter().chain(broad::ALL) {
        let module = naga::front::wgsl::parse_str(source)
            .unwrap_or_else(|error| panic!("{shader}: {}", error.emit_to_string(source)));
        let info = Validator::new(ValidationFlags::all(), Capabilities::empty())
            .validate(&module)
            .unwrap_or_else(|error| panic!("{shader}: {}", error.emit_to_string(source)));
        let words = spv::write_vec(&module, &info, &spv::Options::default(), None).expect(shader);
        assert!(words.len() > 100);
        let metal = msl::Options {
            bounds_check_policies: naga::proc::BoundsCheckPolicies::default(),
            fake_missing_bindings: true,
            ..Default::default()
        };
        let (text, _) =
            msl::write_string(&module, &info, &metal, &msl::PipelineOptions::default()).expect(shader);
        assert!(text.contains(shader));
        let (mut text, options) =
            (String::new(), hlsl::Options { fake_missing_bindings: true, ..Default::default() });
        let pipeline = hlsl::PipelineOptions::default();
        hlsl::Writer::new(&mut text, &options, &pipeline).write(&module, &info, None).expect(shader);
        assert!(text.contains(shader));
    }
}
