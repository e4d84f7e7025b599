//! A refresh that names scopes names all that the peer demands of the token: what is not named is not granted
//! (RFC 6749 §6). One that names none asks for what there was.

use gauntlet_evidence::RequestClass;
use gauntlet_wire::rest::query_parameter;

use crate::rules::prelude::*;
use crate::view::Form;

pub(super) static RULE: Requirement = Requirement { id: "auth-refresh-keeps-scopes", needs: &[Support::OAuth2], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for x in view.exchanges.iter().filter(|x| x.request.class == RequestClass::Discovery && x.request.method == "POST")
    {
        let form = x.request.body.text().unwrap_or_default().replace('+', " ");
        if query_parameter(&form, "grant_type").as_deref() != Some("refresh_token") {
            continue;
        }
        let Some(peer) = view.evidence().peer(x.peer) else { continue };
        let entry = x.entry.seq;
        let Some(asked) = query_parameter(&form, "scope").filter(|scope| !scope.trim().is_empty()) else {
            tally.upheld();
            continue;
        };
        let asked: Vec<&str> = asked.split_whitespace().collect();
        let demands = Card(&peer.card).demands();
        let of_token = |all: &Vec<crate::view::Demand<'_>>| -> Vec<String> {
            let oauth = all.iter().filter(|demand| matches!(demand.form, Form::OAuth2(_)));
            oauth
                .flat_map(|demand| &demand.scopes)
                .filter(|scope| !asked.contains(*scope))
                .map(ToString::to_string)
                .collect()
        };
        let lacking: Vec<Vec<String>> = demands.iter().map(of_token).collect();
        let enough = lacking.is_empty() || lacking.iter().any(Vec::is_empty);
        let why = || {
            let lacking = lacking.first().map(|scopes| scopes.join(", ")).unwrap_or_default();
            format!("{}: a token was refreshed without {lacking}{}, which the card demands", x.peer, cite(&[entry]))
        };
        tally.check(enough, why, [entry]);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene, demanding};

    const ID: &str = "auth-refresh-keeps-scopes";

    fn refreshed(form: &str) -> Scene {
        let flows = json!({ "clientCredentials": { "tokenUrl": "http://127.0.0.1:1/token", "scopes": {} } });
        let schemes = json!({ "o": { "oauth2SecurityScheme": { "flows": flows } } });
        let mut scene = demanding(schemes, json!([{ "schemes": { "o": { "list": ["work", "report"] } } }]));
        scene.ask_for_token(B, form, json!({ "access_token": "token-1" }));
        scene
    }

    #[test]
    fn a_refresh_names_all_scopes_or_none() {
        refreshed("grant_type=refresh_token&refresh_token=r").upheld(ID);
        refreshed("grant_type=refresh_token&refresh_token=r&scope=report+work").upheld(ID);
        let why = refreshed("grant_type=refresh_token&refresh_token=r&scope=work").broken(ID);
        assert!(why.contains("refreshed without report"), "{why}");
        refreshed("grant_type=client_credentials&scope=work").open(ID);
        let mut scene = refreshed("grant_type=refresh_token&refresh_token=r&scope=work");
        scene.without(Support::OAuth2).open(ID);
    }
}
