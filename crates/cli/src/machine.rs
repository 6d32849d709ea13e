//! Resources of this machine.

use sysinfo::{CpuRefreshKind, RefreshKind, System};

/// Returns three quarters of the memory of this machine, or of the process's control group if that allows
/// less, in bytes. If the address space has a limit (`ulimit -v`), returns no more than half of it, because
/// much of the address space is reserved and not used. `None` if the system reports neither.
pub fn memory() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    let machine = Some(system.total_memory()).filter(|&bytes| bytes > 0);
    // Where the memory of the machine cannot be read, `cgroup_limits` panics.
    let group = machine.and_then(|_| system.cgroup_limits()).map(|limits| limits.total_memory);
    let least = machine.into_iter().chain(group.filter(|&bytes| bytes > 0)).min();
    let most = least.map(|bytes| bytes / 4 * 3);
    most.into_iter().chain(address_space().map(|bytes| bytes / 2)).min()
}

/// Returns the name of the processor, or of its architecture if the system does not tell.
pub fn processor() -> String {
    let system = System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()));
    let name = system.cpus().first().map_or("", |cpu| cpu.brand()).trim();
    if name.is_empty() { std::env::consts::ARCH.to_owned() } else { name.to_owned() }
}

#[cfg(unix)]
fn address_space() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}

#[cfg(not(unix))]
fn address_space() -> Option<u64> {
    None
}
