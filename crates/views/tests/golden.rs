//! Pictures as they were when people last looked at them. A change of any pixel fails, and says what to look
//! at: `tests/golden` has the pictures that are known to be good.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use closefit::Unobserved;
use closefit_generate::{Request, generate};
use closefit_job::{CheckOptions, Job, Project, ReadScene, SweepOptions, read};
use closefit_picture::{Kind, Mode, Picture};
use closefit_report::{CheckReport, SweepReport};
use closefit_scene::read::ReadOptions;
use closefit_views::{Shown, Views};

/// The size of the pictures.
const SIZE: [u32; 2] = [400, 300];

/// Checks the example, a gearbox with a clash, a gap and contacts.
fn gearbox() -> (Job, CheckReport) {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/gearbox.glb"));
    let scene = read(&[path], &ReadOptions::default(), &Unobserved).expect("the example");
    let job = Job::new(scene, Project::default()).expect("a job");
    let request = job.check_request().expect("defaults").clearance(0.0001);
    let found = job.check(&request, &CheckOptions::default(), &Unobserved).expect("a check");
    (job, found.report)
}

/// Sweeps an arm that meets what stands around it.
fn robot() -> (Job, SweepReport) {
    let request = Request { name: "robot".to_owned(), size: Some(8), seed: 1, soup: false };
    let scene = generate(&request).expect("a scene of that name");
    let job = Job::new(ReadScene::from(scene), Project::default()).expect("a job");
    let request = job.sweep_request(None, None).expect("defaults").clearance(0.2);
    let found = job.sweep(&request, &SweepOptions::default(), &Unobserved).expect("a sweep");
    (job, found.report)
}

/// Compares a picture with the one that is known to be good.
#[track_caller]
fn compare(name: &str, picture: &Picture) {
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.png"));
    let file = picture.png();
    // As the files show them: of many colours, the rarest are replaced.
    let [known_pixels, pixels] =
        [std::fs::read(&known).map(pixels).unwrap_or_default(), pixels(file.clone())];
    let differ = match known_pixels.len() == pixels.len() {
        true => known_pixels.iter().zip(&pixels).filter(|(p, q)| p != q).count(),
        false => pixels.len(),
    };
    if differ > 0 {
        let found = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
        std::fs::write(&found, file).expect("a folder for files of tests");
        let [known, found] = [known, found].map(|path| path.display().to_string());
        panic!(
            "{differ} pixels of {name} differ: look at {found} and at {known}. If the new one is right: cp {found} {known}"
        );
    }
}

/// Reads the pixels of a PNG file.
fn pixels(file: Vec<u8>) -> Vec<[u8; 3]> {
    let mut decoder = png::Decoder::new(Cursor::new(file));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().expect("a PNG file");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut bytes).expect("all pixels");
    bytes.as_chunks().0.to_vec()
}

/// The first finding of each kind, and all of them as dots.
#[test]
fn findings_of_a_check_look_as_they_did() {
    let (job, report) = gearbox();
    let views = Views::of(job.scene(), &report);
    for (name, kind, mode, has_circle) in [
        ("clash", Kind::Overlap, Mode::Section, false),
        ("gap", Kind::Gap, Mode::Section, true),
        ("contact", Kind::Meeting, Mode::XRay, false),
    ] {
        let pair = report.pairs.iter().find(|pair| pair.kind() == kind).expect("a finding of each kind");
        let view = views.view(pair);
        assert_eq!((view.mode, view.detail.is_some()), (mode, has_circle), "{name}");
        compare(name, &views.picture(pair, SIZE));
    }
    compare("whole", &views.whole_picture(SIZE));
}

#[test]
fn a_finding_of_a_sweep_looks_as_it_did() {
    let (job, report) = robot();
    let views = Views::of(job.scene(), &report);
    let met = report.pairs.iter().find(|pair| pair.contact().is_some()).expect("an arm that meets something");
    compare("sweep", &views.picture(met, SIZE));
    compare("sweep-whole", &views.whole_picture(SIZE));
}
