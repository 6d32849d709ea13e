//! The `closefit` program: a thin door onto [`closefit_cli`].

fn main() -> std::process::ExitCode {
    closefit_cli::run()
}
