//! The machine on which seconds are measured.

use sysinfo::{CpuRefreshKind, RefreshKind, System};

/// Returns the name of the processor, as the system reports it.
pub fn processor() -> String {
    let asked = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing());
    let system = System::new_with_specifics(asked);
    let name = system.cpus().first().map_or("", |cpu| cpu.brand()).trim();
    if name.is_empty() { std::env::consts::ARCH.to_owned() } else { name.to_owned() }
}
