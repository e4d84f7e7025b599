//! Key sets (RFC 7517), and verification with their keys.

use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384,
    RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256, RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512,
    RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};
use serde_json::Value;

use super::{Header, decode, encode};

/// What cards may be signed with: algorithms with a public key.
pub(crate) const ALGORITHMS: [&str; 11] =
    ["ES256", "ES384", "ES512", "EdDSA", "Ed25519", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512"];

/// A key set that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a JSON Web Key Set: {0}")]
pub struct JwksError(String);

/// Public keys to verify with.
#[derive(Debug, Clone, PartialEq)]
pub struct Jwks {
    keys: Vec<Key>,
    /// Seconds since 1970; keys that end before are not used.
    now: u64,
}

#[derive(Debug, Clone, PartialEq)]
struct Key {
    kid: Option<String>,
    alg: Option<String>,
    expires: Option<u64>,
    material: Material,
}

#[derive(Debug, Clone, PartialEq)]
enum Material {
    /// The curve, and the point as SEC1 writes it.
    Curve(String, Vec<u8>),
    Ed25519(Vec<u8>),
    Rsa {
        n: Vec<u8>,
        e: Vec<u8>,
    },
    /// A kind that nothing is verified with.
    Other(String),
}

/// Whether a signature is true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    True,
    /// The key is there, and says no.
    False(String),
    /// There is no key for it.
    Unknown(String),
}

impl Jwks {
    /// Reads a key set. `now` is in seconds since 1970; keys with an `exp` before it are not used.
    ///
    /// # Errors
    /// When it is no JSON object with a list `keys`.
    pub fn read(bytes: &[u8], now: u64) -> Result<Self, JwksError> {
        let set: Value = serde_json::from_slice(bytes).map_err(|error| JwksError(error.to_string()))?;
        let keys = set["keys"].as_array().ok_or_else(|| JwksError("there is no list `keys`".to_owned()))?;
        Ok(Self { keys: keys.iter().filter_map(Key::read).collect(), now })
    }

    /// Verifies one signature over a payload.
    pub(crate) fn verify(&self, protected: &str, signature: &str, payload: &[u8]) -> Verdict {
        let (Ok(header), Some(signature)) = (Header::read(protected), decode(signature)) else {
            return Verdict::False("the signature cannot be decoded".to_owned());
        };
        if header.critical {
            return Verdict::False("the header has critical members that are not understood".to_owned());
        }
        let (Some(alg), Some(kid)) = (header.alg, header.kid) else {
            return Verdict::False("the header lacks alg or kid".to_owned());
        };
        let named: Vec<&Key> = self.keys.iter().filter(|key| key.kid.as_deref() == Some(&kid)).collect();
        if named.is_empty() {
            return Verdict::Unknown(format!("no key of the set is called `{kid}`"));
        }
        let current: Vec<&Key> =
            named.into_iter().filter(|key| key.expires.is_none_or(|expires| expires > self.now)).collect();
        if current.is_empty() {
            return Verdict::False(format!("the key `{kid}` has expired"));
        }
        let input = format!("{protected}.{}", encode(payload));
        let mut fitting = current.into_iter().filter(|key| key.alg.as_deref().is_none_or(|own| own == alg)).peekable();
        if fitting.peek().is_none() {
            return Verdict::False(format!("the key `{kid}` is not for {alg}"));
        }
        let verified = fitting.any(|key| key.material.verifies(&alg, input.as_bytes(), &signature));
        if verified {
            Verdict::True
        } else {
            Verdict::False(format!("the signature by `{kid}` does not fit this card"))
        }
    }
}

impl Key {
    /// Keys for encryption are left out.
    fn read(key: &Value) -> Option<Self> {
        if key["use"].as_str().is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let text = |name: &str| key[name].as_str().map(str::to_owned);
        let bytes = |name: &str| key[name].as_str().and_then(decode);
        let material = match (key["kty"].as_str()?, key["crv"].as_str()) {
            ("EC", Some(curve)) => {
                let point = [vec![4], bytes("x")?, bytes("y")?].concat();
                Material::Curve(curve.to_owned(), point)
            }
            ("OKP", Some("Ed25519")) => Material::Ed25519(bytes("x")?),
            ("RSA", _) => Material::Rsa { n: bytes("n")?, e: bytes("e")? },
            (other, _) => Material::Other(other.to_owned()),
        };
        Some(Self { kid: text("kid"), alg: text("alg"), expires: key["exp"].as_u64(), material })
    }
}

impl Material {
    fn verifies(&self, alg: &str, message: &[u8], signature: &[u8]) -> bool {
        let with = |algorithm: &'static dyn VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(algorithm, key).verify(message, signature).is_ok()
        };
        match (self, alg) {
            (Self::Curve(curve, key), "ES256") if curve == "P-256" => with(&ECDSA_P256_SHA256_FIXED, key),
            (Self::Curve(curve, key), "ES384") if curve == "P-384" => with(&ECDSA_P384_SHA384_FIXED, key),
            (Self::Ed25519(key), "EdDSA" | "Ed25519") => with(&ED25519, key),
            (Self::Rsa { n, e }, _) => rsa(alg).is_some_and(|parameters| {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature).is_ok()
            }),
            _ => false,
        }
    }
}

fn rsa(alg: &str) -> Option<&'static RsaParameters> {
    Some(match alg {
        "RS256" => &RSA_PKCS1_2048_8192_SHA256,
        "RS384" => &RSA_PKCS1_2048_8192_SHA384,
        "RS512" => &RSA_PKCS1_2048_8192_SHA512,
        "PS256" => &RSA_PSS_2048_8192_SHA256,
        "PS384" => &RSA_PSS_2048_8192_SHA384,
        "PS512" => &RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}
