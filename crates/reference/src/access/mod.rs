//! Credentials: which of those given a card asks for, and what goes with every request because of it.
//!
//! `given` reads what the caller gave, `plan` matches it with what the card demands, `tokens` asks token servers and
//! keeps what they issue. An [`Access`] is the result for one peer: every request to it is made with it.

mod given;
mod plan;
mod tokens;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use gauntlet_card::{Card, Interface};
use gauntlet_evidence::contract::Delegation;
use gauntlet_wire::Operation;

use crate::flaws::{Flaws, Planted};
use crate::outcome::Refusal;
use crate::transport::{CallError, Transport};
use given::Credential;
pub(crate) use plan::Place;
use plan::{Source, Use};
pub(crate) use tokens::Tokens;

/// What shows one peer who calls.
#[derive(Debug)]
pub(crate) struct Access {
    peer: String,
    uses: Vec<Use>,
    /// Scopes that the peer turned out to need beyond those of its card.
    more: Mutex<BTreeSet<String>>,
    tokens: Arc<Tokens>,
    flaws: Flaws,
}

/// What is to be done about a denied call.
type Renewed = bool;

impl Access {
    /// What the card of a peer demands for this work, out of what the caller gave for that peer; it is nobody else's
    /// business.
    ///
    /// # Errors
    /// When the demands cannot be met, or cannot be understood.
    pub(crate) fn new(
        card: &Card,
        delegation: &Delegation,
        peer: &str,
        tokens: &Arc<Tokens>,
        flaws: Flaws,
    ) -> Result<Arc<Self>, Refusal> {
        let read = |peer: &str| delegation.credentials.get(peer).into_iter().flatten().filter_map(Credential::read);
        let given: Vec<Credential> = read(peer).collect();
        let skill = delegation.skill.as_ref().filter(|_| !flaws.has(Planted::SkillRequirementsIgnored));
        let skill = skill.and_then(|id| card.document.skills.iter().find(|skill| skill.id == *id));
        let uses = if flaws.has(Planted::LeaksToken) && given.is_empty() {
            let all: Vec<Credential> = delegation.credentials.keys().flat_map(|peer| read(peer)).collect();
            plan::first_token(&all)
        } else {
            plan::plan(&card.document, skill, &given, flaws)?
        };
        Ok(Arc::new(Self { peer: peer.to_owned(), uses, more: Mutex::default(), tokens: Arc::clone(tokens), flaws }))
    }

    /// Whether the credentials may be shown at the address of an interface.
    pub(crate) fn fits(&self, interface: &Interface) -> bool {
        self.flaws.has(Planted::OriginsIgnored) || self.uses.iter().all(|used| used.is_meant_for(&interface.url))
    }

    /// What goes with a request; tokens that are missing or about to expire are obtained.
    ///
    /// # Errors
    /// When the token server gives none.
    pub(crate) async fn bring(
        &self,
        transport: &Transport,
        operation: Operation,
    ) -> Result<Vec<(&Place, String)>, CallError> {
        let mut brought = Vec::new();
        if self.flaws.has(Planted::CredentialsOnce) && !operation.sends_message() {
            return Ok(brought);
        }
        for used in &self.uses {
            let value = match &used.source {
                Source::Given(value) => value.clone(),
                Source::Obtained(wanted) => {
                    let wanted = wanted.with(&self.more());
                    self.tokens.get(transport, &self.peer, &wanted, self.flaws).await?
                }
            };
            brought.push((&used.place, value));
        }
        Ok(brought)
    }

    /// After a call was denied: whether it is worth making once more, with another token. What the challenge asks for is
    /// asked for, as far as the caller allows it.
    pub(crate) async fn renew(&self, transport: &Transport, denied: &CallError) -> Renewed {
        let mut renewed = false;
        for wanted in self.uses.iter().filter_map(|used| match &used.source {
            Source::Obtained(wanted) => Some(wanted),
            Source::Given(_) => None,
        }) {
            let now = wanted.with(&self.more());
            match denied {
                CallError::Unauthenticated(_) => {
                    renewed |= self.tokens.replace(transport, &self.peer, &now, self.flaws).await.is_ok();
                }
                CallError::Forbidden { scopes, .. } => {
                    let new: BTreeSet<String> =
                        scopes.iter().filter(|scope| !now.scopes.contains(*scope)).cloned().collect();
                    if !new.is_empty() && wanted.client.allows(new.iter().map(String::as_str)) {
                        self.more.lock().unwrap_or_else(PoisonError::into_inner).extend(new);
                        renewed = true;
                    }
                }
                _ => {}
            }
        }
        renewed
    }

    fn more(&self) -> BTreeSet<String> {
        self.more.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A bearer token, whatever a card says.
    #[cfg(test)]
    pub(crate) fn bearer(token: &str) -> Arc<Self> {
        let uses = vec![Use::bearer(token)];
        let (tokens, more) = (Arc::default(), Mutex::default());
        Arc::new(Self { peer: String::new(), uses, more, tokens, flaws: Flaws::default() })
    }
}
