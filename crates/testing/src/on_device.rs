//! Tests on a compute device: the adapter named by `CLOSEFIT_ADAPTER`, or else the best. Without an adapter,
//! the tests that need one show as ignored, with the reason.

use std::process::ExitCode;

use closefit::internals::broad::on_device as broad;
use closefit::internals::bvh::wide_obb::on_device::Limits;
use closefit::internals::gpu::Choice;
use closefit::{Device, DeviceError};
use libtest_mimic::{Arguments, Failed, Trial};

/// Name of a test that needs a device, and the test.
pub type OnDevice = (&'static str, fn(Device));

/// Returns the name or number of the adapter to test: by default the best one.
pub fn adapter() -> String {
    std::env::var("CLOSEFIT_ADAPTER").unwrap_or_else(|_| "0".to_owned())
}

/// Opens the adapter to test, whose kernels can bind at most `binding` bytes.
pub fn open(binding: u64) -> Result<Device, DeviceError> {
    let Ok(wanted): Result<Choice, _> = adapter().parse();
    Device::open_with_binding(&wanted, binding)
}

/// Environment variable that a full run of CI sets, and that names the roundings to test with.
pub const ROUNDING: &str = "CLOSEFIT_ROUNDING";

/// True where the shaders are also tested with other rounding, as in full runs of CI and in those after a
/// change of the devices' code.
fn has_rounding() -> bool {
    ["two", "all"].map(Some).contains(&std::env::var(ROUNDING).ok().as_deref())
}

/// True if tests on a device take all of their input.
pub fn is_full_run() -> bool {
    has_rounding() || crate::is_full_run()
}

/// Splits tests into those to run and those that only full runs ask, which show as ignored.
pub fn but_those_of_full_runs(
    tests: Vec<OnDevice>,
    is_of_full_runs: fn(&str) -> bool,
) -> (Vec<OnDevice>, Vec<Trial>) {
    let is_full = has_rounding();
    let (asked, left_out): (Vec<OnDevice>, Vec<OnDevice>) =
        tests.into_iter().partition(|(name, _)| is_full || !is_of_full_runs(name));
    let ignored = |(name, _): OnDevice| {
        Trial::test(format!("{name} ({ROUNDING} is not set)"), || Ok(())).with_ignored_flag(true)
    };
    (asked, left_out.into_iter().map(ignored).collect())
}

/// Runs tests that need no device, and those that do: one at a time, since all share the device.
pub fn run_tests(
    device: &Result<Device, DeviceError>,
    without: Vec<Trial>,
    on_device: &[OnDevice],
) -> ExitCode {
    match device {
        Ok(device) => println!("adapter: {}", device.name()),
        Err(error) => println!("no adapter: {error}"),
    }
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let needing = on_device.iter().map(|&(name, test)| match device {
        Ok(device) => {
            let device = *device;
            Trial::test(name, plain(move || test(device)))
        }
        Err(error) => Trial::test(format!("{name} ({error})"), || Ok(())).with_ignored_flag(true),
    });
    let trials = without.into_iter().chain(needing).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Wraps a test that fails by panicking.
pub fn plain(test: impl FnOnce() + Send + 'static) -> impl FnOnce() -> Result<(), Failed> + Send + 'static {
    move || {
        test();
        Ok(())
    }
}

/// Limits with `CLOSEFIT_DEVICE_ROOM=little`: a stack of 64 items, arenas of 1 MiB, and all results sorted on
/// the device.
fn little() -> Limits {
    Limits { stack: 64, arena: 1 << 20, sort_from: 0, ..Limits::default() }
}

/// Returns the limits of device memory for tests: the limits of the library, or little room.
pub fn limits() -> Limits {
    if has_little_room() { little() } else { Limits::default() }
}

/// Gives a device little room for all work that does not say otherwise. It also finds the candidate pairs of
/// few boxes.
pub fn give_little_room(device: Device) {
    device.set_limits(little());
    device.set_limits(broad::Limits { from: 2, page: 150, pairs: 1000 });
}

/// Returns true if the device has little room.
pub fn has_little_room() -> bool {
    std::env::var("CLOSEFIT_DEVICE_ROOM").is_ok_and(|room| room == "little")
}
