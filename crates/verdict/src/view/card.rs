//! What a card declares.

use gauntlet_evidence::Request;
use gauntlet_evidence::contract::Delegation;
use gauntlet_wire::EXTENSIONS_HEADER;
use serde_json::Value;

/// A card as it was served.
#[derive(Debug, Clone, Copy)]
pub struct Card<'a>(pub &'a Value);

/// What a card says of the media types of a delegation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ModeRuling<'a> {
    /// All are accepted by default, or none is named.
    Accepted,
    /// One is accepted by the named skill alone.
    BySkill(&'a str),
    /// One is accepted by default, but the named skill's own list leaves it out.
    Ambiguous(&'a str),
    /// One is accepted by a skill that was not named, and by nothing else.
    Elsewhere(&'a str),
    /// One is accepted nowhere.
    Undeclared(&'a str),
}

impl<'a> Card<'a> {
    /// `capabilities.streaming`.
    pub fn streaming(self) -> Option<bool> {
        self.flag("/capabilities/streaming")
    }

    /// `capabilities.pushNotifications`.
    pub fn push(self) -> Option<bool> {
        self.flag("/capabilities/pushNotifications")
    }

    /// `capabilities.extendedAgentCard`.
    pub fn extended(self) -> Option<bool> {
        self.flag("/capabilities/extendedAgentCard")
    }

    fn flag(self, pointer: &str) -> Option<bool> {
        self.0.pointer(pointer).and_then(Value::as_bool)
    }

    /// The extensions without which nobody may call, by uri.
    pub fn required_extensions(self) -> impl Iterator<Item = &'a str> {
        let declared = self.0.pointer("/capabilities/extensions").and_then(Value::as_array).into_iter().flatten();
        let required = declared.filter(|entry| entry.get("required").and_then(Value::as_bool) == Some(true));
        required.filter_map(|entry| entry.get("uri")?.as_str())
    }

    /// The first of them that a request does not name.
    pub fn unnamed_extension(self, request: &Request) -> Option<&'a str> {
        let lists = request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(EXTENSIONS_HEADER));
        let named: Vec<&str> = lists.flat_map(|(_, list)| list.split(',')).map(str::trim).collect();
        self.required_extensions().find(|uri| !named.contains(uri))
    }

    fn skills(self) -> impl Iterator<Item = &'a Value> {
        self.0.get("skills").and_then(Value::as_array).into_iter().flatten()
    }

    /// The skill with that id.
    pub fn skill(self, id: &str) -> Option<&'a Value> {
        self.skills().find(|skill| skill.get("id").and_then(Value::as_str) == Some(id))
    }

    /// What the card says of the media types a delegation names. Parts that name none are not looked at, and an unknown
    /// skill decides nothing.
    pub fn rule_on_modes(self, delegation: &'a Delegation) -> ModeRuling<'a> {
        let skill = match delegation.skill.as_deref().map(|id| self.skill(id)) {
            Some(None) => return ModeRuling::Accepted,
            Some(skill) => skill,
            None => None,
        };
        let media = delegation.message.parts.iter().filter_map(|part| part.get("mediaType")?.as_str());
        media.map(|media| self.rule_on_mode(media, skill)).max().unwrap_or(ModeRuling::Accepted)
    }

    fn rule_on_mode(self, media: &'a str, skill: Option<&Value>) -> ModeRuling<'a> {
        let by_default = accepts(self.0, "defaultInputModes", media);
        let own = skill.is_some_and(|skill| !modes(skill, "inputModes").is_empty());
        let by_skill = skill.is_some_and(|skill| accepts(skill, "inputModes", media));
        if by_skill && !by_default {
            ModeRuling::BySkill(media)
        } else if by_default && own && !by_skill {
            ModeRuling::Ambiguous(media)
        } else if by_default {
            ModeRuling::Accepted
        } else if self.skills().any(|skill| accepts(skill, "inputModes", media)) {
            ModeRuling::Elsewhere(media)
        } else {
            ModeRuling::Undeclared(media)
        }
    }
}

fn modes<'v>(holder: &'v Value, member: &str) -> Vec<&'v str> {
    holder.get(member).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn accepts(holder: &Value, member: &str, media: &str) -> bool {
    let essence = |media: &str| media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let media = essence(media);
    modes(holder, member).into_iter().map(essence).any(|mode| {
        mode == "*/*"
            || mode == media
            || mode.strip_suffix('*').is_some_and(|kind| kind.ends_with('/') && media.starts_with(kind))
    })
}
