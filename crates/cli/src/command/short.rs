//! The two forms of the help: the short one of `-h`, which fits a screen, and the whole one of `--help`.

use clap::{Arg, ArgAction, Command};

/// A form of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The most used flags, a line each, and a few examples.
    Short,
    /// Every flag, in groups.
    Whole,
}

/// The largest number of examples of the short help.
const EXAMPLES: usize = 4;

/// The commands by what people want of them.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Find", &["inspect", "check", "sweep", "slack", "joint-box", "audit"]),
    ("Compare, accept and show", &["diff", "waive", "verify", "report"]),
    ("Run many", &["batch", "merge", "devices"]),
    ("Measure and reproduce", &["generate", "bench", "reproduce"]),
    ("Set up", &["completions", "man", "licenses"]),
];

/// The most used flags of the commands that have many, with a line of help for each.
const SHORT: [(&str, &[(&str, &str)]); 10] = [
    (
        "check",
        &[
            ("clearance", "List pairs that are no farther apart than this"),
            ("tolerance", "Largest depth that still counts as contact"),
            ("unit", "Unit of STL, OBJ, PLY or OFF: mm, cm, m, in, ft"),
            ("against", "Check only SCENE against these files"),
            ("rules", "What to check, what to accept, what must hold"),
            ("baseline", "Fail only on what is new or worse than this report"),
            ("list", "Mildest verdict in the table, or all"),
            ("fail_on", "Mildest verdict that gives exit status 1"),
            ("out", "Write report.json, pairs.csv and other files"),
            ("html", "Write a page with the findings and the model in 3D"),
            ("bcf", "Write BCF issues with pictures"),
            ("json", "Print only the report, as JSON"),
        ],
    ),
    (
        "sweep",
        &[
            ("clearance", "List pairs that come as close as this"),
            ("precision", "Width of the brackets of distances"),
            ("trajectory", "Motion of a robot: CSV with t_s,joint,..."),
            ("joints", "Sweep a joint: NAME=limits, NAME=-90deg:0deg"),
            ("from", "Start of the sweep, in seconds"),
            ("to", "End of the sweep, in seconds"),
            ("intervals", "Find all intervals of contact"),
            ("rules", "What to check, what to accept, what must hold"),
            ("fail_on", "Mildest verdict that gives exit status 1"),
            ("out", "Write report.json, pairs.csv and other files"),
            ("html", "Write a page with the findings and the model in 3D"),
            ("json", "Print only the report, as JSON"),
        ],
    ),
    (
        "batch",
        &[
            ("clearance", "List pairs that are no farther apart than this"),
            ("rules", "Rules for the scenes whose rows name none"),
            ("unit", "Unit of STL, OBJ, PLY or OFF: mm, cm, m, in, ft"),
            ("fail_on", "Mildest verdict that gives exit status 1"),
            ("out", "Write the lines to rows.jsonl in this folder"),
            ("resume", "Continue the stopped run in --out"),
            ("shard", "Check one of N shares of the rows: I/N"),
            ("threads", "Number of threads"),
            ("quiet", "Print no notes or progress"),
        ],
    ),
    (
        "slack",
        &[
            ("all", "Examine every part"),
            ("clearance", "The distance that parts keep"),
            ("precision", "Width of the brackets"),
            ("axes", "Axes of the moves: scene or part"),
            ("about", "Point on the axes of all turns: X,Y,Z"),
            ("rules", "What to check"),
            ("unit", "Unit of STL, OBJ, PLY or OFF: mm, cm, m, in, ft"),
            ("out", "Write slack.json and slack.csv to this folder"),
            ("json", "Print only the report, as JSON"),
        ],
    ),
    (
        "joint-box",
        &[
            ("joints", "Range of a joint: NAME=limits or NAME=-90deg:0deg"),
            ("clearance", "Parts this close count as near"),
            ("configurations", "Most configurations to try for each pair"),
            ("collision_geometry", "Use the collision meshes of the robot"),
            ("srdf", "Exclude the pairs that this SRDF disables"),
            ("write_srdf", "Write the pairs that never meet to this SRDF"),
            ("out", "Write joint-box.json to this folder"),
            ("json", "Print only the report, as JSON"),
        ],
    ),
    (
        "audit",
        &[
            ("srdf", "Prove or refute the Never lines of this SRDF"),
            ("precision", "Width of the brackets"),
            ("form", "Form of collision meshes: mesh or hull"),
            ("packages", "Folder of a ROS package: NAME=DIR"),
            ("allow_outside", "Allow files outside the folder of the robot"),
            ("out", "Write audit.json to this folder"),
            ("json", "Print only the report, as JSON"),
        ],
    ),
    (
        "report",
        &[
            ("html", "Write a page with the findings and the model in 3D"),
            ("picture", "Draw the scene, or the finding of --picture-of, as PNG"),
            ("picture_of", "Finding to draw: a key, or two parts as A,B"),
            ("bcf", "Write BCF issues with pictures"),
            ("author", "Author of the issues"),
            ("glb", "Write the parts of all findings as binary glTF"),
            ("review", "Statuses and comments: a review.json"),
        ],
    ),
    (
        "inspect",
        &[
            ("features", "Show concavities and pockets"),
            ("unit", "Unit of STL, OBJ, PLY or OFF: mm, cm, m, in, ft"),
            ("collision_geometry", "Use the collision meshes of a robot"),
            ("allow_missing", "Leave out parts that cannot be read"),
            ("json", "Print only the document, as JSON"),
            ("quiet", "Print nothing"),
        ],
    ),
    (
        "bench",
        &[
            ("clearance", "List pairs that are no farther apart than this"),
            ("at", "Time of moving parts, instead of their motion"),
            ("poses", "Poses of two meshes, as a CSV file"),
            ("rounds", "Number of rounds: one does not name a fastest"),
            ("limit", "Stop a method after this many seconds"),
            ("unit", "Unit of STL, OBJ, PLY or OFF: mm, cm, m, in, ft"),
            ("threads", "Number of threads"),
            ("out", "Write bench.json and bench.svg to this folder"),
        ],
    ),
    (
        "verify",
        &[
            ("rules", "Rules file with the claims"),
            ("unit", "Unit of STL, OBJ, PLY or OFF: mm, cm, m, in, ft"),
            ("trajectory", "Motion of a robot: CSV with t_s,joint,..."),
            ("srdf", "SRDF of the run"),
            ("json", "Print only the new certificate, as JSON"),
            ("quiet", "Print no table, notes or progress"),
        ],
    ),
];

