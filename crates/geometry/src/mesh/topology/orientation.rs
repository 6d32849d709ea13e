//! Consistent winding: the sides of triangles chosen so that neighbours agree about the outward side.
//!
//! Faces that meet at an edge with no third face form *patches*, and a flood fill makes each patch agree with
//! itself. Where more than two faces meet, the patches there have to balance: as many faces run along the
//! edge one way as the other. The largest patch keeps the winding that most of its area has; what that forces
//! of others is forced before the next largest is taken.

use super::edges::{EdgeUse, Edges, dealt, proper};
use crate::ids::to_u32;
use crate::math::disjoint_sets::DisjointSets;

/// A winding of faces in which neighbours agree.
pub(super) struct Orientation {
    /// True for each face taken in the opposite winding to the file's.
    pub turned: Vec<bool>,
    /// The finding about each component.
    pub components: Vec<Found>,
}

/// The winding found for a component.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// An edge at which no winding agrees, by its ends.
    pub disagrees_at: Option<[u32; 2]>,
    /// Number of sets of patches with an area whose windings do not depend on each other.
    pub groups: u32,
    /// True if some group has less than three quarters of its area in the winding found.
    pub is_ambiguous: bool,
}

/// Finds a winding for the components that are wanted; other faces are not turned. `area` returns the area of
/// a face.
///
/// A Möbius strip or a Klein bottle has none, and neither may a component with edges of more than two faces.
pub(super) fn orient(
    edges: &Edges,
    component_of: &[u32],
    wanted: &[bool],
    area: impl Fn(u32) -> f64,
) -> Orientation {
    let is_wanted = |face: u32| wanted[component_of[face as usize] as usize];
    let mut components = vec![Found::default(); wanted.len()];
    let mut patches = Patches::flooded(edges, component_of, is_wanted, &mut components);
    patches.weigh(area);
    let balance = Balance::of(edges, &patches, is_wanted);
    let component = |patch: u32| component_of[patches.first[patch as usize] as usize] as usize;
    let mut groups = balance.groups(patches.first.len());
    let signs = balance.signs(&patches, |patch, edge| {
        components[component(patch)].disagrees_at.get_or_insert(edge);
    });
    // Area in the winding found and the other one, by the lowest patch of a group.
    let mut areas = vec![[0.0; 2]; patches.first.len()];
    for patch in 0..groups.count() {
        let [kept, turned] = patches.areas[patch as usize];
        let sum = &mut areas[groups.find(patch) as usize];
        let is_turned = signs[patch as usize];
        sum[0] += if is_turned { turned } else { kept };
        sum[1] += if is_turned { kept } else { turned };
    }
    for (patch, [found, other]) in (0..).zip(areas).filter(|(_, [found, other])| found + other > 0.0) {
        let component = &mut components[component(patch)];
        component.groups += 1;
        component.is_ambiguous |= found < 3.0 * other;
    }
    let Patches { patch_of, mut turned, .. } = patches;
    for (turned, patch) in turned.iter_mut().zip(patch_of) {
        *turned ^= patch != NONE && signs[patch as usize];
    }
    Orientation { turned, components }
}

/// No patch: the face is not wanted.
const NONE: u32 = u32::MAX;

/// Sets of faces that are connected across edges of exactly two faces.
struct Patches {
    /// Index of the patch of each face, or [`NONE`].
    patch_of: Vec<u32>,
    /// True for each face turned to agree with the lowest face of its patch.
    turned: Vec<bool>,
    /// The lowest face of each patch.
    first: Vec<u32>,
    /// Area of each patch that is not turned, and area that is.
    areas: Vec<[f64; 2]>,
}

impl Patches {
    /// Finds the patches of wanted faces, in the order of their lowest faces. Records an edge at which a
    /// patch disagrees with itself.
    fn flooded(
        edges: &Edges,
        component_of: &[u32],
        wanted: impl Fn(u32) -> bool,
        components: &mut [Found],
    ) -> Self {
        let neighbours = Neighbours::of(edges, &wanted);
        let faces = component_of.len();
        let mut patches = Self {
            patch_of: vec![NONE; faces],
            turned: vec![false; faces],
            first: Vec::new(),
            areas: Vec::new(),
        };
        for first in (0..to_u32(faces)).filter(|&face| wanted(face)) {
            if patches.patch_of[first as usize] == NONE
                && let Some(edge) = patches.flood(&neighbours, first)
            {
                components[component_of[first as usize] as usize].disagrees_at.get_or_insert(edge);
            }
        }
        patches
    }

