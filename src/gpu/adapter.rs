//! Selection of the adapter to open: by name, by number, or the best one.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use super::DeviceError;

/// Selects an adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The first adapter in the order of preference: hardware comes before software.
    #[default]
    Best,
    /// The first discrete GPU: no software adapter, and no GPU that shares the CPU's memory.
    Discrete,
    /// The adapter at this index in the order of preference, counted from 0.
    Numbered(usize),
    /// The first adapter whose name contains this text, ignoring case.
    Named(String),
}

impl FromStr for Choice {
    type Err = Infallible;

    /// Parses a number as an index and any other text as part of a name.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| Self::Named(text.to_owned()), Self::Numbered))
    }
}

impl Choice {
    /// Returns the index of the selected adapter, given the types and names of all adapters in order of
    /// preference.
    fn pick(&self, adapters: &[(wgpu::DeviceType, String)]) -> Result<usize, DeviceError> {
        let contains = |part: &str| {
            let part = part.to_lowercase();
            adapters.iter().position(|(_, name)| name.to_lowercase().contains(&part))
        };
        let discrete = || adapters.iter().position(|&(kind, _)| kind == wgpu::DeviceType::DiscreteGpu);
        let (found, wanted) = match self {
            _ if adapters.is_empty() => return Err(DeviceError::NoAdapter),
            Self::Best => (Some(0), String::new()),
            Self::Discrete => return discrete().ok_or(DeviceError::NoDiscreteAdapter),
            Self::Numbered(n) => (Some(*n).filter(|n| *n < adapters.len()), n.to_string()),
            Self::Named(part) => (contains(part), part.clone()),
        };
        found.ok_or_else(|| {
            let names = adapters.iter().enumerate().map(|(n, (_, name))| format!("{n} ({name})")).collect();
            DeviceError::NoSuchAdapter { wanted, names }
        })
    }
}

/// Returns true if the adapter is a software implementation that runs on the CPU.
pub(super) fn is_software(info: &wgpu::AdapterInfo) -> bool {
    info.device_type == wgpu::DeviceType::Cpu
}

/// An adapter as the system describes it, and the number of adapters before it that are described in the same
/// way: two equal cards may differ in nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity<Info = wgpu::AdapterInfo> {
    pub info: Info,
    twins_before: usize,
}

impl<Info: PartialEq + Clone> Identity<Info> {
    /// Returns the identity of the adapter at this index, given the descriptions of all adapters.
    fn of(index: usize, infos: &[Info]) -> Self {
        let info = infos[index].clone();
        Self { twins_before: infos[..index].iter().filter(|other| **other == info).count(), info }
    }
}

/// The type of an adapter, in the order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A card with memory of its own.
    Discrete,
    /// A share of a card, in a virtual machine.
    Virtual,
    /// A GPU that shares the CPU's memory.
    Integrated,
    /// The driver does not say.
    Unknown,
    /// An implementation that runs on the CPU.
    Software,
}

impl AdapterKind {
    fn of(info: &wgpu::AdapterInfo) -> Self {
        match info.device_type {
            wgpu::DeviceType::DiscreteGpu => Self::Discrete,
            wgpu::DeviceType::VirtualGpu => Self::Virtual,
            wgpu::DeviceType::IntegratedGpu => Self::Integrated,
            wgpu::DeviceType::Other => Self::Unknown,
            wgpu::DeviceType::Cpu => Self::Software,
        }
    }
}

impl fmt::Display for AdapterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Discrete => "discrete",
            Self::Virtual => "virtual",
            Self::Integrated => "integrated",
            Self::Unknown => "unknown",
            Self::Software => "software",
        })
    }
}

/// An adapter of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdapterRecord {
    /// The name that the driver gives.
    pub name: String,
    /// The type.
    pub kind: AdapterKind,
    /// The interface through which it is used: `vulkan`, `metal` or `dx12`.
    pub interface: &'static str,
    /// The driver and its version.
    pub driver: String,
    /// Size in bytes of the largest buffer that a kernel can bind.
    pub largest_binding: u64,
}

