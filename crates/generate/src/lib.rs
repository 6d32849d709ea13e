//! Deterministic benchmark scenes: the same request gives the same bytes on every machine.
//!
//! Lengths are in metres, as in glTF. Every coordinate of a mesh is an f32 value, so that every file format
//! carries it exactly. Meshes are closed and consistently oriented, unless a triangle soup is requested.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod arm;
mod assembly;
mod bolt_nut;
mod boxes;
mod car_door;
mod gear;
mod gearbox;
mod nested;
mod outline;
mod pipes;
mod plates;
pub mod random;
pub mod shapes;
mod solids;
#[cfg(test)]
mod testing;
pub mod thread;
mod tori;
mod wrinkled;
pub mod write;

use std::sync::Arc;

use closefit_geometry::mesh::Mesh;
use closefit_geometry::scene::Scene;
use random::Random;

/// A request for a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// One of [`names`].
    pub name: String,
    /// Size, in the sense of the scene's description; `None` for its default.
    pub size: Option<u32>,
    /// Seed of the random arrangement, in scenes that have one.
    pub seed: u64,
    /// True to shuffle the triangles and turn over about half of them, so that no mesh bounds a solid.
    pub soup: bool,
}

/// The reason why no scene was made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// The name is not one of [`names`].
    #[error("unknown scene '{0}': see closefit generate --list")]
    UnknownScene(String),
    /// The size is out of the scene's range.
    #[error("scene '{name}': size {size} is not within {least} to {most}")]
    Size {
        /// Name of the scene.
        name: &'static str,
        /// The requested size.
        size: u32,
        /// The smallest size.
        least: u32,
        /// The largest size.
        most: u32,
    },
}

/// The name, sizes and builder of one scene.
struct Recipe {
    name: &'static str,
    description: &'static str,
    least: u32,
    default: u32,
    most: u32,
    build: fn(u32, &mut Random) -> Scene,
}

/// Largest number of triangles of a mesh. The vertices of the largest scene still fit the 4 GiB of a GLB.
const MOST_TRIANGLES: u32 = 20_000_000;

const RECIPES: [Recipe; 15] = [
    Recipe {
        name: "gearbox",
        description: "a planetary gearbox with one clash and one gap under 0.1 mm; size: facets of its bolts (24)",
        least: 12,
        default: 24,
        most: 1_000,
        build: gearbox::build,
    },
    Recipe {
        name: "tori",
        description: "two tori linked as in a chain; size: triangles of each (10000)",
        least: 100,
        default: 10_000,
        most: MOST_TRIANGLES,
        build: tori::linked,
    },
    Recipe {
        name: "pipes",
        description: "interweaving pipelines and a small copy inside; size: triangles of each (140000)",
        least: 1_000,
        default: 140_000,
        most: MOST_TRIANGLES,
        build: pipes::build,
    },
    Recipe {
        name: "wrinkled-torus",
        description: "a wrinkled torus around a stalagmite of a landscape; size: triangles of the torus, a fifth of the landscape's (20000)",
        least: 2_000,
        default: 20_000,
        most: MOST_TRIANGLES / 5,
        build: wrinkled::build,
    },
    Recipe {
        name: "tori-chain",
        description: "a chain of tori of 400 triangles; size: links (7)",
        least: 2,
        default: 7,
        most: 1_000_000,
        build: tori::chain,
    },
    Recipe {
        name: "bolt-nut",
        description: "a threaded bolt in its nut, with play; size: triangles of both together (50000)",
        least: 5_000,
        default: 50_000,
        most: MOST_TRIANGLES,
        build: bolt_nut::build,
    },
    Recipe {
        name: "nested",
        description: "a sphere in a slightly larger one, never touching; size: triangles of each (10000)",
        least: 12,
        default: 10_000,
        most: MOST_TRIANGLES,
        build: nested::build,
    },
    Recipe {
        name: "boxes",
        description: "cubes spread at random, each overlapping four others on average; size: how many (1000)",
        least: 2,
        default: 1_000,
        most: 1_000_000,
        build: boxes::build,
    },
    Recipe {
        name: "torus-path",
        description: "moves: a wrinkled torus from stalagmite to stalagmite; size: triangles of the torus, a fifth of the landscape's (20000)",
        least: 2_000,
        default: 20_000,
        most: MOST_TRIANGLES / 5,
        build: wrinkled::path,
    },
    Recipe {
        name: "pipes-path",
        description: "moves: small pipelines through large ones; size: triangles of each (140000)",
        least: 1_000,
        default: 140_000,
        most: MOST_TRIANGLES,
        build: pipes::path,
    },
    Recipe {
        name: "screw",
        description: "moves: a nut down its bolt, with play; size: triangles of both together (50000)",
        least: 5_000,
        default: 50_000,
        most: MOST_TRIANGLES,
        build: bolt_nut::screwed,
    },
    Recipe {
        name: "bouncing-tori",
        description: "moves: ten tori in a cage; size: triangles of each (10000)",
        least: 100,
        default: 10_000,
        most: MOST_TRIANGLES,
        build: tori::bouncing,
    },
    Recipe {
        name: "car-door",
        description: "moves: a door into its car body; size: triangles of both together (45000)",
        least: 1_000,
        default: 45_000,
        most: MOST_TRIANGLES,
        build: car_door::build,
    },
    Recipe {
        name: "fast-plates",
        description: "moves: plates past others, a million times their thickness in a second; size: how many fly (10)",
        least: 1,
        default: 10,
        most: 100_000,
        build: plates::build,
    },
    Recipe {
        name: "robot",
        description: "moves: an arm of six links, by 201 keyframes each; size: facets of its rods (64)",
        least: 8,
        default: 64,
        most: 100_000,
        build: arm::build,
    },
];

