//! The scenes, and the pairs of their parts.

use closefit::scene::Scene;
use closefit::{Mesh, Pose};
use closefit_generate::{Request, generate};
use glam::{DMat3, DVec3};

/// Two meshes of a scene at their poses.
pub type Pair = [(usize, Pose); 2];

/// A scene, and the pairs of its parts that are asked about.
pub struct Case {
    pub name: &'static str,
    pub scene: Scene,
    pub pairs: Vec<Pair>,
}

fn generated(name: &str, size: Option<u32>) -> Scene {
    generate(&Request { name: name.to_owned(), size, seed: 0, soup: false }).expect("a scene of the list")
}

impl Case {
    /// Returns a torus of about so many triangles.
    pub fn torus(triangles: u32) -> Mesh {
        Mesh::clone(&generated("tori", Some(triangles)).meshes[0])
    }

    /// All scenes of the table.
    pub fn all() -> [Self; 9] {
        [
            Self::turned("tori 10k, turned", "tori", Some(10_000), any_turn),
            Self::turned("tori 10k, shifted", "tori", Some(10_000), no_turn),
            Self::turned("wrinkled, turned", "wrinkled-torus", None, any_turn),
            Self::turned("pipes, turned", "pipes", Some(20_000), any_turn),
            Self::turned("pipes, right angles", "pipes", Some(20_000), right_angle),
            Self::near("bolt in nut", "bolt-nut", None),
            Self::near("nested", "nested", Some(10_000)),
            Self::near("boxes", "boxes", Some(1_000)),
            Self::near("gearbox", "gearbox", None),
        ]
    }

    /// The pairs of parts whose boxes meet, grown by a tenth of the smaller one.
    fn near(name: &'static str, scene: &str, size: Option<u32>) -> Self {
        let scene = generated(scene, size);
        let parts: Vec<_> = (scene.parts.iter())
            .map(|part| {
                let mesh = part.mesh.index();
                ((mesh, part.pose), scene.meshes[mesh].posed_bounds(&part.pose))
            })
            .collect();
        let mut pairs = Vec::new();
        for (i, (a, bounds_a)) in parts.iter().enumerate() {
            for (b, bounds_b) in &parts[i + 1..] {
                let reach = 0.1 * bounds_a.diagonal().min(bounds_b.diagonal());
                let gap =
                    (0..3).map(|k| bounds_a.lo[k].max(bounds_b.lo[k]) - bounds_a.hi[k].min(bounds_b.hi[k]));
                if gap.fold(f64::NEG_INFINITY, f64::max) <= reach {
                    pairs.push([*a, *b]);
                }
            }
        }
        Self { name, scene, pairs }
    }

    /// The first two parts, the second turned and shifted in several ways around where it stands.
    fn turned(name: &'static str, scene: &str, size: Option<u32>, turns: fn(u32) -> DMat3) -> Self {
        let scene = generated(scene, size);
        let [a, b] = [0, 1].map(|i| (scene.parts[i].mesh.index(), scene.parts[i].pose));
        let reach = scene.meshes[b.0].posed_bounds(&b.1).diagonal() / 4.0;
        let pair = |k: u32| {
            let t = f64::from(k);
            let shift = DVec3::new((t * 1.7).sin(), (t * 2.3).sin(), (t * 3.1).sin()) * reach;
            [a, (b.0, placed(&b.1, turns(k), shift))]
        };
        Self { name, scene, pairs: (0..16).map(pair).collect() }
    }
}

/// Returns a pose turned and then shifted.
fn placed(pose: &Pose, turn: DMat3, shift: DVec3) -> Pose {
    let mut rows = pose.rows;
    for (i, row) in rows.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = (0..3).map(|k| turn.row(i)[k] * pose.rows[k][j]).sum();
        }
        row[3] += shift[i];
    }
    Pose { rows }
}

fn any_turn(k: u32) -> DMat3 {
    let t = f64::from(k);
    DMat3::from_euler(glam::EulerRot::XYZ, 0.7 * t, 1.3 * t, 2.1 * t)
}

/// Returns one of the turns that carry coordinate axes to each other.
fn right_angle(k: u32) -> DMat3 {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let [x, y] = [axes[k as usize % 3], axes[(k as usize + 1 + k as usize / 3 % 2) % 3]];
    let y = if k % 4 < 2 { y } else { -y };
    DMat3::from_cols(x, y, x.cross(y))
}

fn no_turn(_: u32) -> DMat3 {
    DMat3::IDENTITY
}
