//! The longer texts of the help. The command line wraps their paragraphs; lists fit 80 columns.

/// The heading of options about output.
pub const OUTPUT: &str = "Output";

/// The heading of options about issues for viewers of building models.
pub const BCF: &str = "BCF issues";

/// The text after the commands.
pub const EXAMPLES: &str = "\
Examples:
  closefit generate gearbox             write a benchmark scene, gearbox.glb
  closefit inspect gearbox.glb          show its parts and mesh defects
  closefit check gearbox.glb            find its clashes and contacts
  closefit generate robot               write a moving scene to robot/
  closefit sweep robot/scene.json       find its times of contact

'closefit COMMAND --help' shows the options of a command.";

/// The paragraph about `--depth`.
macro_rules! depths {
    () => {
        "\
Detail of depths:
  full     the depth of every overlap, to 1 %
  verdict  only whether the depth exceeds the tolerance
  none     no depths: a clash or contact has the verdict 'meets', and fails
           like a clash
"
    };
}

/// The text after the options of `check`.
pub const CHECK: &str = concat!(
    "\
Lengths are in scene units, or have a unit of their own: 5mm, 0.2in. Several SCENE \
    files make one scene.

Cross-check: every near pair is searched again by each kind of tree named, in lanes and \
    one by one. Triangles in contact and closest triangles must be the same to the last \
    bit. If they are not, the run ends; a scene of the two parts, reduced to the triangles \
    that matter, is written to disagreement/ in the directory of --out.

",
    depths!(),
    "
Examples:
  closefit check gearbox.glb --clearance 0.1mm
  closefit check gearbox.glb --out result --fail-on clash
  closefit check gearbox.glb --picture overview.png
  closefit check house.glb --against pipes.glb --clearance 25mm
  closefit check house.glb pipes.glb --rules rules.toml
  closefit check robot/scene.json --at 2.5 --json"
);

