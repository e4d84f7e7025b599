//! A client that sends whatever bytes it is given, and the few HTTP/2 frames that no library would send.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Longer than any of this takes, whatever a paused clock does; a test that reaches it has failed.
const PATIENCE: Duration = Duration::from_secs(600);

/// What an HTTP/2 client begins with: the preface and empty settings.
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

pub(crate) const HEADERS: u8 = 1;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
const GOAWAY: u8 = 7;
pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;

/// `POST / http` in HPACK's static table.
pub(crate) const POST: &[u8] = b"\x83\x86\x84";

pub(crate) struct Raw(TcpStream);

impl Raw {
    pub(crate) async fn connect(authority: &str) -> Self {
        Self(TcpStream::connect(authority).await.unwrap())
    }

    /// A connection on which this has been sent.
    pub(crate) async fn with(authority: &str, bytes: &[u8]) -> Self {
        let mut raw = Self::connect(authority).await;
        raw.send(bytes).await.unwrap();
        raw
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes).await
    }

    /// Everything that comes until the peer hangs up, in whichever way it does.
    pub(crate) async fn until_hung_up(&mut self) -> Vec<u8> {
        let mut heard = Vec::new();
        let reading = self.0.read_to_end(&mut heard);
        // A reset is a way to hang up.
        let _ = tokio::time::timeout(PATIENCE, reading).await.expect("the peer does not hang up");
        heard
    }

    /// Listens until an HTTP/2 frame of that kind has come.
    pub(crate) async fn until_frame(&mut self, kind: u8) {
        let mut heard = Vec::new();
        let reading = async {
            while payload(&heard, kind).is_none() {
                assert_ne!(self.0.read_buf(&mut heard).await.unwrap(), 0, "the peer hung up");
            }
        };
        tokio::time::timeout(PATIENCE, reading).await.expect("the frame does not come");
    }

    /// Sends all of this while it listens, as far as the peer lets it.
    pub(crate) async fn flood(self, bytes: &[u8]) -> Vec<u8> {
        let (mut read, mut write) = self.0.into_split();
        let mut heard = Vec::new();
        let talking = async {
            let _ = write.write_all(bytes).await;
            let _ = write.shutdown().await;
        };
        let both = async { tokio::join!(talking, read.read_to_end(&mut heard)) };
        let _ = tokio::time::timeout(PATIENCE, both).await.expect("the peer does not hang up");
        heard
    }
}

/// An HTTP/2 frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    announced(u32::try_from(payload.len()).unwrap(), kind, flags, stream, payload)
}

/// An HTTP/2 frame that claims to be of some length.
pub(crate) fn announced(length: u32, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = length.to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// The payload of the first frame of that kind among these.
pub(crate) fn payload(mut frames: &[u8], kind: u8) -> Option<&[u8]> {
    while let Some((head, rest)) = frames.split_at_checked(9) {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        if head[3] == kind {
            return rest.get(..length);
        }
        frames = rest.get(length..)?;
    }
    None
}

/// The error code of the GOAWAY among these frames.
pub(crate) fn goaway(frames: &[u8]) -> Option<u32> {
    payload(frames, GOAWAY)?.get(4..8).map(|code| u32::from_be_bytes(code.try_into().unwrap()))
}
