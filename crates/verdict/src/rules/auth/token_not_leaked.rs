//! A secret given for one peer, or a token that its token server issued, reaches no other: not in headers, not in the path,
//! not in the body, plain or in base64. Judged where a peer was asked something that had not been given the secret.

use crate::rules::prelude::*;
use crate::view::{carries, secrets};

pub(super) static RULE: Requirement = Requirement { id: "auth-token-not-leaked", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    let given = view.delegations().flat_map(|delegation| &delegation.credentials).flat_map(|(peer, credentials)| {
        credentials.iter().flat_map(secrets).map(move |secret| (peer.as_str(), secret))
    });
    let issued = view.issued();
    let obtained = issued.iter().map(|issued| (issued.peer, issued.token));
    let owned: Vec<(&str, &str)> = given.chain(obtained).collect();
    for (owner, secret) in &owned {
        let shared = |peer: &str| owned.iter().any(|(other, same)| *other == peer && same == secret);
        for x in view.exchanges.iter().filter(|x| !shared(x.peer)) {
            let entry = x.entry.seq;
            let why = || format!("{}: a secret of {owner} arrived{}", x.peer, cite(&[entry]));
            tally.check(!carries(x, secret), why, [entry]);
        }
    }
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
            assert!(why.contains("vendor-c: a secret of vendor-b arrived") && !why.contains("s3cret"), "{why}");
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

    #[test]
    fn tokens_that_were_obtained_are_secrets_too() {
        let mut scene = two_peers();
        scene.ask_for_token(B, "grant_type=client_credentials", json!({ "access_token": "token-4411" }));
        let x = scene.dispatch("vendor-c", JsonRpc, "d-1");
        scene.upheld(ID);
        scene.sent(x).headers.push(("authorization".to_owned(), "Bearer token-4411".to_owned()));
        assert!(scene.broken(ID).contains("a secret of vendor-b arrived"));
    }
}
