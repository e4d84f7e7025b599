//! What the token server grants, and to whom.

use super::*;

fn server(change: impl FnOnce(&mut TokenServerSpec)) -> TokenServer {
    let mut spec = TokenServerSpec { refresh: true, offers: vec!["admin".to_owned()], ..TokenServerSpec::of("b") };
    change(&mut spec);
    TokenServer::new(spec, "b", "http://127.0.0.1:1/token".to_owned(), 7, Clock::stepping())
}

fn request(parameters: &[(&str, &str)]) -> TokenRequest {
    let client = [("client_id", "gauntlet"), ("client_secret", "client-secret-of-b")];
    let given = client.iter().chain(parameters).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    TokenRequest { parameters: given.collect(), basic: None }
}

const GRANT: (&str, &str) = ("grant_type", "client_credentials");

#[track_caller]
fn refused(server: &TokenServer, request: &TokenRequest) -> &'static str {
    server.grant(request).unwrap_err().code
}

fn text(answer: &Value, member: &str) -> String {
    answer[member].as_str().unwrap().to_owned()
}

#[test]
fn a_client_gets_what_it_asks_for_or_what_is_usual() {
    let server = server(|_| {});
    let usual = server.grant(&request(&[GRANT])).unwrap();
    assert_eq!(
        (&usual["token_type"], &usual["scope"], &usual["expires_in"]),
        (&json!("Bearer"), &json!("work"), &json!(3600))
    );
    assert_eq!(server.shown(&text(&usual, "access_token")).unwrap().scopes, ["work"]);
    let more = server.grant(&request(&[GRANT, ("scope", "work admin"), ("audience", "b")])).unwrap();
    let token = server.shown(&text(&more, "access_token")).unwrap();
    assert_eq!((token.scopes, token.audience.as_deref()), (vec!["work".to_owned(), "admin".to_owned()], Some("b")));
    assert_eq!(refused(&server, &request(&[GRANT, ("scope", "else")])), "invalid_scope");
}

#[test]
fn clients_show_who_they_are_in_one_way() {
    let server = server(|_| {});
    let basic = |secret: &str| Some(Some(("gauntlet".to_owned(), secret.to_owned())));
    let grant = || vec![("grant_type".to_owned(), "client_credentials".to_owned())];
    let by_header = |basic| TokenRequest { parameters: grant(), basic };
    assert!(server.grant(&by_header(basic("client-secret-of-b"))).is_ok());
    assert_eq!(refused(&server, &by_header(basic("wrong"))), "invalid_client");
    assert_eq!(refused(&server, &by_header(Some(None))), "invalid_client");
    assert_eq!(refused(&server, &by_header(None)), "invalid_client");
    let twice = TokenRequest { basic: basic("client-secret-of-b"), ..request(&[GRANT]) };
    assert_eq!(refused(&server, &twice), "invalid_request");
}

#[test]
fn requests_that_are_none_are_refused() {
    let server = server(|spec| spec.audience = Some("b".to_owned()));
    for (parameters, code) in [
        (&[][..], "invalid_request"),
        (&[("grant_type", "")], "invalid_request"),
        (&[GRANT, GRANT], "invalid_request"),
        (&[("grant_type", "password")], "unsupported_grant_type"),
        (&[GRANT, ("audience", "c")], "invalid_target"),
        (&[("grant_type", "refresh_token")], "invalid_request"),
        (&[("grant_type", "refresh_token"), ("refresh_token", "x")], "invalid_grant"),
    ] {
        assert_eq!(refused(&server, &request(parameters)), code, "{parameters:?}");
    }
}

#[test]
fn a_refresh_gives_the_same_or_less_and_works_once() {
    let server = server(|_| {});
    let first = server.grant(&request(&[GRANT, ("scope", "work admin"), ("audience", "b")])).unwrap();
    let refresh = |token: &str, scope: &str| {
        server.grant(&request(&[("grant_type", "refresh_token"), ("refresh_token", token), ("scope", scope)]))
    };
    let token = text(&first, "refresh_token");
    let second = refresh(&token, "").unwrap();
    let shown = server.shown(&text(&second, "access_token")).unwrap();
    assert!(shown.refreshed && shown.audience.as_deref() == Some("b") && shown.scopes.len() == 2);
    assert_eq!(refresh(&token, "").unwrap_err().code, "invalid_grant");
    let third = refresh(&text(&second, "refresh_token"), "work").unwrap();
    assert_eq!(third["scope"], "work");
    assert_eq!(refresh(&text(&third, "refresh_token"), "admin").unwrap_err().code, "invalid_scope");
    let without = self::server(|spec| spec.refresh = false);
    let answer = without.grant(&request(&[GRANT])).unwrap();
    assert!(answer.get("refresh_token").is_none());
}

#[test]
fn tokens_expire_on_the_clock_are_counted_and_repeat_under_a_seed() {
    let server = server(|spec| spec.lifetime_s = 1);
    let token = server.issue(&["work".to_owned()], None);
    assert_eq!([0, 1], [(); 2].map(|()| server.shown(&token).unwrap().shown_before).map(u64::from));
    server.clock.skip(1_000);
    assert_eq!(server.shown(&token), Err(Unknown::Expired));
    assert_eq!(server.shown("other"), Err(Unknown::NotIssued));
    assert_eq!(self::server(|_| {}).issue(&[], None), self::server(|_| {}).issue(&[], None));
}
