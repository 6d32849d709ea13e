//! Shaders whose float operations round in the worst ways that WGSL permits: a pass over naga's intermediate
//! representation calls a function for every operation. No shader is edited by hand.

mod copying;
mod inlining;
mod pass;
pub mod tests;

use closefit::Device;

pub use closefit_testing::on_device::ROUNDING;

/// A way to round. WGSL permits each of them to a device, except that `Nearest` is what the test adapters do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest number: every function is called and changes nothing.
    Nearest,
    /// Up, whenever the result is not exact.
    Up,
    /// Down, whenever the result is not exact.
    Down,
    /// To either neighbour, by a hash of the result.
    Hashed,
    /// To the farther neighbour: the largest error.
    Farther,
    /// As `Hashed`; subnormal operands and results become 0.
    Flushed,
    /// As `Hashed`; sums are taken in reverse order.
    Reversed,
    /// As `Farther`; products are distributed over sums, which are taken in reverse order.
    Expanded,
}

impl Rounding {
    pub const ALL: [Self; 8] = [
        Self::Nearest,
        Self::Up,
        Self::Down,
        Self::Hashed,
        Self::Farther,
        Self::Flushed,
        Self::Reversed,
        Self::Expanded,
    ];

    /// Returns the roundings to test with besides the adapter's: all with `CLOSEFIT_ROUNDING=all`, two that
    /// cover most with `two`, and otherwise none.
    pub fn tested() -> &'static [Self] {
        match std::env::var(ROUNDING).as_deref() {
            Ok("all") => &Self::ALL[1..],
            Ok("two") => &[Self::Flushed, Self::Expanded],
            _ => &[],
        }
    }

    /// Returns true and false in WGSL: whether the other neighbour is taken, and whether a quotient or a root
    /// gets longer.
    fn choices(self) -> [&'static str; 2] {
        match self {
            Self::Nearest => ["BOOLS(false)", "is_odd"],
            Self::Up => ["is_next_larger", "is_positive"],
            Self::Down => ["!is_next_larger", "!is_positive"],
            Self::Hashed | Self::Flushed | Self::Reversed => ["is_odd", "is_odd"],
            Self::Farther | Self::Expanded => ["BOOLS(true)", "is_odd"],
        }
    }

    /// Returns the functions for all operations.
    fn operations(self) -> String {
        let [taken, longer] = self.choices();
        let kept = match self {
            Self::Flushed => "select(x, FLOATS(0.0), (bitcast<UINTS>(x) & UINTS(0x7f800000u)) == UINTS(0u))",
            _ => "x",
        };
        let template = include_str!("operations.wgsl");
        let template = template.replace("TAKEN", taken).replace("LONGER", longer).replace("KEPT", kept);
        let copy = |count: u32| {
            let of = |scalar: &str| match count {
                1 => scalar.to_owned(),
                _ => format!("vec{count}<{scalar}>"),
            };
            let words =
                [("FLOATS", of("f32")), ("UINTS", of("u32")), ("INTS", of("i32")), ("BOOLS", of("bool"))];
            let template = template.replace("SUFFIX", &format!("w{count}"));
            words.iter().fold(template, |text, (word, by)| text.replace(word, by))
        };
        (1..=4).map(copy).collect()
    }
}

/// Compiles all kernels of a run with a rounding.
pub fn with_rounding<T>(device: Device, rounding: Rounding, run: impl FnOnce() -> T) -> T {
    device.rewrite_shaders(Some(Box::new(move |source| pass::rewritten(source, rounding))));
    let found = run();
    device.rewrite_shaders(None);
    found
}

/// Compiles all later kernels with the rounding named by the environment, if one is.
pub fn begin(device: Device) {
    let named = std::env::var(ROUNDING).ok();
    let rounding = Rounding::ALL.into_iter().find(|rounding| Some(format!("{rounding:?}")) == named);
    if let Some(rounding) = rounding {
        println!("rounding: {rounding:?}");
        device.rewrite_shaders(Some(Box::new(move |source| pass::rewritten(source, rounding))));
    }
}
