package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Where tool calls, and the content around them, differ from vLLM's batch answer. */
final class CallDifferences {
    private static final ObjectMapper JSON = new ObjectMapper();

    static final String LEADING_SPACE_STAYS = "White space at the start of the content stays";
    static final String IN_REASONING = "A call marker in reasoning counts only where a call follows";
    static final String CUT_OFF = "A JSON call cut off by the end keeps its name and the arguments so far";
    static final String STANDS = "A JSON call stands once its name is known, whatever else is wrong with it";
    static final String TEXT_AFTER = "Text after a call is content";
    static final String UNWANTED = "Without wanted calls, their markup is content";
    static final String NO_CALL = "A marker that opens no call is text";

    private static final Pattern JSON_BLOCK =
            Pattern.compile("(?s)<tool_call>\\s*\\{.*?}\\s*(?:</tool_call>|(?=<tool_call>))");
    private static final Pattern JSON_CALL = Pattern.compile("<tool_call>\\s*(?=\\{)");
    private static final Pattern TAG = Pattern.compile("</?tool_call>");
    private static final Pattern NAME = Pattern.compile("\"name\"\\s*:\\s*\"([^\"]+)\"");
    private static final Pattern ARGUMENTS = Pattern.compile("\"(?:arguments|parameters)\"\\s*:\\s*");
    private static final Pattern NAME_WITHOUT_END = Pattern.compile("<function=([^>\\n<]+)[\\n<]");
    private static final Pattern SPACED_KEY = Pattern.compile("<\\s*parameter\\s*=[^>]*\\s>");
    private static final Pattern LEADING_SPACE = Pattern.compile("^\\s+(?=\\S)");

