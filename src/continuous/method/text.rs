//! Methods as text: a name, options that differ from it, or both: `interval,axes=faces`.

use std::fmt;
use std::str::FromStr;

use super::{Axes, Boxes, Discrete, K, Method, Order, Subdivision, Triangles};

/// The methods that have a name.
const NAMED: [(&str, Method); 3] = [
    ("swept", Method::FASTEST),
    ("interval", Method { boxes: Boxes::Interval, ..Method::FASTEST }),
    ("redon", Method::REDON),
];

/// An option: its name, its values, how to read the index of a method's value, and how to set it.
struct MethodOption {
    name: &'static str,
    values: &'static [&'static str],
    get: fn(&Method) -> usize,
    set: fn(&mut Method, usize),
}

const OFF_OR_ON: &[&str] = &["off", "on"];

const OPTIONS: [MethodOption; 9] = [
    MethodOption {
        name: "boxes",
        values: &["swept", "interval", "natural"],
        get: |m| m.boxes as usize,
        set: |m, i| m.boxes = [Boxes::Swept, Boxes::Interval, Boxes::Natural][i],
    },
    MethodOption {
        name: "triangles",
        values: &["directions", "elementary", "roots"],
        get: |m| m.triangles as usize,
        set: |m, i| m.triangles = [Triangles::Directions, Triangles::Elementary, Triangles::Roots][i],
    },
    MethodOption {
        name: "axes",
        values: &["all", "faces"],
        get: |m| m.axes as usize,
        set: |m, i| m.axes = Axes::ALL[i],
    },
    MethodOption {
        name: "discrete",
        values: &["off", "middle", "ends"],
        get: |m| m.discrete as usize,
        set: |m, i| m.discrete = [Discrete::Off, Discrete::Middle, Discrete::Ends][i],
    },
    MethodOption {
        name: "subdivision",
        values: &["extents", "printed", "never", "always"],
        get: |m| m.subdivision as usize,
        set: |m, i| {
            use Subdivision::{Always, Extents, Never, Printed};
            m.subdivision = [Extents, Printed, Never, Always][i];
        },
    },
    MethodOption {
        name: "near-first",
        values: OFF_OR_ON,
        get: |m| m.near_first.into(),
        set: |m, i| m.near_first = i == 1,
    },
    MethodOption {
        name: "fronts",
        values: OFF_OR_ON,
        get: |m| m.fronts.into(),
        set: |m, i| m.fronts = i == 1,
    },
    MethodOption {
        name: "collision-time",
        values: OFF_OR_ON,
        get: |m| m.collision_time.into(),
        set: |m, i| m.collision_time = i == 1,
    },
    MethodOption {
        name: "order",
        values: &["time-first", "space-first"],
        get: |m| m.order as usize,
        set: |m, i| m.order = [Order::TimeFirst, Order::SpaceFirst][i],
    },
];

/// The text names no method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownMethod {
    /// A word is neither a method nor an option with a value.
    #[error("unknown method '{word}': use {}, or options such as order=space-first", names())]
    Name {
        /// The word.
        word: String,
    },
    /// There is no such option.
    #[error("unknown option '{name}': use {}", options())]
    Option {
        /// The name.
        name: String,
    },
    /// The option has no such value.
    #[error("option '{name}' has no value '{value}': use {values}")]
    Value {
        /// The option.
        name: &'static str,
        /// The value.
        value: String,
        /// The values that it has.
        values: String,
    },
}

fn names() -> String {
    NAMED.map(|(name, _)| name).join(", ")
}

fn options() -> String {
    OPTIONS.map(|option| option.name).join(", ") + ", k"
}

impl Method {
    /// Returns the first option that only a tree with tests of boxes of its own can take, if it differs from
    /// the default.
    pub(crate) fn box_option(&self) -> Option<String> {
        let Self { axes, discrete, subdivision, near_first, .. } = *self;
        Self { axes, discrete, subdivision, near_first, ..Self::FASTEST }
            .options_unlike(&Self::FASTEST)
            .next()
    }

    /// Returns the name and the value of each option, `k` last.
    pub fn options(&self) -> impl Iterator<Item = (&'static str, String)> {
        let k = ("k", self.k.value().to_string());
        OPTIONS
            .into_iter()
            .map(|option| (option.name, option.values[(option.get)(self)].to_owned()))
            .chain([k])
    }

    /// Returns the options, as `name=value`, in which this method differs from another.
    fn options_unlike(&self, other: &Self) -> impl Iterator<Item = String> {
        self.options()
            .zip(other.options())
            .filter(|(option, of_other)| option != of_other)
            .map(|((name, value), _)| format!("{name}={value}"))
    }

