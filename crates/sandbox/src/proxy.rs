//! The HTTP proxy through which a process reaches what its command lists, and nothing else.
//!
//! The process has a network of its own without any route. In it, there is only the listener of this
//! proxy, which the caller serves. So names are found here, and the list holds whatever the process
//! does. All that it sends may be hostile: it is bounded, and is compared with the list as it is.

mod request;

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;
use std::{io, thread};

use referee_containment::Endpoint;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use self::request::{ProxyRefusal, ProxyRequest};
use crate::command::MOST_CONNECTIONS;
use crate::loopback::BUFFER;

/// The pause after each connection, so that endless ones do not keep the caller busy.
const PAUSE: Duration = Duration::from_millis(10);
/// The maximum length of a request's head, in bytes.
const LONGEST_HEAD: usize = 16 * 1024;
/// The time to send a head, or to take an answer of the proxy.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// The time to find a host and connect to it.
const CONNECT_TIME: Duration = Duration::from_secs(30);
/// How long a connection stays open on which nothing is sent.
const IDLE_TIME: Duration = Duration::from_secs(3600);
const CHUNK: usize = 16 * 1024;

/// A proxy that is served. Dropping it ends all its connections.
#[derive(Debug)]
pub(crate) struct Proxy {
    _server: JoinSet<()>,
    pause: watch::Sender<bool>,
}

impl Proxy {
    /// Serves connections to `listener` with access to `listed`, in tasks of this runtime.
    pub(crate) fn serve(listener: OwnedFd, listed: &[Endpoint]) -> io::Result<Self> {
        let listener = std::net::TcpListener::from(listener);
        listener.set_nonblocking(true)?;
        let (mut server, (pause, paused)) = (JoinSet::new(), watch::channel(false));
        server.spawn(accept_proxy_connections(
            TcpListener::from_std(listener)?,
            listed.into(),
            paused,
        ));
        Ok(Self { _server: server, pause })
    }

    /// Stops or continues to pass on what either side sends. While a process is frozen, what it left
    /// in the buffers of its connections must not keep its caller busy.
    pub(crate) fn pause(&self, is_paused: bool) {
        self.pause.send_replace(is_paused);
    }
}

/// Waits until the proxy is not paused.
async fn wait_until_proxy_resumes(paused: &mut watch::Receiver<bool>) {
    // The proxy has ended if nobody can resume it, and soon this task has, too.
    let _ = paused.wait_for(|is_paused| !is_paused).await;
}

async fn accept_proxy_connections(
    listener: TcpListener,
    listed: Arc<[Endpoint]>,
    mut paused: watch::Receiver<bool>,
) {
    let free = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut connections = JoinSet::new();
    // Nothing closes the semaphore.
    while let Ok(permit) = free.clone().acquire_owned().await {
        wait_until_proxy_resumes(&mut paused).await;
        // Without descriptors for now, the next one may work.
        if let Ok((client, _)) = listener.accept().await {
            connections.spawn(serve_proxy_connection(
                client,
                listed.clone(),
                permit,
                paused.clone(),
            ));
        }
        while connections.try_join_next().is_some() {}
        sleep(PAUSE).await;
    }
}

/// Serves one connection. Whoever still works for it holds the permit.
async fn serve_proxy_connection(
    mut client: TcpStream,
    listed: Arc<[Endpoint]>,
    permit: OwnedSemaphorePermit,
    mut paused: watch::Receiver<bool>,
) {
    wait_until_proxy_resumes(&mut paused).await;
    let permit = Arc::new(permit);
    match connect_proxy_client(&mut client, &listed, &permit).await {
        Ok((server, first)) => relay_proxied_bytes(client, server, &first, &paused).await,
        Err(refusal) => {
            let answer = refusal.to_string();
            let _ = timeout(HEAD_TIME, client.write_all(answer.as_bytes())).await;
        }
    }
}

/// Reads a request and connects to the host that it names. Returns the connection, and what to send
/// there first.
async fn connect_proxy_client(
    client: &mut TcpStream,
    listed: &[Endpoint],
    permit: &Arc<OwnedSemaphorePermit>,
) -> Result<(TcpStream, Vec<u8>), ProxyRefusal> {
    let reading = timeout(HEAD_TIME, receive_proxy_head(client)).await;
    let (received, end) = reading.unwrap_or(Err(ProxyRefusal::TooSlow))?;
    let request = ProxyRequest::parse(&received[..end]).ok_or(ProxyRefusal::Malformed)?;
    let named = listed.iter().find(|endpoint| endpoint.to_string() == request.target);
    let endpoint = named.ok_or_else(|| ProxyRefusal::unlisted(listed))?;
    let connecting = timeout(CONNECT_TIME, open_proxied_endpoint(endpoint, permit)).await;
    let server = connecting.unwrap_or_else(|_| {
        Err(ProxyRefusal::unreachable(endpoint, &io::ErrorKind::TimedOut.into()))
    })?;
    // Small messages go both ways, and nobody waits for more of them.
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let first = if let Some(head) = request.forwarded {
        [&head, &received[end..]].concat()
    } else {
        let answered = client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await;
        answered.map_err(|_| ProxyRefusal::Malformed)?;
        received[end..].to_vec()
    };
    Ok((server, first))
}

