//! The edges of curves, as far as their points are in the file, and which of them the kernel changes.

use std::collections::HashMap;

use crate::records::{Record, Records};
use crate::values::{argument, arguments, reference, references};

type Point = [f64; 3];

/// An edge of a curve: straight, or an arc through a point.
struct Edge {
    from: Point,
    to: Point,
    through: Option<Point>,
}

impl Edge {
    fn along(&self) -> Point {
        std::array::from_fn(|k| self.to[k] - self.from[k])
    }
}

/// The most composite curves within each other.
const DEEPEST: usize = 8;

/// The fewest corners of a polygon that the kernel thins out.
const FEWEST_THINNED: usize = 24;

/// The largest mean and the longest edge of such a polygon, over the diagonal of its box.
const MEAN_EDGE: f64 = 1.0 / 16.0;
const LONGEST_EDGE: f64 = 0.1;

/// The most that the kernel moves such a polygon, in metres.
pub const THINNED_BY: f64 = 0.01;

/// The cosine of a turn from which the kernel draws a pipe more than 2 % too thin: of 2 pi/16. It places the
/// circle between two legs across the mean of both, and does not stretch it.
const LARGEST_TURN: f64 = 0.923_879_532_511_286_7;

/// Why the kernel draws a pipe wrong.
pub enum WrongPipe {
    /// Straight legs meet at a corner.
    Corner,
    /// It runs along a polyline that is trimmed: it would lie in another place.
    Trimmed,
    /// It has too many edges to look at.
    Long,
}

/// Returns why the kernel would draw a pipe wrong, if it would. Curves may share others without end, so
/// `left` is how many curves and edges may still be looked at; it counts down.
pub fn wrong_pipe(records: &Records, record: &Record, left: &mut usize) -> Option<WrongPipe> {
    let directrix = reference(argument(records.arguments(record), 0)).and_then(|id| records.get(id))?;
    let is_corner = |two: &[Option<Point>]| match [two[0], two[1]] {
        [Some(a), Some(b)] => dot(&a, &b) < LARGEST_TURN * (dot(&a, &a) * dot(&b, &b)).sqrt(),
        _ => false,
    };
    match directions(records, directrix, 0, left) {
        Ok(directions) => directions.windows(2).any(is_corner).then_some(WrongPipe::Corner),
        Err(why) => Some(why),
    }
}

/// Returns the directions of the edges of a pipe's curve; `None` for an arc, and for a curve whose edges are
/// not in the file.
fn directions(
    records: &Records,
    curve: &Record,
    depth: usize,
    left: &mut usize,
) -> Result<Vec<Option<Point>>, WrongPipe> {
    *left = left.checked_sub(1).ok_or(WrongPipe::Long)?;
    let backwards = |direction: Option<Point>| direction.map(|along| along.map(|x| -x));
    match records.kind(curve) {
        "IFCCOMPOSITECURVE" if depth < DEEPEST => {
            let mut all = Vec::new();
            for (parent, is_forwards) in segments(records, curve) {
                let own = directions(records, parent, depth + 1, left)?;
                match is_forwards {
                    true => all.extend(own),
                    false => all.extend(own.into_iter().rev().map(backwards)),
                }
            }
            Ok(all)
        }
        "IFCTRIMMEDCURVE" => {
            let basis = reference(argument(records.arguments(curve), 0)).and_then(|id| records.get(id));
            let along = match basis.map(|basis| (records.kind(basis), basis)) {
                Some(("IFCPOLYLINE" | "IFCINDEXEDPOLYCURVE", _)) => return Err(WrongPipe::Trimmed),
                Some(("IFCLINE", line)) => line_direction(records, line),
                _ => None,
            };
            let is_forwards = argument(records.arguments(curve), 3) != b".F.";
            Ok(vec![if is_forwards { along } else { backwards(along) }])
        }
        _ => {
            let edges = edges(records, curve);
            *left = left.checked_sub(edges.len()).ok_or(WrongPipe::Long)?;
            if edges.is_empty() {
                return Ok(vec![None]);
            }
            let whole = edges.iter().filter(|edge| dot(&edge.along(), &edge.along()) > 0.0);
            Ok(whole.map(|edge| edge.through.is_none().then(|| edge.along())).collect())
        }
    }
}

