//! A secret given for one peer reaches no other: not in headers, not in the path, not in the body, plain or in base64.
//! Judged where a peer was asked something that had not been given the secret.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gauntlet_evidence::Request;
use serde_json::Value;

use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "auth-token-not-leaked", needs: &[], judge };

/// Members of a credential that are secret.
const SECRET: [&str; 9] =
    ["token", "accessToken", "refreshToken", "clientSecret", "password", "apiKey", "key", "value", "secret"];

/// Shorter values occur by chance.
const TELLING: usize = 6;

fn judge(view: &View<'_>, tally: &mut Tally) {
    let given: Vec<(&str, &str)> = view
        .delegations()
        .flat_map(|delegation| &delegation.credentials)
        .flat_map(|(peer, credentials)| credentials.iter().flat_map(secrets).map(move |secret| (peer.as_str(), secret)))
        .collect();
    for (owner, secret) in &given {
        let shared = |peer: &str| given.iter().any(|(other, same)| *other == peer && same == secret);
        for x in view.exchanges.iter().filter(|x| !shared(x.peer)) {
            let entry = x.entry.seq;
            let why = || format!("{}: a secret given for {owner} arrived{}", x.peer, cite(&[entry]));
            tally.check(!carries(x.request, secret), why, [entry]);
        }
    }
}

fn secrets(credential: &Value) -> impl Iterator<Item = &str> {
    SECRET.into_iter().filter_map(|member| credential.get(member)?.as_str()).filter(|secret| secret.len() >= TELLING)
}

fn carries(request: &Request, secret: &str) -> bool {
    let basic = |value: &str| {
        let encoded = value.strip_prefix("Basic ").or_else(|| value.strip_prefix("basic "));
        let decoded = encoded.and_then(|encoded| STANDARD.decode(encoded.trim()).ok());
        decoded.is_some_and(|decoded| String::from_utf8_lossy(&decoded).contains(secret))
    };
    request.headers.iter().any(|(_, value)| value.contains(secret) || basic(value))
        || request.path.contains(secret)
        || request.body.text().is_some_and(|body| body.contains(secret))
        || request.message.as_ref().is_some_and(|message| message.to_string().contains(secret))
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::JsonRpc;
    use serde_json::json;

    use crate::testing::{B, Scene};

    const ID: &str = "auth-token-not-leaked";

    fn two_peers() -> Scene {
        let mut scene = Scene::empty();
        scene.peer(B, &[JsonRpc]).peer("vendor-c", &[JsonRpc]);
        let credentials = &mut scene.delegate("d-1").credentials;
        credentials.insert(B.to_owned(), vec![json!({ "scheme": "bearer", "token": "s3cret-b" })]);
        scene
    }

    #[test]
    fn a_secret_stays_with_its_peer() {
        let mut scene = two_peers();
        let x = scene.dispatch(B, JsonRpc, "d-1");
        scene.sent(x).headers.push(("authorization".to_owned(), "Bearer s3cret-b".to_owned()));
        scene.open(ID);
        let x = scene.dispatch("vendor-c", JsonRpc, "d-1");
        scene.upheld(ID);
        for value in ["Bearer s3cret-b", "Basic czNjcmV0LWI6eA=="] {
            let mut leaky = scene.clone();
            leaky.sent(x).headers.push(("authorization".to_owned(), value.to_owned()));
            let why = leaky.broken(ID);
            assert!(why.contains("vendor-c: a secret given for vendor-b arrived") && !why.contains("s3cret"), "{why}");
        }
        scene.sent(x).path = "/rpc?token=s3cret-b".to_owned();
        scene.broken(ID);
    }

    #[test]
    fn what_both_were_given_is_no_leak() {
        let mut scene = two_peers();
        let same = scene.delegation("d-1").credentials[B].clone();
        scene.delegation("d-1").credentials.insert("vendor-c".to_owned(), same);
        let x = scene.dispatch("vendor-c", JsonRpc, "d-1");
        scene.sent(x).headers.push(("authorization".to_owned(), "Bearer s3cret-b".to_owned()));
        scene.open(ID);
    }
}