    /// Changes what one word says.
    fn read(&mut self, word: &str) -> Result<(), UnknownMethod> {
        let Some((name, value)) = word.split_once('=') else {
            let named = NAMED.iter().find(|(name, _)| *name == word);
            *self = named.ok_or_else(|| UnknownMethod::Name { word: word.to_owned() })?.1;
            return Ok(());
        };
        if name == "k" {
            let k = value.parse().ok().and_then(K::new);
            self.k = k.ok_or_else(|| UnknownMethod::Value {
                name: "k",
                value: value.to_owned(),
                values: "a number above 0, at most 1".to_owned(),
            })?;
            return Ok(());
        }
        let option = OPTIONS.iter().find(|option| option.name == name);
        let option = option.ok_or_else(|| UnknownMethod::Option { name: name.to_owned() })?;
        let index = option.values.iter().position(|&known| known == value);
        let index = index.ok_or_else(|| UnknownMethod::Value {
            name: option.name,
            value: value.to_owned(),
            values: option.values.join(" or "),
        })?;
        (option.set)(self, index);
        Ok(())
    }
}

impl FromStr for Method {
    type Err = UnknownMethod;

    /// Reads names and options from left to right; a name sets all options.
    fn from_str(text: &str) -> Result<Self, UnknownMethod> {
        let mut method = Self::FASTEST;
        text.split(',').try_for_each(|word| method.read(word))?;
        Ok(method)
    }
}

impl fmt::Display for Method {
    /// Writes the method's name, or the options in which it differs from the default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMED.iter().find(|(_, method)| method == self) {
            Some((name, _)) => f.write_str(name),
            None => f.write_str(&self.options_unlike(&Self::FASTEST).collect::<Vec<_>>().join(",")),
        }
    }
}

impl Boxes {
    /// Returns the name as typed and printed.
    pub fn name(self) -> &'static str {
        OPTIONS[0].values[self as usize]
    }
}

impl fmt::Display for Boxes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_reads_back() {
        let all: usize = OPTIONS.iter().map(|option| option.values.len()).product();
        let values = [K::PAPER.value(), 1.0, 0.1, 1e-30];
        for (number, k) in (0..all).flat_map(|number| values.map(|k| (number, k))) {
            let k = K::new(k).expect("above 0");
            let (mut method, mut rest) = (Method { k, ..Method::FASTEST }, number);
            for option in &OPTIONS {
                let index = rest % option.values.len();
                rest /= option.values.len();
                (option.set)(&mut method, index);
                assert_eq!((option.get)(&method), index, "{}", option.name);
            }
            assert_eq!(method.to_string().parse(), Ok(method), "{method}");
        }
        assert_eq!(Method::REDON.to_string(), "redon");
        assert_eq!(Method::default().to_string(), "swept");
    }

    #[test]
    fn options_change_what_a_name_says() {
        let expected = Method { near_first: false, ..Method::REDON };
        assert_eq!("redon,near-first=off".parse(), Ok(expected));
        assert_eq!("axes=faces,redon".parse(), Ok(Method::REDON));
        let faces = Method { axes: Axes::Faces, order: Order::SpaceFirst, ..Method::FASTEST };
        assert_eq!(faces.to_string(), "axes=faces,order=space-first");
    }

    #[test]
    fn what_is_unknown_is_named() {
        for (text, why) in [
            (
                "Swept",
                "unknown method 'Swept': use swept, interval, redon, or options such as order=space-first",
            ),
            ("", "unknown method '': use swept, interval, redon, or options such as order=space-first"),
            (
                "axis=all",
                "unknown option 'axis': use boxes, triangles, axes, discrete, subdivision, near-first, fronts, collision-time, order, k",
            ),
            ("axes=some", "option 'axes' has no value 'some': use all or faces"),
            ("k=0", "option 'k' has no value '0': use a number above 0, at most 1"),
            ("k=1.001", "option 'k' has no value '1.001': use a number above 0, at most 1"),
            ("k=1e-60", "option 'k' has no value '1e-60': use a number above 0, at most 1"),
            ("k=nan", "option 'k' has no value 'nan': use a number above 0, at most 1"),
            ("k=-inf", "option 'k' has no value '-inf': use a number above 0, at most 1"),
            ("k=a", "option 'k' has no value 'a': use a number above 0, at most 1"),
            ("k=", "option 'k' has no value '': use a number above 0, at most 1"),
        ] {
            assert_eq!(text.parse::<Method>().unwrap_err().to_string(), why);
        }
    }
}
