//! Animations: translations and rotations of nodes, converted to motions.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use glam::DVec3;

use super::super::Motions;
use super::super::error::{Fault, clip};
use super::accessors::{Accessors, Component};
use super::cubic::{Knot, Pieces};
use super::document::{Animation, Sampler};
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::motion::Motion;
use closefit_geometry::motion::joint::{Span, Timed};
use closefit_geometry::motion::travel::Travel;
use closefit_geometry::motion::turn::{Quaternion, Turn, normalized};

/// Largest number of keyframes of a file. Channels may share them, and splines multiply them.
const MOST_KEYS: usize = 1 << 22;

/// Relative change of a scale below which it counts as constant. Exporters derive scales from f32 matrices.
const SCALE_NOISE: f64 = 1.0 / (1 << 20) as f64;

/// The nodes that the animations of a file move.
#[derive(Default)]
pub(super) struct Animated {
    nodes: BTreeMap<usize, Tracks>,
    /// The tracks of samplers, which channels may share: by animation and sampler.
    translations: HashMap<[usize; 2], Arc<Track<3>>>,
    rotations: HashMap<[usize; 2], Arc<Track<4>>>,
    /// The motions that nodes share.
    motions: HashMap<Source, Motion>,
    /// Why nodes cannot be followed, if motions are needed.
    pub refused: BTreeMap<usize, Fault>,
    pub tally: Tally,
}

/// All that a motion depends on: the tracks by their addresses, or the bits of values that are not animated.
#[derive(PartialEq, Eq, Hash)]
struct Source {
    translation: Result<usize, [u64; 3]>,
    rotation: Result<usize, [u64; 4]>,
    scale: [u64; 3],
    /// First keyframe of the scale.
    from: Option<u64>,
}

/// Counts of what was approximated or left out, for the notes.
#[derive(Default)]
pub(super) struct Tally {
    keys: usize,
    /// Channels of a property that an earlier animation already moves.
    pub repeated: usize,
    /// Channels of morph targets and of properties that this version does not know.
    pub other: usize,
    /// Scales that change by no more than rounding.
    pub noisy_scales: usize,
    /// Number of cubic splines.
    pub splines: usize,
    /// Number of linear pieces that replace them.
    pub pieces: usize,
    /// Largest error of the splines at any time: of translations, as a length, and of rotations, in radians.
    pub errors: [f64; 2],
    /// Channels of nodes that carry no part.
    pub idle: usize,
    /// Motions that cannot be followed, if that is not an error: their number and the first fault.
    pub unfollowed: Option<(usize, Fault)>,
}

/// The channels of a node.
#[derive(Default)]
struct Tracks {
    translation: Option<Arc<Track<3>>>,
    rotation: Option<Arc<Track<4>>>,
    /// The first keyframe time of the scale channel, and its constant scale.
    scale: Option<(f64, [f64; 3])>,
}

/// Values over time, constant before the first time and after the last.
struct Track<const N: usize> {
    /// Keyframe times; empty if nothing is animated.
    times: Vec<f64>,
    /// One value for each time; at least one.
    values: Vec<[f64; N]>,
    /// True when each value holds until the next.
    step: bool,
    /// The error of the pieces that replace a cubic spline, if it was one.
    spline: Option<f64>,
}

/// The course of a track over a stretch of time.
enum Segment<const N: usize> {
    Still([f64; N]),
    Between { from: f64, to: f64, ends: [[f64; N]; 2] },
}

