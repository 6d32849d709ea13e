//! The longer texts of the help. The command line wraps their paragraphs; lists fit 80 columns.

/// The heading of options about output.
pub const OUTPUT: &str = "Output";

/// The heading of options about issues for viewers of building models.
pub const BCF: &str = "BCF issues";

/// The heading of options about methods, the last ones.
pub const METHODS: &str = "Methods and performance (without effect on answers)";

/// The help of scene files that hold one robot.
pub const ROBOT_ALONE: &str = "A robot, .urdf .xml (MJCF) or .sdf";

/// The help of scene files that hold a robot and more.
pub const ROBOT: &str = "A robot, .urdf .xml (MJCF) or .sdf, and files around it";

/// The text after the commands.
pub const EXAMPLES: &str = "\
Examples:
  closefit generate gearbox                   write an example, gearbox.glb
  closefit check gearbox.glb                  find its clashes
  closefit check gearbox.glb --html page.html look at them in a browser
  closefit generate robot                     write a moving example, robot/scene.json
  closefit sweep robot/scene.json             find times of contact

'closefit COMMAND -h' shows the most used options of a command, '--help' all.";

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
    files are checked as one scene.

--cross-check searches every candidate pair again with each kind of tree that you name. The \
    triangles in contact and the closest triangles must be the same to the last bit. If they \
    differ, the run ends, and a scene of the two parts, reduced to the triangles that matter, \
    is written to disagreement/ in the folder of --out.

",
    depths!(),
    "
Examples:
  closefit check gearbox.glb --clearance 0.1mm
  closefit check gearbox.glb --html page.html --out result
  closefit check house.glb --against pipes.glb --clearance 25mm
  closefit check house.glb pipes.glb --rules rules.toml --fail-on clash
  closefit check gearbox.glb --picture overview.png
  closefit check robot/scene.json --at 2.5 --json"
);

