use clap::Parser;

#[derive(clap::Parser)]
enum Cli {
    Fixture(mcp_regress::fixture::FixtureArgs),
}

fn main() -> std::io::Result<()> {
    let Cli::Fixture(args) = Cli::parse();
    mcp_regress::fixture::run(args)
}