impl Animated {
    /// Reads every animation. If two move the same property, the first counts; channels of nodes that carry
    /// no part have no effect. `carries` and `names` have an entry for each node.
    pub fn read(
        animations: &[Animation],
        accessors: &Accessors,
        names: &[Arc<str>],
        carries: &[bool],
        motions: Motions,
    ) -> Result<Self, Fault> {
        let mut all = Self::default();
        for (a, animation) in animations.iter().enumerate() {
            for (c, channel) in animation.channels.iter().enumerate() {
                let (target, samplers) = (&channel.target, &animation.samplers);
                let fault = |why: String| {
                    let name = animation.name.as_deref();
                    let name = name.map_or(String::new(), |name| format!(" '{}'", clip(name)));
                    Fault::at(format!("animation {a}{name}, channel {c} ({})", clip(&target.path)), why)
                };
                let Some(node) = target.node else {
                    all.tally.other += 1;
                    continue;
                };
                let Some(name) = names.get(node) else {
                    let fault = fault(format!("node {node}, but there are {}", names.len()));
                    match motions {
                        Motions::Required => return Err(fault),
                        Motions::Noted => all.tally.count(fault),
                    }
                    continue;
                };
                if !carries[node] {
                    all.tally.idle += 1;
                    continue;
                }
                let added = samplers
                    .get(channel.sampler)
                    .ok_or_else(|| format!("sampler {}, but there are {}", channel.sampler, samplers.len()))
                    .and_then(|sampler| {
                        all.add(node, &target.path, ([a, channel.sampler], sampler), accessors)
                    });
                if let Err(why) = added {
                    all.refuse(node, fault(why).in_part(name, &format!("nodes[{node}]")), motions);
                }
            }
        }
        Ok(all)
    }

    /// Keeps the fault of a node, whose parts are lost then, or counts it if motions are optional.
    pub fn refuse(&mut self, node: usize, fault: Fault, motions: Motions) {
        match motions {
            Motions::Required => _ = self.refused.entry(node).or_insert(fault),
            Motions::Noted => self.tally.count(fault),
        }
    }

    fn add(
        &mut self,
        node: usize,
        path: &str,
        (place, sampler): ([usize; 2], &Sampler),
        accessors: &Accessors,
    ) -> Result<(), String> {
        let Self { nodes, translations, rotations, tally, .. } = self;
        let tracks = nodes.entry(node).or_default();
        match path {
            "translation" if tracks.translation.is_none() => {
                let track = match translations.entry(place) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => {
                        let knots = tally.knots(sampler, accessors, "VEC3")?;
                        new.insert(tally.track(sampler, knots, Pieces::of_translations)?.into())
                    }
                };
                tally.note_spline(track, 0);
                tracks.translation = Some(track.clone());
            }
            "rotation" if tracks.rotation.is_none() => {
                let track = match rotations.entry(place) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => {
                        let knots = tally.knots(sampler, accessors, "VEC4")?;
                        if let Some(i) = knots.iter().position(|knot| normalized(knot.value).is_none()) {
                            let quaternion = knots[i].value;
                            return Err(format!(
                                "keyframe {i}: the quaternion {quaternion:?} has no direction"
                            ));
                        }
                        new.insert(tally.track(sampler, knots, Pieces::of_rotations)?.into())
                    }
                };
                tally.note_spline(track, 1);
                tracks.rotation = Some(track.clone());
            }
            "scale" if tracks.scale.is_none() => {
                let knots = tally.knots(sampler, accessors, "VEC3")?;
                tracks.scale = Some((knots[0].time, tally.constant(sampler, &knots)?));
            }
            "translation" | "rotation" | "scale" => tally.repeated += 1,
            _ => tally.other += 1,
        }
        Ok(())
    }

    /// Returns the motion of a node, given its own translation, rotation and scale; `None` if nothing moves
    /// it.
    ///
    /// # Errors
    /// [`Fault::OutOfMemory`], or the fault of the motion.
    pub fn motion(
        &mut self,
        node: usize,
        (translation, rotation, scale): ([f64; 3], Quaternion, [f64; 3]),
        memory: &MemoryAccount,
    ) -> Option<Result<Motion, Fault>> {
        let tracks = self.nodes.get(&node)?;
        let scaled = tracks.scale.map_or(scale, |(_, scale)| scale);
        let source = Source {
            translation: address(&tracks.translation).ok_or(translation.map(f64::to_bits)),
            rotation: address(&tracks.rotation).ok_or(rotation.map(f64::to_bits)),
            scale: scaled.map(f64::to_bits),
            from: tracks.scale.map(|(from, _)| from.to_bits()),
        };
        if let Some(known) = self.motions.get(&source) {
            return Some(Ok(known.clone()));
        }
        let motion = tracks.motion(translation, rotation, scaled, memory)?;
        Some(motion.inspect(|motion| {
            self.motions.insert(source, motion.clone());
        }))
    }
}

