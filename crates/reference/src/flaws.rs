//! Flaws that can be planted, one at a time, each a small condition at the place where the right code stands.
//!
//! They are the proof that the suite can fail: each lists the rules it breaks, and the matrix test holds the suite's
//! verdict against that list.

/// A flaw that can be switched on.
#[derive(Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Its name on the command line.
    pub id: &'static str,
    /// What the orchestrator then does wrong.
    pub title: &'static str,
    /// Ids of exactly the rules it breaks.
    pub breaks: &'static [&'static str],
    planted: Planted,
}

/// A name that is no flaw's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no flaw is called `{name}`{}", suggestion.map(|id| format!(": did you mean `{id}`?")).unwrap_or_default())]
pub struct UnknownFlaw {
    /// What was asked for.
    pub name: String,
    /// The flaw with the most similar name.
    pub suggestion: Option<&'static str>,
}

/// Every flaw, sorted by id.
pub fn all() -> &'static [Flaw] {
    FLAWS
}

/// The flaw of that id.
///
/// # Errors
/// When there is none, with the id that looks most like it.
pub fn find(name: &str) -> Result<&'static Flaw, UnknownFlaw> {
    FLAWS.iter().find(|flaw| flaw.id == name).ok_or_else(|| {
        let closest = FLAWS.iter().map(|flaw| (strsim::jaro_winkler(flaw.id, name), flaw.id));
        let closest = closest.max_by(|one, other| one.0.total_cmp(&other.0)).filter(|(likeness, _)| *likeness > 0.7);
        UnknownFlaw { name: name.to_owned(), suggestion: closest.map(|(_, id)| id) }
    })
}

/// What is planted in one orchestrator: nothing, or one flaw.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Flaws(Option<Planted>);

impl Flaws {
    pub(crate) fn of(flaw: Option<&Flaw>) -> Self {
        Self(flaw.map(|flaw| flaw.planted))
    }

    pub(crate) fn has(self, planted: Planted) -> bool {
        self.0 == Some(planted)
    }
}

macro_rules! flaws {
    ($($id:literal $planted:ident $title:literal [$($rule:literal),+ $(,)?])+) => {
        /// The places where a flaw is planted.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Planted { $($planted,)+ }

        static FLAWS: &[Flaw] = &[
            $(Flaw { id: $id, title: $title, breaks: &[$($rule),+], planted: Planted::$planted },)+
        ];
    };
}

