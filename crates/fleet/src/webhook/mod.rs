//! Telling webhooks what happens to a task (specification §4.3): one event after the other, each tried a few times.
//!
//! Whose webhook hears of what is the engine's business; here is how it gets there.

mod destination;
mod post;
mod tls;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use gauntlet_evidence::{Stamp, WebhookRequest};
use gauntlet_faults::{FaultSet, WebhookOutcome, WebhookView};
use gauntlet_wire::{A2A_MEDIA_TYPE, A2aError, ErrorKind, protojson, v1};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use http_body_util::Full;
use serde_json::Value;

use crate::clock::Clock;
use crate::engine::{Next, Said, Subscription};
use crate::journal::{self, Attempt};
use crate::peer::Shared;
use crate::stamps;
use destination::{Destination, NoWay};

/// Senders of 0.3 and 1.0.0 repeat the configuration's token in it.
const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-a2a-notification-token");

/// How webhooks are told.
#[derive(Debug, Clone)]
pub struct WebhookOptions {
    /// How long one attempt may take, from connecting to the end of the answer.
    pub timeout: Duration,
    /// How often an event is tried, the first time included; then the next event has its turn. At least 1.
    pub attempts: u32,
    /// Time between the first attempt and the second, by the fleet's clock; it doubles with every further one.
    pub backoff: Duration,
    /// Hosts besides loopback that may be told, as urls name them. Others never hear anything, nor are they looked up.
    pub allowed_hosts: BTreeSet<String>,
}

impl Default for WebhookOptions {
    /// Four attempts of 5 s at most, with 100, 200 and 400 ms between them; loopback only.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(5),
            attempts: 4,
            backoff: Duration::from_millis(100),
            allowed_hosts: BTreeSet::new(),
        }
    }
}

impl WebhookOptions {
    /// Whether anything may be sent to a webhook at all. Names that are allowed are not looked up here.
    ///
    /// # Errors
    /// Why nothing is, for people.
    pub fn reaches(&self, url: &str) -> Result<(), String> {
        let destination: Destination =
            url.parse().map_err(|_| format!("`{url}` is not an absolute http or https url"))?;
        destination.is_permitted(&self.allowed_hosts)
    }
}

/// Sends what one peer has to say to webhooks.
pub(crate) struct Courier {
    pub(crate) peer: Arc<str>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) clock: Clock,
    pub(crate) options: WebhookOptions,
    pub(crate) faults: Arc<FaultSet>,
}

/// Whether the configuration can be used at all. Whether anything may be sent there is only asked when there is
/// something to send.
///
/// # Errors
/// InvalidParams, naming the member.
pub(crate) fn check(config: &v1::TaskPushNotificationConfig) -> Result<(), A2aError> {
    let invalid = |why: &str| A2aError::new(ErrorKind::InvalidParams, why);
    config.url.parse::<Destination>().map_err(|_| invalid("`url` must be an absolute http or https url"))?;
    headers(config).map(|_| ()).ok_or_else(|| invalid("`token` and `authentication` must fit into HTTP headers"))
}

fn headers(config: &v1::TaskPushNotificationConfig) -> Option<HeaderMap> {
    let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(A2A_MEDIA_TYPE))]);
    if let Some(authentication) = &config.authentication {
        let value = format!("{} {}", authentication.scheme, authentication.credentials);
        headers.insert(AUTHORIZATION, HeaderValue::try_from(value.trim_end()).ok()?);
    }
    if !config.token.is_empty() {
        headers.insert(TOKEN_HEADER, HeaderValue::try_from(&config.token).ok()?);
    }
    Some(headers)
}

impl Courier {
    /// Tells a webhook everything that comes on `events`, until the task ends; `told` counts what has had its turn.
    pub(crate) async fn follow(
        &self,
        config: v1::TaskPushNotificationConfig,
        mut events: Subscription,
        told: &AtomicUsize,
    ) {
        let (Ok(destination), Some(headers)) = (config.url.parse::<Destination>(), headers(&config)) else { return };
        let errand = Errand { courier: self, config: &config, destination: &destination, headers: &headers };
        if let Err(why) = errand.tell_all(&mut events, told).await {
            self.shared.journal.withheld(&self.peer, &config, None, why, Vec::new());
        }
    }
}

/// What one webhook is to be told.
struct Errand<'a> {
    courier: &'a Courier,
    config: &'a v1::TaskPushNotificationConfig,
    destination: &'a Destination,
    headers: &'a HeaderMap,
}

/// One event in the form in which it is told.
struct Notification {
    index: u32,
    object: Value,
    headers: HeaderMap,
    stamps: Vec<Stamp>,
    fate: WebhookOutcome,
}

