//! Kinds of trees with parameters of one's own, as typed: `rapid:as-printed`, `box:depth=7,empty=0.2`,
//! `octree:cuts=3-2-2/2-2-2`. No answer depends on them.

use std::fmt::Display;
use std::str::FromStr;

use closefit::TreeKind;

use crate::binary_obb::{self, BinaryObb, Fit, Split};
use crate::box_tree::{BoxRule, BoxTree, Levels, Prechecks};
use crate::kind::values::{BOX, OCTREE, OCTREE_MEDIAN, RAPID};
use crate::kind::{self, UnknownTree};
use crate::octree::{self, Cells, Median, Octree, Trimmed, Uniform};

/// The tree or its parameters are not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecipeError {
    /// The tree's name is unknown.
    #[error(transparent)]
    Tree(#[from] UnknownTree),
    /// The kind has no parameters.
    #[error("tree {tree} has no parameters: {RAPID}, {BOX}, {OCTREE} and {OCTREE_MEDIAN} have")]
    NoParameters {
        /// The kind.
        tree: TreeKind,
    },
    /// The kind has other parameters.
    #[error("tree {tree} has no parameter '{parameter}': use {known}")]
    Parameter {
        /// The kind.
        tree: TreeKind,
        /// The parameter given.
        parameter: String,
        /// Those that it has.
        known: &'static str,
    },
    /// The value of a parameter is not valid.
    #[error("tree {tree}: '{given}' is not {expected}")]
    Value {
        /// The kind.
        tree: TreeKind,
        /// The parameter with its value, as given.
        given: String,
        /// The values that it may have.
        expected: String,
    },
}

/// Returns the kind of tree with a name, and with the parameters that follow a colon.
///
/// ```
/// use closefit_methods::recipe::parse;
///
/// assert_eq!(parse("box:depth=7")?.name(), "box:depth=7");
/// assert_eq!(parse("rapid")?, closefit_methods::RAPID);
/// let error = parse("rapid:leaves=2").unwrap_err().to_string();
/// assert_eq!(error, "tree rapid has no parameter 'leaves': use as-printed, fit, hulls, split or leaf");
/// # Ok::<(), closefit_methods::recipe::RecipeError>(())
/// ```
///
/// # Errors
/// [`RecipeError`].
pub fn parse(text: &str) -> Result<TreeKind, RecipeError> {
    let Some((name, parameters)) = text.split_once(':') else { return Ok(kind::parse(text)?) };
    let tree = kind::parse(name)?;
    let given = || parameters.split(',').map(|parameter| Given::of(tree, parameter));
    if tree == RAPID {
        let recipe = given().try_fold(binary_obb::Recipe::DEFAULT, rapid)?;
        Ok(TreeKind::by_recipe(text, move |mesh, _| BinaryObb::build_as(mesh, &recipe)))
    } else if tree == BOX {
        let rule = given().try_fold(BoxRule::DEFAULT, box_rule)?;
        Ok(TreeKind::by_recipe(text, move |mesh, linear| <BoxTree>::build_by(mesh, linear, &rule)))
    } else if tree == OCTREE {
        octree_kind::<Uniform>(text, given())
    } else if tree == OCTREE_MEDIAN {
        octree_kind::<Median>(text, given())
    } else {
        Err(RecipeError::NoParameters { tree })
    }
}

/// A parameter as given: its name, and the value after an equals sign.
#[derive(Clone, Copy)]
struct Given<'a> {
    tree: TreeKind,
    text: &'a str,
    name: &'a str,
    value: &'a str,
}

impl<'a> Given<'a> {
    fn of(tree: TreeKind, text: &'a str) -> Self {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        Self { tree, text, name, value }
    }

    fn unknown<T>(self, known: &'static str) -> Result<T, RecipeError> {
        Err(RecipeError::Parameter { tree: self.tree, parameter: self.name.to_owned(), known })
    }