    /// Adds the patch of a face. Returns an edge at which two paths to a face disagree, if there is one.
    fn flood(&mut self, neighbours: &Neighbours, first: u32) -> Option<[u32; 2]> {
        let patch = to_u32(self.first.len());
        self.first.push(first);
        self.patch_of[first as usize] = patch;
        let mut disagrees_at = None;
        let mut open = vec![first];
        while let Some(face) = open.pop() {
            for neighbour in neighbours.around(face) {
                let other = neighbour.other as usize;
                let wanted = self.turned[face as usize] != neighbour.same_way;
                if self.patch_of[other] == NONE {
                    self.patch_of[other] = patch;
                    self.turned[other] = wanted;
                    open.push(neighbour.other);
                } else if self.turned[other] != wanted {
                    disagrees_at.get_or_insert(neighbour.edge);
                }
            }
        }
        disagrees_at
    }

    /// Sums the areas of patches. Turns each patch if less than half of its area has the winding of its
    /// lowest face.
    fn weigh(&mut self, area: impl Fn(u32) -> f64) {
        self.areas = vec![[0.0; 2]; self.first.len()];
        for (face, (&patch, &turned)) in (0..).zip(self.patch_of.iter().zip(&self.turned)) {
            if patch != NONE {
                self.areas[patch as usize][usize::from(turned)] += area(face);
            }
        }
        let turn: Vec<bool> = self.areas.iter().map(|[kept, turned]| kept < turned).collect();
        for (areas, _) in self.areas.iter_mut().zip(&turn).filter(|(_, turn)| **turn) {
            areas.swap(0, 1);
        }
        for (turned, &patch) in self.turned.iter_mut().zip(&self.patch_of) {
            *turned ^= patch != NONE && turn[patch as usize];
        }
    }
}

/// Two faces at an edge of exactly two; sorts by the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Neighbour {
    face: u32,
    other: u32,
    edge: [u32; 2],
    /// True when both run along the edge in the same direction.
    same_way: bool,
}

/// The neighbours of all faces, and where the neighbours of each face end.
struct Neighbours {
    pairs: Vec<Neighbour>,
    ends: Vec<usize>,
}

impl Neighbours {
    fn of(edges: &Edges, wanted: impl Fn(u32) -> bool) -> Self {
        let mut pairs = Vec::new();
        for uses in edges.all().filter(|uses| wanted(uses[0].face)) {
            let mut proper = proper(uses);
            if let (Some(f), Some(g), None) = (proper.next(), proper.next(), proper.next()) {
                let (edge, same_way) = (f.edge, f.forward == g.forward);
                let pair = |face, other| Neighbour { face, other, edge, same_way };
                pairs.extend([pair(f.face, g.face), pair(g.face, f.face)]);
            }
        }
        let (pairs, ends) = dealt(&pairs, |pair| pair.face as usize);
        Self { pairs, ends }
    }

    fn around(&self, face: u32) -> &[Neighbour] {
        let face = face as usize;
        let Some(&end) = self.ends.get(face) else { return &[] };
        &self.pairs[if face == 0 { 0 } else { self.ends[face - 1] }..end]
    }
}

/// The edges at which more than two faces meet, and so patches have to balance.
struct Balance {
    edges: Vec<Crossroads>,
    /// The places in `edges` where a patch counts, each with its number there, by patch.
    of_patch: Vec<Vec<(u32, i32)>>,
}

/// An edge of more than two faces.
struct Crossroads {
    edge: [u32; 2],
    /// Patches, and how many of their faces more run along the edge forward than backward.
    patches: Vec<(u32, i32)>,
    /// The sum over patches with a sign.
    decided: i32,
    /// The number of faces that may still run either way: the sum over patches without a sign, and 1 if the
    /// number of faces is odd, so that one of them has no partner.
    room: i32,
    /// The largest number of a patch without a sign, or more.
    most: i32,
    /// True once the faces cannot balance any more.
    is_unbalanced: bool,
}

impl Balance {
    fn of(edges: &Edges, patches: &Patches, wanted: impl Fn(u32) -> bool) -> Self {
        let mut balance = Self { edges: Vec::new(), of_patch: vec![Vec::new(); patches.first.len()] };
        let mut places = vec![NONE; patches.first.len()];
        for uses in edges.irregular().filter(|uses| wanted(uses[0].face)) {
            let faces: Vec<&EdgeUse> = proper(uses).collect();
            if faces.len() > 2 {
                balance.add(faces[0].edge, &faces, patches, &mut places);
            }
        }
        balance
    }

