//! The text of a new suite file. What may be uncommented begins with `#` alone; prose begins with `# `.

use super::toml;
use crate::agent::{SideTool, Tool, Toolbox, inferred_declaration};
use crate::run::PreparedSide;
use crate::suite::ServerConfig;
use crate::words::ToolKind;
use std::fmt::Write;

const HEAD: &str = "\
# Cases are looked for below this folder: *.case.json with one case, *.cases.jsonl with one a line.
format_version = 1

# The limits of the agent's client; the default.
#[client]
#profile = \"claude-code\"

";

const SIDES: &str = "\
# One server stands for both sides here: a run replays it against itself. A change is seen between two of them:
# from git with `mcp-regress run --baseline-rev REV`, from another folder with `--baseline-root DIR`, or with
# [baseline] and [candidate] in place of [server], each with a command or a url of its own.
";

const TOOLS: &str = "
# The tools of the server, as they are taken without a declaration. A replay never calls a tool that may change
# anything: it calls those that the server annotates with readOnlyHint, and those that are declared here with
# kind = \"read\", kind = \"search\" or replay = true. To declare one, remove the `#` in front of its lines.
";

const RULES: &str = "
# What fails a run. Without a rule, default rules hold; evidence_recall, errors and failed_attempts always do.
#[[rule]]
#metric = \"continuation_reads\"
";

pub(super) fn suite(config: &ServerConfig, prepared: &PreparedSide, tools: &Toolbox) -> String {
    let mut text = format!("{HEAD}{SIDES}{}", server(config));
    if !prepared.tools.is_empty() {
        text.push_str(TOOLS);
    }
    for listed in &prepared.tools {
        if let Some(tool) = tools.get(&listed.name) {
            text.push_str(&declaration(listed, tool));
        }
    }
    text.push_str(RULES);
    text
}

fn server(config: &ServerConfig) -> String {
    let mut table = "[server]\n".to_owned();
    let texts =
        [("from", &config.from), ("name", &config.name), ("url", &config.url), ("root", &config.root)];
    if let Some(command) = &config.command {
        let _ = writeln!(table, "command = {}", toml::texts(command));
    }
    for (key, value) in texts {
        if let Some(value) = value {
            let _ = writeln!(table, "{key} = {}", toml::text(value));
        }
    }
    for (key, pairs) in [("headers", &config.headers), ("env", &config.env)] {
        if !pairs.is_empty() {
            let _ = writeln!(table, "{key} = {}", toml::table(pairs));
        }
    }
    table
}

/// The commented table of one tool.
fn declaration(listed: &SideTool, tool: &Tool) -> String {
    let annotated = match listed.read_only {
        Some(true) => "annotated with readOnlyHint = true: a replay may call it as it is",
        Some(false) => "annotated with readOnlyHint = false: it may change something",
        None => "not annotated: remove the # only if it changes nothing",
    };
    let mut lines = format!("\n# {annotated}.\n#[tools.{}]\n", toml::key(&tool.name));
    match (listed.read_only, tool.kind) {
        (Some(false), _) => lines.push_str("#kind = \"write\"\n"),
        (None, ToolKind::Other) => lines.push_str("#kind = \"other\"\n#replay = true\n"),
        (_, kind) => {
            let _ = writeln!(lines, "#kind = \"{kind}\"");
        }
    }
    if tool.schema.names().next().is_none() {
        // Empty lists would say that all its calls ask for the same.
        lines.push_str("# identity, size and continue: its schema names no argument\n");
        return lines;
    }
    lines.push_str(&arguments(tool));
    lines
}

/// What the arguments are for, as far as their names tell.
fn arguments(tool: &Tool) -> String {
    let (positions, sizes) = inferred_declaration(tool);
    let identity: Vec<&str> = tool.schema.names().filter(|name| tool.is_identity(name)).collect();
    let lists = format!("#identity = {}\n#size = {}\n", toml::texts(identity), toml::texts(&sizes));
    let Some(first) = positions.first() else { return format!("{lists}#continue = []\n") };
    // A rule cannot be known from a schema alone, and a wrong one would end every read at its first page.
    let named: Vec<String> = positions.iter().map(|name| toml::text(name)).collect();
    let from = toml::text(&format!("/next{}", capitalised(first)));
    format!(
        "{lists}# continue: taken from the first result that offers more, by {}; to fix it, for example\n\
         # continue = [{{ argument = {}, from = {from} }}]\n",
        named.join(" or "),
        toml::text(first)
    )
}

fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::ToolUse;
    use crate::suite::{Found, SUITE_FILE};
    use serde_json::{Value, json};
    use std::collections::BTreeMap;

    #[test]
    fn no_name_of_a_server_breaks_out_of_its_comment() {
        let evil = "a\n[tools.evil]\nreplay = true\n\u{2028}\"'\u{85}";
        let offset = format!("start{evil}");
        let tools: Vec<SideTool> =
            [(evil, json!({"properties": {evil: {}, offset: {}}})), ("plain", json!({}))]
                .into_iter()
                .map(|(name, input_schema)| SideTool {
                    name: name.to_owned(),
                    input_schema,
                    meta: Value::Null,
                    read_only: None,
                })
                .collect();
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(SUITE_FILE);
        let defaults = Found::Defaults { dir: dir.path().to_owned() }.load().unwrap();
        let used = tools.iter().map(|tool| (tool.name.clone(), ToolUse::default())).collect();
        let toolbox = Toolbox::new(&defaults, &used, &tools, &tools, &BTreeMap::new());
        let prepared = PreparedSide {
            server_name: String::new(),
            server_version: String::new(),
            protocol: String::new(),
            tools,
            tools_list: crate::trace::ToolsListMeta { bytes: 0, sha256: String::new(), tools: Vec::new() },
            warnings: Vec::new(),
        };
        let command = Some(vec!["a \"b\"".to_owned(), evil.to_owned()]);
        let config =
            ServerConfig { command, env: vec![("X".to_owned(), evil.to_owned())], ..ServerConfig::default() };
        let text = suite(&config, &prepared, &toolbox);
        fs_err::write(&file, &text).unwrap();
        let loaded = crate::suite::load(&file).unwrap();
        assert!(loaded.tools.is_empty(), "{text}");
        let server = loaded.server.unwrap();
        assert_eq!((server.command, server.env), (config.command, config.env));
    }
}
