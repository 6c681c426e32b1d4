package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Where the families of {@link CallParts} differ from vLLM's batch answer. */
final class CallPartsDifferences {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Pattern ARGUMENTS_LIST = Space.pattern("(?s)\\s*\\[\\s*\\{.*?\"arguments\"\\s*:");

    /** Parsers of reasoning that only their marker ends. */
    private static final Set<String> LEGACY = Set.of("step3", "olmo3");

    static final List<Rule> ALL = List.of(
            new Difference(
                    "D1",
                    ReasoningDifferences.PROMPT_DECIDES,
                    golden -> promptDecides(golden) && OutputParts.promptClosed(golden),
                    (golden, answer) -> read(golden, answer.withReasoning(""))),
            new Difference(
                    "D41",
                    "A call that really opens ends the reasoning (deepseek_r1, deepseek_v3, step3, olmo3, granite, hunyuan_a13b)",
                    golden -> OpenedReasoningDifferences.endsInCall(golden)
                            || ((ReasoningDifferences.deepSeek(golden)
                                            || golden.reasoningParser()
                                                    .filter(LEGACY::contains)
                                                    .isPresent())
                                    && OutputParts.callsWanted(golden)
                                    && !OutputParts.promptClosed(golden)
                                    && OutputParts.endsInCall(golden)),
                    ReasoningDifferences::parted),
            new Difference(
                    "D5",
                    CallDifferences.CUT_OFF,
                    golden -> json(golden) && CallParts.of(golden).cutOff(),
                    CallPartsDifferences::read),
            new Difference(
                    "D6",
                    CallDifferences.STANDS,
                    golden -> json(golden)
                            && !CallParts.of(golden).calls().isEmpty()
                            && (CallParts.of(golden).irregular() || moreThanVllm(golden)),
                    CallPartsDifferences::read),
            difference("D7", CallDifferences.TEXT_AFTER, CallParts::textFollows, CallPartsDifferences::read),
            difference(
                    "D8",
                    CallDifferences.LEADING_SPACE_STAYS,
                    calls -> calls.textPrecedes()
                            && Space.is(calls.pieces().get(0).charAt(0)),
                    CallPartsDifferences::read),
            difference(
                    "D42",
                    "Text before a call is content (phi4_mini_json, llama3_json)",
                    CallParts::textPrecedes,
                    CallPartsDifferences::read),
            new Difference(
                    "D43",
                    "Output that is not the demanded JSON is read all the same",
                    golden -> ListedCalls.demandsJson(golden)
                            && golden.parseRequest().toolChoice().mode() == ToolChoice.Mode.REQUIRED
                            && !OutputParts.of(golden).rest().isEmpty()
                            && golden.answer()
                                    .filter(answer -> answer.calls().isEmpty())
                                    .isPresent(),
                    CallPartsDifferences::read),
            new Difference(
                    "D28",
                    "Every list of calls counts (xlam)",
                    golden -> ListedCalls.xlam(golden) && json(golden) && moreThanVllm(golden),
                    CallPartsDifferences::read),
            new Difference(
                    "D29",
                    "The calls of a demanded array may say `arguments` instead of `parameters`",
                    golden -> ListedCalls.demandsJson(golden)
                            && golden.parseRequest().toolChoice().mode() == ToolChoice.Mode.REQUIRED
                            && ARGUMENTS_LIST
                                    .matcher(OutputParts.of(golden).rest())
                                    .lookingAt(),
                    CallPartsDifferences::read),
            new Difference(
                    "D44",
                    "Output that makes vLLM fail is answered (internlm)",
                    golden -> ListedCalls.written(golden) && golden.answer().isEmpty(),
                    (golden, answer) -> {
                        JsonNode detok = golden.json().path("detok");
                        return read(
                                golden,
                                new Answer(
                                        "",
                                        OutputParts.of(golden).reasoning(),
                                        "",
                                        List.of(),
                                        "",
                                        detok.path("stop_reason").asText(""),
                                        detok.path("kept_tokens").asInt()));
                    }),
            new Difference(
                    "D9",
                    CallDifferences.UNWANTED,
                    golden -> CallParts.written(golden)
                            && !OutputParts.callsWanted(golden)
                            && CallParts.marked(golden, OutputParts.of(golden).rest()),
                    (golden, answer) ->
                            answer.withContent(OutputParts.of(golden).rest())),
            new Difference(
                    "D10",
                    CallDifferences.NO_CALL,
                    golden -> CallParts.written(golden)
                            && OutputParts.callsWanted(golden)
                            && (CallParts.marked(golden, CallParts.of(golden).content())
                                    || CallParts.of(golden).calls().size()
                                            < golden.answer()
                                                    .map(answer ->
                                                            answer.calls().size())
                                                    .orElse(0)),
                    CallPartsDifferences::read),
            new Difference(
                    "D40",
                    "JSON arguments keep the types that the model wrote (kimi_k2, granite)",
                    golden -> json(golden)
                            && CallParts.of(golden).calls().stream().anyMatch(call -> mistyped(golden, call)),
                    CallPartsDifferences::read));