    /** The marker in the reasoning comes first: it decides what the others look at. */
    static final List<Rule> ALL = List.of(
            new Difference(
                    "D27",
                    "A call ends a reasoning that was not closed (step3)",
                    golden -> golden.reasoningParser().filter("step3"::equals).isPresent()
                            && OutputParts.callsWanted(golden)
                            && OutputParts.opener(golden, OutputParts.of(golden).rest()) == 0,
                    (golden, answer) -> ReasoningDifferences.shown(
                            golden, answer, OutputParts.of(golden).reasoning())),
            new Difference(
                    "D25",
                    "White space around a call stays with the text (step3)",
                    CallDifferences::step3Calls,
                    (golden, answer) -> answer.withContent(withLaterText(
                            golden, beforeCalls(golden, OutputParts.of(golden).rest())))),
            new Difference(
                    "D26",
                    "A call stands once its name is known (step3)",
                    golden -> step3Calls(golden)
                            && !demandsJson(golden)
                            && golden.answer()
                                    .filter(answer -> answer.calls().isEmpty())
                                    .isPresent(),
                    (golden, answer) -> withCalls(
                            golden, answer, tagCalls(golden, OutputParts.of(golden).rest()))),
            new Difference(
                    "D4",
                    IN_REASONING,
                    CallDifferences::mentionedInReasoning,
                    (golden, answer) -> {
                        OutputParts parts = OutputParts.of(golden);
                        Answer open = ReasoningDifferences.shown(golden, answer, parts.reasoning());
                        if (!OutputParts.callsWanted(golden)) {
                            return open.withContent(parts.rest());
                        }
                        Answer before = open.withContent(beforeCalls(golden, parts.rest()));
                        if (OutputParts.jsonCalls(golden)) {
                            return withCalls(golden, before, jsonCalls(parts.rest()));
                        }
                        return before.calls().isEmpty()
                                ? withCalls(golden, before, tagCalls(golden, parts.rest()))
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
                            && !step3Calls(golden)
                            && !String.join("", afterCalls(golden)).isBlank(),
                    (golden, answer) -> answer.withContent(withLaterText(golden, answer.content()))),
            new Difference(
                    "D8",
                    LEADING_SPACE_STAYS,
                    golden -> OutputParts.taggedCalls(golden)
                            && OutputParts.callsWanted(golden)
                            && !step3Calls(golden)
                            && !leadingSpace(golden).isEmpty(),
                    (golden, answer) -> answer.withContent(
                            leadingSpace(golden) + answer.content().stripLeading())),
            new Difference(
                    "D9",
                    UNWANTED,
                    golden -> OutputParts.taggedCalls(golden)
                            && !OutputParts.callsWanted(golden)
                            && OutputParts.of(golden).rest().contains(marker(golden)),
                    (golden, answer) ->
                            answer.withContent(OutputParts.of(golden).rest())),
            new Difference(
                    "D10",
                    NO_CALL,
                    golden -> OutputParts.taggedCalls(golden)
                            && OutputParts.callsWanted(golden)
                            && OutputParts.of(golden).rest().contains(marker(golden))
                            && OutputParts.opener(golden, golden.text()) < 0
                            && !tags(golden).calls(golden, golden.text()).find(),
                    (golden, answer) -> withCalls(golden, answer, List.of())
                            .withContent(OutputParts.of(golden).rest())),
            new Difference(
                    "D11",
                    "A value cut off by the end keeps its text so far",
                    golden -> OutputParts.taggedCalls(golden)
                            && OutputParts.callsWanted(golden)
                            && OutputParts.opener(golden, golden.text()) >= 0
                            && !tagCalls(golden, OutputParts.of(golden).rest()).isEmpty()
                            && openValue(golden).find(),
                    CallDifferences::withOpenValue),
            new Difference(
                    "D12",
                    "The name in a function tag without its end stops at the line's end",
                    golden -> OutputParts.taggedCalls(golden)
                            && tags(golden).likeQwen()
                            && OutputParts.callsWanted(golden)
                            && NAME_WITHOUT_END.matcher(golden.text()).find(),
                    CallDifferences::withNamesThatEnd),
            new Difference(
                    "D13",
                    "Spaces around the name of a parameter are not part of it",
                    golden -> OutputParts.taggedCalls(golden)
                            && tags(golden).likeQwen()
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
                            answer.withContent(OutputParts.of(golden).rest())),
            new Difference(
                    "D21",
                    "Markup inside a value is data",
                    golden -> OutputParts.taggedCalls(golden)
                            && OutputParts.callsWanted(golden)
                            && markedValue(golden),
                    (golden, answer) -> withCalls(
                            golden, answer, tagCalls(golden, OutputParts.of(golden).rest()))),
            new Difference(
                    "D22",
                    "A name without its end stops at the next call (glm45)",
                    golden -> golden.toolParser().filter(name -> name.startsWith("glm4")).isPresent()
                            && OutputParts.callsWanted(golden)
                            && tags(golden)
                                    .calls(golden, golden.text())
                                    .results()
                                    .anyMatch(call -> golden.text().startsWith(marker(golden), call.end())),
                    (golden, answer) -> withCalls(
                            golden, answer, tagCalls(golden, OutputParts.of(golden).rest()))),
            new Difference(
                    "D23",
                    "What is not the JSON that was demanded is read as always (seed_oss, step3)",
                    golden -> demandsJson(golden) && !startsAsDemanded(golden),
                    (golden, answer) -> {
                        String rest = OutputParts.of(golden).rest();
                        return withCalls(
                                golden, answer.withContent(beforeCalls(golden, rest)), tagCalls(golden, rest));
                    }),
            new Difference(
                    "D24",
                    "The calls of a demanded array that is cut off stand (seed_oss, step3)",
                    golden -> demandsJson(golden)
                            && startsAsDemanded(golden)
                            && golden.parseRequest().toolChoice().mode() == ToolChoice.Mode.REQUIRED,
                    (golden, answer) -> withCalls(
                            golden, answer, listCalls(OutputParts.of(golden).rest()))));

    private CallDifferences() {}

    /** Whether the family's server makes a model that must call write JSON, and it wrote something. */
    private static boolean demandsJson(GoldenCase golden) {
        return OutputParts.taggedCalls(golden)
                && tags(golden).forcedJson()
                && forced(golden)
                && !OutputParts.of(golden).rest().isBlank();
    }

    private static boolean startsAsDemanded(GoldenCase golden) {
        boolean named = golden.parseRequest().toolChoice().mode() == ToolChoice.Mode.NAMED;
        return OutputParts.of(golden).rest().strip().startsWith(named ? "{" : "[");
    }

    private static boolean markedValue(GoldenCase golden) {
        Tags tags = tags(golden);
        return tags.value()
                .matcher(OutputParts.of(golden).rest())
                .results()
                .anyMatch(value -> tags.marksIn(value.group(2)));
    }

    private static boolean step3Calls(GoldenCase golden) {
        return golden.toolParser().filter("step3"::equals).isPresent()
                && OutputParts.callsWanted(golden)
                && firstCall(golden, OutputParts.of(golden).rest()) >= 0;
    }

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
        int marker = text.indexOf(marker(golden));
        int close = text.indexOf(Thoughts.of(golden).close());
        int opener = OutputParts.opener(golden, text);
        return Thoughts.engine(golden)
                && !OutputParts.of(golden).reasoning().isEmpty()
                && marker >= 0
                && (close < 0 || marker < close)
                && !(OutputParts.callsWanted(golden) && marker == opener);
    }

