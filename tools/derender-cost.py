#!/usr/bin/env python3
"""Tells what a chat that is derendered chunk by chunk costs a server: this proxy, and a real `vllm launch render`.

usage: derender-cost.py URL PID [URL PID ...] [--model NAME] [--lengths 1000,3000,10000] [--most SECONDS]

For each server and each length it derenders a stream of so many tokens, one a chunk, carrying stream_state as clients do, and reads from
/proc/PID how much processor time the server took, all of its threads and children. The output is reasoning and content. A length that
takes longer than --most is broken off, and what it would have taken in all is reckoned from the chunks that were done: cost per chunk
grows with the chunk's number where all is played again, so the figure is a lower bound, and marked as such.

The proxy needs nothing but the model's tokenizer, a max-model-len above the largest length, and parsers: see docs/how-to/compare-with-vllm.md.
"""
import argparse
import http.client
import json
import os
import time
import urllib.parse

TICK = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    """Processor seconds of a process and its living children."""
    total = 0
    for each in [pid, *children(pid)]:
        try:
            with open(f"/proc/{each}/stat") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        except FileNotFoundError:
            pass
    return total / TICK


def children(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/children") as f:
                for child in f.read().split():
                    found += [child, *children(child)]
        except FileNotFoundError:
            pass
    return found


class Server:
    def __init__(self, url):
        parsed = urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPConnection(parsed.hostname, parsed.port, timeout=600)

    def post(self, path, body):
        self.connection.request("POST", path, json.dumps(body, separators=(",", ":")), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {text[:500]!r}")
        return json.loads(text)


def stream(server, model, prompt, tokens, most):
    """Derenders tokens one by one; gives the text, and how many chunks were done."""
    state, text = None, ""
    end = time.monotonic() + most
    for done, token in enumerate(tokens, 1):
        last = done == len(tokens)
        answer = server.post("/v1/chat/completions/derender", {
            "stream": True, "model": model, "stream_state": state, "prompt_token_ids": prompt, "prompt_tokens": len(prompt),
            "generate_chunk": {"request_id": "r", "choices": [
                {"index": 0, "token_ids": [token], "finish_reason": "length" if last else None}]},
            "chat_request": {"model": model, "messages": [{"role": "user", "content": "Hi"}]}})
        state = answer["stream_state"]
        delta = answer["chunk"]["choices"][0]["delta"]
        text += (delta.get("reasoning") or "") + (delta.get("content") or "")
        if time.monotonic() > end:
            return text, done
    return text, len(tokens)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("servers", nargs="+", metavar="URL PID")
    arguments.add_argument("--model", default="tiny")
    arguments.add_argument("--lengths", default="1000,3000,10000")
    arguments.add_argument("--most", type=float, default=120)
    given = arguments.parse_args()
    prose = "The ferry to Tromsø leaves at noon, and é is a letter of its own in no word here. "
    for url, pid in zip(given.servers[::2], given.servers[1::2]):
        server = Server(url)
        ids = server.post("/tokenize", {"model": given.model, "prompt": prose, "add_special_tokens": False})["tokens"]
        think = server.post("/tokenize", {"model": given.model, "prompt": "\n</think>\n\n", "add_special_tokens": False})["tokens"]
        prompt = server.post("/tokenize", {"model": given.model, "messages": [{"role": "user", "content": "Hi"}]})["tokens"]
        stream(server, given.model, prompt, (ids * 30)[:300], given.most)  # warm
        for length in map(int, given.lengths.split(",")):
            half = (ids * (length // len(ids) + 1))[: length // 2]
            tokens = half + think + (ids * (length // len(ids) + 1))[: length - len(half) - len(think)]
            before, start = cpu(pid), time.monotonic()
            _, done = stream(server, given.model, prompt, tokens, given.most)
            took, wall = cpu(pid) - before, time.monotonic() - start
            whole = done == len(tokens)
            print(f"{url} {length:6d} tokens: {took:8.2f} s of processor, {took / done * 1e3:7.3f} ms a chunk, {wall:6.1f} s"
                  + ("" if whole else f"; broken off at {done}, so at least {took / done * length:.0f} s in all"), flush=True)


if __name__ == "__main__":
    main()
