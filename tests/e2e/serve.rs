//! `gauntlet serve`.

use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

#[cfg(target_os = "linux")]
use crate::relay::Relay;
use crate::support::{folder, gauntlet, gauntlet_in, root};
use crate::webhook::Webhook;

/// A running `gauntlet serve`; killed when a test ends without having ended it.
pub(crate) struct Served {
    pub(crate) process: Child,
    stdout: Box<dyn BufRead + Send>,
    /// What was printed until the peers were ready.
    start: String,
    _folder: TempDir,
}

impl Served {
    fn start(arguments: &[&str]) -> Self {
        Self::start_in(folder(&[]), arguments)
    }

    pub(crate) fn start_in(folder: TempDir, arguments: &[&str]) -> Self {
        Self::start_with(folder, arguments, &[])
    }

    fn start_with(folder: TempDir, arguments: &[&str], variables: &[(&str, &Path)]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_gauntlet-under-test"))
            .envs(variables.iter().copied())
            .arg("serve")
            .args(arguments)
            .current_dir(folder.path())
            .env("NO_COLOR", "1")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let stdout = Box::new(BufReader::new(process.stdout.take().expect("stdout is piped")));
        let mut served = Self { process, stdout, start: String::new(), _folder: folder };
        served.start = served.read_until("Ctrl-C ends");
        served
    }

    /// What is printed up to and with the line that holds these words.
    #[track_caller]
    fn read_until(&mut self, words: &str) -> String {
        let mut text = String::new();
        loop {
            let before = text.len();
            assert_ne!(self.stdout.read_line(&mut text).expect("it is text"), 0, "`{words}` is never printed:\n{text}");
            if text[before..].contains(words) {
                return text;
            }
        }
    }

    /// The word behind a label at the start of a line, as a user would read it.
    #[track_caller]
    pub(crate) fn told(&self, label: &str) -> String {
        let lines = self.start.lines().map(str::split_whitespace);
        let mut found = lines.filter_map(|mut words| (words.next() == Some(label)).then(|| words.next()).flatten());
        found.next().unwrap_or_else(|| panic!("no {label} in:\n{}", self.start)).to_owned()
    }

    /// Reads from now on what it prints, and lets it go.
    pub(crate) fn drain(&mut self) {
        let mut stdout = std::mem::replace(&mut self.stdout, Box::new(std::io::empty()));
        std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
    }

    /// Ends it with a signal; what it says last.
    pub(crate) fn end(mut self, signal: &str) -> (ExitStatus, String) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().expect("kill is there").success());
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).expect("it is text");
        (self.process.wait().expect("it ends"), rest)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// Status and body of an answer; a body that is no JSON is null.
fn ask(request: reqwest::RequestBuilder) -> (u16, Value) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("this works");
    runtime.block_on(async {
        let response = request.send().await.expect("an answer");
        let status = response.status().as_u16();
        (status, serde_json::from_slice(&response.bytes().await.expect("this works")).unwrap_or_default())
    })
}

fn get(url: &str) -> (u16, Value) {
    ask(reqwest::Client::new().get(url))
}

fn rpc(url: &str, method: &str, text: &str) -> Value {
    rpc_with(url, method, text, &json!({}))
}

fn rpc_with(url: &str, method: &str, text: &str, configuration: &Value) -> Value {
    let message = json!({ "messageId": text, "role": "ROLE_USER", "parts": [{ "text": text }] });
    let params = json!({ "message": message, "configuration": configuration });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let request = reqwest::Client::new().post(url).header("Content-Type", "application/json");
    let request = request.header("A2A-Version", "1.0").header("Authorization", "Bearer very-secret");
    ask(request.body(call.to_string())).1
}

fn is_free(url: &str) -> bool {
    TcpStream::connect(url.trim_start_matches("http://").split('/').next().expect("this works")).is_err()
}

