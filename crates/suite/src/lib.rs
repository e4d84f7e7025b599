//! The suite: Gherkin features run against an orchestrator, each scenario with a fleet of its own.
//!
//! - [`feature`]: loading, linting and selecting scenarios. Steps are cucumber's; its runner is not used, because it
//!   keeps all scenarios on one task and knows no time limits.
//! - [`Scene`]: the world that steps act on: first a plan, then a running fleet, at last frozen evidence.
//! - [`steps`]: what can be said in a scenario.
//! - [`run_watched`]: the run: proof on healthy peers, workers, events; [`run`] waits for the end and gives a [`Verdict`].
//!
//! # In a test
//!
//! An orchestrator that is a function, put through some of the scenarios that ship with gauntlet:
//!
//! ```
//! use gauntlet_suite::{Delegation, InProcess, Outcome, RunOptions, Selection, Status};
//! use serde_json::{Value, json};
//!
//! /// A client of one's own: it speaks JSON-RPC, and asks the interface that the card names first.
//! async fn ask(work: &Delegation) -> reqwest::Result<Value> {
//!     let client = reqwest::Client::new();
//!     let card = client.get(&work.peers[0].card_url).send().await?.text().await?;
//!     let card: Value = serde_json::from_str(&card).unwrap_or_default();
//!     let message = json!({"messageId": work.id, "role": "ROLE_USER", "parts": work.message.parts});
//!     let call = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}});
//!     let url = card["supportedInterfaces"][0]["url"].as_str().unwrap_or_default();
//!     let request = client.post(url).header("Content-Type", "application/json").header("A2A-Version", "1.0");
//!     let answer = request.body(call.to_string()).send().await?.text().await?;
//!     Ok(serde_json::from_str(&answer).unwrap_or_default())
//! }
//!
//! # async fn test() -> Result<(), Box<dyn std::error::Error>> {
//! let orchestrator = InProcess::new("my-client", async |work: Delegation| {
//!     let answer = ask(&work).await.unwrap_or_default();
//!     let task = &answer["result"]["task"];
//!     let done = task["status"]["state"] == "TASK_STATE_COMPLETED";
//!     let text = task["artifacts"][0]["parts"][0]["text"].as_str().map(str::to_owned);
//!     let status = if done { Status::Completed } else { Status::Failed };
//!     Outcome { text, ..Outcome::new(work.id, status) }
//! });
//! let names = vec!["a healthy peer completes work over JSONRPC".to_owned()];
//! let selection = Selection { names, ..Selection::default() };
//! let verdict = gauntlet_suite::run(orchestrator, RunOptions { selection, ..RunOptions::default() }).await?;
//! verdict.assert_fine();
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(test()).unwrap();
//! ```
//!
//! May depend on: `gauntlet-fleet`, `gauntlet-faults`, `gauntlet-driver`, `gauntlet-verdict`, `gauntlet-scenario`,
//! `gauntlet-evidence`, `gauntlet-wire`; never on the reference orchestrator.

mod attempts;
mod baseline;
mod error;
pub mod feature;
mod judge;
mod keep;
mod options;
mod proof;
mod run;
mod scene;
pub mod steps;
mod tell;
mod verdict;
mod worker;

pub use error::SuiteError;
pub use feature::{ScenarioInfo, scenarios};
pub use options::{RunOptions, Selection, Summary, Written};
pub use run::run_watched;
pub use scene::Scene;
pub use verdict::{Verdict, run};

pub use gauntlet_driver::{InProcess, Orchestrator, OrchestratorFactory};
pub use gauntlet_evidence::{Delegation, Outcome, Status, Support};
