//! Names that are close to one that is unknown.

/// The longest names that are compared, and the largest number of them: a message must not take long.
const COMPARED: (usize, usize) = (128, 100_000);
/// The least similarity at which a name is suggested, from 0 to 1.
const SIMILAR: f64 = 0.8;

/// Returns the end of a message about an unknown name: the most similar of the known names, the first of
/// equals, or nothing if none is similar (Jaro and Winkler's measure, which favours a common beginning).
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let (longest, most) = COMPARED;
    let typed = name.to_lowercase();
    let short = |text: &&str| text.len() <= longest;
    let mut nearest = (SIMILAR, None);
    for known in known.into_iter().filter(short).take(most).filter(|_| short(&name)) {
        let similarity = strsim::jaro_winkler(&typed, &known.to_lowercase());
        if similarity > nearest.0 {
            nearest = (similarity, Some(known));
        }
    }
    nearest.1.map_or_else(String::new, |known| format!(": did you mean '{known}'?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        let parts = ["base/Base", "base/Base_Motor", "jaw/Moving_Jaw", "wrist/Fixed_Jaw"];
        for (typed, meant) in [
            ("base", "base/Base"),
            ("BASE/base_motor", "base/Base_Motor"),
            ("Moving_Jaw", "jaw/Moving_Jaw"),
            ("jaw/Moving_Jew", "jaw/Moving_Jaw"),
        ] {
            assert_eq!(did_you_mean(typed, parts), format!(": did you mean '{meant}'?"));
        }
        assert_eq!(did_you_mean("zzz", parts), "");
        assert_eq!(did_you_mean(&"base".repeat(100), parts), "");
        assert_eq!(did_you_mean("a", ["aa", "ab"]), ": did you mean 'aa'?");
    }
}