/// Returns the direction of a line.
fn line_direction(records: &Records, line: &Record) -> Option<Point> {
    let next = |record: &Record, place| reference(argument(records.arguments(record), place));
    let vector = records.get(next(line, 1)?)?;
    let direction = records.get(next(vector, 0)?)?;
    points_in(argument(records.arguments(direction), 0)).first().copied()
}

/// Returns true for a profile with a polygon that the kernel thins out, or may thin out once it has made
/// one of arcs. Profiles may share their curves, which are `known` by their numbers.
pub fn is_thinned(records: &Records, profile: &Record, known: &mut HashMap<u32, bool>) -> bool {
    let arguments = records.arguments(profile);
    let mut curves = references(argument(arguments, 2)).chain(references(argument(arguments, 3)));
    let is_changed = |curve: &Record| {
        let edges = edges(records, curve);
        edges.is_empty() || edges.iter().any(|edge| edge.through.is_some()) || is_fine(&edges)
    };
    curves.any(|id| *known.entry(id).or_insert_with(|| records.get(id).is_some_and(is_changed)))
}

/// True for a polygon of many short edges.
fn is_fine(edges: &[Edge]) -> bool {
    let lengths = edges.iter().map(|edge| dot(&edge.along(), &edge.along()).sqrt());
    let lengths: Vec<f64> = lengths.filter(|length| *length > 0.0).collect();
    let extent = |k: usize| {
        let ends = edges.iter().flat_map(|edge| [edge.from[k], edge.to[k]]);
        let (lo, hi) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), x| (lo.min(x), hi.max(x)));
        hi - lo
    };
    let [x, y] = [0, 1].map(extent);
    let diagonal = (x * x + y * y).sqrt();
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    // An open list has a last edge to its beginning.
    lengths.len() + 1 >= FEWEST_THINNED && mean <= MEAN_EDGE * diagonal && longest <= LONGEST_EDGE * diagonal
}

/// Returns the largest radius of the arcs of an indexed curve; 0 if it has none.
pub fn largest_radius(records: &Records, curve: &Record) -> f64 {
    let radius = |edge: Edge| {
        let through = edge.through?;
        let [a, b, c] = [
            edge.along(),
            std::array::from_fn(|k| through[k] - edge.from[k]),
            std::array::from_fn(|k| edge.to[k] - through[k]),
        ];
        let square = dot(&a, &a) * dot(&b, &b) - dot(&a, &b) * dot(&a, &b);
        let radius = (dot(&a, &a) * dot(&b, &b) * dot(&c, &c)).sqrt() / (2.0 * square.sqrt());
        Some(radius).filter(|radius| radius.is_finite())
    };
    edges(records, curve).into_iter().filter_map(radius).fold(0.0, f64::max)
}

