use super::*;

use std::net::Ipv4Addr;

use tokio::runtime::Builder;

fn run<T>(test: impl Future<Output = T>) -> T {
    Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(test)
}

fn listen() -> (std::net::TcpListener, u16) {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    (listener, port)
}

/// A host that answers each connection with what it was sent until then, and closes it.
fn echo() -> u16 {
    let (listener, port) = listen();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let mut text = [0; 4096];
            let count = io::Read::read(&mut &client, &mut text).unwrap_or(0);
            let _ = io::Write::write_all(&mut &client, &text[..count]);
        }
    });
    port
}

/// A proxy with access to `listed`, and its port.
fn proxy(listed: &[String]) -> (Proxy, u16) {
    let (listener, port) = listen();
    let listed: Vec<Endpoint> = listed.iter().map(|text| text.parse().expect("a host")).collect();
    (Proxy::serve(listener.into(), &listed).expect("served"), port)
}

async fn ask(port: u16, text: impl AsRef<[u8]>) -> String {
    let mut client = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.expect("connected");
    client.write_all(text.as_ref()).await.expect("sent");
    let mut answer = Vec::new();
    // The rest of what is too long is not read, so the connection may end with an error.
    let _ = client.read_to_end(&mut answer).await;
    String::from_utf8(answer).expect("text")
}

#[test]
fn a_listed_host_is_reached_and_no_other() {
    run(async {
        let (host, other) = (echo(), echo());
        let (_proxy, port) = proxy(&[format!("localhost:{host}")]);
        let plain = ask(port, format!("GET http://localhost:{host}/x HTTP/1.1\r\n\r\nbody"));
        let forwarded =
            format!("GET /x HTTP/1.1\r\nHost: localhost:{host}\r\nConnection: close\r\n\r\nbody");
        assert_eq!(plain.await, forwarded);
        let tunnel = ask(port, format!("CONNECT localhost:{host} HTTP/1.1\r\n\r\nbody"));
        assert_eq!(tunnel.await, "HTTP/1.1 200 Connection established\r\n\r\nbody");
        for unlisted in [
            format!("localhost:{other}"),
            format!("127.0.0.1:{host}"),
            format!("localhost.:{host}"),
            format!("LOCALHOST:{host}"),
            format!("localhost:{host}@"),
            format!("localhost:0{host}"),
        ] {
            let text = format!("CONNECT {unlisted} HTTP/1.1\r\n\r\n");
            let answer = ask(port, text).await;
            assert!(answer.starts_with("HTTP/1.1 403 Forbidden\r\n"), "{unlisted}: {answer}");
            let said = format!("this player may only reach localhost:{host}\n");
            assert!(answer.ends_with(&said), "{answer}");
        }
    });
}

#[test]
fn a_host_that_does_not_answer_is_named() {
    run(async {
        let (listener, gone) = listen();
        drop(listener);
        let (_proxy, port) = proxy(&[format!("127.0.0.1:{gone}")]);
        let text = format!("CONNECT 127.0.0.1:{gone} HTTP/1.1\r\n\r\n");
        let answer = ask(port, text).await;
        assert!(answer.starts_with("HTTP/1.1 502 Bad Gateway\r\n"), "{answer}");
        assert!(answer.contains(&format!("cannot connect to 127.0.0.1:{gone}: ")), "{answer}");
    });
}

#[test]
fn what_is_no_request_is_answered_and_forgotten() {
    run(async {
        let (_proxy, port) = proxy(&["localhost:1".to_owned()]);
        let answer = ask(port, b"GET / HTTP/1.1\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        let huge = ask(port, vec![b'x'; LONGEST_HEAD + 1]).await;
        assert!(huge.starts_with("HTTP/1.1 431 ") || huge.is_empty(), "{huge}");
        // More connections than there may be, of which none says anything.
        let mut silent = Vec::new();
        for _ in 0..MOST_CONNECTIONS {
            silent.push(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.expect("one"));
        }
        drop(silent);
        let answer = ask(port, b"CONNECT a:1 HTTP/1.1\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    });
}

#[test]
fn the_end_of_a_proxy_ends_its_connections() {
    run(async {
        let (listener, host) = listen();
        let (proxy, port) = proxy(&[format!("localhost:{host}")]);
        let mut client = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.expect("connected");
        let text = format!("CONNECT localhost:{host} HTTP/1.1\r\n\r\n");
        client.write_all(text.as_bytes()).await.expect("sent");
        assert!(client.read(&mut [0; 256]).await.expect("an answer") > 0);
        let (server, _) = listener.accept().expect("connected");
        drop(proxy);
        assert_eq!(client.read(&mut [0; 256]).await.ok(), Some(0));
        assert_eq!(io::Read::read(&mut &server, &mut [0; 256]).ok(), Some(0));
    });
}

#[test]
fn a_name_stands_for_no_private_address() {
    let allowed =
        |host: &str, address: &str| is_proxied_address_allowed(host, address.parse().expect("one"));
    for private in [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "127.8.9.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.1",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::7f00:1",
        "64:ff9b::a00:1",
        "fc00::1",
        "fd12::1",
        "fe80::1",
        "ff02::1",
        "2002:7f00:1::",
        "2001:0:1::",
        "2001:db8::1",
    ] {
        assert!(!allowed("api.example", private), "{private}");
        assert!(allowed(private, private), "{private} itself is the organiser's word");
    }
    for public in ["1.1.1.1", "100.128.0.1", "172.32.0.1", "193.0.0.1", "2606:4700::1", "2a00::1"] {
        assert!(allowed("api.example", public), "{public}");
        assert!(!allowed("localhost", public), "{public}");
    }
    assert!(allowed("localhost", "127.0.0.1") && allowed("localhost", "::1"));
}

#[test]
fn nothing_is_passed_on_while_it_is_paused() {
    run(async {
        let host = echo();
        let (proxy, port) = proxy(&[format!("localhost:{host}")]);
        let mut client = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.expect("connected");
        let head = format!("CONNECT localhost:{host} HTTP/1.1\r\n\r\n");
        client.write_all(head.as_bytes()).await.expect("sent");
        let mut answer = [0; 39];
        client.read_exact(&mut answer).await.expect("an answer");
        proxy.pause(true);
        client.write_all(b"body").await.expect("sent");
        let mut body = [0; 4];
        // Nothing can arrive, however long the test waits.
        let early = timeout(Duration::from_millis(50), client.read_exact(&mut body)).await;
        assert!(early.is_err(), "{early:?}");
        proxy.pause(false);
        client.read_exact(&mut body).await.expect("the echo");
        assert_eq!(&body, b"body");
    });
}
