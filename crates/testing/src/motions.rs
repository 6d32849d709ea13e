//! Random motions and the meshes that they carry, from a seed alone.

use closefit::{Between, Keyframe, Pose};
use glam::{DMat3, DVec3, Mat3};

use crate::meshes::{Soup, cuboid, octahedron};
use crate::over_time::{Pair, Path};
use crate::rng::Rng;

/// The identity rotation.
pub const STRAIGHT: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// Returns a keyframe.
pub fn key(time: f64, rotation: [f64; 4], translation: DVec3) -> Keyframe {
    Keyframe { time, rotation, translation }
}

/// Returns a random direction of length 1.
pub fn direction(r: &mut Rng) -> DVec3 {
    loop {
        let p = r.point();
        if p.length() > 0.1 {
            return p.normalize();
        }
    }
}

/// Returns a number from 10^lo to 10^hi.
pub fn size(r: &mut Rng, lo: f64, hi: f64) -> f64 {
    10f64.powf(lo + (hi - lo) * (0.5 + 0.5 * r.unit()))
}

/// Returns a random path over times 0 to 1.
pub fn path(r: &mut Rng, stroke: f64) -> Path {
    let far = if r.index(8) == 0 { direction(r) * size(r, 1.0, 2.0) } else { DVec3::ZERO };
    let between = [Between::Screw, Between::Linear][r.index(2)];
    match r.index(10) {
        0 | 1 => {
            let pose = Pose::from_trs(r.quaternion(), [1.0; 3], (far + r.point()).to_array()).unwrap();
            Path::Fixed(pose)
        }
        2 => {
            let turns = size(r, 0.0, 2.0) * std::f64::consts::TAU;
            Path::Hinge { axis: direction(r), times: vec![0.0, 1.0], angles: vec![r.unit(), turns] }
        }
        kind => {
            let (count, turn) = match kind {
                3 | 4 => (2, 1.0),
                5 => (3, 1.0),
                6 => (4, 1.0),
                7 => (2, 1e-3),
                8 => (2, 0.0),
                _ => (2, 1e-12),
            };
            let first = r.quaternion();
            let keys = (0..count).map(|i| {
                let q = r.quaternion();
                let share = if i == 0 { 0.0 } else { turn };
                let rotation = std::array::from_fn(|k| first[k] * (1.0 - share) + share * q[k]);
                key(i as f64 / f64::from(count - 1), rotation, far + r.point() * stroke)
            });
            Path::Keys(keys.collect(), between)
        }
    }
}

/// Returns the pose of a chain of rotation matrices that were multiplied in f32, as exporters do.
pub fn f32_chain(r: &mut Rng, count: usize, at: DVec3) -> Pose {
    let mut linear = Mat3::IDENTITY;
    for _ in 0..count {
        let turn = Pose::from_trs(r.quaternion(), [1.0; 3], [0.0; 3]).expect("not of length 0");
        linear *= turn.linear().as_mat3();
    }
    posed_by(&linear.as_dmat3(), at)
}

/// Returns the pose turned by the orthonormal columns next to the columns of another, in the same place.
pub fn orthonormal(pose: &Pose) -> Pose {
    let linear = pose.linear();
    let x = linear.x_axis.normalize();
    let y = (linear.y_axis - x * x.dot(linear.y_axis)).normalize();
    posed_by(&DMat3::from_cols(x, y, x.cross(y)), pose.shift())
}

/// Returns the pose with a linear part and a shift.
fn posed_by(linear: &DMat3, at: DVec3) -> Pose {
    Pose { rows: [0, 1, 2].map(|i| linear.row(i).extend(at[i]).to_array()) }
}

/// Returns a torus of radius 1 around the z axis: `2 * around * across` triangles, and a tube of radius
/// `thick`.
pub fn torus(around: u32, across: u32, thick: f64) -> Soup {
    let at = |i: u32, j: u32| {
        let (u, v) = (f64::from(i) / f64::from(around), f64::from(j) / f64::from(across));
        let (u, v) = (u * std::f64::consts::TAU, v * std::f64::consts::TAU);
        let out = 1.0 + thick * v.cos();
        DVec3::new(out * u.cos(), out * u.sin(), thick * v.sin())
    };
    let mut soup = Soup::new();
    for i in 0..around {
        for j in 0..across {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            soup.extend([[a, b, c], [a, c, d]]);
        }
    }
    soup
}

/// Returns a random small mesh: triangles strewn about, a box, a plate, an octahedron or a torus.
pub fn mesh(r: &mut Rng) -> Soup {
    match r.index(5) {
        0 => (0..1 + r.index(20))
            .map(|_| {
                let c = r.point();
                [0; 3].map(|_| c + r.point() * 0.3)
            })
            .collect(),
        1 => cuboid([-0.5, -0.4, -0.3], [0.5, 0.4, 0.3]),
        2 => cuboid([-1.0, -1.0, -1e-4], [1.0, 1.0, 1e-4]),
        3 => octahedron(DVec3::ZERO, 0.7),
        _ => torus(8, 5, 0.25),
    }
}

/// Returns two meshes on chains that may share their first joints.
pub fn meshes(r: &mut Rng) -> Pair {
    let mut joints = Vec::new();
    let common = r.index(3);
    for i in 0..common {
        joints.push((i.checked_sub(1), path(r, 1.0)));
    }
    let stroke = [0.5, 2.0, 4.0, 30.0, 300.0][r.index(5)];
    let on = [r.index(2), 1 + r.index(2)].map(|count| {
        let mut last = common.checked_sub(1);
        for _ in 0..count {
            let mut path = path(r, stroke);
            if r.index(8) == 0
                && let Path::Keys(_, between) = &mut path
            {
                *between = Between::Step;
            }
            joints.push((last, path));
            last = Some(joints.len() - 1);
        }
        last
    });
    let soups = [mesh(r), mesh(r)];
    let to = if r.index(4) == 0 { 0.5 } else { 1.0 };
    let pair = Pair { joints, soups, on, range: [0.0, to], precision: size(r, -4.0, -1.0) };
    if r.coin() { pair.swapped() } else { pair }
}
