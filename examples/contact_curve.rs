//! A picture of a contact curve and of an overlap: `cargo run --release --example contact_curve >
//! docs/contact-curve.svg`.
//!
//! A branch reaches into a pipe. On the left are both, with the curve in which their surfaces cross; on the
//! right both are faint, and what they share is yellow.

#![allow(clippy::disallowed_methods)]

use std::error::Error;

use closefit::{CollisionMesh, ContactGeometry, DVec3, Mesh, OverlapVolume, Pose};
use closefit::{contact_geometry, overlap_volume};

/// The number of faces around a cylinder, and of rings along it.
const AROUND: usize = 40;
const RINGS: usize = 12;

/// Pixels for a unit of length, and the size of one panel.
const SCALE: f64 = 92.0;
const PANEL: [f64; 2] = [480.0, 400.0];

type Face = Vec<DVec3>;

/// A cylinder, as a prism: convex, so that faces can be cut by the planes of its faces.
struct Cylinder {
    faces: Vec<Face>,
    triangles: Vec<Face>,
    mesh: CollisionMesh,
}

impl Cylinder {
    /// Returns the cylinder between two points.
    fn new([from, to]: [DVec3; 2], radius: f64) -> Result<Self, Box<dyn Error>> {
        let along = (to - from).normalize();
        let side = along.cross(DVec3::Y).normalize();
        let up = side.cross(along);
        let corner = |ring: usize, k: usize| {
            let angle = (k % AROUND) as f64 / AROUND as f64 * std::f64::consts::TAU;
            from.lerp(to, ring as f64 / RINGS as f64) + (side * angle.cos() + up * angle.sin()) * radius
        };
        let mut faces: Vec<Face> = Vec::new();
        for (ring, k) in (0..RINGS).flat_map(|ring| (0..AROUND).map(move |k| (ring, k))) {
            faces.push(vec![
                corner(ring, k),
                corner(ring + 1, k),
                corner(ring + 1, k + 1),
                corner(ring, k + 1),
            ]);
        }
        faces.push((0..AROUND).map(|k| corner(0, k)).collect());
        faces.push((0..AROUND).rev().map(|k| corner(RINGS, k)).collect());
        let fan = |face: &Face| {
            face[1..].windows(2).map(|pair| vec![face[0], pair[0], pair[1]]).collect::<Vec<_>>()
        };
        let triangles: Vec<Face> = faces.iter().flat_map(fan).collect();
        let corners: Vec<DVec3> = triangles.iter().flatten().copied().collect();
        let indices: Vec<[u32; 3]> =
            (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mesh = CollisionMesh::build(&Mesh::new(&corners, &indices)?);
        Ok(Self { faces, triangles, mesh })
    }

    /// Returns the part of a face inside, and the pieces outside.
    fn cut(&self, face: &Face) -> (Face, Vec<Face>) {
        let mut pieces = Vec::new();
        let inside = self.faces.iter().fold(face.clone(), |rest, plane| {
            pieces.push(half(&rest, plane, -1.0));
            half(&rest, plane, 1.0)
        });
        if area(&inside).length() < 1e-9 { (inside, vec![face.clone()]) } else { (inside, pieces) }
    }
}

/// Returns the part of a face below the plane of another one or, with the sign -1, above it.
fn half(face: &Face, plane: &Face, sign: f64) -> Face {
    let height = |p: DVec3| sign * area(plane).dot(p - plane[0]);
    let edges = (0..face.len()).map(|k| [face[k], face[(k + 1) % face.len()]]);
    let kept = |[p, q]: [DVec3; 2]| {
        let (of_p, of_q) = (height(p), height(q));
        let crossed = (of_p <= 0.0) != (of_q <= 0.0);
        (of_p <= 0.0).then_some(p).into_iter().chain(crossed.then(|| p.lerp(q, of_p / (of_p - of_q))))
    };
    edges.flat_map(kept).collect()
}

/// Returns the area of a face, as a vector outwards.
fn area(face: &Face) -> DVec3 {
    let fan = face.windows(2).map(|pair| (pair[0] - face[0]).cross(pair[1] - face[0]));
    0.5 * fan.sum::<DVec3>()
}

/// The direction to the viewer, and those to the right and up in the picture.
fn view() -> [DVec3; 3] {
    let to_viewer = DVec3::new(0.35, -1.0, 0.55).normalize();
    let right = DVec3::Z.cross(to_viewer).normalize();
    [to_viewer, right, to_viewer.cross(right)]
}

fn place(p: DVec3) -> String {
    let [_, right, up] = view();
    let [x, y] = [PANEL[0] * 0.5 + right.dot(p) * SCALE, PANEL[1] * 0.58 - up.dot(p) * SCALE];
    format!("{x:.1},{y:.1}")
}

/// Returns the faces that the viewer sees, the farthest first, each with the letter of its colour.
fn drawn(mut faces: Vec<(char, Face)>) -> String {
    let [to_viewer, ..] = view();
    let light = DVec3::new(-0.4, -0.7, 1.0).normalize();
    let is_seen = |(_, face): &(char, Face)| face.len() > 2 && area(face).dot(to_viewer) > 1e-9;
    let middle = |face: &Face| face.iter().sum::<DVec3>().dot(to_viewer) / face.len() as f64;
    faces.retain(is_seen);
    faces.sort_by(|(_, p), (_, q)| middle(p).total_cmp(&middle(q)));
    let polygon = |(colour, face): &(char, Face)| {
        let shade = (8.0 * (0.5 + 0.5 * area(face).normalize().dot(light))).round();
        let points: Vec<String> = face.iter().map(|&p| place(p)).collect();
        format!("<polygon class=\"{colour}{shade}\" points=\"{}\"/>\n", points.join(" "))
    };
    faces.iter().map(polygon).collect()
}

/// Returns the segments of the curve: those on the side of the viewer, or the others.
fn curve(found: &ContactGeometry, [a, b]: [&Cylinder; 2], in_front: bool) -> String {
    let [to_viewer, ..] = view();
    let is_seen = |of: &Cylinder, triangle: u32| area(&of.triangles[triangle as usize]).dot(to_viewer) > 0.0;
    let pairs = (0..found.triangles.len()).filter(|&pair| found.shared(pair).len() == 2);
    let asked = pairs.filter(|&pair| {
        let [of_a, of_b] = found.triangles[pair];
        (is_seen(a, of_a) && is_seen(b, of_b)) == in_front
    });
    asked
        .map(|pair| format!("M{} L{} ", place(found.shared(pair)[0]), place(found.shared(pair)[1])))
        .collect()
}

/// Returns the colours of faces by their shades.
fn colours() -> String {
    let shaded = |(letter, [r, g, b]): (char, [f64; 3])| {
        (0..=8).map(move |shade| {
            let of = |full: f64| (full * (0.45 + 0.55 * f64::from(shade) / 8.0)).round() as u8;
            let colour = format!("#{:02x}{:02x}{:02x}", of(r), of(g), of(b));
            format!(".{letter}{shade}{{fill:{colour};stroke:{colour}}}\n")
        })
    };
    let bodies = [('a', [150.0, 178.0, 205.0]), ('b', [205.0, 205.0, 200.0]), ('s', [255.0, 205.0, 40.0])];
    bodies.into_iter().flat_map(shaded).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let pipe = Cylinder::new([DVec3::new(-2.2, 0.0, 0.0), DVec3::new(2.2, 0.0, 0.0)], 1.0)?;
    let along = DVec3::new(0.5, -0.25, 0.85).normalize();
    let branch = Cylinder::new([along * -0.2, along * 2.6], 0.6)?;
    let (a, b) = (pipe.mesh.at(&Pose::IDENTITY)?, branch.mesh.at(&Pose::IDENTITY)?);
    let found = contact_geometry(&a, &b, 4);
    let OverlapVolume { at_least, at_most, .. } = overlap_volume(&a, &b)?;
    let [patch] = &found.patches[..] else { return Err("there is one curve".into()) };

    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for (letter, one, other) in [('a', &pipe, &branch), ('b', &branch, &pipe)] {
        for (within, pieces) in one.faces.iter().map(|face| other.cut(face)) {
            inside.push(('s', within));
            outside.extend(pieces.into_iter().map(|piece| (letter, piece)));
        }
    }
    let [width, height] = PANEL;
    let text = |x: f64, words: String| format!("<text x=\"{x}\" y=\"{}\">{words}</text>\n", height - 14.0);
    let path = |class: &str, points: &str| format!("<path class=\"{class}\" d=\"{points}\"/>\n");
    let [front, back] = [true, false].map(|in_front| curve(&found, [&pipe, &branch], in_front));
    println!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {height}\">\n<style>\n\
         text{{font:15px sans-serif;text-anchor:middle;fill:#333}}\npolygon{{stroke-width:.6;stroke-linejoin:round}}\n\
         .front,.back{{fill:none;stroke:#d0021b;stroke-linecap:round;stroke-width:3}}\n\
         .back{{stroke-width:1.5;stroke-dasharray:1 4;opacity:.8}}\n{}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<g id=\"bodies\">\n{}</g>\n{}{}{}\
         <g transform=\"translate({width})\">\n<use href=\"#bodies\" opacity=\".22\"/>\n{}{}{}{}</g>\n</svg>",
        2.0 * width,
        colours(),
        drawn(outside),
        path("back", &back),
        path("front", &front),
        text(0.5 * width, format!("one closed curve, {:.4} long", patch.length)),
        drawn(inside),
        path("back", &back),
        path("front", &front),
        text(0.5 * width, format!("they share a volume of {:.4}", 0.5 * (at_least + at_most))),
    );
    Ok(())
}
