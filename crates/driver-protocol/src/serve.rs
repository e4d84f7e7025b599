//! The loop of a driver: read a message, call the client, write the answer.

use std::io::{self, BufRead, Write};

use serde_json::Value;

use crate::{Continue, Delegation, FromDriver, Hello, Outcome, Reset, ToDriver};

/// What connects a client that is called once at a time, and answers before it is called again.
pub trait Driver {
    /// Who the orchestrator is and what it supports. What is not listed is not asked for.
    fn hello(&self) -> Hello;

    /// Hands the work over and gives what the client's documented result says.
    fn delegate(&mut self, work: Delegation) -> Outcome;

    /// Answers a task that waits. Asked only of drivers that support `multi-turn`.
    fn proceed(&mut self, answer: Continue) -> Outcome {
        Outcome::raised(answer.id, "Unsupported", "this driver does not take `continue`")
    }

    /// Forgets a session. Asked only of drivers that support `reset`.
    fn reset(&mut self, _session: &str) {}
}

/// Serves `gauntlet` on stdin and stdout until it ends the conversation. What the client prints belongs on stderr, which
/// is kept for each scenario.
///
/// # Errors
/// As [`serve_lines`].
pub fn serve(driver: &mut impl Driver) -> io::Result<()> {
    serve_lines(driver, io::stdin().lock(), io::stdout().lock())
}

/// Serves what speaks the protocol at the other end of `input` and `output`, until `input` ends. Messages of a type that
/// is not known here are passed over; so is `cancel`, which finds nothing left to cancel.
///
/// # Errors
/// When either end fails, and when a line is no JSON or a message lacks what it must have.
pub fn serve_lines(driver: &mut impl Driver, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    for line in input.lines() {
        let answer = match read(&line?)? {
            Some(ToDriver::Start(_)) => FromDriver::Hello(driver.hello()),
            Some(ToDriver::Delegate(work)) => FromDriver::Outcome(Box::new(driver.delegate(*work))),
            Some(ToDriver::Continue(answer)) => FromDriver::Outcome(Box::new(driver.proceed(answer))),
            Some(ToDriver::Reset(Reset { session })) => {
                driver.reset(&session);
                FromDriver::ResetDone(Reset { session })
            }
            Some(ToDriver::Cancel(_)) | None => continue,
        };
        // In one write, so that nothing comes between the line and its end.
        output.write_all(format!("{}\n", serde_json::to_string(&answer)?).as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

/// The message in a line, or nothing for one of a later protocol.
fn read(line: &str) -> serde_json::Result<Option<ToDriver>> {
    let message: Value = serde_json::from_str(line)?;
    match message["type"].as_str() {
        Some("start" | "delegate" | "continue" | "cancel" | "reset") => serde_json::from_value(message).map(Some),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;

    struct Echo;

    impl Driver for Echo {
        fn hello(&self) -> Hello {
            Hello::default()
        }

        fn delegate(&mut self, work: Delegation) -> Outcome {
            Outcome::new(work.id, Status::Completed)
        }
    }

    fn told(asked: &str) -> io::Result<Vec<Value>> {
        let mut output = Vec::new();
        serve_lines(&mut Echo, asked.as_bytes(), &mut output)?;
        Ok(String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    #[test]
    fn every_message_has_its_answer() {
        let answers = told(concat!(
            r#"{"type":"start","protocol":1,"seed":7,"later":[]}"#,
            "\n",
            r#"{"type":"reset","session":"s-1"}"#,
            "\n",
            r#"{"type":"cancel","id":"d-1"}"#,
            "\n",
            r#"{"type":"continue","id":"d-1","parts":[]}"#,
            "\n",
        ))
        .unwrap();
        let types: Vec<&str> = answers.iter().map(|answer| answer["type"].as_str().unwrap()).collect();
        assert_eq!(types, ["hello", "reset-done", "outcome"]);
        assert_eq!(answers[1]["session"], "s-1");
        assert_eq!(answers[2]["status"], "raised");
    }

    #[test]
    fn what_is_unknown_is_passed_over_and_what_is_broken_is_not() {
        assert_eq!(told("{\"type\":\"of-protocol-2\"}\n[]\n").unwrap(), Vec::<Value>::new());
        for broken in ["hello", r#"{"type":"cancel"}"#, r#"{"type":"delegate","id":"d-1"}"#] {
            assert!(told(broken).is_err(), "{broken}");
        }
    }
}
