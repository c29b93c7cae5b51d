//! What was seen of the tools, as lines of a suite file.

use crate::agent::Tool;
use crate::import::{Imported, Learned, ToolFacts};
use crate::suite::toml_lines as toml;
use crate::words::ToolKind;
use std::collections::BTreeSet;

/// `[tools.NAME]` for every tool of the cases.
pub(super) fn fragment(imported: &Imported) -> String {
    let used: BTreeSet<(&str, &str)> = imported
        .cases
        .iter()
        .flat_map(|case| &case.drafts)
        .flat_map(|draft| draft.steps.iter().map(|step| (draft.server.as_str(), step.tool.as_str())))
        .collect();
    let servers: BTreeSet<&str> = used.iter().map(|(server, _)| *server).collect();
    let mut out = String::from(
        "# The tools of the imported cases, as agents used them. Paste what is right into the suite file.\n",
    );
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for (key, facts) in imported.tools.facts() {
        let (server, name) = (key.0.as_str(), key.1.as_str());
        let Some(tool) = imported.tools.get(server, name).filter(|_| used.contains(&(server, name))) else {
            continue;
        };
        if servers.len() > 1 {
            out.push_str(&format!("\n# server {}", toml::text(server)));
        }
        if !named.insert(name) {
            out.push_str(&format!("\n# [tools.{}] stands above, of another server\n", toml::key(name)));
            continue;
        }
        out.push_str(&table(tool, facts, imported.learned.get(key)));
    }
    out
}

fn table(tool: &Tool, facts: &ToolFacts, learned: Option<&Learned>) -> String {
    let mut out = format!("\n[tools.{}]\nkind = \"{}\"\n", toml::key(&tool.name), tool.kind);
    if tool.kind == ToolKind::Other {
        out.push_str("# replay = true   # where it only reads: without it the call is skipped\n");
    }
    if tool.kind != ToolKind::Read {
        return out;
    }
    out.push_str(&format!("identity = {}\n", toml::texts(facts.identity())));
    let sizes: Vec<&str> = facts.size().collect();
    if !sizes.is_empty() {
        out.push_str(&format!("size = {}\n", toml::texts(sizes)));
    }
    match learned {
        Some(learned) if !learned.rules.is_empty() => {
            let rules: Vec<String> = learned.rules.iter().map(toml::rule).collect();
            out.push_str(&format!("# gives {} of {} continuation reads\n", learned.given, learned.reads));
            out.push_str(&format!("continue = [{}]\n", rules.join(", ")));
        }
        Some(learned) if learned.given > 0 => {
            out.push_str("# continue: left to inference, which gives the next page's number\n");
        }
        Some(learned) => {
            out.push_str(&format!("# {} continuation reads, and no rule that gives them\n", learned.reads));
        }
        None => {}
    }
    out
}
