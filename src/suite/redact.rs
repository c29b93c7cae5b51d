//! Command lines and URLs in the form that may be written down.

use super::Expanded;
use crate::text::base64;
use percent_encoding::percent_decode_str;

/// What stands for a part that is not shown.
const HIDDEN: &str = "***";
/// A flag or variable whose name holds one of these carries a secret.
const SECRET_WORDS: [&str; 6] = ["token", "key", "secret", "password", "auth", "header"];

/// A command line: values of variables as `${NAME}`, URLs as [`redact_url`] writes them, and whatever follows a
/// flag (or a `NAME=`) whose name holds token, key, secret, password, auth or header as `***`.
pub fn redact_argv(words: &[Expanded]) -> Vec<String> {
    redact_words(words.iter().map(|word| word.redacted.as_str()))
}

/// As [`redact_argv`], for words without variables.
pub fn redact_words<'w>(words: impl IntoIterator<Item = &'w str>) -> Vec<String> {
    let mut hide_next = false;
    words
        .into_iter()
        .map(|word| {
            let is_flag = word.starts_with('-');
            // A secret may itself begin with a dash, and may be followed by another.
            let hide = std::mem::take(&mut hide_next);
            hide_next = is_flag && !word.contains('=') && (word == "-H" || is_secret_name(word));
            match word.split_once('=') {
                _ if hide => HIDDEN.to_owned(),
                Some((name, _)) if is_secret_name(name) => format!("{name}={HIDDEN}"),
                Some((name, value)) if is_flag => format!("{name}={}", redact_url(value)),
                _ => redact_url(word),
            }
        })
        .collect()
}

/// The command line of this program: as [`redact_words`], and inside the commands that `--baseline-cmd` and
/// `--candidate-cmd` hold. One that no shell would split is hidden as a whole.
pub fn redact_own_argv(words: &[String]) -> Vec<String> {
    let is_command = |flag: &str| matches!(flag, "--baseline-cmd" | "--candidate-cmd");
    let inside = |command: &str| match shell_words::split(command) {
        Ok(inner) => {
            let shown = redact_words(inner.iter().map(String::as_str));
            if shown == inner { command.to_owned() } else { shell_words::join(shown) }
        }
        Err(_) => HIDDEN.to_owned(),
    };
    let shown = redact_words(words.iter().map(String::as_str));
    let mut after_flag = false;
    let one = |(word, shown): (&String, String)| {
        let is_value = std::mem::replace(&mut after_flag, is_command(word));
        match word.split_once('=') {
            _ if is_value => inside(word),
            Some((flag, command)) if is_command(flag) => format!("{flag}={}", inside(command)),
            _ => shown,
        }
    };
    words.iter().zip(shown).map(one).collect()
}

/// A flag or a variable's name: no blank, no URL, and one of the words in it.
pub fn is_secret_name(name: &str) -> bool {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let folded = name.to_ascii_lowercase();
    plain && SECRET_WORDS.iter().any(|word| folded.contains(word))
}

/// A URL with its user information and the values of its query as `***`; any other text as it is.
pub fn redact_url(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (rest, fragment) = match rest.split_once('#') {
        Some((rest, fragment)) => (rest, Some(fragment)),
        None => (rest, None),
    };
    let (place, query) = match rest.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (rest, None),
    };
    let (authority, path) = match place.find('/') {
        Some(slash) => place.split_at(slash),
        None => (place, ""),
    };
    let host = match authority.rsplit_once('@') {
        Some((_, host)) => format!("{HIDDEN}@{host}"),
        None => authority.to_owned(),
    };
    let mut out = format!("{scheme}://{host}{path}");
    if let Some(query) = query {
        let parts: Vec<String> = query.split('&').map(redact_query_part).collect();
        out.push('?');
        out.push_str(&parts.join("&"));
    }
    if fragment.is_some() {
        out.push('#');
        out.push_str(HIDDEN);
    }
    out
}

/// What [`redact_url`] would hide of a URL, as it stands there and as it goes over the wire, and what a client makes of
/// its user information: the credentials of RFC 7617. Values of the query count when their name or their length says
/// that they are secrets: hiding `mode=search` would hide a word that means nothing.
pub fn secrets_of_url(text: &str) -> Vec<String> {
    const LONG: usize = 12;
    let mut found = Vec::new();
    let sent = reqwest::Url::parse(text).map(String::from).unwrap_or_default();
    for text in [text, &sent] {
        let Some((_, rest)) = text.split_once("://") else { continue };
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let authority = place.split('/').next().unwrap_or_default();
        if let Some((user, _)) = authority.rsplit_once('@') {
            found.extend(user.splitn(2, ':').map(str::to_owned));
            let user = percent_decode_str(user).collect::<Vec<u8>>();
            // A user without a password is sent with a colon too.
            let credentials = if user.contains(&b':') { user } else { [&user[..], b":"].concat() };
            let mut encoded = Vec::new();
            base64::encode(&credentials, &mut encoded);
            found.push(String::from_utf8_lossy(&encoded).trim_end_matches('=').to_owned());
        }
        let query = query.split('#').next().unwrap_or_default();
        for (name, value) in query.split('&').filter_map(|part| part.split_once('=')) {
            if is_secret_name(name) || value.len() >= LONG {
                found.push(value.to_owned());
            }
        }
    }
    let decoded = |text: &String| percent_decode_str(text).decode_utf8().ok().map(|text| text.into_owned());
    let plain: Vec<String> = found.iter().filter_map(decoded).collect();
    found.extend(plain);
    found.retain(|text| !text.is_empty());
    found.sort();
    found.dedup();
    found
}

fn redact_query_part(part: &str) -> String {
    match part.split_once('=') {
        Some((name, _)) => format!("{name}={HIDDEN}"),
        None => HIDDEN.to_owned(),
    }
}