    /// Adds an edge. `places` has room for the place of each patch at the edge. It is [`NONE`] before and
    /// after.
    fn add(&mut self, edge: [u32; 2], faces: &[&EdgeUse], patches: &Patches, places: &mut [u32]) {
        let mut at: Vec<(u32, i32)> = Vec::new();
        for face in faces {
            let patch = patches.patch_of[face.face as usize];
            let way = if face.forward != patches.turned[face.face as usize] { 1 } else { -1 };
            let place = &mut places[patch as usize];
            if *place == NONE {
                *place = to_u32(at.len());
                at.push((patch, 0));
            }
            at[*place as usize].1 += way;
        }
        at.iter().for_each(|&(patch, _)| places[patch as usize] = NONE);
        at.retain(|&(_, ways)| ways != 0);
        let odd = i32::from(faces.len() % 2 == 1);
        let sum: i32 = at.iter().map(|(_, ways)| ways.abs()).sum();
        // One face without a partner is no constraint.
        if sum > odd {
            let place = to_u32(self.edges.len());
            at.iter().for_each(|&(patch, ways)| self.of_patch[patch as usize].push((place, ways)));
            let (decided, room) = (0, sum + odd);
            self.edges.push(Crossroads { edge, patches: at, decided, room, most: sum, is_unbalanced: false });
        }
    }

    /// Returns the patches that depend on each other, directly or through others.
    fn groups(&self, patches: usize) -> DisjointSets {
        let mut groups = DisjointSets::new(patches);
        for edge in &self.edges {
            edge.patches.windows(2).for_each(|pair| groups.join(pair[0].0, pair[1].0));
        }
        groups
    }

    /// Returns true for each patch to turn. Calls `disagrees` with a patch and an edge where it cannot
    /// balance.
    fn signs(mut self, patches: &Patches, mut disagrees: impl FnMut(u32, [u32; 2])) -> Vec<bool> {
        let mut signs: Vec<Option<bool>> = vec![None; patches.first.len()];
        let mut by_area: Vec<u32> = (0..to_u32(signs.len())).collect();
        let area = |patch: u32| patches.areas[patch as usize].iter().sum::<f64>();
        by_area.sort_by(|&x, &y| area(y).total_cmp(&area(x)).then(x.cmp(&y)));
        for patch in by_area {
            if signs[patch as usize].is_some() {
                continue;
            }
            let mut open = Vec::new();
            self.decide(patch, false, &mut signs, &mut open);
            while let Some(place) = open.pop() {
                let edge = &mut self.edges[place as usize];
                match edge.forced(&signs) {
                    Ok(forced) => {
                        for (patch, turn) in forced {
                            self.decide(patch, turn, &mut signs, &mut open);
                        }
                    }
                    Err(Unbalanced) => disagrees(edge.patches[0].0, edge.edge),
                }
            }
        }
        signs.into_iter().map(|sign| sign == Some(true)).collect()
    }

    /// Gives a patch its sign, and adds its edges to the open ones.
    fn decide(&mut self, patch: u32, turn: bool, signs: &mut [Option<bool>], open: &mut Vec<u32>) {
        signs[patch as usize] = Some(turn);
        for &(place, ways) in &self.of_patch[patch as usize] {
            let edge = &mut self.edges[place as usize];
            edge.decided += if turn { -ways } else { ways };
            edge.room -= ways.abs();
            open.push(place);
        }
    }
}

/// The faces at an edge cannot balance any more.
struct Unbalanced;

