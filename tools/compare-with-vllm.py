#!/usr/bin/env python3
"""Sends the same requests to real vLLM servers and through Glyphgate, and compares the answers.

usage: compare-with-vllm.py GLYPHGATE FULL TOKENS_ONLY       three addresses, http://host:port
  FULL         vLLM 0.33 with a tokenizer: --enable-scale-out --reasoning-parser qwen3 --tool-call-parser hermes
               --enable-auto-tool-choice
  TOKENS_ONLY  the same model with --tokens-only
  GLYPHGATE    a proxy before them, started with the configuration that --config prints
Batch answers must be equal field by field, streams equal when assembled, tokens equal byte by byte. The last line counts.
"""
import json
import sys
import urllib.error
import urllib.request

CONFIG = """\
server: {{ host: 127.0.0.1, port: {port} }}
models:
  tiny:
    tokenizer: {{ source: {tokenizer} }}
    reasoning-parser: qwen3
    tool-parser: hermes
pools:
  bulk: {{ model: tiny, tokenizer: none, endpoints: ["{tokens_only}"] }}
  chat: {{ model: tiny, tokenizer: proxy, endpoints: ["{tokens_only}"] }}
  full: {{ model: tiny, tokenizer: upstream, endpoints: ["{full}"] }}
  full-chat: {{ model: tiny, tokenizer: proxy, endpoints: ["{full}"] }}
"""
PROMPT = [151644, 872, 198, 9707, 151645, 198, 151644, 77091, 198]
GENERATE = "/inference/v1/generate"
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}}]
FORCED = [
    "<think>so</think>hello",
    "<think>\nFirst this, then that.\n</think>\n\nThe answer is 7.",
    "<think>one two",
    "plain text without reasoning",
    "</think>only the end marker",
    "<think></think>",
    "<think>\n\n</think>\n\n",
    "<think>naïve café 🛶 漢字</think>Tromsø 🛶 ok",
    "<think>x</think><tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>",
    "<think>x</think>\n\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\", \"days\": 3}}\n</tool_call>",
    "<think>x</think>Let me look.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Tromsø 🛶\"}}\n</tool_call>",
    "<think>x</think><tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"A\"}}\n</tool_call>\n<tool_call>\n"
    "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"B\"}}\n</tool_call>",
    "<think>x</think><tool_call>\n{\"name\": \"get_weather\", \"arguments\": {}}\n</tool_call>",
    "<think>x</think><tool_call>{\"name\":\"get_weather\",\"arguments\":{\"city\":\"a \\\"quoted\\\" {brace} [x]\"}}</tool_call>",
    "<think>x</think>a < b, <tool is no marker, </ neither",
    "<think>x</think>line one\nline two\n\n  indented\n",
    "<think>x</think>{\"json\": [1, 2, {\"a\": null}]}",
]

# Here we differ on purpose (docs/reference/differences.md): a marker counts only where what follows can be what it opens.
BY_RULE = ["<think>maybe <tool_call> is a marker?</think>no"]