    fn refused(self, expected: impl Into<String>) -> RecipeError {
        RecipeError::Value { tree: self.tree, given: self.text.to_owned(), expected: expected.into() }
    }

    /// Returns the value as a number from `least` to `most`.
    fn number<N: FromStr + PartialOrd + Display>(self, least: N, most: N) -> Result<N, RecipeError> {
        let number = self.value.parse().ok().filter(|number| (&least..=&most).contains(&number));
        number.ok_or_else(|| self.refused(format!("a number from {least} to {most}")))
    }

    /// Returns what a word stands for.
    fn word<W: Copy>(self, words: &[(&str, W)]) -> Result<W, RecipeError> {
        let found = words.iter().find(|(word, _)| *word == self.value);
        let names = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        found.map(|&(_, what)| what).ok_or_else(|| self.refused(format!("one of {}", names())))
    }
}

fn rapid(recipe: binary_obb::Recipe, given: Given) -> Result<binary_obb::Recipe, RecipeError> {
    use binary_obb::Recipe;
    Ok(match given.name {
        "as-printed" if given.text == given.name => Recipe::PRINTED,
        "fit" => {
            let words = [
                ("triangles", Fit::Triangles),
                ("hull-vertices", Fit::HullVertices),
                ("hull-surface", Fit::HullSurface),
            ];
            Recipe { fit: given.word(&words)?, ..recipe }
        }
        "hulls" => Recipe { every_hull: given.word(&[("some", false), ("all", true)])?, ..recipe },
        "split" => {
            let words =
                [("mean", Split::Mean), ("min-max", Split::MinMax), ("larger-child", Split::LargerChild)];
            Recipe { split: given.word(&words)?, ..recipe }
        }
        "leaf" => Recipe { leaf: given.number(1, 1_000)?, ..recipe },
        _ => return given.unknown("as-printed, fit, hulls, split or leaf"),
    })
}

fn box_rule(rule: BoxRule, given: Given) -> Result<BoxRule, RecipeError> {
    Ok(match given.name {
        "as-printed" if given.text == given.name => BoxRule::PRINTED,
        "depth" => BoxRule { depth: Some(given.number(0, 40)?), ..rule },
        "levels" => {
            let words = [("all", Levels::AllCuts), ("balanced", Levels::Balanced)];
            BoxRule { levels: given.word(&words)?, ..rule }
        }
        "gamma" => BoxRule { crossing: given.number(0.0, 1_000.0)?, ..rule },
        "prechecks" => {
            let [none, polygons, edges, both] = [[false; 2], [true, false], [false, true], [true; 2]]
                .map(|[polygons, edges]| Prechecks { polygons, edges });
            let words = [("none", none), ("polygons", polygons), ("edges", edges), ("both", both)];
            BoxRule { prechecks: given.word(&words)?, ..rule }
        }
        "min" => BoxRule { min: given.number(1, 1_000_000)?, ..rule },
        "lambda" => BoxRule { lambda: given.number(0.0, 1.0)?, ..rule },
        "empty" => BoxRule { empty: given.number(0.01, 1.0)?, ..rule },
        "thickness" => BoxRule { thickness: given.number(0.0, 0.1)?, ..rule },
        _ => {
            return given
                .unknown("as-printed, depth, levels, gamma, min, lambda, empty, thickness or prechecks");
        }
    })
}

fn octree_kind<'a, C: Cells>(
    text: &str,
    given: impl Iterator<Item = Given<'a>>,
) -> Result<TreeKind, RecipeError> {
    let (mut recipe, mut are_trimmed) = (octree::Recipe::default(), false);
    for given in given {
        if given.name == "faces" {
            are_trimmed = given.word(&[("shared", false), ("trimmed", true)])?;
        } else {
            recipe = octree_recipe(recipe, given)?;
        }
    }
    Ok(if are_trimmed {
        TreeKind::by_recipe(text, move |mesh, linear| Octree::<C, Trimmed>::build_by(mesh, linear, &recipe))
    } else {
        TreeKind::by_recipe(text, move |mesh, linear| Octree::<C>::build_by(mesh, linear, &recipe))
    })
}