    private CallPartsDifferences() {}

    /** Whether the family writes the arguments of calls as JSON, and calls are wanted. */
    private static boolean json(GoldenCase golden) {
        return (ListedCalls.written(golden) || HeaderedCalls.written(golden)) && OutputParts.callsWanted(golden);
    }

    /** Whether the output holds more calls than vLLM's batch answer. */
    static boolean moreThanVllm(GoldenCase golden) {
        int calls = CallParts.of(golden).calls().size();
        int wanted = golden.parseRequest().parallelToolCalls() ? calls : Math.min(calls, 1);
        return golden.answer().filter(answer -> answer.calls().size() < wanted).isPresent();
    }

    private static Difference difference(
            String id, String title, Predicate<CallParts> about, BiFunction<GoldenCase, Answer, Answer> promised) {
        return new Difference(
                id,
                title,
                golden -> CallParts.written(golden)
                        && OutputParts.callsWanted(golden)
                        && about.test(CallParts.of(golden)),
                promised);
    }

    /** Whether vLLM's batch parser leaves to its text what the prompt has decided, and {@code D1} of the others does not do. */
    private static boolean promptDecides(GoldenCase golden) {
        boolean kimi = golden.reasoningParser().filter("kimi_k2"::equals).isPresent();
        return (kimi && !Thoughts.of(golden).off(golden))
                || (ReasoningDifferences.deepSeek(golden) && CallParts.written(golden));
    }

    /** The answer that reads what follows the reasoning as the tool parser does. */
    static Answer read(GoldenCase golden, Answer answer) {
        if (golden.toolParser().isEmpty() || !OutputParts.callsWanted(golden)) {
            return answer.withContent(OutputParts.of(golden).rest());
        }
        if (PythonDifferences.written(golden)) {
            return PythonDifferences.standing(golden, answer);
        }
        CallParts calls = CallParts.of(golden);
        return CallDifferences.withCalls(golden, answer.withContent(calls.content()), calls.calls());
    }

    /** Whether an argument has a type that the function's schema does not allow. */
    private static boolean mistyped(GoldenCase golden, Call call) {
        return golden.parseRequest().tools().stream()
                .filter(tool -> tool.name().equals(call.name()))
                .map(Tool::parameters)
                .anyMatch(schema -> call.value()
                        .filter(value -> !fits(value, JSON.valueToTree(schema)))
                        .isPresent());
    }

    private static boolean fits(JsonNode value, JsonNode schema) {
        if (schema.has("type") && !matches(value, schema.get("type"))) {
            return false;
        }
        for (Map.Entry<String, JsonNode> member : value.properties()) {
            JsonNode property = schema.path("properties").path(member.getKey());
            if (!fits(member.getValue(), property)) {
                return false;
            }
        }
        if (value.isArray()) {
            for (JsonNode item : value) {
                if (!fits(item, schema.path("items"))) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean matches(JsonNode value, JsonNode type) {
        if (type.isArray()) {
            for (JsonNode each : type) {
                if (matches(value, each)) {
                    return true;
                }
            }
            return false;
        }
        return switch (type.asText()) {
            case "string" -> value.isTextual();
            case "integer" -> value.isIntegralNumber();
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "null" -> value.isNull();
            default -> true;
        };
    }
}
