//! `${VAR}`, `${VAR:-default}`, `${env:VAR}`, `${workspaceFolder}` in the definition of the chosen server.
//!
//! What is expanded is kept beside the form that may be written down: values of variables are secrets.

use super::ServerConfig;
use std::collections::BTreeSet;
use std::path::Path;

/// A text with its variables filled in, and the form that may be written down.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Expanded {
    /// For the process or the request alone; never written.
    pub value: String,
    /// The same with `${NAME}` in place of each variable's value.
    pub redacted: String,
}

/// Shows the redacted form: the value may be a secret.
impl std::fmt::Debug for Expanded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Expanded").field("redacted", &self.redacted).finish_non_exhaustive()
    }
}

/// Where variables come from, and how messages name the place.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The server's name, `baseline` or `candidate` for a definition in the suite.
    pub server: &'a str,
    /// `${workspaceFolder}`.
    pub workspace: &'a Path,
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

/// A variable of a server's definition that has no value. Exit code 2.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    #[error(
        "variable `{variable}` is not set; server `{server}` needs it in `{field}`; set it, or write \
         `${{{variable}:-default}}`"
    )]
    Unset { variable: String, server: String, field: String },
    /// VS Code asks a person for these.
    #[error(
        "`${{input:{input}}}` asks a person, and nobody is there; server `{server}` needs it in `{field}`; write \
         `${{NAME}}` and set the variable `NAME`"
    )]
    Input { input: String, server: String, field: String },
}

/// Several of them, one line each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct ExpandErrors(pub Vec<ExpandError>);

/// A server's definition with its variables filled in. `from`, `name` and the rest stay in the [`ServerConfig`].
#[derive(Debug, Clone, Default)]
pub struct ExpandedServer {
    pub command: Option<Vec<Expanded>>,
    pub url: Option<Expanded>,
    pub headers: Vec<(String, Expanded)>,
    pub env: Vec<(String, Expanded)>,
    pub cwd: Option<Expanded>,
    /// Names of the variables that were looked at, for the run's record.
    pub variables: BTreeSet<String>,
}

/// What stands in `${...}`.
enum Reference<'t> {
    Variable { name: &'t str, default: Option<&'t str> },
    Workspace,
    Input(&'t str),
}

/// Expands every field of a server that may hold variables.
///
/// # Errors
/// Every variable without value and default, with server and field.
pub fn expand_server(config: &ServerConfig, scope: Scope<'_>) -> Result<ExpandedServer, ExpandErrors> {
    let mut errors = Vec::new();
    let mut variables = BTreeSet::new();
    let mut one = |text: &str, field: &str| {
        expand_into(text, field, scope, &mut variables).unwrap_or_else(|error| {
            errors.extend((!errors.contains(&error)).then_some(error));
            Expanded::default()
        })
    };
    let expanded = ExpandedServer {
        command: config.command.as_ref().map(|words| words.iter().map(|word| one(word, "command")).collect()),
        url: config.url.as_ref().map(|url| one(url, "url")),
        headers: config
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), one(value, &format!("headers.{name}"))))
            .collect(),
        env: config
            .env
            .iter()
            .map(|(name, value)| (name.clone(), one(value, &format!("env.{name}"))))
            .collect(),
        cwd: config.cwd.as_ref().map(|cwd| one(cwd, "cwd")),
        variables: BTreeSet::new(),
    };
    if errors.is_empty() { Ok(ExpandedServer { variables, ..expanded }) } else { Err(ExpandErrors(errors)) }
}

/// Expands one text. Values are not looked at again; `$` before anything else stays.
///
/// # Errors
/// A variable without value and default.
pub fn expand(text: &str, field: &str, scope: Scope<'_>) -> Result<Expanded, ExpandError> {
    expand_into(text, field, scope, &mut BTreeSet::new())
}

fn expand_into(
    text: &str,
    field: &str,
    scope: Scope<'_>,
    variables: &mut BTreeSet<String>,
) -> Result<Expanded, ExpandError> {
    let mut out = Expanded::default();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let (before, tail) = rest.split_at(start);
        out.value.push_str(before);
        out.redacted.push_str(before);
        let Some((reference, length)) = reference(tail) else {
            out.value.push_str("${");
            out.redacted.push_str("${");
            rest = &tail[2..];
            continue;
        };
        let (value, redacted) = resolve(&reference, field, scope)?;
        if let Reference::Variable { name, .. } = reference {
            variables.insert(name.to_owned());
        }
        out.value.push_str(&value);
        out.redacted.push_str(&redacted);
        rest = &tail[length..];
    }
    out.value.push_str(rest);
    out.redacted.push_str(rest);
    Ok(out)
}

/// The reference at the start of `tail`, which begins with `${`, and its length.
fn reference(tail: &str) -> Option<(Reference<'_>, usize)> {
    let close = tail.find('}')?;
    let inner = &tail[2..close];
    let length = close + 1;
    if inner == "workspaceFolder" {
        return Some((Reference::Workspace, length));
    }
    if let Some(input) = inner.strip_prefix("input:") {
        return Some((Reference::Input(input), length));
    }
    let (name, default) = match inner.strip_prefix("env:") {
        Some(name) => (name, None),
        None => match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        },
    };
    is_variable(name).then_some((Reference::Variable { name, default }, length))
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The value of a reference and the form that may be written. As in a shell, an empty variable takes its default.
fn resolve(
    reference: &Reference<'_>,
    field: &str,
    scope: Scope<'_>,
) -> Result<(String, String), ExpandError> {
    match reference {
        Reference::Workspace => {
            Ok((scope.workspace.to_string_lossy().into_owned(), "${workspaceFolder}".to_owned()))
        }
        Reference::Input(input) => Err(ExpandError::Input {
            input: (*input).to_owned(),
            server: scope.server.to_owned(),
            field: field.to_owned(),
        }),
        Reference::Variable { name, default } => {
            let value = match ((scope.variable)(name), default) {
                (Some(value), None) => value,
                (Some(value), Some(_)) if !value.is_empty() => value,
                (_, Some(default)) => (*default).to_owned(),
                (None, None) => {
                    return Err(ExpandError::Unset {
                        variable: (*name).to_owned(),
                        server: scope.server.to_owned(),
                        field: field.to_owned(),
                    });
                }
            };
            Ok((value, format!("${{{name}}}")))
        }
    }
}