fn address<const N: usize>(track: &Option<Arc<Track<N>>>) -> Option<usize> {
    track.as_ref().map(|track| Arc::as_ptr(track).addr())
}

impl Tracks {
    /// Returns the motion along these tracks, or the values given; `None` if there is nothing to follow.
    fn motion(
        &self,
        translation: [f64; 3],
        rotation: Quaternion,
        scale: [f64; 3],
        memory: &MemoryAccount,
    ) -> Option<Result<Motion, Fault>> {
        let (still_at, still_turned) = (Track::still(translation), Track::still(rotation));
        let travels = self.translation.as_deref().unwrap_or(&still_at);
        let turns = self.rotation.as_deref().unwrap_or(&still_turned);
        let mut times: Vec<f64> = travels.times.iter().chain(&turns.times).copied().collect();
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        if times.is_empty() {
            times.push(self.scale?.0);
        }
        let room = memory.take(times.len(), Motion::KEYFRAME_BYTES, || format!("{} keyframes", times.len()));
        if let Err(error) = room {
            return Some(Err(error.into()));
        }
        let stop = |&time: &f64| (turns.turned_at(time), travels.moved_to(time));
        let stops: Vec<_> = times.iter().map(stop).collect();
        let spans = times.windows(2).map(|pair| Span {
            turn: turns.turn(pair[0], pair[1]),
            travel: travels.travel(pair[0], pair[1]),
        });
        let spans = spans.collect();
        let motion = Motion::of_spans(times, stops, spans, scale);
        Some(motion.map_err(|error| Fault::at("animation", error.to_string())))
    }
}

impl Tally {
    /// Counts a motion that cannot be followed.
    fn count(&mut self, fault: Fault) {
        match &mut self.unfollowed {
            Some((count, _)) => *count += 1,
            first => *first = Some((1, fault)),
        }
    }

    /// Reads the keyframes of a channel.
    fn knots<const N: usize>(
        &mut self,
        sampler: &Sampler,
        accessors: &Accessors,
        shape: &str,
    ) -> Result<Vec<Knot<N>>, String> {
        let times = accessors.get(sampler.input, "SCALAR")?;
        let values = accessors.get(sampler.output, shape)?;
        if times.component != Component::F32 {
            return Err(format!("accessor {}: times of type {:?}", sampler.input, times.component));
        }
        let cubic = sampler.is_cubic()?;
        let wanted = times.count.checked_mul(if cubic { 3 } else { 1 });
        if wanted != Some(values.count) {
            let (times, values) = (times.count, values.count);
            return Err(format!("{times} times, but {values} values"));
        }
        self.keys = self.keys.saturating_add(times.count);
        if self.keys > MOST_KEYS {
            return Err(format!("it brings the file to {} keyframes; the limit is {MOST_KEYS}", self.keys));
        }
        let mut before = f64::NEG_INFINITY;
        let knot = |i: usize| {
            let [time] = times.get(i);
            if !(time > before && time.is_finite()) {
                return Err(format!("keyframe {i}: the time {time} does not come after the one before it"));
            }
            before = time;
            let [arriving, value, leaving] = match cubic {
                true => [0, 1, 2].map(|k| values.get(3 * i + k)),
                false => [[0.0; N], values.get(i), [0.0; N]],
            };
            match [arriving, value, leaving].as_flattened().iter().find(|x| !x.is_finite()) {
                Some(x) => Err(format!("keyframe {i}: {x} is not a finite number")),
                None => Ok(Knot { time, arriving, value, leaving }),
            }
        };
        (0..times.count).map(knot).collect()
    }

    /// Counts the use of a track that replaces a cubic spline. `kind` is the index of its error in `errors`.
    fn note_spline<const N: usize>(&mut self, track: &Track<N>, kind: usize) {
        if let Some(error) = track.spline {
            self.splines += 1;
            self.pieces += track.values.len() - 1;
            self.errors[kind] = self.errors[kind].max(error);
        }
    }

