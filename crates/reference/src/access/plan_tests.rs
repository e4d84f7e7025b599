//! What is shown to whom, from card and credentials alone.

use serde_json::{Value, json};

use super::*;

fn card(requirements: &Value) -> AgentCard {
    let oauth = |flows: Value| json!({ "oauth2SecurityScheme": { "flows": flows } });
    let client = json!({ "clientCredentials": { "tokenUrl": "http://127.0.0.1:1/token", "scopes": { "work": "" } } });
    let card = json!({
        "name": "b", "description": "d", "version": "1",
        "supportedInterfaces": [{ "url": "http://127.0.0.1:1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "capabilities": {}, "defaultInputModes": ["a/b"], "defaultOutputModes": ["a/b"],
        "skills": [
            { "id": "plain", "name": "n", "description": "d", "tags": ["t"] },
            { "id": "guarded", "name": "n", "description": "d", "tags": ["t"],
              "securityRequirements": [{ "schemes": { "corporate": { "list": ["admin"] } } }] },
        ],
        "securitySchemes": {
            "corporate": oauth(client), "flowless": oauth(json!({})),
            "key": { "apiKeySecurityScheme": { "location": "header", "name": "X-Vendor-Key" } },
            "token": { "httpAuthSecurityScheme": { "scheme": "Bearer" } },
            "oauth2": { "apiKeySecurityScheme": { "location": "query", "name": "k" } },
        },
        "securityRequirements": requirements,
    });
    gauntlet_card::Card::parse(card.to_string().as_bytes()).unwrap().document
}

fn given() -> Vec<Credential> {
    let all = [
        json!({ "scheme": "oauth2", "flow": "clientCredentials", "tokenUrl": "http://127.0.0.1:1/token",
                "clientId": "c", "clientSecret": "s", "scopes": ["work", "admin"], "origins": ["http://127.0.0.1:1"] }),
        json!({ "scheme": "apiKey", "key": "k-1" }),
        json!({ "scheme": "unheard-of" }),
    ];
    all.iter().filter_map(Credential::read).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "called with literals")]
fn one(schemes: Value) -> Value {
    json!({ "schemes": schemes })
}

/// The places and scopes of what is used, or the reason why nothing is.
fn shown(requirements: &Value, skill: Option<&str>) -> Result<Vec<(Place, String)>, &'static str> {
    let card = card(requirements);
    let skill = skill.and_then(|id| card.skills.iter().find(|skill| skill.id == id));
    let used = plan(&card, skill, &given(), Flaws::default()).map_err(|refusal| refusal.code)?;
    let value = |source: Source| match source {
        Source::Given(value) => value,
        Source::Obtained(wanted) => wanted.scopes.into_iter().collect::<Vec<_>>().join(" "),
    };
    Ok(used.into_iter().map(|used| (used.place, value(used.source))).collect())
}

#[test]
fn schemes_are_matched_by_what_they_are() {
    let bearer = || Place::Authorization("Bearer");
    let list = json!({ "list": ["work"] });
    assert_eq!(shown(&json!([]), None), Ok(Vec::new()));
    assert_eq!(shown(&json!([one(json!({ "corporate": list }))]), None), Ok(vec![(bearer(), "work".to_owned())]));
    let key = (Place::Query("k".to_owned()), "k-1".to_owned());
    assert_eq!(shown(&json!([one(json!({ "oauth2": {} }))]), None), Ok(vec![key]));
    let lacking = json!([one(json!({ "corporate": { "list": ["else"] } }))]);
    assert_eq!(shown(&lacking, None), Err("auth-unsatisfied"));
    assert_eq!(shown(&json!([one(json!({ "token": {} }))]), None), Err("auth-unsatisfied"));
}

#[test]
fn all_of_one_alternative_is_shown() {
    let both = one(json!({ "corporate": { "list": ["work"] }, "key": {} }));
    let shown_of = |requirements: Value| shown(&requirements, None).map(|used| used.len());
    assert_eq!(shown_of(json!([both])), Ok(2));
    assert_eq!(shown_of(json!([one(json!({ "key": {}, "token": {} })), one(json!({ "key": {} }))])), Ok(1));
    assert_eq!(shown_of(json!([one(json!({ "token": {} })), one(json!({ "key": {} }))])), Ok(1));
}

#[test]
fn a_skill_adds_its_own_demands() {
    let work = json!([one(json!({ "corporate": { "list": ["work"] } }))]);
    let scopes = |skill| shown(&work, skill).unwrap()[0].1.clone();
    assert_eq!((scopes(Some("guarded")), scopes(Some("plain"))), ("admin work".to_owned(), "work".to_owned()));
    assert_eq!(shown(&json!([]), Some("guarded")).unwrap().len(), 1);
}

#[test]
fn what_cannot_be_understood_is_not_guessed_at() {
    for name in ["flowless", "undescribed"] {
        assert_eq!(shown(&json!([one(json!({ name: {} }))]), None), Err("auth-ambiguous"));
        let or_key = json!([one(json!({ name: {} })), one(json!({ "key": {} }))]);
        assert_eq!(shown(&or_key, None).map(|used| used.len()), Ok(1));
    }
}

#[test]
fn credentials_are_shown_where_they_are_meant_to_be() {
    let used = plan(&card(&json!([one(json!({ "corporate": {} }))])), None, &given(), Flaws::default());
    let used = used.unwrap_or_else(|refusal| panic!("{refusal:?}"));
    assert!(used[0].is_meant_for("127.0.0.1:1") && used[0].is_meant_for("http://127.0.0.1:1/rpc"));
    assert!(!used[0].is_meant_for("http://127.0.0.1:12/rpc"));
}