/// Returns the scenes: the name, and a line that describes the scene, its size parameter and its default
/// size.
pub fn names() -> &'static [(&'static str, &'static str)] {
    const NAMES: [(&str, &str); RECIPES.len()] = {
        let mut names = [("", ""); RECIPES.len()];
        let mut i = 0;
        while i < names.len() {
            names[i] = (RECIPES[i].name, RECIPES[i].description);
            i += 1;
        }
        names
    };
    &NAMES
}

/// Makes a scene.
///
/// # Errors
/// [`GenerateError`] for a name that is not in [`names`] or a size out of the scene's range.
pub fn generate(request: &Request) -> Result<Scene, GenerateError> {
    let recipe = RECIPES
        .iter()
        .find(|recipe| recipe.name == request.name)
        .ok_or_else(|| GenerateError::UnknownScene(request.name.clone()))?;
    let &Recipe { name, least, default, most, .. } = recipe;
    let size = request.size.unwrap_or(default);
    if !(least..=most).contains(&size) {
        return Err(GenerateError::Size { name, size, least, most });
    }
    let mut random = Random::new(request.seed);
    let mut scene = (recipe.build)(size, &mut random);
    if request.soup {
        for mesh in &mut scene.meshes {
            *mesh = Arc::new(soup(mesh, &mut random));
        }
    }
    Ok(scene)
}

/// Returns the same triangles in random order, about half of them turned over.
fn soup(mesh: &Mesh, random: &mut Random) -> Mesh {
    let mut triangles = mesh.triangles().to_vec();
    random.shuffle(&mut triangles);
    for triangle in &mut triangles {
        if random.below(2) == 1 {
            triangle.swap(1, 2);
        }
    }
    Mesh::new(mesh.vertices(), &triangles).expect("a mesh's own vertices and triangles are admissible")
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::{closed, volume};

    fn request(name: &str, size: Option<u32>) -> Request {
        Request { name: name.to_owned(), size, seed: 7, soup: false }
    }

    /// Sizes that are small enough for a test, among them the default if it is.
    fn sizes(recipe: &Recipe) -> [u32; 3] {
        [recipe.least, recipe.least * 3 + 1, recipe.default.min(20_000)]
    }

    #[test]
    fn meshes_are_closed_oriented_and_f32() {
        for recipe in &RECIPES {
            for size in sizes(recipe) {
                let scene = generate(&request(recipe.name, Some(size))).unwrap();
                for (i, mesh) in scene.meshes.iter().enumerate() {
                    let at = format!("{} {size} mesh {i}", recipe.name);
                    assert!(closed(mesh), "{at}");
                    assert!(volume(mesh) > 0.0, "{at}");
                    assert!(mesh.vertices().iter().all(|v| v.as_vec3().as_dvec3() == *v), "{at}");
                    let degenerate = |t: &[u32; 3]| t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
                    assert!(!mesh.triangles().iter().any(degenerate), "{at}");
                }
            }
        }
    }

    #[test]
    fn sizes_are_met_within_a_few_percent() {
        for (name, size) in
            [("tori", 100_000), ("pipes", 50_000), ("wrinkled-torus", 20_000), ("nested", 30_000)]
        {
            let scene = generate(&request(name, Some(size))).unwrap();
            let made = scene.mesh(closefit_geometry::ids::PartId(1)).triangles().len() as f64;
            assert!((made / f64::from(size) - 1.0).abs() < 0.05, "{name}: {made}");
        }
    }

    #[test]
    fn requests_repeat_and_seeds_differ() {
        for recipe in &RECIPES {
            let mut first = request(recipe.name, Some(recipe.least));
            let bytes = |r: &Request| {
                let scene = generate(r).unwrap();
                let manifest = || write::manifest(&scene).into_iter().flat_map(|(_, bytes)| bytes).collect();
                if scene.time_range().is_some() { manifest() } else { write::glb(&scene) }
            };
            assert_eq!(bytes(&first), bytes(&first), "{}", recipe.name);
            let before = bytes(&first);
            first.seed += 1;
            let seeded = !["gearbox", "bolt-nut", "screw", "car-door"].contains(&recipe.name);
            assert_eq!(before != bytes(&first), seeded, "{}", recipe.name);
        }
    }

    #[test]
    fn soup_has_the_same_triangles_and_no_solid() {
        let plain = generate(&request("tori", None)).unwrap();
        let soup = generate(&Request { soup: true, ..request("tori", None) }).unwrap();
        let corners = |scene: &Scene| {
            let mesh = &scene.meshes[0];
            let mut all: Vec<_> = (0..mesh.triangles().len() as u32)
                .map(|t| {
                    let mut corners = mesh.corners(t).map(|v| v.to_array().map(f64::to_bits));
                    corners.sort();
                    corners
                })
                .collect();
            all.sort();
            all
        };
        assert_eq!(corners(&plain), corners(&soup));
        assert!(!closed(&soup.meshes[0]));
    }

    #[test]
    fn wrong_requests_are_refused_in_one_line() {
        let error = generate(&request("teapot", None)).unwrap_err().to_string();
        assert_eq!(error, "unknown scene 'teapot': see closefit generate --list");
        for size in [0, u32::MAX] {
            let error = generate(&request("tori", Some(size))).unwrap_err().to_string();
            assert_eq!(error, format!("scene 'tori': size {size} is not within 100 to 20000000"));
        }
        assert!(names().iter().all(|(name, line)| !name.is_empty() && !line.contains('\n')));
    }
}