/// Returns the command line with help of one form, for itself and each command.
pub fn shaped(command: Command, form: Form) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    let all =
        names.into_iter().fold(command, |all, name| all.mut_subcommand(name, |one| of_command(one, form)));
    let template = match form {
        Form::Short => of_program(&all, &GROUPS[..2]),
        Form::Whole => of_program(&all, &GROUPS),
    };
    // The other commands get this flag from the program.
    let all = all.mut_arg("color", |color| color.hide(form == Form::Short));
    with_help_flag(all.help_template(template), form)
}

/// Returns the help of the program: the commands by groups, and then the options.
fn of_program(command: &Command, groups: &[(&str, &[&str])]) -> String {
    let mut text = "{about}\n\n{usage-heading} {usage}\n".to_owned();
    for (title, names) in groups {
        text += &format!("\n{title}:\n");
        // A program that was built with fewer features has fewer commands.
        for one in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = one.get_about().map(ToString::to_string).unwrap_or_default();
            text += &format!("  {:11}  {about}\n", one.get_name());
        }
    }
    if groups.len() < GROUPS.len() {
        let others = GROUPS[groups.len()..].iter().flat_map(|(_, names)| *names).copied();
        let others: Vec<&str> = others.filter(|name| command.find_subcommand(name).is_some()).collect();
        text += &format!("\nAlso: {}", others.join(", "));
    } else {
        text += "\nOptions:\n{options}";
    }
    text + "{after-help}"
}

/// Returns a command with help of one form.
fn of_command(command: Command, form: Form) -> Command {
    let command = with_help_flag(command, form);
    if form == Form::Whole {
        return command;
    }
    let name = command.get_name().to_owned();
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let examples = examples(&text);
    let command = match SHORT.iter().find(|(of, _)| *of == name) {
        Some((_, most_used)) => with_most_used(command, most_used),
        None => command,
    };
    command.after_help(examples)
}

/// Returns a command whose help shows these flags alone, a line each, and what has no flag.
fn with_most_used(command: Command, most_used: &'static [(&'static str, &'static str)]) -> Command {
    command.mut_args(|arg| {
        if arg.is_positional() || arg.get_id() == "help" {
            return arg;
        }
        let takes_value = arg.get_action().takes_values();
        match most_used.iter().position(|(id, _)| arg.get_id() == *id) {
            // One list, in the order in which people need them.
            Some(at) => arg
                .help(most_used[at].1)
                .help_heading(None)
                .hide_default_value(takes_value)
                .hide_possible_values(takes_value)
                .display_order(at),
            None => arg.hide(true),
        }
    })
}

/// Returns a command with a flag for help that says what the other form is.
fn with_help_flag(command: Command, form: Form) -> Command {
    let about = match form {
        Form::Short => "Print this summary; --help explains all options",
        Form::Whole => "Print all options; -h prints a summary",
    };
    let flag = Arg::new("help").short('h').long("help").help(about).action(ArgAction::Help);
    command.disable_help_flag(true).arg(flag.help_heading(None).display_order(999))
}

/// Returns the first examples of a command's help, each on one line.
fn examples(text: &str) -> String {
    let Some((_, rest)) = text.split_once("Examples:\n") else { return String::new() };
    let lines = rest.lines().take_while(|line| line.starts_with("  "));
    // An example that takes several lines is none of the first to see.
    let whole = lines.filter(|line| line.starts_with("  closefit") && !line.ends_with('\\'));
    let shown: String = whole.take(EXAMPLES).map(|line| format!("{line}\n")).collect();
    if shown.is_empty() { shown } else { format!("Examples:\n{shown}") }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::command::Cli;

    #[test]
    fn the_short_help_names_flags_that_there_are() {
        let command = Cli::command();
        for (name, flags) in SHORT {
            let one = command.find_subcommand(name).expect(name);
            for (id, help) in flags {
                assert!(one.get_arguments().any(|arg| arg.get_id() == *id), "{name}: {id}");
                assert!(help.len() < 60, "{name}: {id}: it has one line");
            }
        }
    }

    #[test]
    fn every_command_is_in_one_group() {
        let command = Cli::command();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let mut names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        grouped.retain(|name| *name != "devices" || cfg!(feature = "gpu"));
        grouped.sort_unstable();
        names.sort_unstable();
        assert_eq!(grouped, names);
    }
}
