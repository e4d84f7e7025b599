//! `deny-access`: callers are sent away with 401 or 403 although they bring what the card demands.

use std::collections::BTreeSet;

use gauntlet_scenario::{Fields, FileError, Node};
use gauntlet_wire::Operation;

use crate::refuse_operation::operations;
use crate::{Call, Claim, Denial, Fault, FaultKind, Instead, ShownToken, Stage};

pub(crate) const KIND: FaultKind = FaultKind {
    id: "deny-access",
    summary: "Callers are sent away although they bring what the card demands.",
    stages: &[Stage::OperationAdmitted],
    arguments: &[
        ("as", "unauthenticated or forbidden: 401 and UNAUTHENTICATED, or 403 and PERMISSION_DENIED"),
        ("operation", "operation, list of operations, or \"*\": which calls; all by default"),
        ("followUps", "true: only calls that name a task"),
        ("tokens", "refreshed or used: only callers whose token came of a refresh, or was shown before"),
        ("scope", "string: only callers whose token was not granted for this scope; the challenge names it"),
        ("audience", "string: only callers whose token is not meant for this audience"),
        ("challenge", "false: the WWW-Authenticate header is left out"),
    ],
    build,
};

const FIELDS: &[&str] = &["as", "operation", "followUps", "tokens", "scope", "audience", "challenge"];

#[derive(Debug)]
struct DenyAccess {
    forbidden: bool,
    operations: BTreeSet<Operation>,
    follow_ups: bool,
    whom: Whom,
    challenges: bool,
}

/// Whose calls are denied.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Whom {
    Everybody,
    /// Those whose token came of a refresh.
    Refreshed,
    /// Those whose token was shown before.
    Used,
    /// Those whose token was not granted for a scope.
    WithoutScope(String),
    /// Those whose token is not meant for an audience.
    WithoutAudience(String),
}

fn build(arguments: &Node) -> Result<Box<dyn Fault>, FileError> {
    let fields = Fields::of(arguments, "`deny-access`", FIELDS)?;
    let forbidden =
        fields.required("as")?.one_of("a way to deny", &[("unauthenticated", false), ("forbidden", true)])?;
    let narrower = ["tokens", "scope", "audience"];
    let whom = if narrower.iter().any(|key| fields.optional(key).is_some()) {
        let (key, node) = fields.exactly_one(&narrower)?;
        match key {
            "tokens" => node.one_of("a kind of token", &[("refreshed", Whom::Refreshed), ("used", Whom::Used)])?,
            "scope" => Whom::WithoutScope(node.words()?.to_owned()),
            _ => Whom::WithoutAudience(node.words()?.to_owned()),
        }
    } else {
        Whom::Everybody
    };
    Ok(Box::new(DenyAccess {
        forbidden,
        operations: fields.map("operation", operations)?.unwrap_or_else(|| Operation::ALL.into_iter().collect()),
        follow_ups: fields.map("followUps", Node::boolean)?.unwrap_or_default(),
        whom,
        challenges: fields.map("challenge", Node::boolean)?.unwrap_or(true),
    }))
}

impl Whom {
    /// Whether they are among those that bring this token, or none that the peer knows.
    fn includes(&self, token: Option<&ShownToken>) -> bool {
        match self {
            Self::Everybody => true,
            Self::Refreshed => token.is_some_and(|token| token.refreshed),
            Self::Used => token.is_some_and(|token| token.shown_before > 0),
            Self::WithoutScope(scope) => token.is_none_or(|token| !token.scopes.contains(scope)),
            Self::WithoutAudience(audience) => token.is_none_or(|token| token.audience.as_ref() != Some(audience)),
        }
    }
}

