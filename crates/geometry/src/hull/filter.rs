//! The choice of the filter by convex hulls.

use std::fmt;
use std::str::FromStr;

/// The use of convex hulls: a proof that the hulls of two bodies are far enough apart spares the search of
/// their trees. No answer depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HullFilter {
    /// None.
    #[default]
    Off,
    /// The direction between the closest features of the hulls, found by walking from feature to feature (Lin
    /// and Canny 1991; Ponamgi, Manocha and Lin 1995).
    ClosestFeatures,
    /// The same and, for pairs at rest whose hulls meet, the intersection of the hulls: if few triangles of a
    /// part meet it, these alone are searched (Ponamgi, Manocha and Lin 1995).
    ContactRegion,
}

impl HullFilter {
    /// All choices, the default first.
    pub const ALL: [Self; 3] = [Self::Off, Self::ClosestFeatures, Self::ContactRegion];

    /// Returns the name as typed and printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::ClosestFeatures => "closest-features",
            Self::ContactRegion => "contact-region",
        }
    }
}

/// The name of the filter is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown hull filter '{0}': use off, closest-features or contact-region")]
pub struct UnknownHullFilter(String);

impl fmt::Display for HullFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for HullFilter {
    type Err = UnknownHullFilter;

    fn from_str(text: &str) -> Result<Self, UnknownHullFilter> {
        let named = Self::ALL.into_iter().find(|filter| filter.name() == text);
        named.ok_or_else(|| UnknownHullFilter(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for filter in HullFilter::ALL {
            assert_eq!(filter.to_string().parse(), Ok(filter));
        }
        let unknown = "on".parse::<HullFilter>().unwrap_err().to_string();
        assert_eq!(unknown, "unknown hull filter 'on': use off, closest-features or contact-region");
    }
}