impl Errand<'_> {
    /// # Errors
    /// Why nothing may be sent there.
    async fn tell_all(&self, events: &mut Subscription, told: &AtomicUsize) -> Result<(), String> {
        // What faults let later ones pass, and how many are still to pass it.
        let mut passed_by: Vec<(u32, Notification)> = Vec::new();
        for index in 0.. {
            let said = match events.next().await {
                Next::Event(said) => said,
                Next::End => break,
                Next::Stopped => return Ok(()),
            };
            let busy = self.courier.shared.journal.busy();
            let notification = self.write(&said, index);
            passed_by.iter_mut().for_each(|(left, _)| *left -= 1);
            match notification.fate.behind {
                0 => self.deliver(&notification).await?,
                behind => passed_by.push((behind, notification)),
            }
            for (_, due) in passed_by.extract_if(.., |(left, _)| *left == 0) {
                self.deliver(&due).await?;
            }
            told.fetch_add(1, Ordering::Relaxed);
            drop(busy);
        }
        let _busy = self.courier.shared.journal.busy();
        for (_, last) in passed_by {
            self.deliver(&last).await?;
        }
        Ok(())
    }

    /// Puts an event into its form and lets faults at it.
    fn write(&self, said: &Said, index: u32) -> Notification {
        let faults = &self.courier.faults;
        let mut written = Notification {
            index,
            object: protojson::to_json(&said.item),
            headers: self.headers.clone(),
            stamps: said.stamps.clone(),
            fate: WebhookOutcome::default(),
        };
        if let Some(task) = &said.task {
            let mut headers = journal::headers(self.headers);
            let object = &mut written.object;
            let (fate, bites) = faults.webhook(&mut WebhookView { task, index, object, headers: &mut headers });
            written.fate = fate;
            written.stamps.extend(stamps::of(bites));
            // A header that HTTP cannot carry is left out.
            let legal = headers.iter().filter_map(|(name, value)| Some((name.parse().ok()?, value.parse().ok()?)));
            written.headers = legal.collect();
        }
        written
    }

    /// Sends it as often as faults want, and when.
    ///
    /// # Errors
    /// Why nothing may be sent there.
    async fn deliver(&self, notification: &Notification) -> Result<(), String> {
        let WebhookOutcome { dropped, repeats, wait_ms, .. } = notification.fate;
        if dropped {
            let why = "a fault drops the notification".to_owned();
            let (journal, stamps) = (&self.courier.shared.journal, notification.stamps.clone());
            journal.withheld(&self.courier.peer, self.config, Some(notification.index), why, stamps);
            return Ok(());
        }
        self.wait(wait_ms).await;
        for _ in 0..=repeats {
            self.send(notification).await?;
        }
        Ok(())
    }

    /// Tries until it is taken, refused for good, or was tried often enough.
    ///
    /// # Errors
    /// Why nothing may be sent there.
    async fn send(&self, notification: &Notification) -> Result<(), String> {
        let Courier { peer, shared, options, .. } = self.courier;
        let Notification { index, object, headers, stamps, .. } = notification;
        let body = Bytes::from(object.to_string());
        let mut pause = options.backoff;
        for attempt in 1..=options.attempts.max(1) {
            let addresses = self.destination.addresses(&options.allowed_hosts);
            let sent = WebhookRequest {
                task_id: self.config.task_id.clone(),
                config_id: self.config.id.clone(),
                url: self.config.url.clone(),
                index: *index,
                attempt,
                headers: journal::headers(headers),
                object: object.clone(),
                body: journal::raw(&body),
            };
            let addresses = match addresses.await {
                Err(NoWay::Forbidden(why)) => return Err(why),
                Err(NoWay::Unknown(why)) => Err(why),
                Ok(addresses) => Ok(addresses),
            };
            let answer = Attempt::begin(&shared.journal, peer, sent, stamps.clone());
            let outcome = match addresses {
                Ok(addresses) => self.post(&addresses, headers, body.clone()).await,
                Err(why) => Err(why),
            };
            let settled = outcome.as_ref().is_ok_and(|status| is_final(*status));
            answer.end(outcome);
            if settled || attempt == options.attempts {
                break;
            }
            self.wait(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)).await;
            pause = pause.saturating_mul(2);
        }
        Ok(())
    }

    /// Lets time pass, by the fleet's clock.
    async fn wait(&self, milliseconds: u64) {
        if milliseconds > 0
            && let Some(wait) = self.courier.clock.skip(milliseconds)
        {
            tokio::time::sleep(wait).await;
        }
    }

    async fn post(
        &self,
        addresses: &[std::net::SocketAddr],
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<StatusCode, String> {
        let request = self.destination.request(headers, Full::new(body)).map_err(|error| error.to_string())?;
        let timeout = self.courier.options.timeout;
        match tokio::time::timeout(timeout, post::post(addresses, self.destination.certified(), request)).await {
            Ok(outcome) => outcome.map_err(|error| error.to_string()),
            Err(_) => Err(format!("nothing within {} ms", timeout.as_millis())),
        }
    }
}

/// Whether trying again would change nothing: it was taken, or the receiver will never want it.
fn is_final(status: StatusCode) -> bool {
    status.is_success()
        || (status.is_client_error() && !matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS))
}