    /** The content in front of the first call; what is blank is none. */
    static String beforeCalls(GoldenCase golden, String rest) {
        int opener = OutputParts.opener(golden, rest);
        String before = opener < 0 ? rest : rest.substring(0, opener);
        if (opener >= 0 && before.isBlank()) {
            return "";
        }
        return opener >= 0 && stripsBeforeCall(golden) ? before.stripTrailing() : before;
    }

    private static boolean stripsBeforeCall(GoldenCase golden) {
        return OutputParts.taggedCalls(golden) && !tags(golden).keepsSpace();
    }

    /** Where the first call of a text starts, with its group or without one; -1 if there is none. */
    private static int firstCall(GoldenCase golden, String text) {
        int opener = OutputParts.opener(golden, text);
        Matcher call = tags(golden).calls(golden, text);
        boolean bare = OutputParts.taggedCalls(golden) && call.find() && (opener < 0 || call.start() < opener);
        return bare ? call.start() : opener;
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
            jsonCall(body).ifPresent(calls::add);
        }
        return calls;
    }

    /** The JSON call at the start of a text, if its name is there. */
    private static Optional<Call> jsonCall(String text) {
        String object = value(text);
        Matcher name = NAME.matcher(object);
        if (!name.find()) {
            return Optional.empty();
        }
        Matcher key = ARGUMENTS.matcher(object);
        String arguments = "";
        if (key.find()) {
            arguments = value(object.substring(key.end()));
        } else if (valueEnd(text) >= 0) {
            arguments = "{}";
        }
        return Optional.of(new Call("", name.group(1), arguments));
    }

    /** The calls of an array of objects, the last one perhaps cut off. */
    static List<Call> listCalls(String text) {
        List<Call> calls = new ArrayList<>();
        int at = text.indexOf('{');
        while (at >= 0) {
            String body = text.substring(at);
            jsonCall(body).ifPresent(calls::add);
            int end = valueEnd(body);
            at = end < 0 ? -1 : text.indexOf('{', at + end);
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
        Matcher blocks =
                OutputParts.jsonCalls(golden) ? JSON_BLOCK.matcher(text) : tags(golden).blocks(golden, text);
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
            int open = firstCall(golden, last);
            String piece = open < 0 ? last : last.substring(0, open);
            pieces.add(OutputParts.taggedCalls(golden) && tags(golden).endsCut(piece.strip()) ? "" : piece);
        }
        return pieces;
    }

    private static String withLaterText(GoldenCase golden, String before) {
        StringBuilder content = new StringBuilder(before);
        List<String> pieces = afterCalls(golden);
        for (int i = 0; i < pieces.size(); i++) {
            if (!pieces.get(i).isBlank()) {
                String piece = content.isEmpty() ? pieces.get(i).stripLeading() : pieces.get(i);
                boolean beforeCall = i + 1 < pieces.size() && stripsBeforeCall(golden);
                content.append(beforeCall ? piece.stripTrailing() : piece);
            }
        }
        return content.toString();
    }

    /** White space with which the text before the first call starts; empty if that text is blank. */
    private static String leadingSpace(GoldenCase golden) {
        String rest = OutputParts.of(golden).rest();
        int opener = firstCall(golden, rest);
        Matcher space = LEADING_SPACE.matcher(opener < 0 ? "" : rest.substring(0, opener));
        return space.find() ? space.group() : "";
    }

    private static Matcher openValue(GoldenCase golden) {
        return tags(golden).openValue().matcher(OutputParts.of(golden).rest());
    }

    private static Answer withOpenValue(GoldenCase golden, Answer answer) {
        Matcher value = openValue(golden);
        if (!value.find() || answer.calls().isEmpty()) {
            return answer;
        }
        List<Call> calls = new ArrayList<>(answer.calls());
        Call last = calls.removeLast();
        String before = last.arguments().substring(0, last.arguments().length() - 1);
        if (value.group(2).isBlank() && !onlyString(golden, last.name(), value.group(1))) {
            calls.add(new Call(last.id(), last.name(), before));
            return answer.withCalls(calls);
        }
        String member = before.equals("{") ? "" : ", ";
        String json = openJson(golden, last.name(), value.group(1), value.group(2));
        Matcher end = Pattern.compile("(?s)(.*\n)" + tags(golden).callClose() + "\\s*").matcher(value.group(2));
        if (end.matches()) {
            json = quoted(end.group(1)) + "}";
        }
        calls.add(new Call(last.id(), last.name(), before + member + "\"" + value.group(1) + "\": " + json));
        return answer.withCalls(calls);
    }

    private static String openJson(GoldenCase golden, String function, String parameter, String text) {
        Tags tags = tags(golden);
        int tag = text.lastIndexOf("</");
        String whole =
                tag >= 0 && tags.valueClose().startsWith(text.substring(tag)) ? text.substring(0, tag) : text;
        String typed = tags.ownLines() ? oneNewlineLess(whole) : whole;
        if (!onlyString(golden, function, parameter) && isJson(typed)) {
            return typed;
        }
        String string = quoted(tags.ownLines() ? oneNewlineLess(text) : text);
        return string.substring(0, string.length() - 1);
    }

    private static Tags tags(GoldenCase golden) {
        return Tags.of(golden).orElse(Tags.usual());
    }

    /** What the family's parser of vLLM takes for the start of a call, or of a group of calls. */
    private static String marker(GoldenCase golden) {
        return tags(golden).marker();
    }

    /** The tagged calls of a text with their complete parameters. */
    private static List<Call> tagCalls(GoldenCase golden, String text) {
        List<Call> calls = new ArrayList<>();
        Matcher call = tags(golden).calls(golden, text);
        int from = 0;
        String name = "";
        boolean found = call.find();
        while (found) {
            name = call.group(1);
            from = call.end();
            found = call.find();
            calls.add(new Call(
                    "", name, arguments(golden, name, text.substring(from, found ? call.start() : text.length()))));
        }
        return calls;
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
                if (tags(golden).scalars()) {
                    return type == null || !List.of("integer", "number", "boolean").contains(type);
                }
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
        Map<String, String> arguments = new LinkedHashMap<>();
        Matcher value = tags(golden).value().matcher(body);
        while (value.find()) {
            String text = value.group(2);
            boolean typed = !onlyString(golden, function, value.group(1)) && isJson(text);
            arguments.put(value.group(1), typed ? text : quoted(text));
        }
        return arguments.entrySet().stream()
                .map(argument -> quoted(argument.getKey()) + ": " + argument.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
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
}