/// Reads until a head is complete. Returns what was read, and where the head ends.
async fn receive_proxy_head(client: &mut TcpStream) -> Result<(Vec<u8>, usize), ProxyRefusal> {
    const END: &[u8] = b"\r\n\r\n";
    let mut received = Vec::new();
    loop {
        let known = received.len();
        match client.read_buf(&mut received).await {
            Ok(1..) => {}
            Ok(0) | Err(_) => return Err(ProxyRefusal::Malformed),
        }
        // The end may have begun in what was known.
        let start = known.saturating_sub(END.len() - 1);
        if let Some(at) = received[start..].windows(END.len()).position(|bytes| bytes == END) {
            return Ok((received, start + at + END.len()));
        }
        if received.len() > LONGEST_HEAD {
            return Err(ProxyRefusal::TooLong);
        }
    }
}

async fn open_proxied_endpoint(
    endpoint: &Endpoint,
    permit: &Arc<OwnedSemaphorePermit>,
) -> Result<TcpStream, ProxyRefusal> {
    let unreachable = |error: io::Error| ProxyRefusal::unreachable(endpoint, &error);
    let mut last = ProxyRefusal::private(endpoint);
    let found =
        find_proxied_addresses(endpoint.clone(), permit.clone()).await.map_err(unreachable)?;
    for address in
        found.into_iter().filter(|found| is_proxied_address_allowed(&endpoint.host, found.ip()))
    {
        match connect_proxy_to(address).await {
            // Whoever owns a name can give it the address of this machine, too.
            Ok(server)
                if is_proxied_name(&endpoint.host) && proxy_reached_this_machine(&server) => {}
            Ok(server) => return Ok(server),
            Err(error) => last = unreachable(error),
        }
    }
    Err(last)
}

/// Connects with buffers that do not grow: nothing would count their memory as the process's.
async fn connect_proxy_to(address: SocketAddr) -> io::Result<TcpStream> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    let size = u32::try_from(BUFFER).unwrap_or(u32::MAX);
    socket.set_recv_buffer_size(size)?;
    socket.set_send_buffer_size(size)?;
    socket.connect(address).await
}

/// Whether its two ends are on this machine.
fn proxy_reached_this_machine(server: &TcpStream) -> bool {
    let ends = server.local_addr().and_then(|own| Ok((own.ip(), server.peer_addr()?.ip())));
    ends.is_ok_and(|(own, other)| own == other)
}

/// Whether it is a name that its owner can give any address.
fn is_proxied_name(host: &str) -> bool {
    host != "localhost" && host.parse::<IpAddr>().is_err()
}

/// The addresses of a host.
async fn find_proxied_addresses(
    endpoint: Endpoint,
    permit: Arc<OwnedSemaphorePermit>,
) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = endpoint.host.parse() {
        return Ok(vec![SocketAddr::new(address, endpoint.port)]);
    }
    let (answer, found) = oneshot::channel();
    // No search can be stopped. In a thread of the runtime, it would hold up the end of the runtime.
    // It counts as a connection until it ends.
    thread::Builder::new().name("find a host".to_owned()).spawn(move || {
        let _permit = permit;
        let found = (&*endpoint.host, endpoint.port).to_socket_addrs().map(Iterator::collect);
        // Nobody waits for it any more.
        let _ = answer.send(found);
    })?;
    found.await.map_err(io::Error::other)?
}

/// Whether `host` may have this address. Whoever owns a name can give it any address, such as that of
/// a server on this machine, so only an address itself or `localhost` stands for a private one.
fn is_proxied_address_allowed(host: &str, address: IpAddr) -> bool {
    match host {
        "localhost" => address.is_loopback(),
        _ => !is_proxied_name(host) || is_public_address(address),
    }
}

/// Whether it is an address of the Internet.
fn is_public_address(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => !matches!(
            address.octets(),
            // This network, private, loopback, multicast and reserved; shared by a provider,
            // link-local, private.
            [0 | 10 | 127 | 224..=255, ..] | [100, 64..=127, ..] | [169, 254, ..] | [172, 16..=31, ..]
            // Protocols, documentation, relays, private, tests of devices.
            | [192, 0, 0 | 2, _] | [192, 88, 99, _] | [192, 168, ..] | [198, 18 | 19, ..]
            | [198, 51, 100, _] | [203, 0, 113, _]
        ),
        // Of what is assigned to hosts, without protocols, documentation and addresses that contain
        // others.
        IpAddr::V6(address) => !matches!(
            address.segments(),
            [0..=0x1fff | 0x2002 | 0x4000..=0xffff, ..] | [0x2001, 0..=0x1ff | 0xdb8, ..]
        ),
    }
}

/// Sends `first` to the server, and then everything that either side sends to the other.
async fn relay_proxied_bytes(
    mut client: TcpStream,
    mut server: TcpStream,
    first: &[u8],
    paused: &watch::Receiver<bool>,
) {
    let active = Notify::new();
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.split();
    let up = async {
        to_server.write_all(first).await?;
        copy_proxied_bytes((&mut from_client, &mut to_server), &active, paused.clone()).await
    };
    let down = copy_proxied_bytes((&mut from_server, &mut to_client), &active, paused.clone());
    let both = async { tokio::try_join!(up, down) };
    let idle = async { while timeout(IDLE_TIME, active.notified()).await.is_ok() {} };
    tokio::select! {
        _ = both => {}
        () = idle => {}
    }
}

async fn copy_proxied_bytes(
    (from, to): (&mut ReadHalf<'_>, &mut WriteHalf<'_>),
    active: &Notify,
    mut paused: watch::Receiver<bool>,
) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = from.read(&mut chunk).await?;
        wait_until_proxy_resumes(&mut paused).await;
        if count == 0 {
            return to.shutdown().await;
        }
        to.write_all(&chunk[..count]).await?;
        active.notify_one();
    }
}

#[cfg(test)]
mod tests;