/// Returns the edges of a polyline or an indexed curve; none of another.
fn edges(records: &Records, curve: &Record) -> Vec<Edge> {
    let arguments_of = records.arguments(curve);
    let straight = |from: Point, to: Point| Edge { from, to, through: None };
    match records.kind(curve) {
        "IFCPOLYLINE" => {
            let points = references(argument(arguments_of, 0)).filter_map(|id| records.get(id));
            let points: Vec<Point> = points
                .filter_map(|point| points_in(argument(records.arguments(point), 0)).first().copied())
                .collect();
            points.windows(2).map(|two| straight(two[0], two[1])).collect()
        }
        "IFCINDEXEDPOLYCURVE" => {
            let list = reference(argument(arguments_of, 0)).and_then(|id| records.get(id));
            let points = list.map_or_else(Vec::new, |list| points_in(argument(records.arguments(list), 0)));
            let segments = argument(arguments_of, 1);
            if !segments.starts_with(b"(") {
                return points.windows(2).map(|two| straight(two[0], two[1])).collect();
            }
            let inner = segments[1..].strip_suffix(b")").unwrap_or_default();
            let edges_of = |segment: &[u8]| -> Vec<Edge> {
                let places = numbers_in(segment).into_iter().map(|place| place as usize);
                let points: Vec<Point> =
                    places.filter_map(|place| points.get(place.checked_sub(1)?).copied()).collect();
                match points[..] {
                    [from, through, to] if segment.starts_with(b"IFCARCINDEX") => {
                        vec![Edge { from, to, through: Some(through) }]
                    }
                    _ => points.windows(2).map(|two| straight(two[0], two[1])).collect(),
                }
            };
            arguments(inner).flat_map(edges_of).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the curves that a composite curve is made of, each with true if it is taken forwards.
fn segments<'a>(records: &'a Records, curve: &Record) -> impl Iterator<Item = (&'a Record, bool)> {
    let segments = references(argument(records.arguments(curve), 0)).filter_map(|id| records.get(id));
    segments.filter_map(|segment| {
        let arguments = records.arguments(segment);
        Some((records.get(reference(argument(arguments, 2))?)?, argument(arguments, 1) != b".F."))
    })
}

/// Returns the points of a text such as `(1.,2.)` or `((1.,2.),(3.,4.))`; a third coordinate may be missing.
fn points_in(text: &[u8]) -> Vec<Point> {
    let point = |one: &[u8]| {
        let numbers = numbers_in(one);
        let coordinate = |k: usize| numbers.get(k).copied().unwrap_or(0.0);
        (!numbers.is_empty()).then(|| [coordinate(0), coordinate(1), coordinate(2)])
    };
    text.split(|&byte| byte == b')').filter_map(point).collect()
}

/// Returns the numbers of a text such as `((1.,2.` or `IFCLINEINDEX((1,2))`.
fn numbers_in(text: &[u8]) -> Vec<f64> {
    let words = text.split(|byte| b"(), \t\r\n".contains(byte));
    words.filter_map(|word| std::str::from_utf8(word).ok()?.parse().ok()).collect()
}

fn dot(a: &Point, b: &Point) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(data: &str, id: u32, ask: impl Fn(&Records, &Record) -> T) -> T {
        let text = format!(
            "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('IFC4'));\nENDSEC;\nDATA;\n{data}ENDSEC;\nEND-ISO-10303-21;\n"
        );
        let records = Records::of(text.as_bytes()).expect("records");
        ask(&records, records.get(id).expect("the record"))
    }

    #[test]
    fn corners_of_pipes_are_found() {
        let line = "#1=IFCCARTESIANPOINT((0.,0.,0.));\n#2=IFCCARTESIANPOINT((0.,0.,5.));\n";
        let of = |end: &str, directrix: &str| {
            let data = format!(
                "{line}#3=IFCCARTESIANPOINT(({end}));\n{directrix}#9=IFCSWEPTDISKSOLID(#8,0.5,$,$,$);\n"
            );
            with(&data, 9, |records, pipe| wrong_pipe(records, pipe, &mut 100))
        };
        let of = |end: &str, directrix: &str| matches!(of(end, directrix), Some(WrongPipe::Corner));
        let polyline = "#8=IFCPOLYLINE((#1,#2,#3));\n";
        assert!(of("5.,0.,5.", polyline));
        assert!(!of("1.,0.,8.", polyline), "a turn of 18 degrees");
        assert!(of("1.,0.,7.", polyline), "a turn of 27 degrees");
        assert!(!of("0.,0.,9.", polyline));
        assert!(of("5.,0.,5.", &polyline.replace("#1,#2", "#1,#2,#2")), "a point twice");
        let composite = "#7=IFCPOLYLINE((#1,#2,#3));\n#6=IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,#7);\n\
                         #8=IFCCOMPOSITECURVE((#6),.F.);\n";
        assert!(of("5.,0.,5.", composite));
        // Its second leg runs backwards along a polyline, or forwards along a line.
        let legs = |second: &str| {
            let first = "#7=IFCPOLYLINE((#1,#2));\n#6=IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,#7);\n";
            of("5.,0.,5.", &format!("{first}{second}#8=IFCCOMPOSITECURVE((#6,#5),.F.);\n"))
        };
        assert!(legs("#4=IFCPOLYLINE((#3,#2));\n#5=IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.F.,#4);\n"));
        let line = |direction: &str| {
            format!(
                "#5=IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,#4);\n#4=IFCTRIMMEDCURVE(#10,(#2),(#3),.T.,.CARTESIAN.);\n\
                 #10=IFCLINE(#2,#11);\n#11=IFCVECTOR(#12,1.);\n#12=IFCDIRECTION(({direction}));\n"
            )
        };
        assert!(legs(&line("1.,0.,0.")) && !legs(&line("0.,0.,1.")));
        let trimmed =
            format!("{polyline}#7=IFCTRIMMEDCURVE(#8,(IFCPARAMETERVALUE(0.)),(#3),.T.,.PARAMETER.);\n");
        let data = format!("{trimmed}#9=IFCSWEPTDISKSOLID(#7,0.5,$,$,$);\n");
        let why = |data: &str| with(data, 9, |records, pipe| wrong_pipe(records, pipe, &mut data.len()));
        assert!(matches!(why(&data), Some(WrongPipe::Trimmed)));
        // A curve that is a thousand times a part of itself would take longer than the world is old.
        let parts = vec!["#6"; 1000].join(",");
        let endless = format!(
            "#6=IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,#8);\n#8=IFCCOMPOSITECURVE(({parts}),.F.);\n"
        );
        let data = format!("{endless}#9=IFCSWEPTDISKSOLID(#8,0.5,$,$,$);\n");
        assert!(matches!(why(&data), Some(WrongPipe::Long)));
        let indexed = |segments: &str| {
            let list =
                "#7=IFCCARTESIANPOINTLIST3D(((0.,0.,0.),(0.,0.,4.),(0.3,0.,4.7),(1.,0.,5.),(5.,0.,5.)));\n";
            of("0.,0.,9.", &format!("{list}#8=IFCINDEXEDPOLYCURVE(#7,{segments},.F.);\n"))
        };
        assert!(indexed("$"));
        assert!(!indexed("(IFCLINEINDEX((1,2)),IFCARCINDEX((2,3,4)),IFCLINEINDEX((4,5)))"));
        assert!(indexed("(IFCLINEINDEX((1,2)),IFCLINEINDEX((2,5)))"));
    }

    #[test]
    fn fine_polygons_and_arcs_are_found() {
        let thinned = |records: &Records, profile: &Record| is_thinned(records, profile, &mut HashMap::new());
        let polygon = |sides: usize| {
            let point = |k: usize| {
                let angle = k as f64 / sides as f64 * std::f64::consts::TAU;
                format!("#{}=IFCCARTESIANPOINT(({:?},{:?}));\n", k + 10, angle.cos(), angle.sin())
            };
            let points: String = (0..sides).map(point).collect();
            let ids: Vec<String> = (0..sides).chain([0]).map(|k| format!("#{}", k + 10)).collect();
            let curve = format!("#2=IFCPOLYLINE(({}));\n", ids.join(","));
            with(&format!("{points}{curve}#1=IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,#2);\n"), 1, thinned)
        };
        assert_eq!([4, 20, 60, 360].map(polygon), [false, false, true, true]);
        let arcs = "#3=IFCCARTESIANPOINTLIST2D(((0.,1.),(1.,0.),(0.,-1.)));\n\
                    #2=IFCINDEXEDPOLYCURVE(#3,(IFCARCINDEX((1,2,3)),IFCLINEINDEX((3,1))),.F.);\n\
                    #1=IFCARBITRARYPROFILEDEFWITHVOIDS(.AREA.,$,#4,(#2));\n#4=IFCPOLYLINE(());\n";
        assert!(with(arcs, 1, thinned));
        assert!((with(arcs, 2, largest_radius) - 1.0).abs() < 1e-15);
    }
}
