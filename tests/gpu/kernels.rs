//! Runs kernels on handmade buffers.

use bytemuck::{Pod, Zeroable, bytes_of, cast_slice, pod_collect_to_vec};
use closefit::Device;
use closefit::internals::bvh::wide_obb::on_device::columns::{
    BoxItem, Counts, GroupSettings, LeafItem, NO_PAIR, Pair, Queue, Record, Root, Settings, UNFINISHED,
};
use closefit::internals::bvh::wide_obb::on_device::fixed_point::{BITS, ONE, fixed, words};
use closefit::internals::bvh::wide_obb::on_device::groups::{HEAD, OCTETS, ONE_TEAM, RUN, Teams};
use closefit::internals::bvh::wide_obb::on_device::motions::Motion;
use closefit::internals::gpu::error_bounds::PLACED;
use closefit::internals::gpu::{Kernel, Lent, Use};
use glam::{DMat3, DVec3};

/// Returns a buffer that holds these values.
pub fn column<T: Pod>(device: Device, values: &[T]) -> Lent {
    let bytes: &[u8] = cast_slice(values);
    let buffer = device.lend(Use::Storage, bytes.len() as u64).expect("memory");
    device.write(&buffer, 0, bytes);
    buffer
}

/// Runs a kernel once and reads back values of one buffer.
pub fn run<T: Pod>(
    device: Device,
    kernel: &Kernel,
    buffers: &[&wgpu::Buffer],
    read: (&wgpu::Buffer, usize),
) -> Vec<T> {
    let launch = kernel.launch(&device, buffers, 16);
    let bytes = read.1 * size_of::<T>();
    let pending = device.submit(&[launch], &[(read.0, bytes.next_multiple_of(4) as u64)]).expect("submitted");
    pod_collect_to_vec(&device.wait(pending).expect("computed")[..bytes])
}

/// Returns a pair whose guest is turned and shifted as given, which must be exact in fixed point. Its trees
/// begin at offset 0 of the arenas.
pub fn pair(turn: DMat3, shift: DVec3) -> Pair {
    let blur = PLACED;
    Pair {
        turn: [0, 1, 2].map(|i| fixed(turn.row(i)).map(words)).as_flattened().try_into().expect("nine"),
        shift: fixed(shift).map(words),
        scalings: [BITS as i32; 2],
        rotation: turn.to_cols_array().map(|x| x as f32),
        ratio: 1.0,
        inverse_ratio: 1.0,
        margin: [(f64::from(blur) / ONE) as f32; 2],
        blur,
        ..Pair::zeroed()
    }
}

/// Returns the results of testing leaf pairs, by item. Each item has its own pair and its own part of the
/// arenas, with corners of three or six vertices.
pub fn test_leaves(
    device: Device,
    kernel: &Kernel,
    pairs: &[Pair],
    home: &[u32],
    guest: &[u32],
    leaves: &[LeafItem],
) -> Vec<Record> {
    let mut queue = Queue::zeroed();
    queue.counts.drain = leaves.len() as u32;
    let buffers = [
        column(device, home),
        column(device, guest),
        column(device, pairs),
        column(device, leaves),
        column(device, &vec![Record::zeroed(); leaves.len()]),
        column(device, &[queue]),
        column(device, &vec![0u32; pairs.len()]),
    ];
    let bound: Vec<&wgpu::Buffer> = buffers.iter().map(|b| &**b).collect();
    let counts = run::<Counts>(device, kernel, &bound, (bound[5], 1));
    let again = device.submit(&[], &[(bound[4], (counts[0].records as usize * size_of::<Record>()) as u64)]);
    pod_collect_to_vec(&device.wait(again.expect("submitted")).expect("read"))
}