impl Fault for DenyAccess {
    fn on_operation(&self, call: &Call) -> Option<Instead> {
        let meant = self.operations.contains(&call.operation) && (call.on_task || !self.follow_ups);
        if !meant || !self.whom.includes(call.token.as_ref()) {
            return None;
        }
        let error = if self.forbidden { "insufficient_scope" } else { "invalid_token" };
        let scope = match &self.whom {
            Whom::WithoutScope(scope) => format!(", scope=\"{scope}\""),
            _ => String::new(),
        };
        let why = match &self.whom {
            Whom::Everybody => "the caller may not call".to_owned(),
            Whom::Refreshed | Whom::Used => "the token is not accepted any more".to_owned(),
            Whom::WithoutScope(scope) => format!("the scope `{scope}` is required"),
            Whom::WithoutAudience(_) => "the token is meant for another audience".to_owned(),
        };
        let challenge = self.challenges.then(|| format!("Bearer realm=\"a2a\", error=\"{error}\"{scope}"));
        Some(Instead::Denied(Denial { forbidden: self.forbidden, why, challenge }))
    }

    /// Of those that look at tokens there may be several: the first that bites decides.
    fn claims(&self) -> Vec<Claim> {
        if self.whom != Whom::Everybody {
            return Vec::new();
        }
        self.operations.iter().copied().map(Claim::Answer).collect()
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding;

    use super::*;
    use crate::testing::{call, refusal, set};

    fn denial(text: &str, token: Option<ShownToken>) -> Option<Denial> {
        let call = Call { token, ..call(Binding::JsonRpc, Operation::GetTask) };
        match set(text).refuse(&call)?.0 {
            Instead::Denied(denial) => Some(denial),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn everybody_or_those_with_a_certain_token_are_sent_away() {
        let token = ShownToken { scopes: vec!["work".to_owned()], ..ShownToken::default() };
        let refreshed = ShownToken { refreshed: true, ..token.clone() };
        let used = ShownToken { shown_before: 1, audience: Some("b".to_owned()), ..token.clone() };
        for (text, none, fresh, of_refresh, shown) in [
            ("[deny-access: { as: unauthenticated }]", true, true, true, true),
            ("[deny-access: { as: forbidden, operation: SendMessage }]", false, false, false, false),
            ("[deny-access: { as: forbidden, tokens: refreshed }]", false, false, true, false),
            ("[deny-access: { as: unauthenticated, tokens: used }]", false, false, false, true),
            ("[deny-access: { as: forbidden, scope: work }]", true, false, false, false),
            ("[deny-access: { as: unauthenticated, audience: b }]", true, true, true, false),
        ] {
            let denied = [None, Some(token.clone()), Some(refreshed.clone()), Some(used.clone())]
                .map(|token| denial(text, token).is_some());
            assert_eq!(denied, [none, fresh, of_refresh, shown], "{text}");
        }
    }

    #[test]
    fn calls_that_begin_something_may_be_let_in() {
        let fault = set("[deny-access: { as: forbidden, followUps: true }]");
        let new = call(Binding::Grpc, Operation::SendMessage);
        assert_eq!(fault.refuse(&new), None);
        assert!(fault.refuse(&Call { on_task: true, ..new }).is_some());
    }

    #[test]
    fn several_may_look_at_tokens() {
        let text =
            "[deny-access: { as: forbidden, tokens: refreshed }, deny-access: { as: unauthenticated, tokens: used }]";
        let token = ShownToken { refreshed: true, shown_before: 1, ..ShownToken::default() };
        assert!(denial(text, Some(token.clone())).unwrap().forbidden);
        assert!(!denial(text, Some(ShownToken { refreshed: false, ..token })).unwrap().forbidden);
    }

    #[test]
    fn the_challenge_says_what_is_missing_or_is_left_out() {
        let denied = denial("[deny-access: { as: forbidden, scope: admin }]", None).unwrap();
        assert!(denied.forbidden);
        assert_eq!(
            denied.challenge.as_deref(),
            Some("Bearer realm=\"a2a\", error=\"insufficient_scope\", scope=\"admin\"")
        );
        let denied = denial("[deny-access: { as: unauthenticated, challenge: false }]", None).unwrap();
        assert_eq!((denied.forbidden, denied.challenge), (false, None));
    }

    #[test]
    fn arguments_that_are_wrong() {
        let shown = [
            "[deny-access]",
            "[deny-access: { as: forbiden }]",
            "[deny-access: { as: forbidden, tokens: old }]",
            "[deny-access: { as: forbidden, scope: a, audience: b }]",
        ]
        .map(refusal)
        .join("\n");
        insta::assert_snapshot!(shown);
    }
}
