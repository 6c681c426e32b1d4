package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import io.glyphgate.spi.ToolChoice;
import java.util.List;

/** Where calls with tags, and calls that are demanded, differ from vLLM's batch answer. */
final class CallDifferences {
    static final String LEADING_SPACE_STAYS = "White space at the start of the content stays";
    static final String IN_REASONING = "A call marker in reasoning counts only where a call follows";
    static final String CUT_OFF = "A JSON call cut off by the end keeps its name and the arguments so far";
    static final String STANDS = "A JSON call stands once its name is known, whatever else is wrong with it";
    static final String TEXT_AFTER = "Text after a call is content";
    static final String UNWANTED = "Without wanted calls, their markup is content";
    static final String NO_CALL = "A marker that opens no call is text";

    /** The marker in the reasoning comes first: it decides what the others look at. */
    static final List<Rule> ALL = List.of(
            new Difference(
                    "D4",
                    IN_REASONING,
                    CallDifferences::mentionedInReasoning,
                    ReasoningDifferences::parted),
            new Difference(
                    "D14",
                    "White space stays content when a call was demanded",
                    golden -> golden.toolParser().isPresent()
                            && !HarmonyDifferences.written(golden)
                            && forced(golden)
                            && (Space.blank(OutputParts.of(golden).rest()) || MistralDifferences.stripped(golden))
                            && !golden.text().isEmpty(),
                    (golden, answer) ->
                            answer.withContent(OutputParts.of(golden).rest())),
            new Difference(
                    "D11",
                    "A value cut off by the end keeps its text so far",
                    golden -> read(golden) && CallParts.of(golden).cutOff(),
                    CallPartsDifferences::read),
            new Difference(
                    "D21",
                    "Markup inside a value is data",
                    golden -> read(golden)
                            && CallParts.of(golden).calls().stream()
                                    .anyMatch(call -> CallParts.marked(golden, call.arguments())),
                    CallPartsDifferences::read),
            new Difference(
                    "D25",
                    "White space around a call stays with the text (step3)",
                    golden -> read(golden)
                            && golden.toolParser().filter("step3"::equals).isPresent()
                            && !CallParts.of(golden).calls().isEmpty(),
                    CallPartsDifferences::read),
            new Difference(
                    "D26",
                    "A call with tags stands once its name is known, whatever else is wrong with it",
                    golden -> read(golden)
                            && (CallParts.of(golden).irregular() || CallPartsDifferences.moreThanVllm(golden)),
                    CallPartsDifferences::read),
            new Difference(
                    "D23",
                    "What is not the JSON that was demanded is read as always (seed_oss, step3)",
                    golden -> Tags.of(golden).isPresent()
                            && DemandedCalls.expected(golden)
                            && !DemandedCalls.written(golden),
                    CallPartsDifferences::read),
            new Difference(
                    "D24",
                    "The calls of a demanded array that is cut off stand (seed_oss, step3)",
                    golden -> Tags.of(golden).isPresent() && DemandedCalls.written(golden),
                    CallPartsDifferences::read));

    private CallDifferences() {}

    /** Whether the family writes calls as tags and they are wanted, as it writes them. */
    private static boolean read(GoldenCase golden) {
        return OutputParts.taggedCalls(golden) && OutputParts.callsWanted(golden) && !DemandedCalls.expected(golden);
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

    private static boolean mentionedInReasoning(GoldenCase golden) {
        String text = golden.text();
        int opener = OutputParts.callsWanted(golden) ? OutputParts.opener(golden, text) : -1;
        int close = text.indexOf(Thoughts.of(golden).close());
        String thought = text.substring(0, close < 0 ? text.length() : close);
        return Thoughts.engine(golden)
                && !OutputParts.of(golden).reasoning().isEmpty()
                && CallParts.marked(
                        golden, opener < 0 ? thought : thought.substring(0, Math.min(opener, thought.length())));
    }
}
