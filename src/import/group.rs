//! Tasks as cases: what repeats the history of another file is left out, tasks of one prompt can be recordings
//! of one case, and every case gets its id.

use super::collect::short_name;
use super::draft::{CallKey, Draft};
use super::redact::redacted;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// Bytes of the longest part of an id that is made here.
const PART_BYTES: usize = 60;

/// Which tasks become one case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Grouping {
    /// Each by itself.
    #[default]
    Each,
    /// Those of the same prompt and server.
    ByPrompt,
    /// All of a server: recordings of a task that was given several times. The id of the case.
    All(String),
}

/// A draft, the file that it is of, and its subagent.
type Made = (PathBuf, Option<String>, Draft);

/// A case to be written.
#[derive(Debug)]
pub struct Case {
    pub id: String,
    pub json: Value,
    /// At least one, in the order of the recordings.
    pub drafts: Vec<Draft>,
}

/// The cases of all drafts, and how many calls repeat the history of another file.
pub(super) fn cases(made: Vec<Made>, grouping: &Grouping, keep_text: bool) -> (Vec<Case>, u64) {
    let (kept, repeated) = without_repeats(made);
    let mut groups: Vec<(String, Vec<Made>)> = Vec::new();
    let mut by_key: HashMap<String, usize> = HashMap::new();
    for (index, draft) in kept.into_iter().enumerate() {
        let key = match grouping {
            Grouping::ByPrompt => match &draft.2.prompt {
                Some(prompt) => format!("{}\0{}", draft.2.server, folded(prompt)),
                None => format!("\0{index}"),
            },
            Grouping::All(_) => draft.2.server.clone(),
            Grouping::Each => index.to_string(),
        };
        let group = *by_key.entry(key.clone()).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[group].1.push(draft);
    }
    let mut taken = HashSet::new();
    let count = groups.len();
    let made = groups.into_iter().map(|(_, drafts)| {
        let (path, agent, first) = &drafts[0];
        let id = match grouping {
            Grouping::All(id) if count == 1 => id.clone(),
            Grouping::All(id) => format!("{id}/{}", part(&first.server)),
            _ => id_of(path, agent.as_deref(), first),
        };
        let id = free_id(id, &mut taken);
        let cluster = redacted(&short_name(path)).into_owned();
        case(id, &cluster, drafts.into_iter().map(|(_, _, draft)| draft).collect(), keep_text)
    });
    (made.collect(), repeated)
}

/// The drafts of which no other one holds every call. Of two that do, the first stays.
fn without_repeats(made: Vec<Made>) -> (Vec<Made>, u64) {
    let mut kept: Vec<Option<Made>> = Vec::new();
    let mut by_call: HashMap<u128, Vec<usize>> = HashMap::new();
    let mut repeated = 0;
    for draft in made {
        let others: HashSet<usize> =
            draft.2.keys.iter().filter_map(|key| by_call.get(&key.call)).flatten().copied().collect();
        let mut others: Vec<usize> = others.into_iter().collect();
        others.sort_unstable();
        let mut place = None;
        let mut is_held = false;
        for other in others {
            let Some((_, _, known)) = &kept[other] else { continue };
            let shared = shared(&draft.2.keys, &known.keys);
            if shared == draft.2.keys.len() {
                is_held = true;
                repeated += shared as u64;
                break;
            }
            if shared == known.keys.len() {
                // The longer one takes the place of the one it goes on from.
                repeated += shared as u64;
                kept[other] = None;
                place.get_or_insert(other);
            } else {
                repeated += shared as u64;
            }
        }
        if is_held {
            continue;
        }
        let index = place.unwrap_or(kept.len());
        for key in &draft.2.keys {
            by_call.entry(key.call).or_default().push(index);
        }
        match place {
            Some(place) => kept[place] = Some(draft),
            None => kept.push(Some(draft)),
        }
    }
    (kept.into_iter().flatten().collect(), repeated)
}

/// How many of the first calls are among the second.
fn shared(calls: &[CallKey], among: &[CallKey]) -> usize {
    calls.iter().filter(|call| among.iter().any(|other| call.is_same(other))).count()
}

fn case(id: String, cluster: &str, drafts: Vec<Draft>, keep_text: bool) -> Case {
    let mut json = Map::new();
    json.insert("format_version".to_owned(), json!(1));
    json.insert("id".to_owned(), json!(id));
    json.insert("cluster".to_owned(), json!(cluster));
    let tags: std::collections::BTreeSet<&str> =
        drafts.iter().flat_map(|draft| draft.steps.iter().map(|step| step.tool.as_str())).collect();
    json.insert("tags".to_owned(), json!(tags));
    if let Some(prompt) = drafts[0].prompt.as_deref().filter(|_| keep_text) {
        json.insert("question".to_owned(), json!(redacted(prompt)));
    }
    let recording = |(index, draft): (usize, &Draft)| {
        let mut recording = Map::new();
        recording.insert("id".to_owned(), json!(format!("r{}", index + 1)));
        recording.extend(draft.recording.clone());
        Value::Object(recording)
    };
    json.insert("recordings".to_owned(), drafts.iter().enumerate().map(recording).collect());
    Case { id, json: Value::Object(json), drafts }
}

fn id_of(path: &std::path::Path, agent: Option<&str>, draft: &Draft) -> String {
    let mut conversation = redacted(&short_name(path)).into_owned();
    if let Some(agent) = agent.filter(|agent| !conversation.contains(agent)) {
        conversation = format!("{conversation}-{}", agent.chars().take(8).collect::<String>());
    }
    let server = part(&draft.server);
    let begins = server.starts_with(|c: char| c.is_ascii_alphabetic());
    let server = if begins { server } else { format!("server-{server}") };
    format!("{server}/{}/{}", part(&conversation), draft.task)
}

/// A part of an id: what it cannot hold is replaced.
fn part(text: &str) -> String {
    let kept =
        text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' });
    let kept: String = kept.take(PART_BYTES).collect();
    if kept.is_empty() { "x".to_owned() } else { kept }
}

fn free_id(id: String, taken: &mut HashSet<String>) -> String {
    let numbered = (1..).map(|n: u32| if n == 1 { id.clone() } else { format!("{id}-{n}") });
    let free = numbered.into_iter().find(|id| !taken.contains(&id.to_ascii_lowercase())).unwrap_or_default();
    taken.insert(free.to_ascii_lowercase());
    free
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
