"""curl, as people use it at a shell."""

import json
import shutil
import subprocess

import pytest
from conftest import KEY, MODEL, URL

pytestmark = pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl")


def curl(path, *options, body=None, key=KEY, check=True):
    command = ["curl", "-sS", "-i", "-H", f"Authorization: Bearer {key}", *options, URL + path]
    if body is not None:
        command += ["-H", "Content-Type: application/json", "-d", json.dumps(body)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0 or not check, done.stderr
    head, _, rest = done.stdout.replace("\r\n", "\n").partition("\n\n")
    return head, rest


def chat(say, text, stream, **fields):
    return {"model": MODEL, "messages": [{"role": "user", "content": "Hi"}], "stream": stream} | say(text) | fields


def test_a_chat(say):
    head, body = curl("/v1/chat/completions", body=chat(say, "Hello!", False))

    assert " 200 " in head and "application/json" in head
    assert json.loads(body)["choices"][0]["message"]["content"] == "Hello!"


def test_a_stream(say):
    head, body = curl("/v1/chat/completions", "-N", body=chat(say, "Hello!", True))

    assert "text/event-stream" in head
    events = [event.removeprefix("data: ") for event in body.split("\n\n") if event]
    assert events[-1] == "[DONE]"
    assert "".join(json.loads(event)["choices"][0]["delta"].get("content") or "" for event in events[:-1]) == "Hello!"


def test_a_stream_that_is_left(say, server, aborted):
    curl(
        "/v1/chat/completions", "-N", "--max-time", "1", body=chat(say, "la " * 400, True, **say("la " * 400, rate=20)), check=False
    )

    aborted()


@pytest.mark.parametrize("version, status", [("--http1.0", 505), ("--http1.1", 200), ("--http2", 200)])
def test_versions_of_http(say, version, status):
    """A curl that would like to speak HTTP/2 stays at 1.1."""
    head, _ = curl("/v1/chat/completions", version, body=chat(say, "Hello!", True))

    assert head.startswith(f"HTTP/1.1 {status} ")


def test_a_wrong_key():
    head, body = curl("/v1/models", key="wrong")

    assert " 401 " in head
    assert json.loads(body) == {"error": "Unauthorized"}


def test_what_is_refused(say):
    head, body = curl("/v1/chat/completions", body=chat(say, "x", False, top_p=5))

    assert " 400 " in head
    assert json.loads(body)["error"]["param"] == "top_p"
    assert "X-Glyphgate-Error: invalid-request" in head