def call(server, body, **headers):
    request = urllib.request.Request(
        server + GENERATE, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def body(sampling=None, **fields):
    return {"model": "tiny", "request_id": "compare", "token_ids": PROMPT,
            "sampling_params": {"max_tokens": 24, "temperature": 0, "seed": 1, **(sampling or {})}, **fields}


def settled(value):
    """Without what differs by chance; arguments of calls as JSON values."""
    if isinstance(value, dict):
        out = {k: settled(v) for k, v in value.items() if k not in ("created", "id", "request_id")}
        if isinstance(out.get("arguments"), str):
            try:
                out["arguments"] = json.loads(out["arguments"])
            except ValueError:
                pass
        return out
    return [settled(v) for v in value] if isinstance(value, list) else value


def events(stream):
    assert stream.endswith("data: [DONE]\n\n"), stream[-200:]
    return [json.loads(part[6:]) for part in stream.split("\n\n") if part.startswith("data: {")]


def assembled(stream):
    """What a client has at the end of a stream, in the shape of a batch answer."""
    choices, usage = {}, None
    for event in events(stream):
        usage = event.get("usage") or usage
        for part in event["choices"]:
            choice = choices.setdefault(part["index"], {"token_ids": [], "logprobs": []})
            choice["token_ids"] += part["token_ids"] or []
            choice["logprobs"] += (part.get("logprobs") or {}).get("content") or []
            for key in ("finish_reason", "stop_reason"):
                if part.get(key) is not None:
                    choice[key] = part[key]
            if "text" in part:
                choice["text"] = choice.get("text", "") + part["text"]
            if "delta" in part:
                message = choice.setdefault("message", {"reasoning": "", "content": "", "tool_calls": []})
                for key in ("reasoning", "content"):
                    message[key] += part["delta"].get(key) or ""
                for piece in part["delta"].get("tool_calls") or []:
                    if piece["index"] == len(message["tool_calls"]):
                        message["tool_calls"].append({"name": piece["function"]["name"], "arguments": ""})
                    message["tool_calls"][piece["index"]]["arguments"] += piece["function"].get("arguments") or ""
    return settled({"choices": choices, "usage": usage})


def batch_as_assembled(answer):
    choices = {}
    for part in answer["choices"]:
        choice = {"token_ids": part["token_ids"] or [], "logprobs": (part.get("logprobs") or {}).get("content") or []}
        for key in ("finish_reason", "stop_reason", "text"):
            if part.get(key) is not None:
                choice[key] = part[key]
        if "message" in part:
            message = part["message"]
            choice["message"] = {
                "reasoning": message.get("reasoning") or "", "content": message.get("content") or "",
                "tool_calls": [{"name": c["function"]["name"], "arguments": c["function"]["arguments"]}
                               for c in message.get("tool_calls") or []]}
        choices[part["index"]] = choice
    return settled({"choices": choices, "usage": None})


class Comparison:
    def __init__(self):
        self.equal, self.by_rule, self.different = 0, 0, 0

    def check(self, name, expected, actual, by_rule=False):
        if by_rule and expected != actual:
            self.by_rule += 1
            print("by rule   ", name)
        elif expected == actual:
            self.equal += 1
            print("equal     ", name)
        else:
            self.different += 1
            print("DIFFERENT ", name)
            print("   vLLM      ", json.dumps(expected, ensure_ascii=False)[:1500])
            print("   Glyphgate ", json.dumps(actual, ensure_ascii=False)[:1500])


def main(glyphgate, full, tokens_only):
    compare = Comparison()
    pool = lambda name: {"X-Glyphgate-Pool": name}
    none = {"tool_choice": "none"}
    samplings = {
        "plain": {}, "logprobs": {"logprobs": 2}, "n": {"n": 2, "temperature": 1.0}, "eos": {"logit_bias": {"151645": 100}},
        "eos kept": {"logit_bias": {"151645": 100}, "skip_special_tokens": False}, "stop token": {"stop_token_ids": [110334]},
        "min tokens": {"min_tokens": 4}, "ignore eos": {"ignore_eos": True}, "prompt logprobs": {"prompt_logprobs": 1}}

    for name, sampling in samplings.items():
        request = body(sampling)
        _, direct = call(tokens_only, request)
        _, through = call(glyphgate, request, **pool("bulk"))
        compare.check("tokens batch, " + name, settled(json.loads(direct)), settled(json.loads(through)))
        if name != "prompt logprobs":
            request["stream"] = True
            request["stream_options"] = {"include_usage": True}
            _, direct = call(tokens_only, request)
            _, through = call(glyphgate, request, **pool("bulk"))
            compare.check("tokens stream bytes, " + name, direct, through)

    text = json.loads(call(full, body(output_mode="text"))[1])["choices"][0]["text"]
    samplings["stop string"] = {"stop": [text[3:9]]}
    samplings["stop string kept"] = {"stop": [text[3:9]], "include_stop_str_in_output": True}
    samplings["stop string over tokens"] = {"stop": [text[7:14]]}
    for name, sampling in samplings.items():
        prompt_logprobs = "prompt" in name   # a server without a tokenizer does not decode them
        stops = "stop string" in name        # a stopped server does not tell its weight version
        for mode, context in (("text", {}), ("derender", {"parse_context": none})):
            request = body(sampling, output_mode=mode, **context)
            direct = settled(json.loads(call(full, request)[1]))
            compare.check(f"{mode} batch, forwarded, {name}", direct,
                          settled(json.loads(call(glyphgate, request, **pool("full"))[1])))
            through = settled(json.loads(call(glyphgate, request, **pool("chat"))[1]))
            for answer in (direct, through):
                for choice in answer["choices"]:
                    if stops:
                        choice.pop("weight_versions")
                if prompt_logprobs:
                    answer.pop("prompt_logprobs")
            compare.check(f"{mode} batch, made by the proxy, {name}", direct, through)
            if prompt_logprobs:
                continue
            request["stream"] = True
            request["stream_options"] = {"include_usage": True}
            made = assembled(call(glyphgate, request, **pool("chat"))[1])
            if mode == "text":
                direct = assembled(call(full, request)[1])
                compare.check(f"text stream, forwarded, {name}", direct,
                              assembled(call(glyphgate, request, **pool("full"))[1]))
                compare.check(f"text stream, made by the proxy, {name}", direct, made)
            else:
                made["usage"] = None
                batch = batch_as_assembled(direct)
                compare.check(f"derender stream, which vLLM refuses, against its batch, {name}", batch, made)

    for output in FORCED + BY_RULE:
        ruled = output in BY_RULE
        for tools in (False, True):
            context = {"tool_choice": "auto", "tools": TOOLS} if tools else {"tool_choice": "none"}
            sampling = {"max_tokens": 200, "structured_outputs": {"choice": [output]}}
            name = ("tools, " if tools else "no tools, ") + repr(output[:60])
            request = body(sampling, reasoning_ended=True, output_mode="derender", parse_context=context)
            direct = settled(json.loads(call(full, request)[1]))
            compare.check("forced derender batch, " + name, direct,
                          settled(json.loads(call(glyphgate, request, **pool("full-chat"))[1])), ruled)
            request["stream"] = True
            made = assembled(call(glyphgate, request, **pool("full-chat"))[1])
            compare.check("forced derender stream, " + name, batch_as_assembled(direct), made, ruled)
        request = body({"max_tokens": 200, "structured_outputs": {"choice": [output]}}, reasoning_ended=True, output_mode="text")
        direct = settled(json.loads(call(full, request)[1]))
        compare.check("forced text batch, " + repr(output[:60]), direct,
                      settled(json.loads(call(glyphgate, request, **pool("full-chat"))[1])))

    print(f"{compare.equal} equal, {compare.by_rule} different by a rule, {compare.different} different")
    return 1 if compare.different else 0


if __name__ == "__main__":
    if len(sys.argv) == 6 and sys.argv[1] == "--config":
        print(CONFIG.format(port=sys.argv[2], tokenizer=sys.argv[3], full=sys.argv[4], tokens_only=sys.argv[5]), end="")
    elif len(sys.argv) == 4:
        sys.exit(main(*sys.argv[1:]))
    else:
        sys.exit(__doc__)
