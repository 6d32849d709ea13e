//! Compute kernels: compiled once per device, then bound to buffers by binding number.

use super::{Device, DeviceError};

/// A compiled compute shader. Its single entry point has the kernel's name.
#[derive(Debug)]
pub struct Kernel {
    name: &'static str,
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
            Self { name, pipeline, layout }
        })
    }

    /// Binds buffers to the bindings 0, 1, 2 and so on, in order, for launches of so many workgroups.
    pub fn launch(&self, device: &Device, buffers: &[&wgpu::Buffer], workgroups: u32) -> Launch<'_> {
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let bound = device.gpu().create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.layout,
            entries: &entries,
        });
        Launch { kernel: self, bound, workgroups }
    }
}

/// A kernel bound to buffers.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    kernel: &'a Kernel,
    bound: wgpu::BindGroup,
    workgroups: u32,
}

impl Launch<'_> {
    /// Returns the kernel's name.
    pub(super) fn name(&self) -> &'static str {
        self.kernel.name
    }

    /// Dispatches the kernel.
    pub(super) fn record(&self, pass: &mut wgpu::ComputePass) {
        pass.set_pipeline(&self.kernel.pipeline);
        pass.set_bind_group(0, &self.bound, &[]);
        pass.dispatch_workgroups(self.workgroups, 1, 1);
    }
}
