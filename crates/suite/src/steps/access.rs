//! Given: who may call, and what the caller holds to show for itself. These steps only plan.

#![expect(clippy::needless_pass_by_value, reason = "cucumber hands arguments over by value")]

use cucumber::{gherkin::Step, given};
use gauntlet_scenario::{PeerSpec, TokenServerSpec};
use serde_json::{Value, json};

use super::given::patch_card;
use crate::Scene;

/// The card demands an HTTP bearer token.
#[given(expr = "{string} asks for a bearer token")]
fn bearer(scene: &mut Scene, name: String) {
    demand(scene, &name, "bearer", &json!({ "httpAuthSecurityScheme": { "scheme": "bearer" } }));
}

/// The card demands a name and a password (HTTP Basic).
#[given(expr = "{string} asks for a name and a password")]
fn basic(scene: &mut Scene, name: String) {
    demand(scene, &name, "basic", &json!({ "httpAuthSecurityScheme": { "scheme": "basic" } }));
}

/// The card demands an API key in a header of that name.
#[given(expr = "{string} asks for an API key in the header {string}")]
fn api_key(scene: &mut Scene, name: String, header: String) {
    demand(scene, &name, "key", &json!({ "apiKeySecurityScheme": { "location": "header", "name": header } }));
}

/// The peer has a token server, and takes nothing but tokens that were issued there for the scope `work`.
#[given(expr = "{string} issues its own tokens")]
fn issues(scene: &mut Scene, name: String) {
    if let Some(peer) = scene.peer(&name) {
        token_server(peer);
    }
}

/// The peer has a token server as the YAML in the doc string says: the `tokenServer` of fleet files.
#[given(expr = "{string} issues its own tokens with:")]
fn issues_with(scene: &mut Scene, name: String, #[step] step: &Step) {
    let file = scene.place("").file;
    match TokenServerSpec::parse(step.docstring().map_or("", |text| text.as_str()), &name, &file) {
        Ok(spec) => {
            if let Some(peer) = scene.peer(&name) {
                peer.token_server = Some(spec);
            }
        }
        Err(error) => scene.wrong(format!("the doc string does not describe a token server: {error}"), None),
    }
}

/// The card lists a skill that demands a token for one more scope, which the peer's token server offers.
#[given(expr = "{string} has the skill {string} asking for the scope {string}")]
fn skill_scope(scene: &mut Scene, name: String, skill: String, scope: String) {
    if let Some(peer) = scene.peer(&name) {
        let server = token_server(peer);
        server.offers.push(scope.clone());
        let demands = json!([{ "schemes": { server.scheme.as_str(): { "list": [scope] } } }]);
        peer.skills.push(json!({ "id": skill, "securityRequirements": demands }));
    }
}

/// The caller holds a bearer token for that peer and no other.
#[given(expr = "the caller holds the token {string} for {string}")]
fn holds_token(scene: &mut Scene, token: String, name: String) {
    hold(scene, name, json!({ "scheme": "bearer", "token": token }));
}

/// The caller holds an API key for that peer and no other.
#[given(expr = "the caller holds the API key {string} for {string}")]
fn holds_key(scene: &mut Scene, key: String, name: String) {
    hold(scene, name, json!({ "scheme": "apiKey", "key": key }));
}

/// The caller holds a name and a password for that peer and no other.
#[given(expr = "the caller holds the name {string} and the password {string} for {string}")]
fn holds_password(scene: &mut Scene, user: String, password: String, name: String) {
    hold(scene, name, json!({ "scheme": "basic", "username": user, "password": password }));
}

/// The caller is a client of the peer's token server, for all that is granted there. A driver that does not obtain tokens
/// is given one.
#[given(expr = "the caller may obtain tokens for {string}")]
fn may_obtain(scene: &mut Scene, name: String) {
    let Some(peer) = scene.peer(&name) else { return };
    let server = token_server(peer);
    let scopes: Vec<String> = server.scopes.iter().chain(&server.offers).cloned().collect();
    let audience = server.audience.clone();
    client(scene, name, scopes, audience);
}

/// The caller is a client of the peer's token server for these scopes, parted by spaces.
#[given(expr = "the caller may obtain tokens for {string} with the scopes {string}")]
fn may_obtain_scopes(scene: &mut Scene, name: String, scopes: String) {
    client(scene, name, scopes.split_whitespace().map(str::to_owned).collect(), None);
}

/// The caller is a client of the peer's token server, for tokens that are meant for that audience.
#[given(expr = "the caller may obtain tokens for {string} with the audience {string}")]
fn may_obtain_audience(scene: &mut Scene, name: String, audience: String) {
    let Some(peer) = scene.peer(&name) else { return };
    let scopes = token_server(peer).scopes.clone();
    client(scene, name, scopes, Some(audience));
}

/// The caller's credentials for that peer must not be shown but where its card is.
#[given(expr = "the credentials for {string} are meant for the origin of its card alone")]
fn card_origin_alone(scene: &mut Scene, name: String) {
    scene.work.at_card_origin.insert(name);
}

/// What is left out of it is as it is without more words.
fn token_server(peer: &mut PeerSpec) -> &mut TokenServerSpec {
    let usual = TokenServerSpec::of(&peer.name);
    peer.token_server.get_or_insert(usual)
}

fn demand(scene: &mut Scene, name: &str, scheme: &str, what: &Value) {
    let patch = json!({
        "securitySchemes": { scheme: what },
        "securityRequirements": [{ "schemes": { scheme: { "list": [] } } }],
    });
    patch_card(scene, name, &patch);
}

/// Where tokens are obtained is known only when the fleet has started.
fn client(scene: &mut Scene, name: String, scopes: Vec<String>, audience: Option<String>) {
    let mut credential = json!({ "scheme": "oauth2", "flow": "clientCredentials", "scopes": scopes });
    if let Some(audience) = audience {
        credential["audience"] = json!(audience);
    }
    hold(scene, name, credential);
}

fn hold(scene: &mut Scene, name: String, credential: Value) {
    scene.work.credentials.entry(name).or_default().push(credential);
}