/// The text after the options of `batch`.
pub const BATCH: &str = concat!(
    "\
LIST has a line of JSON for each scene, with paths relative to the list:
  {\"id\": \"a7\", \"scene\": [\"a.glb\", \"b.glb\"], \"rules\": \"r.toml\", \"out\": \"a7\"}

Only scene is required. If a row has out, the files of a check are written there. Each scene gets a \
    line of JSON on stdout. If a row is wrong, its line gives the reason, the run continues, and the exit \
    status is 2. All options apply to every scene. All threads work on one scene at a time.

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
    files are swept as one scene.

No contact is missed, however brief: time is divided into cells in which no point \
    moves farther than half the precision.

Examples:
  closefit sweep robot/scene.json
  closefit sweep arm.urdf --joint elbow=limits --intervals
  closefit sweep robot/scene.json --from 2 --to 4 --clearance 10mm
  closefit sweep robot/scene.json --trace wrist,hand";

/// The text after the options of `slack`.
pub const SLACK: &str = "\
PART is a name, a key or an id. Arguments after the first that end like a scene file are \
    scene files.

Each part moves alone, along and about three axes, in both directions, until it is nearer than \
    --clearance to another part. How far it can move is its clearance travel; the brackets are as \
    wide as the precision. If it leaves the scene, or turns all around, it is free. A part can be \
    shifted in any direction by its margin without coming too near.

If a neighbour is nearer than that at the start:
  apart              the part may come no nearer than it is
  touches            the part is first moved away by a short step, and may then
                     slide along it; 0 where it would press against it
  overlaps, or one   the part cannot move: a rule can exclude the pair
  is in the other

Examples:
  closefit slack gearbox.glb planet_1
  closefit slack gearbox.glb --all --clearance 0.1mm
  closefit slack gearbox.glb planet_1 --axes part --about 0,0,12 --json

Exit status:
  0   the clearance travel is known
  2   wrong usage or bad input, or there is no other part to check";

/// The text after the options of `bench`.
pub const BENCH: &str = "\
Runs one check by every method: at rest, over the motion if something moves, or at --poses. The \
    first line is the default. Each other line differs from it in one choice, which is a flag of check \
    and sweep. All methods must give the same answer.

Examples:
  closefit bench assembly.glb
  closefit bench robot.urdf --trajectory go.csv --rounds 5
  closefit bench a.stl b.stl --poses poses.csv --out result

Exit status:
  0   all methods gave the same answer
  2   wrong usage or bad input, or there is no pair to check
  3   two methods gave different answers: please report it";

/// The text after the options of `joint-box`.
pub const JOINT_BOX: &str = "\
All combinations of joint values within the ranges are examined, not samples of them. The answers \
    about a pair:
  never       farther apart than --clearance in every configuration: proven
  always      that close in every configuration: proven
  sometimes   close in one configuration and apart in another: both are given
  unknown     not decided within --configurations, or one may be inside the other

Only the joints between the two parts of a pair matter. Pairs with one to three joints between them are \
    mostly decided; more joints take long.

Examples:
  closefit joint-box arm.urdf
  closefit joint-box arm.urdf --joint elbow=-1.2:0.8 --joint wrist=0 --clearance 5mm
  closefit joint-box arm.urdf --write-srdf arm.srdf

Exit status:
  0   no pair can meet
  1   some pair can meet, or it is not known
  2   wrong usage or bad input, or there is no pair to check";

/// The text after the options of `audit`.
pub const AUDIT: &str = "\
Compares the visual and the collision geometry of each link of a robot, with brackets:
  protrusion   how far the visual geometry reaches out of the collision geometry,
               which misses contacts there
  gap          how far the collision geometry reaches out of the visual, and
               invents contacts there

With --srdf, each line with the reason Never is
  proven       the links do not meet in any configuration
  false        they meet in the configuration given
  open         not decided within --configurations, or one may be inside the other

Examples:
  closefit audit arm.urdf
  closefit audit arm.urdf --srdf arm.srdf --json
  closefit audit arm.xml --as hull

Exit status:
  0   every link with visual geometry has collision geometry, and every line
      with the reason Never is proven
  1   some link has none, or some line is false or open
  2   wrong usage or bad input";

/// The text after the options of `diff`.
pub const DIFF: &str = "\
OLD and NEW are two report.json files of check, or two of sweep.

The status of a pair:
  new               only NEW lists it
  active            both list it: unchanged, worse, better or now unknown
  resolved          NEW checked it and does not list it
  part gone         NEW does not have one of its parts
  not checked       NEW excluded it, or one of the runs did not check it: it had
                    a budget, lacked a shard or crashed
  settings changed  only one lists it, because of its clearance or tolerance

A new contact is not a finding: it fails only with --fail-on-diff any.

Examples:
  closefit diff old/report.json new/report.json
  closefit diff old/report.json new/report.json --review review.json --out changes

Exit status:
  0   no change of --fail-on-diff
  1   some such change
  2   wrong usage or bad input";

/// The text after the options of `report`.
pub const REPORT: &str = "\
OUT is the folder of a finished check or sweep: report.json has the findings, and run.json names the \
    files of the scene. These files are read again. Start the command in the folder in which the run was \
    started; the files must not have changed.

Examples:
  closefit report result --html page.html
  closefit report result --picture overview.png
  closefit report result --picture clash.png --picture-of 8be9bc86b7d73450ab75
  closefit report result --picture clash.png --picture-of bolt,nut
  closefit report result --bcf issues.bcf --author me@example.com";

/// The text after the options of `reproduce`.
pub const REPRODUCE: &str = "\
Each table has the paper's numbers, closefit's numbers, and a verdict on each claim of the paper. \
    Counts are the same on every machine; seconds are of this machine.

Each table is printed, and written with --out, as soon as it is complete, so an interrupted run keeps the \
    complete ones. A quick run may have other verdicts than a full one; its files are called \
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
  closefit devices --threads 4                  when is a GPU faster than 4 threads?
  closefit check scene.glb --backend gpu        use the first
  closefit check scene.glb --backend gpu --adapter 1

Answers do not depend on the device. See docs/devices.md for when one is faster.";

/// The text after the options of `inspect`.
pub const INSPECT: &str = "\
Features:
  hull       faces, edges and vertices of the convex hull: the mesh has the red
             ones too, lacks the green ones, and covers mixed faces in part
  concavity  triangles off the hull, connected across edges, with the loops of
             edges around them
  cap        a part of a hull face that the mesh does not cover
  pockets    the volume of the hull minus the volume of the solid

Examples:
  closefit inspect gearbox.glb
  closefit inspect gearbox.glb --features
  closefit inspect gearbox.glb --json";

/// The text after the options of `merge`.
pub const MERGE: &str = "\
Name the folders that check, sweep or batch with --shard wrote to (--out). \
    The run is repeated in the current folder as plan.json describes it, but pairs that a shard has decided \
    are not decided again. The files of the scene must be where the shards found them. Lines of rows are \
    only put in order. If shards are missing, their numbers are written to missing.txt next to the plan, in \
    the form that schedulers accept.

Examples:
  closefit check plant.json --shard 1/2 --out run
  closefit check plant.json --shard 2/2 --out run
  closefit merge run --out result";

/// The text after the options of `waive`.
pub const WAIVE: &str = "\
The rules file gets a [[waive]] for each pair, which accepts it up to 1.1 times today's \
    depth. The rest of the file is unchanged. If the file does not exist, it is created.

Examples:
  closefit waive cover_back,bolt_front_4 --report result/report.json \
      --rules rules.toml --reason 'as designed'
  closefit waive --review review.json --report result/report.json --rules rules.toml
  closefit waive 8be9bc86b7d73450ab75 --report result/report.json \
      --rules rules.toml --reason 'approved, RFI 88'";

/// The text after the options of `verify`.
pub const VERIFY: &str = "\
The settings come from the certificate. If neither the scene nor the rules have changed, the \
    new certificate is the same, byte by byte.

Exit status:
  0   the certificate is up to date, and every claim holds
  1   it is out of date, or a claim does not hold
  2   wrong usage or bad input
  3   the trees of its cross-check disagree

Examples:
  closefit verify result/certificate.json gearbox.glb --rules gearbox.toml";

/// The text after the options of `generate`.
pub const GENERATE: &str = "\
Examples:
  closefit generate --list
  closefit generate gearbox
  closefit generate boxes --size 10000 --seed 7 --out scenes";

/// The text after the options of `completions`.
pub const COMPLETIONS: &str = "\
Examples:
  closefit completions bash > ~/.local/share/bash-completion/completions/closefit
  closefit completions zsh > ~/.zfunc/_closefit
  closefit completions fish > ~/.config/fish/completions/closefit.fish";

/// The text after the options of `man`.
pub const MAN: &str = "\
Examples:
  closefit man | man -l -
  closefit man ~/.local/share/man/man1";

/// Returns a text followed by the exit statuses of a command that decides pairs, and may compare trees.
pub fn with_exit_status(text: &str, compares: bool) -> String {
    format!("{text}\n\n{EXIT_STATUS}{}{INTERRUPTED}", if compares { DISAGREEMENT } else { "" })
}