    /// Returns the track of a sampler.
    fn track<const N: usize>(
        &mut self,
        sampler: &Sampler,
        knots: Vec<Knot<N>>,
        pieces: impl Fn(&[Knot<N>], usize) -> Option<Pieces<N>>,
    ) -> Result<Track<N>, String> {
        if !sampler.is_cubic()? {
            let (times, values) = knots.iter().map(|knot| (knot.time, knot.value)).unzip();
            let step = sampler.interpolation.as_deref() == Some("STEP");
            return Ok(Track { times, values, step, spline: None });
        }
        let room = MOST_KEYS - self.keys;
        let Pieces { times, values, error } = pieces(&knots, room)
            .ok_or_else(|| format!("the cubic spline cannot be followed by {room} linear pieces"))?;
        self.keys += values.len();
        Ok(Track { times, values, step: false, spline: Some(error) })
    }

    /// Returns the scale of a channel, which must not change.
    fn constant(&mut self, sampler: &Sampler, knots: &[Knot<3>]) -> Result<[f64; 3], String> {
        let scale = knots[0].value;
        let off = |knot: &Knot<3>| {
            (0..3).map(|k| (knot.value[k] - scale[k]).abs() / scale[k].abs()).fold(0.0, |most: f64, x| {
                // 0 / 0 counts as no change.
                if x > most { x } else { most }
            })
        };
        let bent = sampler.is_cubic()? && knots.iter().any(|k| [k.arriving, k.leaving] != [[0.0; 3]; 2]);
        if let Some(i) = knots.iter().position(|knot| off(knot) > SCALE_NOISE) {
            return Err(format!("the scale changes from {scale:?} to {:?}: a part is rigid", knots[i].value));
        }
        if bent {
            return Err("the scale changes between its keyframes: a part is rigid".to_owned());
        }
        self.noisy_scales += usize::from(knots.iter().any(|knot| knot.value != scale));
        Ok(scale)
    }
}

impl Sampler {
    fn is_cubic(&self) -> Result<bool, String> {
        match self.interpolation.as_deref() {
            None | Some("LINEAR" | "STEP") => Ok(false),
            Some("CUBICSPLINE") => Ok(true),
            Some(other) => Err(format!("unknown interpolation '{}'", clip(other))),
        }
    }
}

impl<const N: usize> Track<N> {
    fn still(value: [f64; N]) -> Self {
        Self { times: Vec::new(), values: vec![value], step: true, spline: None }
    }

    /// Returns the course from a time on until the next keyframe.
    fn from(&self, time: f64) -> Segment<N> {
        let after = self.times.partition_point(|&t| t <= time);
        match after.checked_sub(1) {
            None => Segment::Still(self.values[0]),
            Some(before) if self.step || after == self.times.len() => Segment::Still(self.values[before]),
            Some(before) => Segment::Between {
                from: self.times[before],
                to: self.times[after],
                ends: [self.values[before], self.values[after]],
            },
        }
    }
}

impl Track<3> {
    fn travel(&self, from: f64, to: f64) -> Timed<Travel> {
        match self.from(from) {
            Segment::Still(at) => Timed { from, to, piece: Travel::still(at.into()) },
            Segment::Between { from, to, ends: [a, b] } => {
                Timed { from, to, piece: Travel::straight(a.into(), b.into()) }
            }
        }
    }

    fn moved_to(&self, time: f64) -> DVec3 {
        match self.from(time) {
            Segment::Still(at) => at.into(),
            Segment::Between { from, ends: [at, _], .. } if from == time => at.into(),
            Segment::Between { from, to, .. } => {
                let travel = self.travel(from, to);
                travel.piece.at(travel.parameter(time))
            }
        }
    }
}

impl Track<4> {
    fn turn(&self, from: f64, to: f64) -> Timed<Turn> {
        let checked = "keyframes have a direction";
        match self.from(from) {
            Segment::Still(at) => Timed { from, to, piece: Turn::still(at).expect(checked) },
            Segment::Between { from, to, ends: [a, b] } => {
                Timed { from, to, piece: Turn::shortest(a, b).expect(checked) }
            }
        }
    }

    fn turned_at(&self, time: f64) -> Quaternion {
        match self.from(time) {
            Segment::Still(at) => at,
            Segment::Between { from, ends: [at, _], .. } if from == time => at,
            Segment::Between { from, to, .. } => {
                let turn = self.turn(from, to);
                turn.piece.at(turn.parameter(time))
            }
        }
    }
}
