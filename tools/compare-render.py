#!/usr/bin/env python3
"""Sends the same texts and conversations to two servers with a tokenizer, in turn, and compares what they cost.

usage: compare-render.py OURS_URL OURS_PID PEER_URL PEER_PID [--model NAME] [--rounds N]
  OURS   Glyphgate with the model's tokenizer (tokenizer: proxy)
  PEER   vLLM 0.33 of the same model: vllm launch render, or vllm serve
Asks POST /tokenize for texts and conversations of 100, 10,000 and 1,000,000 characters over one connection at a time, server by
server, N rounds (default 5). The tokens must be equal. CPU is user and system time of the process and its children, so it must do nothing
else meanwhile; Linux only. The second table is about small requests while others of 1,000,000 characters run.
"""
import argparse
import http.client
import json
import os
import statistics
import threading
import time
import urllib.parse

WORDS = "It is 7 degrees in Tromsø, the wind comes from the north-east, and the sun may be seen later. "
TICKS = os.sysconf("SC_CLK_TCK")
SIZES = {100: 200, 10_000: 30, 1_000_000: 2}  # characters, and how many requests a round has of them


def family(pid):
    """A process and all below it."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    parents[int(entry)] = int(file.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                pass  # it has ended
    found = {pid}
    while True:
        more = {child for child, parent in parents.items() if parent in found} - found
        if not more:
            return found
        found |= more


def cpu(pid):
    """Seconds that a process and all below it have used."""
    total = 0
    for member in family(pid):
        try:
            with open(f"/proc/{member}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
                total += int(fields[11]) + int(fields[12])
        except OSError:
            pass  # it has ended
    return total / TICKS


class Server:
    def __init__(self, name, url, pid):
        self.name, self.pid = name, pid
        self.host = urllib.parse.urlsplit(url).netloc
        self.connection = self.connect()

    def ask(self, connection, body):
        connection.request("POST", "/tokenize", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer, answer.read()

    def connect(self):
        return http.client.HTTPConnection(self.host, timeout=300)

    def post(self, body, connection=None):
        connection = connection or self.connection
        try:
            answer, text = self.ask(connection, body)
        except ConnectionError:  # it was idle while the other server was asked
            connection.close()
            answer, text = self.ask(connection, body)
        if answer.status != 200:
            raise SystemExit(f"{self.name}: {answer.status} {text[:300]!r}")
        return text


def text_of(size):
    return (WORDS * (size // len(WORDS) + 1))[:size]


def bodies(model):
    for size in SIZES:
        yield "text", size, {"model": model, "prompt": text_of(size), "add_special_tokens": False}
    for size in SIZES:
        turns = max(1, size // 500) | 1
        each = size // turns
        messages = [{"role": "assistant" if i % 2 else "user", "content": text_of(size)[i * each:(i + 1) * each]} for i in range(turns)]
        yield "conversation", size, {"model": model, "messages": messages}


def middle(values, unit=1000):
    return f"{statistics.median(values) * unit:,.2f} ({min(values) * unit:,.2f} to {max(values) * unit:,.2f})"


def costs(servers, model, rounds):
    print("| what | characters | tokens |" + "".join(f" {s.name}: CPU ms | {s.name}: ms |" for s in servers) + " CPU, ours to peer's |")
    print("|---|---|---|" + "---|" * (2 * len(servers) + 1))
    for what, size, body in bodies(model):
        data = json.dumps(body).encode()
        answers = [json.loads(server.post(data)) for server in servers]  # warm, and compared
        if answers[0]["tokens"] != answers[1]["tokens"]:
            raise SystemExit(f"{what} of {size}: the tokens differ")
        used, took = {s.name: [] for s in servers}, {s.name: [] for s in servers}
        for turn in range(rounds):
            for server in servers if turn % 2 else reversed(servers):
                before, start = cpu(server.pid), time.perf_counter()
                for _ in range(SIZES[size]):
                    server.post(data)
                took[server.name].append((time.perf_counter() - start) / SIZES[size])
                used[server.name].append((cpu(server.pid) - before) / SIZES[size])
        ratio = statistics.median(ours / peer for ours, peer in zip(*used.values()) if peer)
        print(f"| {what} | {size:,} | {answers[0]['count']:,} |"
              + "".join(f" {middle(used[s.name])} | {middle(took[s.name])} |" for s in servers) + f" {ratio:.2f} |", flush=True)


def beside(server, model, large, seconds=5):
    """How long small requests take while clients send large ones."""
    small = json.dumps({"model": model, "prompt": text_of(100)}).encode()
    data = json.dumps({"model": model, "prompt": text_of(1_000_000)}).encode()
    over = threading.Event()
    done = []

    def send():
        connection = server.connect()
        while not over.is_set():
            server.post(data, connection)
            done.append(1)

    threads = [threading.Thread(target=send) for _ in range(large)]
    for thread in threads:
        thread.start()
    took, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        server.post(small)
        took.append(time.perf_counter() - start)
        time.sleep(0.005)
    over.set()
    for thread in threads:
        thread.join()
    took.sort()
    return f"{took[len(took) // 2] * 1000:.1f} | {took[len(took) * 99 // 100] * 1000:.1f} | {took[-1] * 1000:.1f} | {len(done)}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("ours")
    parser.add_argument("ours_pid", type=int)
    parser.add_argument("peer")
    parser.add_argument("peer_pid", type=int)
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    servers = [Server("ours", given.ours, given.ours_pid), Server("peer", given.peer, given.peer_pid)]
    small = json.dumps({"model": given.model, "prompt": text_of(100)}).encode()
    for server in servers:
        for _ in range(500):
            server.post(small)
    costs(servers, given.model, given.rounds)
    print("\n| server | large requests at once | median ms of small ones | 99th of 100 | longest | large ones done |")
    print("|---|---|---|---|---|---|")
    for large in (0, 1, 2, 4):
        for server in servers:
            print(f"| {server.name} | {large} | {beside(server, given.model, large)} |", flush=True)


if __name__ == "__main__":
    main()