fn octree_recipe(recipe: octree::Recipe, given: Given) -> Result<octree::Recipe, RecipeError> {
    use octree::{DEEPEST, Recipe};
    let recipe = match given.name {
        "cuts" => {
            let parts = given.value.split('/').map(|level| {
                let parts: Option<Vec<u32>> = level.split('-').map(|n| n.parse().ok()).collect();
                parts.and_then(|parts| parts.try_into().ok())
            });
            let parts: Option<Vec<[u32; 3]>> = parts.collect();
            let parts = parts.ok_or_else(|| given.refused("like 3-2-2/2-2-2, a level after the other"))?;
            Recipe { parts, ..recipe }
        }
        "threshold" => Recipe { threshold: given.number(1, 1_000_000)?, ..recipe },
        "levels" => Recipe { levels: given.number(1, DEEPEST)?, ..recipe },
        "subsets" => Recipe { subsets: given.word(&[("off", false), ("on", true)])?, ..recipe },
        "leaves" => Recipe { sorts_faces: given.word(&[("pairs", false), ("sorted", true)])?, ..recipe },
        _ => return given.unknown("cuts, faces, leaves, threshold, levels or subsets"),
    };
    recipe.validate().map_err(|error| given.refused(format!("usable: {error}")))?;
    Ok(recipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_make_kinds_of_their_own() {
        for text in [
            "rapid:as-printed",
            "rapid:hulls=all",
            "rapid:fit=triangles,split=min-max,leaf=3",
            "box:depth=7",
            "box:as-printed",
            "box:levels=all,gamma=0.5,prechecks=edges",
            "box:min=4,lambda=0.9,empty=1,thickness=0",
            "octree:cuts=3-2-2/2-2-2",
            "octree-median:threshold=20,levels=3",
            "octree:subsets=on",
            "octree:faces=trimmed,leaves=sorted,levels=1",
        ] {
            let kind = parse(text).expect(text);
            assert_eq!(kind.name(), text);
            assert_eq!(parse(text).expect(text), kind);
            assert_ne!(kind, kind::parse(text.split(':').next().expect("a name")).expect("a kind"));
        }
    }

    #[test]
    fn what_is_not_valid_is_told_with_what_is() {
        for (text, expected) in [
            ("oct:cuts=2", "unknown tree 'oct': use "),
            ("kdop6:k=6", "tree kdop6 has no parameters: rapid, box, octree and octree-median have"),
            ("box:", "tree box has no parameter '': use as-printed, depth, levels, gamma"),
            ("box:depth", "tree box: 'depth' is not a number from 0 to 40"),
            ("box:depth=41", "tree box: 'depth=41' is not a number from 0 to 40"),
            ("box:levels=2", "tree box: 'levels=2' is not one of all, balanced"),
            ("box:prechecks=on", "tree box: 'prechecks=on' is not one of none, polygons, edges, both"),
            ("box:lambda=NaN", "tree box: 'lambda=NaN' is not a number from 0 to 1"),
            ("rapid:as-printed=2", "tree rapid has no parameter 'as-printed': use as-printed, fit"),
            ("rapid:split=median", "tree rapid: 'split=median' is not one of mean, min-max, larger-child"),
            ("octree:cuts=2-2", "tree octree: 'cuts=2-2' is not like 3-2-2/2-2-2"),
            ("octree:cuts=0-2-2", "tree octree: 'cuts=0-2-2' is not usable: level 1 of an octree has 0-2-2"),
            ("octree:faces=2", "tree octree: 'faces=2' is not one of shared, trimmed"),
            ("octree:subsets=2", "tree octree: 'subsets=2' is not one of off, on"),
            ("octree:levels=0", "tree octree: 'levels=0' is not a number from 1 to 64"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
