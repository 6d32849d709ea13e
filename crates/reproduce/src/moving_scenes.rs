//! The motions of the papers' experiments as scenes of any size: for engines other than closefit, and for
//! `sweep`. At the default size and seed each has the poses of an experiment.

use closefit::{CollisionMesh, Pose};
use closefit_generate::shapes::Shape;
use closefit_generate::{GenerateError, Request, generate};

use crate::Motion;
use crate::lin::{crowds, impulses};
use crate::ponamgi::threads;
use crate::redon::applications;
use crate::sanna::scenes;
use crate::simulate::walk::walk;
use crate::simulate::{cage, chain};

/// A motion, with the meaning of its size.
pub struct MovingScene {
    /// Its name.
    pub name: &'static str,
    /// A line that describes it, its size and the default of that.
    pub about: &'static str,
    sizes: [u32; 2],
    default: u32,
    /// Makes the motion of a size, with a seed.
    build: fn(u32, u64) -> Motion,
}

/// The motions, in the order of their papers.
pub static MOVING_SCENES: [MovingScene; 7] = [
    MovingScene {
        name: "fall",
        about: "moves: a wrinkled torus falls on a landscape (Lin 1997); size: triangles of the torus (20000)",
        sizes: [2_000, 1_000_000],
        default: 20_000,
        build: |size, _| impulses::fall(size, 1_298),
    },
    MovingScene {
        name: "crowd",
        about: "moves: balls in a cube pass through each other (Lin 1997); size: how many (1000)",
        sizes: [2, 100_000],
        default: 1_000,
        build: |size, seed| crowds::crowd(size, seed, 130),
    },
    MovingScene {
        name: "chain",
        about: "moves: interlocked tori of 400 triangles bounce (Ponamgi 1995); size: links (8)",
        sizes: [2, 1_000],
        default: 8,
        build: linked,
    },
    MovingScene {
        name: "insertion",
        about: "moves: a bolt into its nut (Ponamgi 1995); size: threads (9)",
        sizes: [1, 1_000],
        default: 9,
        build: |size, _| threads::inserted(size, 500),
    },
    MovingScene {
        name: "cage",
        about: "moves: two tori in a narrow cage (Zachmann 1997); size: triangles of each (3000)",
        sizes: [18, 1_000_000],
        default: 3_000,
        build: caged,
    },
    MovingScene {
        name: "hand",
        about: "moves: a wrinkled ball is led around another and into it (Redon 2002); size: triangles of each (3000)",
        sizes: [100, 1_000_000],
        default: 3_000,
        build: |size, _| applications::by_hand(size, 300),
    },
    MovingScene {
        name: "walk",
        about: "moves: a torus walks at random through a furnished room (Sanna 2004); size: steps (10000)",
        sizes: [2, 1_000_000],
        default: 10_000,
        build: walked,
    },
];

/// Returns the motion that a request asks for; `None` if its name is none of [`MOVING_SCENES`].
///
/// # Errors
/// [`GenerateError::Size`].
pub fn moving_scene(request: &Request) -> Option<Result<Motion, GenerateError>> {
    let found = MOVING_SCENES.iter().find(|scene| scene.name == request.name)?;
    let ([least, most], size) = (found.sizes, request.size.unwrap_or(found.default));
    Some(if (least..=most).contains(&size) {
        Ok((found.build)(size, request.seed))
    } else {
        Err(GenerateError::Size { name: found.name, size, least, most })
    })
}

fn linked(links: u32, seed: u64) -> Motion {
    let request = Request { name: "tori-chain".to_owned(), size: Some(2), seed: 0, soup: false };
    let scene = generate(&request).expect("a scene of the list");
    let mesh = &scene.meshes[0];
    // The experiment has the seed 1.
    Motion::equal("chain", mesh, chain::flight(&CollisionMesh::build(mesh), links, seed + 1, 1_000))
}

fn caged(triangles: u32, seed: u64) -> Motion {
    let mesh = Shape::Torus.mesh(triangles);
    let radius = mesh.vertices().iter().map(|v| v.length()).fold(0.0, f64::max);
    let tree = CollisionMesh::build(&mesh);
    let path = cage::flight([&tree; 2], radius, seed, 500);
    Motion::equal("cage", &mesh, path.frames.iter().map(|(poses, _)| poses.to_vec()).collect())
}

fn walked(steps: u32, seed: u64) -> Motion {
    let ([room, ..], [(_, torus), _]) = (scenes::scenes(), scenes::bodies());
    let poses = walk(seed, steps as usize);
    Motion::pair("walk", [&room.mesh(), &torus], poses.iter().map(|pose| [Pose::IDENTITY, *pose]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every motion repeats, moves, and takes its size; seeds change those that have random numbers.
    #[test]
    fn motions_repeat_and_seeds_differ() {
        for MovingScene { name, sizes, .. } in &MOVING_SCENES {
            let files = |seed: u64| {
                let request = Request { name: (*name).to_owned(), size: Some(sizes[0]), seed, soup: false };
                moving_scene(&request).expect("a name of the list").expect("a size").files("generate")
            };
            let first = files(3);
            assert_eq!(first, files(3), "{name}");
            let is_seeded = ["crowd", "chain", "cage", "walk"].contains(name);
            assert_eq!(first != files(4), is_seeded, "{name}");
            assert!(first.iter().any(|(file, text)| file == "scene.json" && text.contains("keyframes")));
        }
        let too_small = Request { name: "cage".to_owned(), size: Some(17), seed: 0, soup: false };
        let refused = moving_scene(&too_small).expect("a name").expect_err("too small").to_string();
        assert_eq!(refused, "scene 'cage': size 17 is not within 18 to 1000000");
        assert!(moving_scene(&Request { name: "gearbox".to_owned(), ..too_small }).is_none());
    }
}
