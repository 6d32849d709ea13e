//! Reduces two meshes to a few triangles that still show a fault (Zeller and Hildebrandt 2002, delta
//! debugging).

use closefit_geometry::mesh::Mesh;

/// Number of tries after which what is left is good enough.
const TRIES: u32 = 2_000;

/// Drops triangles of either mesh, halves first and single ones last, as long as `shows` remains true.
/// Returns the meshes as they are if it is false for them.
pub(super) fn reduced(meshes: [&Mesh; 2], shows: impl Fn([&Mesh; 2]) -> bool) -> [Mesh; 2] {
    let mut left = meshes.map(Mesh::clone);
    if !shows(meshes) {
        return left;
    }
    let mut tries = 0;
    let mut size = left.each_ref().map(|mesh| mesh.triangles().len()).into_iter().max().unwrap_or(1);
    while tries < TRIES {
        let mut has_dropped = false;
        for side in 0..2 {
            let mut from = 0;
            while from < left[side].triangles().len() && tries < TRIES {
                tries += 1;
                let fewer = without(&left[side], from, size);
                let is_smaller = fewer.is_some_and(|fewer| {
                    let mut candidate = left.each_ref();
                    candidate[side] = &fewer;
                    let still = shows(candidate);
                    if still {
                        left[side] = fewer;
                    }
                    still
                });
                has_dropped |= is_smaller;
                from += if is_smaller { 0 } else { size };
            }
        }
        if size == 1 && !has_dropped {
            break;
        }
        size = if has_dropped && size == 1 { 1 } else { size.div_ceil(2).max(1) };
    }
    left
}

/// Returns a mesh without some of its triangles; `None` if none is left.
fn without(mesh: &Mesh, from: usize, count: usize) -> Option<Mesh> {
    let end = (from + count).min(mesh.triangles().len());
    let kept = [&mesh.triangles()[..from], &mesh.triangles()[end..]].concat();
    Mesh::new(mesh.vertices(), &kept).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn strip(count: u32) -> Mesh {
        let vertices: Vec<DVec3> =
            (0..count + 2).map(|i| DVec3::new(f64::from(i), f64::from(i * i % 7), 0.0)).collect();
        let triangles: Vec<[u32; 3]> = (0..count).map(|i| [i, i + 1, i + 2]).collect();
        Mesh::new(&vertices, &triangles).expect("valid")
    }

    #[test]
    fn what_shows_the_fault_is_left() {
        let meshes = [strip(100), strip(37)];
        let has =
            |mesh: &Mesh, x: f64| mesh.triangles().iter().any(|t| mesh.vertices()[t[0] as usize].x == x);
        let shows = |[a, b]: [&Mesh; 2]| has(a, 61.0) && has(a, 62.0) && has(b, 5.0);
        let [a, b] = reduced(meshes.each_ref(), shows);
        assert_eq!([a.triangles().len(), b.triangles().len()], [2, 1]);
        assert!(shows([&a, &b]));
        let same = reduced(meshes.each_ref(), |_| false);
        assert_eq!(same, meshes);
    }
}
