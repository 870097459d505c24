//! What the tests need of a browser's remote control, as the `WebDriver` standard describes it.

use axum::body::{Body, to_bytes};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::Request;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

/// The name under which the standard hands out elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// How long an element may take to come, in milliseconds.
const PATIENCE: u32 = 60_000;

/// A window of a browser.
pub(super) struct Session {
    http: Client<HttpConnector, Body>,
    address: String,
}

/// Something on the page.
pub(super) struct Element(String);

impl Session {
    /// Opens a window at the driver that listens on `port`, or says why that failed.
    pub(super) async fn open(port: u16, options: &Value) -> Result<Self, String> {
        let http = Client::builder(TokioExecutor::new()).build_http();
        let mut session = Self { http, address: format!("http://127.0.0.1:{port}/session") };
        let wanted = json!({
            "goog:chromeOptions": options,
            "timeouts": { "implicit": PATIENCE, "script": PATIENCE },
        });
        let wanted = json!({ "capabilities": { "alwaysMatch": wanted } });
        let opened = session.send("POST", "", &wanted).await?;
        let id = opened["sessionId"].as_str().ok_or("the driver names no session")?;
        session.address = format!("{}/{id}", session.address);
        Ok(session)
    }

    pub(super) async fn close(self) {
        self.send("DELETE", "", &Value::Null).await.expect("closed");
    }

    pub(super) async fn goto(&self, address: &str) {
        self.post("/url", &json!({ "url": address })).await;
    }

    pub(super) async fn back(&self) {
        self.post("/back", &json!({})).await;
    }

    /// What a script returns; a promise is waited for.
    pub(super) async fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] })).await
    }

    /// Waits for an element: a CSS selector, or a path if it begins with a slash.
    pub(super) async fn find(&self, selector: &str) -> Element {
        let using = if selector.starts_with('/') { "xpath" } else { "css selector" };
        let found = self.post("/element", &json!({ "using": using, "value": selector })).await;
        Element(found[ELEMENT].as_str().expect("an element").to_owned())
    }

    pub(super) async fn press(&self, Element(id): &Element, keys: &str) {
        self.post(&format!("/element/{id}/value"), &json!({ "text": keys })).await;
    }

    /// A picture of the window, as PNG.
    pub(super) async fn screenshot(&self) -> Vec<u8> {
        let picture = self.send("GET", "/screenshot", &Value::Null).await.expect("a picture");
        STANDARD.decode(picture.as_str().expect("a text")).expect("base64")
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.send("POST", path, body).await;
        // A script may have hundreds of kilobytes.
        answer.unwrap_or_else(|error| panic!("{path} {:.200}: {error}", body.to_string()))
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let request = Request::builder().method(method).uri(self.address.clone() + path);
        let response = self.http.request(request.body(body).expect("a request")).await;
        let response = response.map_err(|error| error.to_string())?;
        let is_done = response.status().is_success();
        let bytes = to_bytes(Body::new(response.into_body()), usize::MAX).await;
        let bytes = bytes.map_err(|error| error.to_string())?;
        let mut answer: Value =
            serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
        let value = answer["value"].take();
        if is_done { Ok(value) } else { Err(value["message"].to_string()) }
    }
}
