"""What the tests of all clients share: a proxy whose simulated servers say what a test wants."""

import os
import re
import time

import httpx
import pytest

URL = os.environ["GLYPHGATE_URL"]
SERVER = os.environ["GLYPHGATE_SERVER"]
KEY = os.environ["GLYPHGATE_KEY"]
MODEL = "demo"
END = "<|im_end|>"
SAMPLE = re.compile(r"^vllm:(\w+)\{.*\} ([0-9.]+)$", re.MULTILINE)


@pytest.fixture(scope="session")
def say():
    """
    Fields of a request that make the simulated model say given texts, one for each choice. It is one that thinks, so a text
    without thoughts gets empty ones before it, unless it is for a door that knows no thoughts.
    """
    web = httpx.Client(base_url=URL, headers={"Authorization": f"Bearer {KEY}"})

    def tokens(text):
        answer = web.post("/tokenize", json={"prompt": text, "add_special_tokens": False})
        return answer.raise_for_status().json()["tokens"]

    def fields(*texts, rate=0, per_event=1, fault=None, thinks=True):
        said = [tokens((text if "<think>" in text or not thinks else "<think></think>" + text) + END) for text in texts]
        wishes = {"glyphgate_tokens": said if len(said) > 1 else said[0], "glyphgate_rate": rate}
        wishes["glyphgate_tokens_per_event"] = str(per_event)
        if fault:
            wishes["glyphgate_fault"] = fault
        return {"vllm_xargs": wishes}

    return fields


class Server:
    """The simulated server that all chats of these tests come to."""

    def __init__(self):
        self.web = httpx.Client(base_url=SERVER)

    def counts(self):
        return {name: float(value) for name, value in SAMPLE.findall(self.web.get("/metrics").text)}

    def await_count(self, name, value):
        end = time.monotonic() + 20
        while self.counts()[name] != value:
            assert time.monotonic() < end, f"{name} does not become {value}: {self.counts()}"
            time.sleep(0.02)


@pytest.fixture
def server():
    server = Server()
    server.await_count("num_requests_running", 0)
    return server


@pytest.fixture
def aborted(server):
    """Waits until nothing runs any more, and checks that no request has ended by itself since the test began."""
    before = server.counts()["request_success_total"]

    def check():
        server.await_count("num_requests_running", 0)
        assert server.counts()["request_success_total"] == before

    return check
