//! Compute kernels: compiled once per device, then bound to buffers by binding number.

use super::{Device, DeviceError};

/// A compiled compute shader. Its single entry point has the kernel's name.
#[derive(Debug)]
pub struct Kernel {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

impl Kernel {
    /// Compiles a kernel from WGSL.
    ///
    /// # Errors
    /// [`DeviceError`] with the driver's message if it rejects the shader.
    pub fn new(device: &Device, name: &'static str, source: &'static str) -> Result<Self, DeviceError> {
        let source = device.rewritten(source);
        device.watched(|gpu| {
            let module = gpu.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(name),
                source: wgpu::ShaderSource::Wgsl(source),
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

    /// Binds buffers to the bindings 0, 1, 2 and so on, in order.
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

    /// Dispatches the kernel on the bound buffers.
    pub fn run(&self, pass: &mut wgpu::ComputePass, bound: &wgpu::BindGroup, workgroups: u32) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, bound, &[]);
        pass.dispatch_workgroups(workgroups, 1, 1);
    }
}
