package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where tool calls, and the content around them, differ from vLLM's batch answer. */
final class CallDifferences {
    private static final ObjectMapper JSON = new ObjectMapper();

    static final String LEADING_SPACE_STAYS = "White space at the start of the content stays";
    static final String CUT_OFF = "A JSON call cut off by the end keeps its name and the arguments so far";
    static final String STANDS = "A JSON call stands once its name is known, whatever else is wrong with it";
    static final String TEXT_AFTER = "Text after a call is content";
    static final String UNWANTED = "Without wanted calls, their markup is content";
    static final String NO_CALL = "A marker that opens no call is text";

    private static final Pattern JSON_BLOCK =
            Pattern.compile("(?s)<tool_call>\\s*\\{.*?}\\s*(?:</tool_call>|(?=<tool_call>))");
    private static final Pattern TAG_BLOCK =
            Pattern.compile("(?s)<tool_call>\\s*<function=.*?</function>\\s*</tool_call>");
    private static final Pattern JSON_CALL = Pattern.compile("<tool_call>\\s*(?=\\{)");
    private static final Pattern TAG = Pattern.compile("</?tool_call>");
    private static final Pattern NAME = Pattern.compile("\"name\"\\s*:\\s*\"([^\"]+)\"");
    private static final Pattern ARGUMENTS = Pattern.compile("\"(?:arguments|parameters)\"\\s*:\\s*");
    private static final Pattern OPEN_VALUE =
            Pattern.compile("(?s)<parameter=([^>\\n]*)>\\n?((?:(?!</parameter>).)*)$");
    private static final Pattern VALUE = Pattern.compile("(?s)<parameter=([^>\\n]*)>\\n?(.*?)\\n?</parameter>");
    private static final Pattern NAME_WITHOUT_END = Pattern.compile("<function=([^>\\n<]+)[\\n<]");
    private static final Pattern SPACED_KEY = Pattern.compile("<\\s*parameter\\s*=[^>]*\\s>");
    private static final Pattern LEADING_SPACE = Pattern.compile("^\\s+(?=\\S)");

