//! Kernels: compiled once per device, and bound to buffers in the order of their bindings.

use std::borrow::Cow;

use super::{Device, DeviceError};

/// A compute shader with one entry point, which has its name.
#[derive(Debug)]
pub struct Kernel {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

impl Kernel {
    /// Compiles a kernel.
    ///
    /// # Errors
    /// What the driver says, in one line.
    pub fn new(device: &Device, name: &'static str, source: &'static str) -> Result<Self, DeviceError> {
        device.watched(|gpu| {
            let module = gpu.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(name),
                source: wgpu::ShaderSource::Wgsl(Cow::Borrowed(source)),
            });
            let pipeline = gpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(name),
                layout: None,
                module: &module,
                entry_point: Some(name),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            });
            let layout = pipeline.get_bind_group_layout(0);
            Self { pipeline, layout }
        })
    }

    /// Binds buffers, the first to binding 0.
    pub fn bind(&self, device: &Device, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        device.gpu().create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.layout,
            entries: &entries,
        })
    }

    /// Has the kernel run on what is bound.
    pub fn run(&self, pass: &mut wgpu::ComputePass, bound: &wgpu::BindGroup, workgroups: u32) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, bound, &[]);
        pass.dispatch_workgroups(workgroups, 1, 1);
    }
}