impl Crossroads {
    /// Returns the patches whose turning is forced by the turning of others.
    ///
    /// Patches are looked at only if the largest may be forced. Each look then finds one that is, or a
    /// smaller largest number. There are few such numbers. Once faces cannot balance, no further sign lets
    /// them: it moves the sum by as much as it takes from the room.
    fn forced(&mut self, signs: &[Option<bool>]) -> Result<Vec<(u32, bool)>, Unbalanced> {
        let Self { decided, room, .. } = *self;
        self.is_unbalanced |= decided.abs() > room;
        let mut forced = Vec::new();
        if !self.is_unbalanced && self.most > (room - decided.abs()) / 2 {
            self.most = 0;
            for &(patch, ways) in self.patches.iter().filter(|(patch, _)| signs[*patch as usize].is_none()) {
                let left = room - ways.abs();
                self.most = self.most.max(ways.abs());
                match [(decided + ways).abs() <= left, (decided - ways).abs() <= left] {
                    [true, true] => {}
                    [true, false] => forced.push((patch, false)),
                    [false, true] => forced.push((patch, true)),
                    [false, false] => self.is_unbalanced = true,
                }
            }
        }
        if self.is_unbalanced { Err(Unbalanced) } else { Ok(forced) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::Stream;
    use std::collections::BTreeSet;

    type Edge = (Vec<(u32, i32)>, i32);

    /// Decides patches by the definition: every edge of a decided patch sums over all its patches again.
    fn signs_by_definition(edges: &[Edge], areas: &[f64]) -> (Vec<bool>, BTreeSet<usize>) {
        let mut signs: Vec<Option<i32>> = vec![None; areas.len()];
        let mut unbalanced = BTreeSet::new();
        let mut by_area: Vec<usize> = (0..areas.len()).collect();
        by_area.sort_by(|&x, &y| areas[y].total_cmp(&areas[x]).then(x.cmp(&y)));
        for patch in by_area {
            if signs[patch].is_some() {
                continue;
            }
            signs[patch] = Some(1);
            let at = |patch: usize| {
                (0..edges.len()).filter(move |&e| edges[e].0.iter().any(|&(p, _)| p as usize == patch))
            };
            let mut open: Vec<usize> = at(patch).collect();
            while let Some(edge) = open.pop() {
                let (patches, odd) = &edges[edge];
                let decided: i32 =
                    patches.iter().filter_map(|&(p, ways)| Some(signs[p as usize]? * ways)).sum();
                let undecided: Vec<_> =
                    patches.iter().filter(|(p, _)| signs[*p as usize].is_none()).copied().collect();
                let room = undecided.iter().map(|(_, ways)| ways.abs()).sum::<i32>() + odd;
                let may = |ways: i32, sign: i32| (decided + sign * ways).abs() <= room - ways.abs();
                if decided.abs() > room || undecided.iter().any(|&(_, w)| !may(w, 1) && !may(w, -1)) {
                    unbalanced.insert(edge);
                    continue;
                }
                for (p, ways) in undecided {
                    let sign = if may(ways, 1) { 1 } else { -1 };
                    if !may(ways, -sign) {
                        signs[p as usize] = Some(sign);
                        open.extend(at(p as usize));
                    }
                }
            }
        }
        (signs.into_iter().map(|sign| sign == Some(-1)).collect(), unbalanced)
    }

    #[test]
    fn signs_are_as_defined() {
        let mut stream = Stream(7);
        let (mut turned, mut unbalanced) = (0, 0);
        for _ in 0..20_000 {
            let count = 2 + stream.below(9) as u32;
            let areas: Vec<[f64; 2]> = (0..count).map(|_| [stream.below(5) as f64, 0.0]).collect();
            let mut balance = Balance { edges: Vec::new(), of_patch: vec![Vec::new(); count as usize] };
            let mut edges: Vec<Edge> = Vec::new();
            for place in 0..1 + stream.below(6) as u32 {
                let most = 1 + stream.below(4);
                let mut patches: Vec<(u32, i32)> = (0..count)
                    .map(|patch| (patch, stream.below(2 * most + 1) as i32 - most as i32))
                    .collect();
                patches.retain(|&(_, ways)| ways != 0);
                let sum: i32 = patches.iter().map(|(_, ways)| ways.abs()).sum();
                let odd = sum % 2;
                if sum <= odd {
                    break;
                }
                for &(patch, ways) in &patches {
                    balance.of_patch[patch as usize].push((place, ways));
                }
                edges.push((patches.clone(), odd));
                let edge = [place, place + 1];
                balance.edges.push(Crossroads {
                    edge,
                    patches,
                    decided: 0,
                    room: sum + odd,
                    most: sum,
                    is_unbalanced: false,
                });
            }
            let single: Vec<f64> = areas.iter().map(|[kept, _]| *kept).collect();
            let (expected, at) = signs_by_definition(&edges, &single);
            let patches =
                Patches { patch_of: Vec::new(), turned: Vec::new(), first: (0..count).collect(), areas };
            let mut found_at = BTreeSet::new();
            let signs = balance.signs(&patches, |_, [place, _]| _ = found_at.insert(place as usize));
            assert_eq!(signs, expected);
            assert_eq!(found_at, at);
            turned += signs.iter().filter(|turned| **turned).count();
            unbalanced += at.len();
        }
        assert!(turned > 10_000 && unbalanced > 1_000, "{turned} {unbalanced}");
    }
}