#[test]
fn a_client_is_served_and_watched_until_ctrl_c() {
    let mut served = Served::start(&["healthy"]);
    let (status, card) = get(&served.told("card"));
    assert_eq!((status, &card["name"]), (200, &json!("healthy")));
    served.read_until("← card of healthy");
    let url = served.told("JSONRPC");
    assert_eq!(card["supportedInterfaces"][0]["url"], json!(url));
    let answer = rpc(&url, "SendMessage", "hello");
    assert_eq!(answer["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{answer}");
    let lines = served.read_until("COMPLETED");
    assert!(lines.contains("healthy  → SendMessage over JSONRPC\n"), "{lines}");

    rpc(&url, "GetTsk", "hello");
    let lines = served.read_until("-32601");
    assert!(lines.contains("✗ nothing matched; no method `GetTsk`; did you mean `GetTask`?"), "{lines}");
    get(&url);
    let lines = served.read_until("error 405");
    assert!(lines.contains("✗ nothing matched; did you mean POST /rpc (JSONRPC)?"), "{lines}");

    let (status, rest) = served.end("-INT");
    assert_eq!(status.code(), Some(0), "{rest}");
    assert!(rest.ends_with("\nhealthy  4 requests, 2 unmatched\n"), "{rest}");
    assert!(is_free(&url));
}

#[test]
fn sigterm_ends_it_as_well_even_while_a_request_is_open() {
    let mut served = Served::start(&["everything"]);
    let url = served.told("JSONRPC");
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": { "message":
        { "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "hang" }] } } });
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let request = reqwest::Client::new().post(&url).header("Content-Type", "application/json");
    let stream = runtime.block_on(request.header("A2A-Version", "1.0").body(call.to_string()).send()).unwrap();
    served.read_until("← status WORKING");
    let (status, rest) = served.end("-TERM");
    assert_eq!(status.code(), Some(0), "{rest}");
    assert!(rest.contains("everything  1 request\n"), "{rest}");
    drop(stream);
}

#[test]
fn it_serves_and_ends_even_when_nobody_reads_what_it_prints() {
    let mut served = Served::start(&["healthy"]);
    let url = served.told("card");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // Far more lines than the pipe holds.
    runtime.block_on(async {
        let client = reqwest::Client::new();
        for _ in 0..1500 {
            assert_eq!(client.get(&url).send().await.expect("an answer").status().as_u16(), 200);
        }
    });
    assert!(Command::new("kill").args(["-TERM", &served.process.id().to_string()]).status().unwrap().success());
    let deadline = Instant::now() + Duration::from_secs(30);
    let status = loop {
        match served.process.try_wait().unwrap() {
            Some(status) => break status,
            None if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(20)),
            None => panic!("it does not end"),
        }
    };
    assert_eq!(status.code(), Some(0));
}

#[test]
fn every_keyword_of_everything_does_what_it_says() {
    let served = Served::start(&["everything"]);
    let url = served.told("JSONRPC");
    for (text, state) in [
        ("please ask", "TASK_STATE_INPUT_REQUIRED"),
        ("now fail", "TASK_STATE_FAILED"),
        ("reject this", "TASK_STATE_REJECTED"),
        ("auth", "TASK_STATE_AUTH_REQUIRED"),
        ("send a file", "TASK_STATE_COMPLETED"),
        ("as data", "TASK_STATE_COMPLETED"),
        ("in chunks", "TASK_STATE_COMPLETED"),
        ("hello", "TASK_STATE_COMPLETED"),
        ("a task like any other, no failure", "TASK_STATE_COMPLETED"),
        ("FAIL!", "TASK_STATE_FAILED"),
    ] {
        let answer = rpc(&url, "SendMessage", text);
        assert_eq!(answer["result"]["task"]["status"]["state"], state, "{text}: {answer}");
    }
    let part = |text: &str| rpc(&url, "SendMessage", text)["result"]["task"]["artifacts"][0]["parts"][0].clone();
    assert_eq!(part("file")["filename"], "report.csv");
    assert_eq!(part("data")["data"]["verdict"], "damaged");
    let reply = rpc(&url, "SendMessage", "reply");
    assert_eq!(reply["result"]["message"]["role"], "ROLE_AGENT", "{reply}");
    assert_eq!(served.end("-INT").0.code(), Some(0));
}

#[test]
fn fleets_and_files_are_started_together_at_ports_in_a_row() {
    let mine = "title: Mine\npeers:\n  - name: mine\n    interfaces: [{ binding: JSONRPC, tenant: acme }]\n";
    // Whoever takes the ports between here and the start makes the test fail, so it looks for two in a row.
    let first = (20_000..30_000)
        .step_by(2)
        .find(|port| [*port, port + 1].iter().all(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()))
        .unwrap();
    let served = Served::start_in(
        folder(&[("mine.yaml", mine)]),
        &["transport-drift", "mine.yaml", "--port", &first.to_string()],
    );
    assert!(
        served.start.contains(&format!("http://127.0.0.1:{first}/.well-known/agent-card.json")),
        "{}",
        served.start
    );
    let line = format!("  JSONRPC    http://127.0.0.1:{} (A2A 1.0, tenant acme)", first + 1);
    assert!(served.start.contains(&line), "{}", served.start);
    assert!(served.start.contains("  defect     service-unregistered: "), "{}", served.start);
    let answer = rpc(&served.told("JSONRPC"), "SendMessage", "hello");
    assert_eq!(answer["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{answer}");
    assert_eq!(served.end("-INT").0.code(), Some(0));
}

#[test]
fn a_defect_is_switched_on_with_its_arguments() {
    let defect = "method-unimplemented={operation: SendMessage, when: {binding: JSONRPC}}";
    let mut served = Served::start(&["healthy", "vendor-b", "--defect", defect]);
    assert_eq!(served.start.matches("method-unimplemented").count(), 2, "vendor-b has its own:\n{}", served.start);
    assert!(served.start.contains("(operation SendMessage, on JSONRPC)"), "{}", served.start);
    let answer = rpc(&served.told("JSONRPC"), "SendMessage", "hello");
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    served.read_until("[method-unimplemented: refuse-operation]");
    assert_eq!(served.end("-INT").0.code(), Some(0));
}

#[test]
fn a_quiet_one_says_where_it_is_and_no_more() {
    let journal = folder(&[]);
    let file = journal.path().join("journal.ndjson");
    let served = Served::start(&["healthy", "--quiet", "--journal", file.to_str().expect("it is text")]);
    rpc(&served.told("JSONRPC"), "SendMessage", "hello");
    let (status, rest) = served.end("-INT");
    assert_eq!((status.code(), rest.trim()), (Some(0), ""));
    let kept = std::fs::read_to_string(file).expect("it is there");
    assert!(kept.contains("SendMessage") && !kept.contains("very-secret"), "{kept}");
}

/// Elsewhere no variable says which authorities are trusted.
#[cfg(target_os = "linux")]
#[test]
fn webhooks_hear_over_tls_where_their_certificate_is_trusted() {
    let runtime = tokio::runtime::Runtime::new().expect("this works");
    let (mut webhook, relay) = runtime.block_on(async {
        let webhook = Webhook::start().await.expect("a port of loopback");
        let port = webhook.url.rsplit([':', '/']).nth(1).expect("a port").parse().expect("a number");
        (webhook, Relay::start(port, &["http/1.1"]).await)
    });
    let push = |token: &str| {
        let url = format!("https://localhost:{}/hook", relay.port);
        json!({ "taskPushNotificationConfig": { "url": url, "token": token } })
    };
    let authority = root().join("tests/e2e/tls/authority.pem");
    let mut stranger = Served::start(&["everything"]);
    rpc_with(&stranger.told("JSONRPC"), "SendMessage", "hello", &push("of the stranger"));
    stranger.read_until("no TLS: ");
    let trusting = Served::start_with(folder(&[]), &["everything"], &[("SSL_CERT_FILE", &authority)]);
    rpc_with(&trusting.told("JSONRPC"), "SendMessage", "hello", &push("of the trusting"));
    let heard = runtime.block_on(webhook.next()).expect("it is told");
    assert_eq!(heard.header("x-a2a-notification-token"), Some("of the trusting"));
}

#[test]
fn test_code_reads_and_clears_the_journal_and_nothing_tells_secrets() {
    let folder = folder(&[]);
    let journal = folder.path().join("journal.ndjson");
    let served = Served::start_in(folder, &["healthy", "--control", "0", "--journal", journal.to_str().unwrap()]);
    let control = served.told("address");
    let (_, peers) = get(&format!("{control}/peers"));
    assert_eq!(peers[0]["name"], "healthy");
    assert_eq!(peers[0]["cardUrl"], json!(served.told("card")));
    assert_eq!(peers[0]["interfaces"][0]["binding"], "JSONRPC");
    assert_eq!(peers[0]["defects"], json!([]));
    rpc(&served.told("JSONRPC"), "SendMessage", "hello");

    let (_, entries) = get(&format!("{control}/journal?peer=healthy"));
    let entries = entries.as_array().unwrap();
    let request = entries.iter().find(|entry| entry["event"] == "request").expect("the request is there");
    assert_eq!(request["operation"], "SendMessage");
    let text = serde_json::to_string(entries).unwrap();
    assert!(text.contains(r#"["authorization","***"]"#) && !text.contains("very-secret"), "{text}");
    let seq = request["seq"].as_u64().unwrap();
    let (_, later) = get(&format!("{control}/journal?since={seq}"));
    assert!(later.as_array().unwrap().iter().all(|entry| entry["seq"].as_u64().unwrap() > seq), "{later}");
    assert!(later.as_array().unwrap().iter().any(|entry| entry["seq"] == seq + 1), "{later}");

    let (_, states) = get(&format!("{control}/tasks"));
    assert_eq!(states[0]["tasks"][0]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{states}");

    assert_eq!(ask(reqwest::Client::new().post(format!("{control}/journal/clear"))).0, 204);
    let (_, cleared) = get(&format!("{control}/journal"));
    // The connection of the client may close only now.
    assert!(!cleared.to_string().contains("SendMessage"), "{cleared}");

    let (status, refusal) = get(&format!("{control}/tasks?peer=helthy"));
    assert_eq!((status, refusal["error"].as_str().unwrap().contains("healthy")), (404, true));
    assert_eq!(get(&format!("{control}/journal?since=yesterday")).0, 400);
    assert_eq!(get(&format!("{control}/nothing")).0, 404);
    assert_eq!(get(&format!("{control}/journal/clear")).0, 405);

    assert_eq!(served_and_kept(served, &journal), 1);
    assert!(is_free(&control));
}

/// Ends it; how many requests the journal on disk tells of.
fn served_and_kept(served: Served, journal: &Path) -> usize {
    let mut kept = std::fs::File::open(journal).expect("this works");
    let (status, rest) = served.end("-INT");
    assert_eq!(status.code(), Some(0), "{rest}");
    let mut text = String::new();
    kept.read_to_string(&mut text).expect("this works");
    assert!(!text.contains("very-secret"), "{text}");
    let entries = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line is an entry"));
    entries.filter(|entry| entry["event"] == "request").count()
}

#[test]
fn a_port_in_use_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    gauntlet(&["serve", "healthy", "--port", &port]).ends_with(3).names(&["healthy", &port, "in use"]);
    gauntlet(&["serve", "healthy", "--control", &port]).ends_with(3).names(&["control API", &port, "in use"]);
    gauntlet(&["serve", "healthy", "vendor-a", "--port", "65535"]).ends_with(2).names(&["--port", "65535"]);
}

#[test]
fn what_does_not_exist_is_named_with_what_was_meant() {
    gauntlet(&["serve"]).ends_with(2).names(&["FLEET|FILE"]);
    gauntlet(&["serve", "vendr-a"]).ends_with(2).names(&["vendr-a", "did you mean `vendor-a`"]);
    gauntlet(&["serve", "nowhere.yaml"]).ends_with(2).names(&["nowhere.yaml"]);
    let serve = |defect: &str| gauntlet(&["serve", "healthy", "--defect", defect]);
    serve("stream-closes-erly").ends_with(2).names(&["did you mean `stream-closes-early`"]);
    serve("method-unimplemented={operaton: GetTask}").ends_with(2).names(&["did you mean `operation`"]);
    serve("method-unimplemented={operation: GetTsk}").ends_with(2).names(&["did you mean `GetTask`"]);
    serve("method-unimplemented={operation").ends_with(2).names(&["--defect", "not YAML"]);
    let ran = gauntlet(&["serve", "vendor-a", "vendor-c", "--defect", "service-unregistered"]);
    ran.ends_with(2).names(&["none of the 2 peers can have it"]);
}

#[test]
fn peers_of_one_name_and_files_without_peers_are_refused() {
    gauntlet(&["serve", "healthy", "healthy"]).ends_with(2).names(&["`healthy` is named twice"]);
    let peer = "peers:\n  - name: healthy\n    interfaces: [JSONRPC]\n";
    let folder = folder(&[("mine.yaml", peer), ("empty/readme.md", "")]);
    let ran = gauntlet_in(folder.path(), &["serve", "healthy", "mine.yaml"]);
    ran.ends_with(2).names(&["two peers are called `healthy`", "`mine`"]);
    gauntlet_in(folder.path(), &["serve", "./empty"]).ends_with(2).names(&["no fleet in ./empty"]);
    gauntlet_in(folder.path(), &["serve", "mine.yaml", "--journal", "no/where"]).ends_with(2).names(&["no/where"]);
}
