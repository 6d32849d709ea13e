//! Many random poses: by groups of lanes, every answer is that of the CPU. `CLOSEFIT_INPUTS` is the number of
//! poses of each test.

use closefit::internals::bvh::wide_obb::on_device::{Limits, Residence};
use closefit::internals::bvh::wide_obb::posed::PosedWideObb;
use closefit::internals::bvh::wide_obb::search::question::{Answer, Question};
use closefit::scene::Part;
use closefit::{CheckRequest, DepthDetail, Device, Pose, Tally, Work};
use closefit_generate::{Request, generate};
use closefit_geometry::parallel;
use closefit_geometry::pool::on_threads;
use closefit_testing::rng::Rng;

use crate::distances::are_same;
use crate::groups::all_questions;
use crate::scenes::trees;
use crate::{inputs, rows};

/// Number of poses that are asked together.
const TOGETHER: usize = 1_000;

/// Returns a pose of the second part: anywhere, or barely away from where it stands.
fn pose(rng: &mut Rng, stands: &Pose) -> Pose {
    if rng.coin() {
        let mut near = *stands;
        near.rows.iter_mut().zip((rng.point() * 0.02).to_array()).for_each(|(row, shift)| row[3] += shift);
        return near;
    }
    let size: f64 = [1.0, 1.0, -1.0, 0.5][rng.index(4)];
    let scale = [size, size.abs(), size.abs()];
    Pose::from_trs(rng.quaternion(), scale, (rng.point() * 1.5).to_array()).expect("a rotation")
}

/// Asks for the contacts of a scene's first two parts at random poses, for yes or no, and at one of so many
/// poses for the distance. Octets say yes or no, and they list the contacts of small parts.
fn compare(device: Device, name: &str, size: u32, distances_each: usize, default: usize) {
    let ([of_a, of_b], [pose_a, pose_b]) = trees(name, size);
    let (poses, mut rng, mut total) = (inputs().unwrap_or(default), Rng::new(name, 0), Tally::default());
    let a = PosedWideObb::new(&of_a, &pose_a);
    let mut residence = Residence::new(device, all_questions());
    let (mut asked, mut met) = ([0; 3], 0);
    for begin in (0..poses).step_by(TOGETHER) {
        let numbers = begin..poses.min(begin + TOGETHER);
        let placed: Vec<PosedWideObb> =
            numbers.clone().map(|_| PosedWideObb::new(&of_b, &pose(&mut rng, &pose_b))).collect();
        let mut questions: Vec<(&PosedWideObb, &PosedWideObb, Question)> = Vec::new();
        for (number, b) in numbers.zip(&placed) {
            let (one, other) = if number % 2 == 0 { (&a, b) } else { (b, &a) };
            questions.extend([(one, other, Question::Contacts), (other, one, Question::Touches)]);
            if number % distances_each == 0 {
                questions.push((one, other, Question::Within(f64::INFINITY)));
            }
        }
        let before = device.tally();
        let (found, _) = residence.ask(&questions).expect("it computes");
        total += device.tally() - before;
        let expected = on_threads(|| {
            parallel::map_items(&questions, 8, |(one, other, of)| of.ask(one, other, &mut Work::default()))
        });
        for (((one, other, question), found), expected) in questions.iter().zip(&found).zip(&expected) {
            assert!(
                are_same(found, expected),
                "{name} {question:?} {:?} {:?}: {found:?}, not {expected:?}",
                one.pose,
                other.pose
            );
            asked[match question {
                Question::Contacts => 0,
                Question::Touches => 1,
                Question::Within(_) => 2,
            }] += 1;
            met += usize::from(*expected == Answer::Touches(true));
        }
        println!("{name} {size}: asked {asked:?}, in contact {met}, {}", counts(&total));
    }
    assert!(total.answered > 0);
}

/// Returns counts of a device's work as text.
fn counts(total: &Tally) -> String {
    let Tally { pairs, answered, distances, refused, meets, unsure, survivors, box_tests, .. } = total;
    format!(
        "pairs sent {pairs}, by groups {answered}, distances {distances}, refused {}, apart {}, meet {meets}, \
         unsure {unsure}, survivors {survivors}, box tests {box_tests}, launches {}, waited {:.1} s",
        refused.total(),
        total.proven_apart(),
        total.launches,
        total.waited_s,
    )
}

pub fn of_tori(device: Device) {
    compare(device, "tori", 10_000, 10, 100);
}

pub fn of_nested(device: Device) {
    compare(device, "nested", 100_000, 1_000, 10);
}

pub fn of_bolt_nut(device: Device) {
    compare(device, "bolt-nut", 50_000, 100, 20);
}

pub fn of_boxes(device: Device) {
    compare(device, "boxes", 60, 1, 1_000);
}

/// Checks rows of a robot at random times of its motion.
pub fn rows_of_a_robot(device: Device) {
    let request = Request { name: "robot".to_owned(), size: Some(8), seed: 0, soup: false };
    let scene = generate(&request).expect("a scene");
    let [from, to] = scene.time_range().expect("it moves");
    let moves: Vec<bool> = scene.parts.iter().map(|part| part.frame.is_some()).collect();
    let request = CheckRequest::default().tolerance(1e-6).depth(DepthDetail::None);
    let limits: Limits = device.limits();
    device.set_limits(all_questions());
    let (before, mut rng, mut listed) = (device.tally(), Rng::new("robot", 0), 0);
    let mut left = inputs().unwrap_or(100);
    while left > 0 {
        let row = |_| {
            let frames = scene.frames.poses(from + (to - from) * (0.5 + 0.5 * rng.unit()));
            let pose = |part: &Part| part.frame.map_or(part.pose, |frame| frames[frame.0 as usize]);
            scene.parts.iter().map(pose).collect()
        };
        let poses: Vec<Vec<Pose>> = (0..left.min(10 * TOGETHER)).map(row).collect();
        listed += rows::compare(device, (&scene, &moves, &poses), &request, false);
        left -= poses.len();
        println!("{left} rows left; {listed} listed pairs, {}", counts(&(device.tally() - before)));
    }
    device.set_limits(limits);
    assert!(listed > 0);
}
