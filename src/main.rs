//! The `closefit` program: a thin door onto [`closefit::cli`].

fn main() -> std::process::ExitCode {
    closefit::cli::run()
}