/// The text after the options of `batch`.
pub const BATCH: &str = concat!(
    "\
LIST has a line of JSON for each scene, with paths relative to the list:
  {\"id\": \"a7\", \"scene\": [\"a.glb\", \"b.glb\"], \"rules\": \"r.toml\", \"out\": \"a7\"}

Only scene is needed. With out, the files of a check are written there. Each scene gets a line of JSON on \
    stdout. A row that is wrong gets a line that says why, and the next one is asked; the run then ends \
    with status 2. All options hold for every scene. All threads work on one scene at a time.

",
    depths!(),
    "
Examples:
  closefit batch scenes.jsonl --clearance 1mm > answers.jsonl
  closefit batch scenes.jsonl --rules clash.toml --fail-on clash --out result"
);

/// The text after the options of `sweep`.
pub const SWEEP: &str = "\
Lengths are in scene units, or have a unit of their own: 5mm, 0.2in. Several SCENE \
    files make one scene.

No contact is missed, however brief: time is divided into cells in which no point \
    moves farther than half the precision.

Examples:
  closefit sweep robot/scene.json
  closefit sweep robot/scene.json --from 2 --to 4 --clearance 10mm
  closefit sweep robot/scene.json --trace wrist,hand";

/// The text after the options of `slack`.
pub const SLACK: &str = "\
PART is a name, a key or an id. Arguments after the first that end like a scene file are \
    scene files.

Each part moves alone, along and about three axes, both ways, until it is nearer than \
    --clearance to another part: to within the precision. It is free where it leaves the scene, \
    or turns all around. Margin is the length of every safe shift.

A neighbour that is nearer already:
  apart              it may come no nearer than it is
  touches            the part is first taken off it by a short step, so it may
                     slide along it; 0 where it would press against it
  overlaps, or one   it leaves no room: a rule can exclude the pair
  is in the other

Examples:
  closefit slack gearbox.glb planet_1
  closefit slack gearbox.glb --all --clearance 0.1mm
  closefit slack gearbox.glb planet_1 --axes part --about 0,0,12 --json

Exit status:
  0   the room is known
  2   wrong usage or bad input, or no other part is asked";

/// The text after the options of `bench`.
pub const BENCH: &str = "\
Asks one question by every method: at rest, or over the motion if something moves, or at --poses. The \
    first line is the default; each other differs from it in one choice, which is a flag of check and \
    sweep. All must give the same answer.

Examples:
  closefit bench assembly.glb
  closefit bench robot.urdf --trajectory go.csv --rounds 5
  closefit bench a.stl b.stl --poses poses.csv --out result

Exit status:
  0   all methods gave the same answer
  2   wrong usage or bad input, or no pair is asked
  3   two methods did not: please report it";

/// The text after the options of `joint-box`.
pub const JOINT_BOX: &str = "\
Every combination of values within the ranges counts, not only some of them. For each pair of parts of \
    which one hangs on a joint:
  never       farther apart than --clearance in every configuration: proven
  always      as near as that in every configuration: proven
  sometimes   a configuration in which they are near, and one in which they are not
  unknown     not decided by --configurations, or one may lie inside the other

A pair depends on the joints between its parts only: one to three are mostly decided, more take long.

Examples:
  closefit joint-box arm.urdf
  closefit joint-box arm.urdf --joint elbow=-1.2:0.8 --joint wrist=0 --clearance 5mm
  closefit joint-box arm.urdf --write-srdf arm.srdf

Exit status:
  0   no pair can meet
  1   some pair can meet, or it is not known
  2   wrong usage or bad input, or no pair of parts of the robot is asked";

/// The text after the options of `diff`.
pub const DIFF: &str = "\
OLD and NEW are two report.json of check, or two of sweep.

What became of a pair:
  new               only NEW lists it
  active            both list it: as it was, worse, better or unknown now
  resolved          NEW looked at it and does not list it
  part gone         NEW does not have one of its parts
  not checked       NEW may have excluded it, or one of the two has not looked at it: its run had
                    a budget, lacked a shard or crashed
  settings changed  only one lists it, because of its clearance or tolerance

New contacts are no findings: they fail only with --fail-on-diff any.

Examples:
  closefit diff old/report.json new/report.json
  closefit diff old/report.json new/report.json --review review.json --out changes

Exit status:
  0   no change of --fail-on-diff
  1   some such change
  2   wrong usage or bad input";

/// The text after the options of `report`.
pub const REPORT: &str = "\
OUT is the folder of a finished check or sweep: its report.json has the findings, and its run.json \
    says which files it read. They are read again, from where the run was started, and must be \
    as they were.

Examples:
  closefit report result --picture overview.png
  closefit report result --picture clash.png --picture-of 8be9bc86b7d73450ab75
  closefit report result --picture clash.png --picture-of bolt,nut
  closefit report result --bcf issues.bcf --author me@example.com";

/// The text after the options of `reproduce`.
pub const REPRODUCE: &str = "\
Each table has the paper's numbers, those of closefit, and a verdict on each claim of the paper. \
    Counts are the same on every machine; seconds are of this one.

A table is printed, and written with --out, as soon as it is complete: an interrupted run keeps those that \
    are. A full run may decide otherwise than a quick one, whose files have names of their own: \
    TABLE-quick.json.

Examples:
  closefit reproduce --list
  closefit reproduce zachmann-depth --quick
  closefit reproduce --out papers

Exit status:
  0   the tables are complete, whatever the verdicts
  2   wrong usage";

const EXIT_STATUS: &str = "\
Exit status:
  0               no pair at or above --fail-on
  1               some pair at or above --fail-on
  2               wrong usage or bad input, or no pair to check
";
const DISAGREEMENT: &str = "  3               trees disagree under --cross-check\n";
const INTERRUPTED: &str = "  130, 143, 129   interrupted by Ctrl-C, SIGTERM or SIGHUP";

/// Examples of `closefit devices`.
#[cfg(feature = "gpu")]
pub const DEVICES: &str = "\
Examples:
  closefit devices                              list the adapters
  closefit devices --threads 4                  say when a device pays beside 4 threads
  closefit check scene.glb --backend gpu        take the first
  closefit check scene.glb --backend gpu --adapter 1

Answers do not depend on the device. docs/devices.md says when one pays.";

/// The text after the options of `inspect`.
pub const INSPECT: &str = "\
Features:
  hull       faces, edges and vertices of the convex hull: red ones the mesh has
             too, green ones it has not, mixed faces it covers in part
  concavity  triangles off the hull, connected across edges, with the loops of
             edges around them
  cap        a part of a hull face that the mesh does not cover
  pockets    the volume of the hull less that of the solid

Examples:
  closefit inspect gearbox.glb
  closefit inspect gearbox.glb --features
  closefit inspect gearbox.glb --json";

/// The text after the options of `merge`.
pub const MERGE: &str = "\
The directories are those of --out of check, sweep or batch with --shard. \
    The run is repeated in the current directory as the plan.json there says, so the scene's files have to be \
    where the shards found them; what shards have decided is not decided again. Lines of rows are only put in \
    order. Numbers of missing shards are written to missing.txt beside the plan, as schedulers take them.

Examples:
  closefit check plant.json --shard 1/2 --out run
  closefit check plant.json --shard 2/2 --out run
  closefit merge run --out result";

/// The text after the options of `waive`.
pub const WAIVE: &str = "\
The rules file gets a [[waive]] for each pair: it is accepted up to 1.1 times today's \
    depth. Comments and order of the file stay as they are. If there is no such file, it is made.

Examples:
  closefit waive cover_back,bolt_front_4 --report result/report.json \
      --rules rules.toml --reason 'as designed'
  closefit waive --review review.json --report result/report.json --rules rules.toml
  closefit waive 8be9bc86b7d73450ab75 --report result/report.json \
      --rules rules.toml --reason 'approved, RFI 88'";

/// The text after the options of `verify`.
pub const VERIFY: &str = "\
Settings are those of the certificate. If neither the scene nor the rules have changed, the \
    claims give the same certificate, byte by byte.

Exit status:
  0   the certificate is what closefit finds, and every claim holds
  1   it is stale, or a claim does not hold
  2   wrong usage or bad input
  3   the trees of its cross-check disagree

Example:
  closefit verify result/certificate.json gearbox.glb --rules gearbox.toml";

/// The text after the options of `generate`.
pub const GENERATE: &str = "\
Examples:
  closefit generate --list
  closefit generate gearbox
  closefit generate boxes --size 10000 --seed 7 --out scenes";

/// Returns a text followed by the exit statuses of a command that decides pairs, and may compare trees.
pub fn with_exit_status(text: &str, compares: bool) -> String {
    format!("{text}\n\n{EXIT_STATUS}{}{INTERRUPTED}", if compares { DISAGREEMENT } else { "" })
}
