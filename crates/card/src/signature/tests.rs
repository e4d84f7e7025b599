//! Cards signed here, and cards that were tampered with.

use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

use super::{Jwks, canonical_bytes, encode};
use crate::{Edition, Options, Severity, validate};

/// Signs with a fresh key; the signature, and the public key as a JWK.
fn sign(card: &Value, alg: &str, kid: &str) -> (Value, Value) {
    let random = SystemRandom::new();
    let protected = encode(json!({ "alg": alg, "typ": "JOSE", "kid": kid }).to_string().as_bytes());
    let input = format!("{protected}.{}", encode(&canonical_bytes(card, Edition::V1_0)));
    let (signature, key) = if alg == "ES256" {
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random).unwrap();
        let point = pair.public_key().as_ref();
        let key =
            json!({ "kty": "EC", "crv": "P-256", "kid": kid, "x": encode(&point[1..33]), "y": encode(&point[33..]) });
        (pair.sign(&random, input.as_bytes()).unwrap().as_ref().to_vec(), key)
    } else {
        let pair = Ed25519KeyPair::from_pkcs8(Ed25519KeyPair::generate_pkcs8(&random).unwrap().as_ref()).unwrap();
        let key = json!({ "kty": "OKP", "crv": "Ed25519", "kid": kid, "x": encode(pair.public_key().as_ref()) });
        (pair.sign(input.as_bytes()).as_ref().to_vec(), key)
    };
    (json!({ "protected": protected, "signature": encode(&signature) }), key)
}

fn judge(card: &Value, keys: &[Value], now: u64) -> Vec<(Severity, String)> {
    let jwks = Jwks::read(json!({ "keys": keys }).to_string().as_bytes(), now).unwrap();
    let report = validate(card.to_string().as_bytes(), &Options { jwks: Some(jwks), ..Options::default() });
    let of = report.findings.into_iter().filter(|finding| finding.rule == "signature-verifies");
    of.map(|finding| (finding.severity, finding.message)).collect()
}

fn card() -> Value {
    crate::generate_card(Edition::V1_0, &mut crate::Draw::given(&[]))
}

#[test]
fn what_was_signed_verifies_until_it_is_changed() {
    for alg in ["ES256", "EdDSA"] {
        let mut card = card();
        // Members that only repeat a default are no part of what is signed.
        card["supportedInterfaces"][0]["tenant"] = "".into();
        let (signature, key) = sign(&card, alg, "key-1");
        card["signatures"] = json!([signature]);
        assert_eq!(judge(&card, std::slice::from_ref(&key), 0), []);
        card["supportedInterfaces"][0].as_object_mut().unwrap().remove("tenant");
        assert_eq!(judge(&card, std::slice::from_ref(&key), 0), [], "the order of keys and defaults do not matter");
        card["description"] = "Something else.".into();
        let found = judge(&card, &[key], 0);
        assert!(matches!(&found[..], [(Severity::Error, message)] if message.contains("does not fit")), "{found:?}");
    }
}

#[test]
fn keys_must_be_known_and_current() {
    let mut card = card();
    let (signature, mut key) = sign(&card, "ES256", "key-1");
    let (other_signature, other) = sign(&card, "EdDSA", "key-2");
    assert!(judge(&card, std::slice::from_ref(&key), 0)[0].1.contains("not signed"));
    card["signatures"] = json!([signature]);
    assert!(judge(&card, std::slice::from_ref(&other), 0)[0].1.contains("no key of the set"));
    key["exp"] = 1000.into();
    assert_eq!(judge(&card, std::slice::from_ref(&key), 999), []);
    assert!(judge(&card, std::slice::from_ref(&key), 1001)[0].1.contains("expired"));
    // One that verifies is enough for those whose keys are elsewhere.
    card["signatures"] = json!([signature, other_signature]);
    assert!(matches!(judge(&card, &[other], 0)[..], [(Severity::Note, _)]));
}

#[test]
fn an_algorithm_is_not_swapped_for_another() {
    let mut card = card();
    let (mut signature, key) = sign(&card, "ES256", "key-1");
    signature["protected"] = encode(br#"{"alg":"RS256","kid":"key-1"}"#).into();
    card["signatures"] = json!([signature]);
    assert_eq!(judge(&card, &[key], 0).len(), 1);
    assert!(Jwks::read(b"[]", 0).is_err());
    assert!(Jwks::read(b"{\"keys\": [{\"kty\": \"EC\", \"crv\": \"P-256\", \"x\": \"!\"}]}", 0).is_ok());
}