/// Returns the leaf pairs that survive the box tests of some items.
pub fn open_blocks(
    device: Device,
    kernel: &Kernel,
    pairs: &[Pair],
    home: &[u32],
    guest: &[u32],
    items: &[BoxItem],
) -> Vec<LeafItem> {
    let mut queue = Queue::zeroed();
    queue.counts.slice = items.len() as u32;
    let settings = device.lend(Use::Settings, size_of::<Settings>() as u64).expect("memory");
    device.write(&settings, 0, bytes_of(&Settings::zeroed()));
    let buffers = [
        column(device, home),
        column(device, guest),
        column(device, pairs),
        column(device, items),
        column(device, &vec![LeafItem::zeroed(); 8 * items.len()]),
        column(device, &[queue]),
        column(device, &vec![0u32; pairs.len()]),
    ];
    let mut bound: Vec<&wgpu::Buffer> = vec![&settings];
    bound.extend(buffers.iter().map(|b| &**b));
    let counts = run::<Counts>(device, kernel, &bound, (bound[6], 1));
    let again = device.submit(&[], &[(bound[5], (counts[0].leaves as usize * size_of::<LeafItem>()) as u64)]);
    pod_collect_to_vec(&device.wait(again.expect("submitted")).expect("read"))
}

/// A kernel of groups that searches for contacts, and its teams.
pub struct OfGroups {
    kernel: Kernel,
    teams: Teams,
}

impl OfGroups {
    /// Compiles the source of a kernel for groups; `None` for any other source.
    pub fn of(device: Device, source: &'static str) -> Option<Self> {
        let all = [("fn ask_group", "ask_group", ONE_TEAM), ("fn ask_octets", "ask_octets", OCTETS)];
        let (_, name, teams) = all.into_iter().find(|(entry, ..)| source.contains(entry))?;
        Some(Self { kernel: Kernel::new(&device, name, source).expect("compiled"), teams })
    }
}

/// Returns settings of groups for so many questions and records, and so many steps of a launch.
fn settings_of_groups(device: Device, teams: Teams, [questions, records, steps]: [usize; 3]) -> Lent {
    let settings = GroupSettings {
        questions: questions as u32,
        steps: steps as u32,
        stack: teams.stack,
        leaves: teams.leaves,
        reserve: 24,
        records: records as u32,
        zero: 0,
    };
    let uniform = device.lend(Use::Settings, size_of::<GroupSettings>() as u64).expect("memory");
    device.write(&uniform, 0, bytes_of(&settings));
    uniform
}

/// The buffers of searches by groups.
struct Groups {
    settings: Lent,
    buffers: [Lent; 8],
    /// Number of teams.
    teams: usize,
}

impl Groups {
    /// Runs `count` groups for `steps` steps.
    fn run(
        device: Device,
        OfGroups { kernel, teams }: &OfGroups,
        pairs: &[Pair],
        [home, guest]: [&[u32]; 2],
        roots: &[Root],
        [count, steps]: [usize; 2],
    ) -> Self {
        let records = roots.len() + RUN as usize * count;
        let settings = settings_of_groups(device, *teams, [roots.len(), records, steps]);
        let of_all = count * teams.number as usize;
        let mut left = vec![0; (HEAD + teams.body(2)) * of_all];
        (0..of_all).for_each(|team| left[HEAD * team] = NO_PAIR);
        let buffers = [
            column(device, home),
            column(device, guest),
            column(device, pairs),
            column(device, roots),
            column(device, &vec![Record::zeroed(); records]),
            column(device, &[Queue::zeroed()]),
            column(device, &vec![0u32; pairs.len()]),
            column(device, &left),
        ];
        let groups = Self { settings, buffers, teams: of_all };
        let mut bound: Vec<&wgpu::Buffer> = vec![&groups.settings];
        bound.extend(groups.buffers.iter().map(|buffer| &**buffer));
        let launch = kernel.launch(&device, &bound, count as u32);
        device.wait(device.submit(&[launch], &[(bound[6], 4)]).expect("submitted")).expect("computed");
        groups
    }

    /// Returns the first values of a buffer.
    fn read<T: Pod>(&self, device: Device, buffer: usize, count: usize) -> Vec<T> {
        let read = device.submit(&[], &[(&self.buffers[buffer], (count * size_of::<T>()) as u64)]);
        pod_collect_to_vec(&device.wait(read.expect("submitted")).expect("read"))
    }
}

