//! A registry's `server.json`: packages to start and remotes to reach.
//!
//! Each package and each remote is one way to the same server. A single way carries the server's name, several
//! carry `NAME#KIND`, where the kind is the package's registry or the remote's transport.

use super::{ServerConfig, entry};
use crate::doc::{At, Table};

const KNOWN: [&str; 13] = [
    "$schema",
    "name",
    "title",
    "description",
    "version",
    "status",
    "repository",
    "websiteUrl",
    "icons",
    "packages",
    "remotes",
    "_meta",
    "id",
];

/// One way to the server: its kind, and how.
type Way = (String, ServerConfig);

pub(super) fn server(table: &Table<'_>) -> Option<Vec<(String, ServerConfig)>> {
    table.warn_of_unknown(&KNOWN);
    let name = table.must("name", "the server's name").and_then(|at| at.text());
    let mut ways: Vec<Option<Way>> = Vec::new();
    if let Some(at) = table.get("packages") {
        ways.extend(at.items("a list of packages", 0).unwrap_or_default().iter().map(package));
    }
    if let Some(at) = table.get("remotes") {
        ways.extend(at.items("a list of remotes", 0).unwrap_or_default().iter().map(remote));
    }
    let (name, ways) = (name?, ways.into_iter().collect::<Option<Vec<Way>>>()?);
    Some(named(name, ways))
}

fn named(name: &str, ways: Vec<Way>) -> Vec<(String, ServerConfig)> {
    if ways.len() == 1 {
        return ways.into_iter().map(|(_, config)| (name.to_owned(), config)).collect();
    }
    let mut found: Vec<(String, ServerConfig)> = Vec::new();
    for (kind, config) in ways {
        let base = format!("{name}#{kind}");
        let taken = found
            .iter()
            .filter(|(other, _)| *other == base || other.starts_with(&format!("{base}-")))
            .count();
        let label = if taken == 0 { base } else { format!("{base}-{}", taken + 1) };
        found.push((label, config));
    }
    found
}

fn package(at: &At<'_>) -> Option<Way> {
    let table = at.free_table()?;
    let kind = table.must("registryType", "`npm`, `pypi`, `oci` or `nuget`").and_then(|at| at.text());
    let identifier = table.must("identifier", "the package's name").and_then(|at| at.text());
    let version = table.get("version").and_then(|at| at.text());
    let (kind, identifier) = (kind?, identifier?);
    let pinned = |sign: &str| match version {
        Some(version) => format!("{identifier}{sign}{version}"),
        None => identifier.to_owned(),
    };
    let env = table.get("environmentVariables").map(|at| variables(&at)).unwrap_or_default();
    let runtime = table.get("runtimeHint").and_then(|at| at.text());
    let runtime_arguments = table.get("runtimeArguments").map(|at| arguments(&at)).unwrap_or_default();
    let package_arguments = table.get("packageArguments").map(|at| arguments(&at)).unwrap_or_default();
    let (program, before, what) = match kind {
        "npm" => ("npx", vec!["-y".to_owned()], pinned("@")),
        "pypi" => ("uvx", Vec::new(), pinned("==")),
        "oci" => {
            let mut before: Vec<String> = ["run", "-i", "--rm"].map(str::to_owned).to_vec();
            for (name, _) in &env {
                before.extend(["-e".to_owned(), name.clone()]);
            }
            ("docker", before, if identifier.contains(':') { identifier.to_owned() } else { pinned(":") })
        }
        "nuget" => ("dnx", vec!["--yes".to_owned()], pinned("@")),
        other => {
            at.problem(
                format!("a package of the registry `{other}`"),
                Some("one of `npm`, `pypi`, `oci`, `nuget`".to_owned()),
                Some("write the command in the suite file".to_owned()),
            );
            return None;
        }
    };
    let mut command = vec![runtime.unwrap_or(program).to_owned()];
    command.extend(before.into_iter().filter(|word| !runtime_arguments.contains(word)));
    command.extend(runtime_arguments);
    command.push(what);
    command.extend(package_arguments);
    let way = table.get("transport").and_then(|at| {
        let transport = at.free_table()?;
        let url = transport.get("url")?.text()?.to_owned();
        Some((url, entry::transport(&transport)))
    });
    let (url, transport) = way.map_or((None, None), |(url, transport)| (Some(url), transport));
    let config = ServerConfig { command: Some(command), url, transport, env, ..ServerConfig::default() };
    Some((kind.to_owned(), config))
}

fn remote(at: &At<'_>) -> Option<Way> {
    let table = at.free_table()?;
    let kind = table.must("type", "`streamable-http` or `sse`").and_then(|at| at.text());
    let url = table.must("url", "the URL").and_then(|at| at.secret().text());
    let headers = table.get("headers").map(|at| variables(&at)).unwrap_or_default();
    let (kind, url) = (kind?, url?);
    let config = ServerConfig {
        url: Some(url.to_owned()),
        transport: entry::transport(&table),
        headers,
        ..ServerConfig::default()
    };
    Some((kind.to_owned(), config))
}

/// Variables or headers: a value that is given, else the variable of that name with its default. An optional one
/// without either is left out.
fn variables(at: &At<'_>) -> Vec<(String, String)> {
    let items = at.items("a list of variables", 0).unwrap_or_default();
    let one = |at: &At<'_>| {
        let table = at.free_table()?;
        let name = table.must("name", "the variable's name")?.text()?;
        let text = |key: &str| table.get(key).and_then(|at| at.secret().any_text());
        let required = table.get("isRequired").and_then(|at| at.flag()).unwrap_or(false);
        let variable = name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        let value = match (text("value"), text("default")) {
            (Some(value), _) => value.to_owned(),
            (None, Some(default)) => format!("${{{variable}:-{default}}}"),
            (None, None) if required => format!("${{{variable}}}"),
            (None, None) => return None,
        };
        Some((name.to_owned(), value))
    };
    items.iter().filter_map(one).collect()
}

/// Positional and named arguments with a value; those that ask a person for one are left out, with a warning.
fn arguments(at: &At<'_>) -> Vec<String> {
    let mut words = Vec::new();
    for item in at.items("a list of arguments", 0).unwrap_or_default() {
        let Some(table) = item.free_table() else { continue };
        let text = |key: &str| table.get(key).and_then(|at| at.secret().any_text()).map(str::to_owned);
        let is_named = table.get("type").is_some_and(|at| at.as_text() == Some("named"));
        let value = text("value").or_else(|| text("default"));
        if value.is_none() && !is_named {
            item.warn(
                "an argument without a value is left out",
                Some("write the command in the suite file".to_owned()),
            );
        }
        words.extend(if is_named { text("name") } else { None });
        words.extend(value);
    }
    words
}
