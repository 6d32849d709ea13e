//! Which adapter to open: by name, by number, or the best.

use std::convert::Infallible;
use std::str::FromStr;

use super::DeviceError;

/// The adapter that is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The first: real ones come before software.
    #[default]
    Best,
    /// By its place in that order, from 0.
    Numbered(usize),
    /// By a part of its name, in any case.
    Named(String),
}

impl FromStr for Choice {
    type Err = Infallible;

    /// Reads a number as a place, everything else as a name.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| Self::Named(text.to_owned()), Self::Numbered))
    }
}

impl Choice {
    /// Picks from the names of all adapters, in order.
    fn pick(&self, names: &[String]) -> Result<usize, DeviceError> {
        let contains = |part: &str| {
            let part = part.to_lowercase();
            names.iter().position(|name| name.to_lowercase().contains(&part))
        };
        let (found, wanted) = match self {
            _ if names.is_empty() => return Err(DeviceError::NoAdapter),
            Self::Best => (Some(0), String::new()),
            Self::Numbered(n) => (Some(*n).filter(|n| *n < names.len()), n.to_string()),
            Self::Named(part) => (contains(part), part.clone()),
        };
        found.ok_or_else(|| {
            let names = names.iter().enumerate().map(|(n, name)| format!("{n} ({name})")).collect();
            DeviceError::NoSuchAdapter { wanted, names }
        })
    }
}

/// True for an adapter that is a program on the CPU.
pub(super) fn is_software(info: &wgpu::AdapterInfo) -> bool {
    info.device_type == wgpu::DeviceType::Cpu
}

/// Finds the adapter that is wanted.
pub(super) fn find(choice: &Choice) -> Result<wgpu::Adapter, DeviceError> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    descriptor.flags = wgpu::InstanceFlags::empty();
    let instance = wgpu::Instance::new(descriptor);
    let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    adapters.sort_by_key(|adapter| rank(&adapter.get_info()));
    let names: Vec<String> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
    Ok(adapters.swap_remove(choice.pick(&names)?))
}

/// Real before software, one with memory of its own before one without.
fn rank(info: &wgpu::AdapterInfo) -> u32 {
    match info.device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::VirtualGpu => 1,
        wgpu::DeviceType::IntegratedGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_adapter_is_picked_by_name_or_number() {
        let names = ["NVIDIA H100", "llvmpipe (LLVM 15)"].map(str::to_owned);
        for (text, place) in [("0", 0), ("1", 1), ("h100", 0), ("LLVM", 1)] {
            assert_eq!(text.parse::<Choice>().unwrap().pick(&names), Ok(place));
        }
        assert_eq!(Choice::Best.pick(&names), Ok(0));
        assert_eq!(Choice::Best.pick(&[]), Err(DeviceError::NoAdapter));
        for text in ["2", "Radeon"] {
            let refused = text.parse::<Choice>().unwrap().pick(&names).unwrap_err().in_one_line();
            let expected =
                format!("no adapter is called '{text}': use 0 (NVIDIA H100), 1 (llvmpipe (LLVM 15))");
            assert_eq!(refused, expected);
        }
    }
}