    /** The marker in the reasoning comes first: it decides what the others look at. */
    static final List<Rule> ALL = List.of(
            new Difference(
                    "D4",
                    "A call marker in reasoning counts only where a call follows",
                    CallDifferences::mentionedInReasoning,
                    (golden, answer) -> {
                        OutputParts parts = OutputParts.of(golden);
                        Answer open = ReasoningDifferences.shown(golden, answer, parts.reasoning());
                        if (!OutputParts.callsWanted(golden)) {
                            return open.withContent(parts.rest());
                        }
                        Answer before = open.withContent(beforeCalls(golden, parts.rest()));
                        return OutputParts.jsonCalls(golden)
                                ? withCalls(golden, before, jsonCalls(parts.rest()))
                                : before;
                    }),
            new Difference(
                    "D5",
                    CUT_OFF,
                    golden -> OutputParts.jsonCalls(golden)
                            && OutputParts.callsWanted(golden)
                            && !jsonCalls(OutputParts.of(golden).rest()).isEmpty()
                            && cutOff(OutputParts.of(golden).rest()),
                    CallDifferences::standingCalls),
            new Difference(
                    "D6",
                    STANDS,
                    golden -> OutputParts.jsonCalls(golden)
                            && OutputParts.callsWanted(golden)
                            && !jsonCalls(OutputParts.of(golden).rest()).isEmpty()
                            && !cutOff(OutputParts.of(golden).rest())
                            && golden.answer()
                                    .filter(answer -> answer.calls().isEmpty())
                                    .isPresent(),
                    CallDifferences::standingCalls),
            new Difference(
                    "D7",
                    TEXT_AFTER,
                    golden -> OutputParts.callsWanted(golden)
                            && !String.join("", afterCalls(golden)).isBlank(),
                    (golden, answer) -> answer.withContent(withLaterText(golden, answer.content()))),
            new Difference(
                    "D8",
                    LEADING_SPACE_STAYS,
                    golden -> OutputParts.taggedCalls(golden)
                            && OutputParts.callsWanted(golden)
                            && !leadingSpace(golden).isEmpty(),
                    (golden, answer) -> answer.withContent(
                            leadingSpace(golden) + answer.content().stripLeading())),
            new Difference(
                    "D9",
                    UNWANTED,
                    golden -> OutputParts.taggedCalls(golden)
                            && !OutputParts.callsWanted(golden)
                            && OutputParts.of(golden).rest().contains("<tool_call>"),
                    (golden, answer) ->
                            answer.withContent(OutputParts.of(golden).rest())),
            new Difference(
                    "D10",
                    NO_CALL,
                    golden -> OutputParts.taggedCalls(golden)
                            && OutputParts.callsWanted(golden)
                            && OutputParts.of(golden).rest().contains("<tool_call>")
                            && OutputParts.opener(golden, golden.text()) < 0
                            && !golden.text().contains("<function="),
                    (golden, answer) -> withCalls(golden, answer, List.of())
                            .withContent(OutputParts.of(golden).rest())),
            new Difference(
                    "D11",
                    "A value cut off by the end keeps its text so far",
                    golden -> OutputParts.taggedCalls(golden)
                            && OutputParts.callsWanted(golden)
                            && OutputParts.opener(golden, golden.text()) >= 0
                            && openValue(golden).find(),
                    CallDifferences::withOpenValue),
            new Difference(
                    "D12",
                    "The name in a function tag without its end stops at the line's end",
                    golden -> OutputParts.taggedCalls(golden)
                            && OutputParts.callsWanted(golden)
                            && NAME_WITHOUT_END.matcher(golden.text()).find(),
                    CallDifferences::withNamesThatEnd),
            new Difference(
                    "D13",
                    "Spaces around the name of a parameter are not part of it",
                    golden -> OutputParts.taggedCalls(golden)
                            && OutputParts.callsWanted(golden)
                            && SPACED_KEY.matcher(golden.text()).find(),
                    (golden, answer) -> answer.withCalls(answer.calls().stream()
                            .map(CallDifferences::stripKeys)
                            .toList())),
            new Difference(
                    "D14",
                    "Blank output stays content when a call was demanded",
                    golden -> golden.toolParser().isPresent()
                            && forced(golden)
                            && OutputParts.of(golden).rest().isBlank()
                            && !golden.text().isEmpty(),
                    (golden, answer) ->
                            answer.withContent(OutputParts.of(golden).rest())));

    private CallDifferences() {}

    private static boolean forced(GoldenCase golden) {
        ToolChoice.Mode mode = golden.parseRequest().toolChoice().mode();
        return mode == ToolChoice.Mode.REQUIRED || mode == ToolChoice.Mode.NAMED;
    }

    /** An answer with other calls, as far as the request lets them through, and the finish reason that they lead to. */
    static Answer withCalls(GoldenCase golden, Answer answer, List<Call> calls) {
        String reason = golden.json().path("detok").path("finish_reason").asText();
        boolean called = !calls.isEmpty()
                && reason.equals("stop")
                && golden.parseRequest().toolChoice().mode() != ToolChoice.Mode.NAMED;
        List<Call> given = golden.parseRequest().parallelToolCalls() || calls.size() < 2 ? calls : calls.subList(0, 1);
        return answer.withCalls(given).withFinishReason(called ? "tool_calls" : reason);
    }

    private static Answer standingCalls(GoldenCase golden, Answer answer) {
        String rest = OutputParts.of(golden).rest();
        return withCalls(golden, answer.withContent(beforeCalls(golden, rest)), jsonCalls(rest));
    }

    private static boolean mentionedInReasoning(GoldenCase golden) {
        String text = golden.text();
        int marker = text.indexOf("<tool_call>");
        int close = text.indexOf(OutputParts.CLOSE);
        int opener = OutputParts.opener(golden, text);
        return golden.reasoningParser().filter("qwen3"::equals).isPresent()
                && !OutputParts.of(golden).reasoning().isEmpty()
                && marker >= 0
                && (close < 0 || marker < close)
                && !(OutputParts.callsWanted(golden) && marker == opener);
    }

