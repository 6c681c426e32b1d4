#!/usr/bin/env python3
"""Plays outputs through the parsers of an installed vLLM 0.33 and records what they make of them, one JSON object a line.

usage: record-goldens.py TOKENIZERS TOOLS < OUTPUTS > GOLDENS
  TOKENIZERS  a folder with a folder per tokenizer
  TOOLS       the tool definitions that "tools": "std" stands for
  OUTPUTS     one JSON object a line: name, family, kind, reasoning_parser, tool_parser, tokenizer, request, prompt, segments,
              stop_terminated, engine_finish_reason, tags; and, if the tokens are not all of the segments, token_ids or
              cut: which share of the tokens there is (a float), or how many (an integer, negative from the end)
A segment is text, {"pieces": [...]} whose pieces are encoded one by one, or {"bytes": "hex"}. Runs without a GPU or a server:
what the server does around its parsers (detokenizing, message assembly, stream deltas) is done by the same classes.
"""
import copy
import json
import logging
import os
import random
import re
import sys
import zlib
from types import SimpleNamespace

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("VLLM_LOGGING_LEVEL", "CRITICAL")

from vllm.entrypoints.openai.chat_completion.message_assembly import assemble_chat_message_fields
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.entrypoints.openai.chat_completion.stream_processor import ChatStreamProcessor
from vllm.entrypoints.serve.utils.tool_calls_utils import resolve_finish_reason
from vllm.parser.parser_manager import ParserManager
from vllm.tokenizers.mistral import MistralTokenizer
from vllm.tokenizers.registry import get_tokenizer
from vllm.v1.engine.detokenizer import IncrementalDetokenizer

logging.disable(logging.CRITICAL)
DERIVED = ("batch", "message", "finish_reason", "reasoning_tokens", "streams", "mismatch")
PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
OTHERS = [b for b in range(256) if b not in PRINTABLE]


class Recorder:
    def __init__(self, tokenizers, tools):
        self.folder = tokenizers
        self.tools = tools
        self.tokenizers = {}
        self.parsers = {}

    def tokenizer(self, key):
        if key not in self.tokenizers:
            folder = os.path.join(self.folder, key)
            mode = "auto" if os.path.exists(os.path.join(folder, "tokenizer.json")) else "mistral"
            self.tokenizers[key] = get_tokenizer(folder, tokenizer_mode=mode)
        return self.tokenizers[key]

    def parser_class(self, case):
        key = (case["reasoning_parser"], case["tool_parser"])
        if key not in self.parsers:
            self.parsers[key] = ParserManager.get_parser(
                tool_parser_name=case["tool_parser"], reasoning_parser_name=case["reasoning_parser"],
                enable_auto_tools=case["tool_parser"] is not None, is_harmony="openai" in key or "openai_gptoss" in key)
        return self.parsers[key]

    def request(self, case):
        asked = case["request"]
        body = {key: asked[key] for key in (
            "include_reasoning", "skip_special_tokens", "stop", "include_stop_str_in_output", "chat_template_kwargs")}
        body["model"] = "m"
        body["messages"] = [{"role": "user", "content": "Please help."}]
        if asked["tools"] == "std":
            body["tools"] = copy.deepcopy(self.tools)
        body.update({k: asked[k] for k in ("tool_choice", "parallel_tool_calls") if asked[k] is not None})
        return ChatCompletionRequest.model_validate(body)

    def record(self, case):
        tokenizer = self.tokenizer(case["tokenizer"])
        case["prompt_token_ids"] = encode(tokenizer, [case["prompt"]])
        if case.get("token_ids") is None:
            case["token_ids"] = encode(tokenizer, case["segments"])
            cut = case.pop("cut", None)
            if isinstance(cut, (int, float)):
                share = isinstance(cut, float)
                case["token_ids"] = case["token_ids"][:int(len(case["token_ids"]) * cut) if share else cut]
            if case["stop_terminated"]:
                case["token_ids"].append(tokenizer.eos_token_id)
        for key in DERIVED:
            case.pop(key, None)
        parser_class = self.parser_class(case)
        request = self.request(case)

        def parser():
            return parser_class(tokenizer, request.tools, model_config=None,
                                chat_template_kwargs=request.chat_template_kwargs or {})

        called = case["reasoning_parser"] is not None or request.tool_choice != "none"
        if called:
            request = parser().adjust_request(request)
        skip = request.skip_special_tokens is not False
        case["adjusted"] = {"called": called, "skip_special_tokens": skip, "structured_outputs": bound(request)}
        steps, text, kept = detokenized(tokenizer, case, skip, [1])
        reason, stop = steps[-1][2:]
        case["detok"] = {"text": text, "deltas": [step[0] for step in steps], "kept_tokens": len(kept),
                         "finish_reason": reason, "stop_reason": stop}
        auto = case["tool_parser"] is not None
        case["message"] = None
        try:
            ids = Ids()
            batch = parser()
            batch.set_prompt_token_ids(case["prompt_token_ids"])
            parsed = batch.parse(text, request, enable_auto_tools=auto, model_output_token_ids=kept)
            fields = assemble_chat_message_fields(request, *parsed, enable_auto_tools=auto, parser_cls=parser_class)
            case["message"] = {"reasoning": fields.reasoning, "content": fields.content, "tool_calls": [
                {"id": ids.of(call.id), "name": call.function.name, "arguments": call.function.arguments}
                for call in fields.tool_calls]}
            case["finish_reason"] = resolve_finish_reason(reason, request, bool(fields.tool_calls))
            case["reasoning_tokens"] = batch.count_reasoning_tokens(kept)
        except Exception as e:  # what makes vLLM fail is recorded like any other answer
            case["batch"] = {"error": f"{type(e).__name__}: {e}"}
        case["streams"] = []
        for chunking, sizes in chunkings(case):
            stream = {"chunking": chunking, **({"sizes": sizes} if chunking == "random" else {})}
            processor = ChatStreamProcessor(request, parser(), enable_auto_tools=auto, parser_cls=parser_class)
            try:
                chunks = detokenized(tokenizer, case, skip, sizes)[0]
                stream.update(assembled(processor, chunks, case["prompt_token_ids"]))
            except Exception as e:  # as above
                stream["error"] = f"{type(e).__name__}: {e}"
            case["streams"].append(stream)
        return case