/// Returns the adapters of this machine in the order of preference, by which they are numbered.
pub fn adapters() -> Vec<AdapterRecord> {
    let record = |adapter: wgpu::Adapter| {
        let (info, limits) = (adapter.get_info(), adapter.limits());
        AdapterRecord {
            kind: AdapterKind::of(&info),
            interface: info.backend.to_str(),
            driver: [info.driver, info.driver_info].join(" ").trim().to_owned(),
            largest_binding: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size),
            name: info.name,
        }
    };
    enumerate().into_iter().map(record).collect()
}

/// Enumerates the adapters and returns the selected one.
pub(super) fn find(choice: &Choice) -> Result<(wgpu::Adapter, Identity), DeviceError> {
    let mut adapters = enumerate();
    let infos: Vec<_> = adapters.iter().map(wgpu::Adapter::get_info).collect();
    let found: Vec<_> = infos.iter().map(|info| (info.device_type, info.name.clone())).collect();
    let index = choice.pick(&found)?;
    Ok((adapters.swap_remove(index), Identity::of(index, &infos)))
}

/// Returns all adapters: hardware before software, and dedicated memory before shared memory.
fn enumerate() -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    descriptor.flags = wgpu::InstanceFlags::empty();
    let instance = wgpu::Instance::new(descriptor);
    let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    adapters.sort_by_key(|adapter| AdapterKind::of(&adapter.get_info()));
    adapters
}

#[cfg(test)]
mod tests {
    use wgpu::DeviceType::{Cpu, DiscreteGpu, IntegratedGpu, Other, VirtualGpu};

    use super::*;

    fn adapters<const N: usize>(adapters: [(wgpu::DeviceType, &str); N]) -> [(wgpu::DeviceType, String); N] {
        adapters.map(|(kind, name)| (kind, name.to_owned()))
    }

    #[test]
    fn only_a_discrete_gpu_is_discrete() {
        let others = [
            (VirtualGpu, "Virtio-GPU"),
            (IntegratedGpu, "Intel UHD"),
            (Other, "Unknown"),
            (Cpu, "llvmpipe (LLVM 15)"),
            (Cpu, "NVIDIA H100"),
        ];
        for other in others {
            assert_eq!(Choice::Discrete.pick(&adapters([other])), Err(DeviceError::NoDiscreteAdapter));
            let both = adapters([other, (DiscreteGpu, "NVIDIA H100")]);
            assert_eq!(Choice::Discrete.pick(&both), Ok(1));
        }
        let two = adapters([(DiscreteGpu, "NVIDIA H100"), (DiscreteGpu, "Radeon")]);
        assert_eq!(Choice::Discrete.pick(&two), Ok(0));
        assert_eq!(Choice::Discrete.pick(&adapters(others)), Err(DeviceError::NoDiscreteAdapter));
        assert_eq!(Choice::Discrete.pick(&[]), Err(DeviceError::NoAdapter));
    }

    #[test]
    fn equal_adapters_are_told_apart() {
        // Cards of one make, with the places that the system knows, and software.
        let all = [("H100", "01:00"), ("H100", "02:00"), ("H100", ""), ("H100", ""), ("llvmpipe", "")];
        let identities: Vec<_> = (0..all.len()).map(|i| Identity::of(i, &all)).collect();
        for i in 0..all.len() {
            assert!((0..all.len()).all(|j| (identities[i] == identities[j]) == (i == j)));
        }
        // The software goes by the same identity without the cards.
        assert_eq!(Identity::of(0, &all[4..]), identities[4]);
    }

    #[test]
    fn an_adapter_is_picked_by_name_or_number() {
        let adapters = adapters([(DiscreteGpu, "NVIDIA H100"), (Cpu, "llvmpipe (LLVM 15)")]);
        for (text, place) in [("0", 0), ("1", 1), ("h100", 0), ("LLVM", 1)] {
            assert_eq!(text.parse::<Choice>().unwrap().pick(&adapters), Ok(place));
        }
        assert_eq!(Choice::Best.pick(&adapters), Ok(0));
        assert_eq!(Choice::Best.pick(&[]), Err(DeviceError::NoAdapter));
        for text in ["2", "Radeon"] {
            let refused = text.parse::<Choice>().unwrap().pick(&adapters).unwrap_err().in_one_line();
            let expected =
                format!("no adapter is called '{text}': use 0 (NVIDIA H100), 1 (llvmpipe (LLVM 15))");
            assert_eq!(refused, expected);
        }
    }
}