/// Does [`test_leaves`] with a kernel of groups.
pub fn test_leaves_by_groups(
    device: Device,
    kernel: &OfGroups,
    pairs: &[Pair],
    arenas: [&[u32]; 2],
    leaves: &[LeafItem],
) -> Vec<Record> {
    let root = |leaf: &LeafItem| Root {
        words: [0, 1].map(|side| leaf.first[side] | (leaf.two >> side & 1) << 30),
        are_leaves: 1,
    };
    let roots: Vec<Root> = leaves.iter().map(root).collect();
    let groups = Groups::run(device, kernel, pairs, arenas, &roots, [512, 900]);
    let counts = groups.read::<Counts>(device, 5, 1)[0];
    assert_eq!(counts.finished as usize, leaves.len());
    let records: Vec<Record> = groups.read(device, 4, counts.records as usize);
    records.into_iter().filter(|record| record.pair != NO_PAIR).collect()
}

/// Does [`open_blocks`] with a kernel of groups: each team takes a question and opens its item at once.
pub fn open_blocks_by_groups(
    device: Device,
    kernel: &OfGroups,
    pairs: &[Pair],
    arenas: [&[u32]; 2],
    items: &[BoxItem],
) -> Vec<LeafItem> {
    let root = |item: &BoxItem| Root { words: [item.block, item.other], are_leaves: 0 };
    let roots: Vec<Root> = items.iter().map(root).collect();
    let Teams { number, stack, leaves } = kernel.teams;
    let count = items.len().div_ceil(number as usize);
    let groups = Groups::run(device, kernel, pairs, arenas, &roots, [count, 1]);
    let size = kernel.teams.body(2);
    let left: Vec<u32> = groups.read(device, 7, (HEAD + size) * groups.teams);
    let (heads, bodies) = left.split_at(HEAD * groups.teams);
    let mut found = Vec::new();
    for (head, body) in heads.chunks(HEAD).zip(bodies.chunks(size)) {
        assert_eq!(head[1], 0, "all boxes are leaves");
        let words = &body[2 * stack as usize..];
        found.extend((0..head[2] as usize).map(|i| {
            let first = [words[i], words[leaves as usize + i]].map(|word| word & ((1 << 30) - 1));
            LeafItem { pair: head[0], first, two: 0 }
        }));
    }
    found
}

/// What is left of a question about a stretch: an item, or a leaf pair, and the part that it is about.
#[derive(Clone, Copy)]
pub struct LeftOfStretch {
    pub words: [u32; 2],
    pub are_leaves: bool,
    pub part: u32,
}

/// Returns the open parts of stretches after so many steps. Each question has a group, which resumes it with
/// what is left of it.
pub fn resume_stretches(
    device: Device,
    kernel: &Kernel,
    (pairs, motions): (&[Pair], &[Motion]),
    arenas: [&[u32]; 2],
    left: &[LeftOfStretch],
    steps: usize,
) -> Vec<u32> {
    let (mut answers, size) = (Vec::new(), ONE_TEAM.body(3));
    // What is left takes 4 KiB each.
    for begin in (0..left.len()).step_by(4_000) {
        let some = begin..left.len().min(begin + 4_000);
        let (mut heads, mut bodies) = (Vec::new(), vec![0; size * some.len()]);
        for ((number, one), body) in (0..).zip(&left[some.clone()]).zip(bodies.chunks_mut(size)) {
            heads.extend([number, u32::from(!one.are_leaves), u32::from(one.are_leaves)]);
            let (first, stride) = match one.are_leaves {
                true => (3 * ONE_TEAM.stack as usize, ONE_TEAM.leaves as usize),
                false => (0, ONE_TEAM.stack as usize),
            };
            for (word, value) in one.words.into_iter().chain([one.part]).enumerate() {
                body[first + word * stride] = value;
            }
        }
        let count = some.len();
        let settings = settings_of_groups(device, ONE_TEAM, [0, 0, steps]);
        let buffers = [
            column(device, arenas[0]),
            column(device, arenas[1]),
            column(device, &pairs[some.clone()]),
            column(device, &motions[some]),
            column(device, &[Root::zeroed()]),
            column(device, &[Queue::zeroed()]),
            column(device, &vec![UNFINISHED; count]),
            column(device, &[heads, bodies].concat()),
        ];
        let mut bound: Vec<&wgpu::Buffer> = vec![&settings];
        bound.extend(buffers.iter().map(|buffer| &**buffer));
        let launch = kernel.launch(&device, &bound, count as u32);
        let pending = device.submit(&[launch], &[(bound[7], 4 * count as u64)]).expect("submitted");
        answers.extend(pod_collect_to_vec::<u8, u32>(&device.wait(pending).expect("computed")));
    }
    answers
}