class Ids:
    """Replaces IDs made at random by numbered ones."""

    def __init__(self):
        self.seen = {}

    def of(self, call_id):
        if call_id is None or call_id.startswith("functions."):
            return call_id
        return self.seen.setdefault(call_id, f"<id{len(self.seen)}>")


def bound(request):
    """The kind of constraint that binds the model; None if it is free."""
    outputs = request.structured_outputs
    kinds = ("json", "structural_tag", "grammar", "regex", "choice", "json_object")
    return next((kind for kind in kinds if getattr(outputs, kind, None) is not None), None)


def chunkings(case):
    count = max(len(case["token_ids"]), 1)
    numbers = random.Random(zlib.crc32(f"{case['family']}/{case['name']}".encode()))
    sizes = []
    while sum(sizes) < count:
        sizes.append(min(numbers.choice([1, 1, 2, 3, 5, 7, 11]), count - sum(sizes)))
    return ("fixed1", [1]), ("fixed3", [3]), ("random", sizes), ("all", [count])


def encode(tokenizer, segments):
    tokens = []
    for segment in segments:
        if isinstance(segment, str):
            tokens += marked(tokenizer, segment)
        elif "pieces" in segment:
            for piece in segment["pieces"]:
                tokens += tokenizer.encode(piece, add_special_tokens=False)
        else:
            tokens += [byte_token(tokenizer, byte) for byte in bytes.fromhex(segment["bytes"])]
    return tokens


def marked(tokenizer, text):
    """The tokens of a text in which special tokens are written out; mistral-common would take them for text."""
    if not isinstance(tokenizer, MistralTokenizer):
        return tokenizer.encode(text, add_special_tokens=False)
    special = dict(zip(tokenizer.all_special_tokens, tokenizer.all_special_ids))
    tokens = []
    for part in re.split("(" + "|".join(map(re.escape, special)) + ")", text):
        tokens += [special[part]] if part in special else tokenizer.encode(part, add_special_tokens=False)
    return tokens


def byte_token(tokenizer, byte):
    if isinstance(tokenizer, MistralTokenizer):
        return len(tokenizer.all_special_ids) + byte
    vocabulary = tokenizer.get_vocab()
    name = f"<0x{byte:02X}>"
    if name in vocabulary:
        return vocabulary[name]
    return vocabulary[chr(byte) if byte in PRINTABLE else chr(256 + OTHERS.index(byte))]


def detokenized(tokenizer, case, skip, sizes):
    """The chunks that an engine gives, as text, tokens, finish reason and stop string; the text and the tokens of all."""
    asked = case["request"]
    params = SimpleNamespace(
        stop=[asked["stop"]] if isinstance(asked["stop"], str) else asked["stop"] or [], min_tokens=0,
        include_stop_str_in_output=asked["include_stop_str_in_output"], skip_special_tokens=skip,
        spaces_between_special_tokens=True)
    detokenizer = IncrementalDetokenizer.from_new_request(tokenizer, SimpleNamespace(
        sampling_params=params, request_id="r", prompt_token_ids=case["prompt_token_ids"], prompt_embeds=None))
    chunks, at = [], 0
    while not chunks or chunks[-1][2] is None:
        part = case["token_ids"][at:at + sizes[len(chunks) % len(sizes)]]
        at += len(part)
        last = at >= len(case["token_ids"])
        before = detokenizer.num_output_tokens()
        stop = detokenizer.update(list(part), last and case["stop_terminated"])
        reason = "stop" if stop is not None else case["engine_finish_reason"] if last else None
        text = detokenizer.get_next_output_text(reason is not None, True)
        chunks.append((text, list(detokenizer.output_token_ids)[before:], reason, stop))
    return chunks, detokenizer.output_text, list(detokenizer.output_token_ids)


def assembled(processor, chunks, prompt):
    """What a client gets that joins the deltas."""
    ids, calls, finish = Ids(), {}, None
    fields = {"reasoning": "", "content": ""}
    for text, tokens, reason, _ in chunks:
        delta, ended = processor.step(text, tokens, reason, prompt)
        finish = ended or finish
        for field in fields:
            fields[field] += getattr(delta, field, None) or ""
        for part in getattr(delta, "tool_calls", None) or []:
            call = calls.setdefault(part.index, {"index": part.index, "id": None, "name": "", "arguments": ""})
            call["id"] = ids.of(part.id) or call["id"]
            call["name"] += (part.function and part.function.name) or ""
            call["arguments"] += (part.function and part.function.arguments) or ""
    message = {**fields, "tool_calls": [calls[index] for index in sorted(calls)]}
    return {"assembled": message, "finish_reason": finish}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2]) as file:
        recorder = Recorder(sys.argv[1], json.load(file))
    for line in sys.stdin:
        recorded = json.dumps(recorder.record(json.loads(line)), ensure_ascii=False)
        # vLLM may cut a pair of surrogates in two; half of one has no bytes.
        print(re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half.group()):04x}", recorded))


if __name__ == "__main__":
    main()
