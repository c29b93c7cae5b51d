//! What came of the call, as the agent's client shows it.

use crate::agent::{Offer, Tool, meets_need, offer};
use crate::case::Case;
use crate::client::{Page, Profile, ToolResult, View, view};
use crate::commands::resolve::Settings;
use crate::commands::sizes::{counted, sized};
use crate::suite::toml_lines as toml;
use crate::words::ViewKind;
use serde_json::{Map, Value};
use std::sync::Arc;

pub(super) struct Seen<'s> {
    profile: &'s Profile,
    view: View,
    wire_bytes: usize,
    /// On what the client forwards, whether the model sees it or a saved file holds it.
    offer: Option<Offer>,
    /// On all that the server sent, where the client forwards less.
    hidden: Option<Offer>,
}

impl<'s> Seen<'s> {
    pub fn new(
        tool: &Arc<Tool>,
        arguments: &Map<String, Value>,
        result: &ToolResult,
        wire_bytes: usize,
        settings: &'s Settings,
    ) -> Self {
        let profile = &settings.profile;
        let offered = |page: &Page<'_>| offer(tool, arguments, page, settings.replay.ends_on_empty);
        let found = offered(&result.forwarded(profile));
        let hidden = if found.is_none() { offered(&result.everything(profile)) } else { None };
        Self {
            profile,
            view: view(profile, &tool.name, &tool.meta, result),
            wire_bytes,
            offer: found,
            hidden,
        }
    }

    pub fn offers_more(&self) -> bool {
        self.offer.is_some() || self.hidden.is_some()
    }

    /// Whether the result meets the need of the case's only step, as the last page of its chain.
    pub fn meets_need(&self, case: &Case, tool: &Arc<Tool>, result: &ToolResult) -> bool {
        let mut steps = case.recordings.iter().flat_map(|recording| recording.steps.read());
        let page = result.forwarded(self.profile);
        steps.all(|step| meets_need(&step, tool, &page, true))
    }

    pub fn told(&self, tool: &Tool) -> String {
        let mut told = format!(
            "  size: {} forwarded by the client, {} on the wire\n",
            sized(self.view.result_chars, self.profile.unit()),
            counted(self.wire_bytes as u64, "byte", "bytes")
        );
        told.push_str(&format!("  client `{}`: {}\n", self.profile.id, self.shown()));
        told.push_str(&match (&self.offer, &self.hidden) {
            (Some(offer), _) => offered(tool, offer),
            (None, Some(offer)) => format!(
                "  offers more in a part that this client does not forward, by {}: an agent cannot follow it\n",
                toml::rule(&offer.rule)
            ),
            (None, None) => "  offers no more\n".to_owned(),
        });
        told
    }

    fn shown(&self) -> String {
        let layers: Vec<&str> = self.view.oversized_by.iter().map(|layer| layer.as_str()).collect();
        let over = layers.join(" and ");
        let instead = match self.view.kind {
            ViewKind::Whole if layers.is_empty() => return "shown whole".to_owned(),
            ViewKind::Whole => return format!("over its limit ({over}), and shown whole"),
            ViewKind::Spilled => "a notice with the path of a saved file instead",
            ViewKind::Rejected => "a notice instead",
            ViewKind::Cut => "cut",
        };
        format!(
            "not shown whole, over its limit ({over}): {instead}, {}",
            sized(self.view.view_chars, self.profile.unit())
        )
    }
}

fn offered(tool: &Tool, offer: &Offer) -> String {
    let rule = toml::rule(&offer.rule);
    let next = offer
        .rule
        .argument()
        .and_then(|name| Some(format!(" with `{name}` = {}", offer.arguments.get(name)?)));
    let next = next.unwrap_or_default();
    if offer.is_inferred {
        format!(
            "  offers more{next}, by an inferred rule; [tools.{}] can say it: continue = [{rule}]\n",
            toml::key(&tool.name)
        )
    } else {
        format!("  offers more{next}, by the declared rule {rule}\n")
    }
}
