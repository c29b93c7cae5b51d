use clap::Parser;

fn main() -> std::process::ExitCode {
    let code = mcp_regress::commands::dispatch(mcp_regress::cli::Cli::parse());
    std::process::ExitCode::from(code as u8)
}