flaws! {
    "absent-means-supported" AbsentMeansSupported
        "Streams where the card says nothing of streaming"
        ["capability-absent-is-unknown", "capability-discrepancy-warned", "capability-flag-respected"]
    "accepts-invalid-answers" AcceptsInvalid
        "Takes whatever comes for an answer"
        ["response-invalid-typed"]
    "ambiguous-mode-accepted" AmbiguousModeAccepted
        "Sends a skill a media type of the defaults that its own list leaves out"
        ["mode-ambiguous-refused"]
    "ambiguous-oauth2-accepted" AmbiguousAccepted
        "Takes OAuth 2.0 without a flow for the client credentials flow"
        ["auth-ambiguous-refused"]
    "any-version-spoken" AnyVersionSpoken
        "Calls an interface whatever the version of the protocol it speaks"
        ["interface-first-supported", "interface-none-shared", "version-header-sent", "version-unsupported-refused"]
    "auth-required-is-failed" AuthRequiredIsFailed
        "Reports a task that waits for credentials as failed"
        ["auth-in-task", "task-interrupted-not-terminal", "task-no-orphans", "task-states-distinct", "task-truth-agrees"]
    "breaker-opens" BreakerOpens
        "One mismatch blocks the peer for the rest of the session"
        ["capability-breaker-unharmed", "capability-unexercised-ignored"]
    "card-strict-about-unknown-fields" CardStrict
        "Refuses a card that carries a member it does not know"
        ["card-unknown-fields-tolerated"]
    "context-mixed-up" ContextMixedUp
        "Sends the context of the session's previous task with new work"
        ["task-context-kept"]
    "credentials-follow-the-card" OriginsIgnored
        "Shows credentials wherever a card sends it"
        ["card-origin-respected"]
    "credentials-with-messages-only" CredentialsOnce
        "Sends credentials with messages, and with nothing else"
        ["auth-sent-every-request", "card-extended-authenticated"]
    "dispatches-twice" DispatchesTwice
        "Sends the work again although the first answer was fine"
        ["task-dispatched-once"]
    "drops-history" DropsHistory
        "Keeps nothing of the history of a task"
        ["history-kept"]
    "extended-card-forgotten" ExtendedCardForgotten
        "Fetches the extended card, and goes by the public one"
        ["card-extended-replaces"]
    "extended-card-openly" ExtendedCardOpenly
        "Asks for the extended card without credentials"
        ["card-extended-authenticated"]
    "extensions-ignored" ExtensionsIgnored
        "Calls whatever extensions a card requires"
        ["extensions-required-honoured"]
    "failed-text-is-answer" FailedTextIsAnswer
        "Returns the text of a failed or rejected task as if it were an answer"
        ["task-failure-not-answer", "task-stream-close-resolved", "task-truth-agrees"]
    "falls-back-on-denial" FallbackOnDenial
        "Tries the next interface when it is not let in"
        ["interface-no-fallback-on-auth"]
    "first-interface-only" FirstInterfaceOnly
        "Never uses another interface than the first"
        ["interface-fallback"]
    "forbidden-is-rejected" ForbiddenIsRejected
        "Reports a call that is forbidden as a task that was rejected"
        ["auth-403-midtask", "task-interrupted-not-terminal", "task-no-orphans", "task-states-distinct", "task-truth-agrees"]
    "forgets-failures" ForgetsFailures
        "Keeps nothing it learnt about a peer within the session"
        ["capability-effective-remembered", "capability-mismatch-terminal", "interface-choice-remembered"]
    "generic-error-for-interface-mismatch" GenericInterfaceError
        "Reports a refused interface as a media type error"
        ["interface-mismatch-typed"]
    "guess-append-append" GuessAppend
        "Takes a chunk without `append` as more of the artifact"
        ["artifact-append-explicit", "artifact-equals-peer"]
    "guess-append-replace" GuessReplace
        "Takes a chunk without `append` as the whole artifact"
        ["artifact-append-explicit", "artifact-equals-peer"]
    "ignore-modes" IgnoreModes
        "Hands work over whatever its media type"
        ["mode-ambiguous-refused", "mode-declared", "mode-skill-overrides"]
    "input-required-is-completed" InputRequiredIsCompleted
        "Reports a task that waits for input as completed"
        ["task-interrupted-not-terminal", "task-truth-agrees", "task-no-orphans"]
    "invents-task-id" InventsTaskId
        "Asks the peer for a task id of its own making"
        ["task-ids-server-made"]
    "last-status-wins" LastStatusWins
        "Reads a stream to its end and reports what it said last"
        ["stream-status-once"]
    "leaks-token" LeaksToken
        "Sends the token of one peer to every peer"
        ["auth-token-not-leaked"]
    "legacy-card-path-first" LegacyCardPathFirst
        "Asks for the card at the path of older versions first"
        ["card-well-known-path"]
    "malformed-request" MalformedRequest
        "Marks its messages with the `kind` of protocol 0.3"
        ["wire-request-valid"]
    "matches-by-scheme-name" MatchesBySchemeName
        "Takes two schemes of one name for one scheme, whatever they are and whose"
        ["auth-scheme-semantics", "auth-sent-every-request", "auth-token-not-leaked"]
    "mode-error-is-task-failure" ModeErrorAsFailure
        "Reports a refused media type as a task that failed"
        ["mode-error-typed"]
    "never-contacts" NeverContacts
        "Says that time is up without having asked anybody"
        ["wire-contacted"]
    "no-cancel-at-deadline" NoCancelAtDeadline
        "Gives up at the deadline and leaves the task running"
        ["task-deadline-cancels", "task-no-orphans"]
    "no-probe" NoProbe
        "Hands over work that needs streaming without having tried it"
        ["capability-closed-under-binding"]
    "no-resume-fallback" NoResumeFallback
        "Gives up where the peer has dropped the task that asked"
        ["task-resume-fallback"]
    "no-version-header" NoVersionHeader
        "Leaves A2A-Version out when it cancels a task"
        ["version-header-sent"]
    "notification-of-other-task-taken" ForeignNotificationTaken
        "Takes what a notification says of another task for its own"
        ["push-task-checked"]
    "notification-token-unchecked" TokenUnchecked
        "Believes notifications whatever token they show"
        ["push-source-checked"]
    "notifications-added-up" NotificationsAdded
        "Adds what notifications say to the task, however often they come"
        ["artifact-append-explicit", "artifact-equals-peer", "push-idempotent"]
    "notifications-not-acknowledged" NotAcknowledged
        "Takes notifications and answers that there is no such address"
        ["push-acknowledged"]
    "patch-version-refused" PatchVersionRefused
        "Refuses an interface whose version has a patch number"
        ["version-patch-ignored"]
    "pinned-binding-ignored" PinnedBindingIgnored
        "Uses a binding the caller has ruled out"
        ["interface-pinned-absent"]
    "polls-message-reply" PollsMessageReply
        "Polls for a task after a direct message has answered"
        ["task-ids-server-made", "task-message-reply"]
    "posts-to-first-url-anyway" PostsAnyway
        "Speaks JSON-RPC to the first url when no binding is shared"
        ["interface-none-shared", "version-header-sent", "version-unsupported-refused", "wire-request-valid"]
    "probe-left-open" ProbeLeftOpen
        "Does not cancel the task of a probe"
        ["capability-probe-is-synthetic"]
    "probe-with-real-content" ProbeWithRealContent
        "Probes with the content of the delegation"
        ["capability-closed-under-binding", "capability-flag-respected", "capability-probe-is-synthetic", "task-dispatched-once", "task-truth-agrees"]
    "probes-unused-capability" ProbesUnused
        "Refuses a peer that lies about a capability the work does not use"
        ["capability-breaker-unharmed", "capability-unexercised-ignored"]
    "push-despite-false" PushDespiteFalse
        "Names a webhook although the card does not declare push notifications"
        ["capability-flag-respected"]
    "push-never-asks" NeverAsks
        "Waits for notifications alone, however long none comes"
        ["push-lost-recovered"]
    "push-token-reused" TokenReused
        "Agrees on one token for all webhooks"
        ["push-token-unique"]
    "push-unproven" PushUnproven
        "Hands over work that requires push without having tried it, and waits for notifications alone"
        ["capability-closed-under-binding", "capability-push-proven-first", "push-lost-recovered"]
    "refresh-narrows-scopes" RefreshNarrows
        "Asks for one scope when it refreshes a token that had several"
        ["auth-refresh-keeps-scopes", "auth-scheme-semantics"]
    "refuse-everything" RefuseEverything
        "Reads the card and refuses"
        ["capability-breaker-unharmed", "capability-false-is-legal", "capability-mismatch-typed", "capability-unexercised-ignored", "card-unknown-fields-tolerated", "interface-fallback", "interface-none-shared", "mode-skill-overrides", "version-patch-ignored"]
    "refuses-undeclared-streaming" RefusesUndeclaredStreaming
        "Refuses a peer only because it does not declare streaming"
        ["capability-false-is-legal"]
    "rejected-as-failed" RejectedAsFailed
        "Reports a rejected task as failed"
        ["task-states-distinct", "task-truth-agrees"]
    "restarts-on-denial" RestartsOnDenial
        "Sends the work again when it may not follow its task any more"
        ["auth-403-midtask", "task-dispatched-once"]
    "resumes-by-context" ResumesByContext
        "Answers a task that asked in its context, without naming it"
        ["capability-probe-is-synthetic", "task-resume-same-id", "task-truth-agrees"]
    "retries-at-once" RetriesAtOnce
        "Asks a busy peer again at once"
        ["task-retry-after"]
    "retry-on-mismatch" RetryOnMismatch
        "Repeats an operation the interface has refused for good"
        ["capability-mismatch-terminal", "version-error-handled"]
    "reuses-message-id" ReusesMessageId
        "Sends every message under the same id"
        ["task-message-id-unique"]
    "silent-discrepancy" SilentDiscrepancy
        "Says nothing when a peer does more or less than its card says"
        ["capability-discrepancy-warned"]
    "skill-demands-ignored" SkillRequirementsIgnored
        "Looks at what the card demands, and not at what the skill does"
        ["auth-skill-requirements"]
    "skill-modes-ignored" SkillModesIgnored
        "Looks at the default input modes only"
        ["mode-ambiguous-refused", "mode-skill-overrides"]
    "skill-modes-merged" SkillModesMerged
        "Takes a media type that any skill takes, for every skill"
        ["mode-declared", "mode-skill-overrides"]
    "sse-by-line" SseByLine
        "Takes every line of a stream that begins with `data: ` as an event, and nothing else"
        ["artifact-append-explicit", "artifact-equals-peer", "stream-sse-parsed", "task-truth-agrees"]
    "stream-end-is-failure" StreamEndIsFailure
        "Takes a stream that ends early as a failed task"
        ["task-stream-close-resolved", "task-truth-agrees"]
    "stream-end-is-success" StreamEndIsSuccess
        "Takes a stream that ends early as a completed task"
        ["artifact-equals-peer", "task-stream-close-resolved", "task-truth-agrees"]
    "streams-despite-false" StreamsDespiteFalse
        "Streams although the card says the peer does not"
        ["capability-absent-is-unknown", "capability-discrepancy-warned", "capability-flag-respected"]
    "takes-foreign-events" TakesForeignEvents
        "Takes every event of a stream for one of its task"
        ["stream-foreign-events-dropped", "task-truth-agrees"]
    "tenant-forgotten" TenantForgotten
        "Sends no tenant"
        ["tenant-echoed"]
    "unknown-skill-accepted" UnknownSkillAccepted
        "Hands work over for a skill the card does not list"
        ["skill-unknown-refused"]
    "untyped-refusal" UntypedRefusal
        "Reports every refusal as an error without a code"
        ["capability-mismatch-typed", "interface-mismatch-typed", "interface-none-shared", "mode-error-typed", "response-invalid-typed", "version-error-handled"]
    "version-error-loops" VersionLoops
        "Asks again where the version is not spoken"
        ["version-error-handled"]
    "wrong-interface-picked" LastInterfaceFirst
        "Prefers the last interface of a card"
        ["interface-first-supported"]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flaws_are_sorted_and_named_once() {
        assert!(all().windows(2).all(|pair| pair[0].id < pair[1].id));
    }

    #[test]
    fn a_misspelt_flaw_gets_a_suggestion_and_nonsense_none() {
        assert_eq!(find("no-probe").unwrap().planted, Planted::NoProbe);
        assert_eq!(find("no-prob").unwrap_err().to_string(), "no flaw is called `no-prob`: did you mean `no-probe`?");
        assert_eq!(find("zzz").unwrap_err().suggestion, None);
    }
}