    /** The content in front of the first call; what is blank is none. */
    private static String beforeCalls(GoldenCase golden, String rest) {
        int opener = OutputParts.opener(golden, rest);
        String before = opener < 0 ? rest : rest.substring(0, opener);
        if (opener >= 0 && before.isBlank()) {
            return "";
        }
        return OutputParts.taggedCalls(golden) ? before.stripTrailing() : before;
    }

    /** The JSON calls of a text whose name is there. */
    private static List<Call> jsonCalls(String text) {
        List<Call> calls = new ArrayList<>();
        List<Integer> starts = new ArrayList<>();
        Matcher opener = JSON_CALL.matcher(text);
        while (opener.find()) {
            starts.add(opener.end());
        }
        for (int i = 0; i < starts.size(); i++) {
            String body = text.substring(starts.get(i), i + 1 < starts.size() ? starts.get(i + 1) : text.length());
            String object = value(body);
            Matcher name = NAME.matcher(object);
            if (name.find()) {
                Matcher key = ARGUMENTS.matcher(object);
                boolean whole = valueEnd(body) >= 0;
                String arguments = "";
                if (key.find()) {
                    arguments = value(object.substring(key.end()));
                } else if (whole) {
                    arguments = "{}";
                }
                calls.add(new Call("", name.group(1), arguments));
            }
        }
        return calls;
    }

    /** Whether the last JSON call of a text is not complete. */
    private static boolean cutOff(String text) {
        int start = -1;
        Matcher opener = JSON_CALL.matcher(text);
        while (opener.find()) {
            start = opener.end();
        }
        return start >= 0 && valueEnd(text.substring(start)) < 0;
    }

    /** The JSON value at the start of a text; all of the text if it does not end. */
    private static String value(String text) {
        int end = valueEnd(text);
        return end < 0 ? text : text.substring(0, end);
    }

