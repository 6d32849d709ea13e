//! Two posed meshes, and what brute force, rational arithmetic and every kind of tree find of them.

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::contact_region::{ContactRegion, Few};
use closefit::internals::bvh::mesh_hull::{MeshHull, Separation};
use closefit::internals::bvh::posed_model::{Model, PosedModel, Standing};
use closefit::internals::narrow::{Closest, Nearest, SLACK};
use closefit::{Aabb, Executor, HullWork, Mesh, Pose, Strategy, Work};
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::distance;
use closefit_geometry::hull::contact_region::RegionWork;
use closefit_geometry::math::Triangle;
use closefit_geometry::mesh::topology::Topology;
use closefit_methods::kind::{self, WithTrees};
use glam::DMat3;

use crate::rational;

/// Two meshes at poses.
#[derive(Clone, Debug)]
pub struct Case {
    /// The meshes.
    pub meshes: [Mesh; 2],
    /// The world-from-mesh poses.
    pub poses: [Pose; 2],
}

/// The answers to all questions.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// The pairs of triangles in contact, sorted.
    pub contacts: Vec<[u32; 2]>,
    /// The closest triangles of a pair without contact.
    pub nearest: Option<Nearest>,
}

/// The work of a method, by question.
pub type Cost = [(&'static str, Work); 4];

impl Case {
    /// Returns the posed triangles of a side.
    pub fn triangles(&self, side: usize) -> Vec<Triangle> {
        let corners = |triangle| self.meshes[side].corners(triangle).map(|v| self.poses[side].apply(v));
        (0..).take(self.meshes[side].triangles().len()).map(corners).collect()
    }

    /// Returns the number of pairs of triangles.
    pub fn pairs(&self) -> usize {
        self.meshes.iter().map(|mesh| mesh.triangles().len()).product()
    }

    fn trees<T: Hierarchy>(&self) -> [T; 2] {
        [0, 1].map(|side| {
            let (mesh, linear) = (&self.meshes[side], self.linear(side));
            if T::is_built_for(&linear) { T::build_for(mesh, linear) } else { T::build(mesh) }
        })
    }

    fn posed<'a, T: Hierarchy>(&'a self, trees: &'a [T; 2], executor: Executor) -> [T::Posed<'a>; 2] {
        [0, 1].map(|side| trees[side].place(&self.meshes[side], &self.poses[side], executor))
    }

    fn linear(&self, side: usize) -> DMat3 {
        self.poses[side].linear()
    }

    /// Tests each triangle against each.
    pub fn by_brute_force(&self) -> Answers {
        let [a, b] = [0, 1].map(|side| self.triangles(side));
        let pairs = || (0..).zip(&a).flat_map(|(i, s)| (0..).zip(&b).map(move |(j, t)| ([i, j], s, t)));
        let contacts: Vec<[u32; 2]> =
            pairs().filter(|(_, s, t)| triangles_meet(s, t)).map(|of| of.0).collect();
        let mut closest = Closest::within(f64::INFINITY);
        if contacts.is_empty() {
            for (triangles, s, t) in pairs() {
                closest.offer(Nearest { distance: distance(s, t), triangles }, [s, t]);
            }
        }
        Answers { contacts, nearest: closest.nearest() }
    }

    /// Confirms answers in rational arithmetic.
    pub fn confirm(&self, answers: &Answers) {
        let [a, b] = [0, 1].map(|side| self.triangles(side));
        for (i, s) in (0..).zip(&a) {
            for (j, t) in (0..).zip(&b) {
                let is_listed = answers.contacts.binary_search(&[i, j]).is_ok();
                assert_eq!(rational::triangles_meet(s, t), is_listed, "{s:?} {t:?}");
                if let Some(nearest) = &answers.nearest {
                    let distance = rational::distance(s, t);
                    assert!(distance >= nearest.distance);
                    assert!(nearest.triangles != [i, j] || distance == nearest.distance);
                }
            }
        }
    }

    /// Asks trees of one kind, by one executor, and compares; also after a clip by the contact region, if
    /// there is one.
    pub fn ask(&self, strategy: Strategy, expected: &Answers, region: Option<&ContactRegion>) -> Cost {
        kind::run(strategy.tree(), Compare { case: self, executor: strategy.executor(), expected, region })
    }

    /// Returns what trees of one kind, by one executor, find, and the work of finding contacts and distance.
    pub fn found_by(&self, strategy: Strategy) -> (Answers, [(&'static str, Work); 2]) {
        kind::run(strategy.tree(), Find { case: self, executor: strategy.executor() })
    }

    /// Checks the distance that the hulls of a pair prove, and returns its contact region.
    pub fn by_hulls(&self, expected: &Answers) -> Option<ContactRegion> {
        let hulls = [0, 1].map(|side| {
            let linear = Some(self.linear(side)).filter(MeshHull::is_built_for);
            MeshHull::of(&self.meshes[side], linear)
        });
        let [Some(a), Some(b)] = &hulls else { return None };
        let posed = [a.at(&self.poses[0]), b.at(&self.poses[1])];
        let work = &mut HullWork::default();
        let bound = Separation::of([&posed[0], &posed[1]], Executor::default(), work).at_least;
        assert!(bound <= expected.nearest.map_or(0.0, |nearest| nearest.distance), "apart by {bound:e}");
        ContactRegion::of([&posed[0], &posed[1]], Executor::default(), &mut RegionWork::default())
    }
}

struct Find<'a> {
    case: &'a Case,
    executor: Executor,
}

impl WithTrees for Find<'_> {
    type Output = (Answers, [(&'static str, Work); 2]);

    fn run<T: Hierarchy>(self) -> Self::Output {
        let trees = self.case.trees::<T>();
        let [a, b] = self.case.posed(&trees, self.executor);
        let [mut to_contacts, mut to_nearest] = [Work::NONE; 2];
        let contacts = T::contacts(&a, &b, usize::MAX, &mut to_contacts);
        let nearest =
            contacts.is_empty().then(|| T::nearest(&a, &b, f64::INFINITY, &mut to_nearest)).flatten();
        (Answers { contacts, nearest }, [("contacts", to_contacts), ("nearest", to_nearest)])
    }
}

struct Compare<'a> {
    case: &'a Case,
    executor: Executor,
    expected: &'a Answers,
    region: Option<&'a ContactRegion>,
}

impl WithTrees for Compare<'_> {
    type Output = Cost;

    fn run<T: Hierarchy>(self) -> Cost {
        let Self { case, executor, expected, region } = self;
        let models = case.trees::<T>().map(|tree| Model::new(tree, executor, Topology::default()));
        let body =
            |side: usize| PosedModel::new(&case.meshes[side], &models[side], case.poses[side], Aabb::EMPTY);
        let bodies = [0, 1].map(body);
        let [a, b] = bodies.each_ref().map(|body| &body.tree.0);
        let [mut to_contacts, mut to_touch, mut to_nearest, mut to_near] = [Work::NONE; 4];
        let at = || format!("{} {executor}", T::NAME);
        assert_eq!(T::contacts(a, b, usize::MAX, &mut to_contacts), expected.contacts, "{}", at());
        assert_eq!(T::touches(a, b, &mut to_touch), !expected.contacts.is_empty(), "{}", at());
        if let Some(nearest) = expected.nearest {
            // All triangles, exactly as near, and just not.
            for limit in [f64::INFINITY, nearest.distance, nearest.distance.next_down()] {
                let found = (nearest.distance <= limit).then_some(nearest);
                let within_limit = T::nearest(a, b, limit, &mut to_nearest);
                assert_eq!(within_limit, found, "{} within {limit:e}", at());
                let within = T::within(a, b, limit, &mut to_near);
                assert_eq!(within.is_some(), found.is_some(), "{} within {limit:e}", at());
            }
        }
        let cost =
            [("contacts", to_contacts), ("touches", to_touch), ("nearest", to_nearest), ("within", to_near)];
        let Some(region) = region else { return cost };
        let mut work = Work::NONE;
        let trees = bodies.each_ref().map(|body| &body.tree as &dyn Standing);
        let few = |reach: f64, work: &mut Work| Few::of(trees, [0, 1], region, reach, work);
        let few_in_contact = few(0.0, &mut work).expect("few triangles");
        let contacts = few_in_contact.contacts(trees, usize::MAX, &mut work);
        assert_eq!(contacts.as_ref(), Some(&expected.contacts), "{} clipped", at());
        if let Some(nearest) = expected.nearest {
            for limit in [nearest.distance, nearest.distance.next_down()] {
                let few_near = few(limit * SLACK, &mut work).expect("few triangles");
                let found = (nearest.distance <= limit).then_some(nearest);
                assert_eq!(few_near.nearest(trees, limit, &mut work), found, "{} clipped", at());
            }
        }
        cost
    }
}
