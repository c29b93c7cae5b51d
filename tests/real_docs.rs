//! Runs the code blocks of the README's section "Your own server" on the published server.
//!
//! `MCP_REGRESS_REAL_DIR` names the folder in which `scripts/test real` has installed the servers.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A block to run, and the lines that it must print.
struct Block {
    script: String,
    printed: Vec<String>,
}

/// The ```` ```sh ```` blocks of a document, each with the ```` ```text ```` block after it.
fn blocks(document: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match kind {
            "sh" => blocks.push(Block { script: body.join("\n"), printed: Vec::new() }),
            "text" => {
                let printed = body.iter().map(|line| folded(line.trim_end_matches("...")));
                let block = blocks.last_mut().expect("a text block comes after a script");
                block.printed.extend(printed.filter(|line| !line.is_empty()));
            }
            _ => {}
        }
    }
    blocks
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The folder with the servers, by name and version.
fn installed() -> PathBuf {
    let named = std::env::var_os("MCP_REGRESS_REAL_DIR").map(PathBuf::from);
    named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target/real"))
}

/// As `npm install --prefix FOLDER @modelcontextprotocol/server-filesystem@VERSION` leaves it.
fn install(desk: &Path, folder: &str, version: &str) {
    let package = installed().join("npm/node_modules").join(format!("filesystem-{version}"));
    assert!(package.join("dist/index.js").is_file(), "`{}` is not installed", package.display());
    let scope = desk.join(folder).join("node_modules/@modelcontextprotocol");
    std::fs::create_dir_all(&scope).unwrap();
    std::os::unix::fs::symlink(package, scope.join("server-filesystem")).unwrap();
}

#[test]
fn the_section_about_your_own_server_holds() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, section) = page.split_once("\n## Your own server\n").expect("the README has the section");
    let section = section.split("\n## ").next().unwrap();
    let blocks = blocks(section);
    assert!(blocks.len() >= 8, "the page has {} blocks", blocks.len());
    let desk = tempfile::tempdir().unwrap();
    install(desk.path(), "before", "2025.8.21");
    install(desk.path(), "after", "2025.11.25");
    let binaries = Path::new(env!("CARGO_BIN_EXE_mcp-regress")).parent().unwrap().to_owned();
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(binaries).chain(std::env::split_paths(&inherited))).unwrap();
    for Block { script, printed } in blocks {
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(desk.path()).env("PATH", &path).env("COLUMNS", "400");
        let output = shell.env_remove("CI").output().unwrap();
        let said = format!(
            "{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(output.status.success(), "{script}\n{said}");
        let lines = folded(&said);
        for line in printed {
            assert!(lines.contains(&line), "{script}\nshould print\n{line}\nand printed\n{said}");
        }
    }
}