    /** Where the JSON value at the start of a text ends, by itself or at a tag outside its strings; -1 if nowhere. */
    private static int valueEnd(String text) {
        int depth = 0;
        boolean string = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (string && c == '\\') {
                i++;
            } else if (c == '"') {
                string = !string;
            } else if (!string && (c == '{' || c == '[')) {
                depth++;
            } else if (!string && (c == '}' || c == ']')) {
                depth--;
            } else if (!string && TAG.matcher(text).region(i, text.length()).lookingAt()) {
                return i;
            }
            if (!string && (depth < 0 || (depth == 0 && c == ','))) {
                return i;
            }
            if (!string && depth == 0 && (c == '}' || c == ']' || c == '"')) {
                return i + 1;
            }
        }
        return -1;
    }

    /** The pieces of text behind the first call, one for each call. */
    private static List<String> afterCalls(GoldenCase golden) {
        String text = OutputParts.of(golden).rest();
        Matcher blocks = (OutputParts.jsonCalls(golden) ? JSON_BLOCK : TAG_BLOCK).matcher(text);
        List<String> pieces = new ArrayList<>();
        int from = -1;
        while (blocks.find()) {
            if (from >= 0) {
                pieces.add(text.substring(from, blocks.start()));
            }
            from = blocks.end();
        }
        if (from >= 0) {
            String last = text.substring(from);
            int open = OutputParts.opener(golden, last);
            pieces.add(open < 0 ? last : last.substring(0, open));
        }
        return pieces;
    }

    private static String withLaterText(GoldenCase golden, String before) {
        StringBuilder content = new StringBuilder(before);
        List<String> pieces = afterCalls(golden);
        for (int i = 0; i < pieces.size(); i++) {
            if (!pieces.get(i).isBlank()) {
                String piece = content.isEmpty() ? pieces.get(i).stripLeading() : pieces.get(i);
                boolean beforeCall = i + 1 < pieces.size() && OutputParts.taggedCalls(golden);
                content.append(beforeCall ? piece.stripTrailing() : piece);
            }
        }
        return content.toString();
    }

    /** White space with which the text before the first call starts; empty if that text is blank. */
    private static String leadingSpace(GoldenCase golden) {
        String rest = OutputParts.of(golden).rest();
        int opener = OutputParts.opener(golden, rest);
        Matcher space = LEADING_SPACE.matcher(opener < 0 ? "" : rest.substring(0, opener));
        return space.find() ? space.group() : "";
    }

    private static Matcher openValue(GoldenCase golden) {
        return OPEN_VALUE.matcher(OutputParts.of(golden).rest());
    }

    private static Answer withOpenValue(GoldenCase golden, Answer answer) {
        Matcher value = openValue(golden);
        if (!value.find() || answer.calls().isEmpty()) {
            return answer;
        }
        List<Call> calls = new ArrayList<>(answer.calls());
        Call last = calls.removeLast();
        String before = last.arguments().substring(0, last.arguments().length() - 1);
        String member = before.equals("{") ? "" : ", ";
        String json = openJson(golden, last.name(), value.group(1), value.group(2));
        calls.add(new Call(last.id(), last.name(), before + member + "\"" + value.group(1) + "\": " + json));
        return answer.withCalls(calls);
    }

    private static String openJson(GoldenCase golden, String function, String parameter, String text) {
        int tag = text.lastIndexOf("</");
        String whole = tag >= 0 && "</parameter>".startsWith(text.substring(tag)) ? text.substring(0, tag) : text;
        String typed = oneNewlineLess(whole);
        if (!onlyString(golden, function, parameter) && isJson(typed)) {
            return typed;
        }
        String string = quoted(oneNewlineLess(text));
        return string.substring(0, string.length() - 1);
    }

    private static String oneNewlineLess(String text) {
        return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    }

    private static boolean onlyString(GoldenCase golden, String function, String parameter) {
        for (Tool tool : golden.parseRequest().tools()) {
            if (tool.name().equals(function)
                    && tool.parameters().get("properties") instanceof Map<?, ?> properties
                    && properties.get(parameter) instanceof Map<?, ?> schema) {
                Object type = schema.get("type");
                return type == null ? !schema.containsKey("anyOf") : type.equals("string");
            }
        }
        return true;
    }

    private static Answer withNamesThatEnd(GoldenCase golden, Answer answer) {
        List<Call> calls = new ArrayList<>();
        for (Call call : answer.calls()) {
            Matcher name = Pattern.compile("^[^\\n<]+(?=[\\n<])").matcher(call.name());
            if (name.find()) {
                String function = name.group().strip();
                String text = golden.text();
                String body = text.substring(text.indexOf("<function=" + call.name()));
                int end = body.indexOf("</function>");
                calls.add(new Call(
                        call.id(), function, arguments(golden, function, end < 0 ? body : body.substring(0, end))));
            } else {
                calls.add(call);
            }
        }
        return answer.withCalls(calls);
    }

    private static String arguments(GoldenCase golden, String function, String body) {
        ObjectNode arguments = JSON.createObjectNode();
        Matcher value = VALUE.matcher(body);
        while (value.find()) {
            String text = value.group(2);
            boolean typed = !onlyString(golden, function, value.group(1)) && isJson(text);
            arguments.set(value.group(1), read(typed ? text : quoted(text)));
        }
        return arguments.toString();
    }

    private static Call stripKeys(Call call) {
        ObjectNode arguments = JSON.createObjectNode();
        call.value().ifPresent(value -> value.properties()
                .forEach(member -> arguments.set(member.getKey().strip(), member.getValue())));
        return new Call(call.id(), call.name(), arguments.toString());
    }

    private static boolean isJson(String text) {
        return new Call("", "", text).value().isPresent();
    }

    private static String quoted(String text) {
        return JSON.getNodeFactory().textNode(text).toString();
    }

    private static JsonNode read(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not JSON: " + json, e);
        }
    }
}
