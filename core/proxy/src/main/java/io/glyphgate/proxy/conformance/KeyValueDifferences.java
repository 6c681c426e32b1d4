package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where calls of bare keys and values differ from vLLM's batch answer. */
final class KeyValueDifferences {
    private static final String QUOTE = "<|\"|>";
    private static final String END = "<tool_call|>";
    /** The only argument of a call, up to its own end or that of the output. */
    private static final Pattern ONLY_STRING =
            Pattern.compile("(?s)\\{(\\w+):<\\|\"\\|>(.*?)(<\\|\"\\|>\\}<tool_call\\|>|$)");

    private static final Pattern LAST_EMPTY = Pattern.compile("(?:, )?\"[^\"]*\": \"\"?$");

    static final List<Rule> ALL = List.of(
            new Difference(
                    "D72",
                    "The arguments of a call that is cut off stay open (gemma4)",
                    golden -> wanted(golden)
                            && !call(golden).contains(END)
                            && !call(golden).matches("(?s).*[})]\\s*"),
                    KeyValueDifferences::open),
            new Difference(
                    "D73",
                    "In a string only its own end counts (gemma4)",
                    golden -> wanted(golden) && markerInString(golden),
                    (golden, answer) -> {
                        Matcher argument = ONLY_STRING.matcher(first(golden));
                        if (!argument.find() || answer.calls().isEmpty()) {
                            return answer;
                        }
                        String value = JsonNodeFactory.instance
                                .textNode(argument.group(2))
                                .toString();
                        boolean closed = !argument.group(3).isEmpty();
                        String json = "{\"" + argument.group(1) + "\": "
                                + (closed ? value + "}" : value.substring(0, value.length() - 1));
                        return answer.withContent("")
                                .withCalls(List.of(
                                        new Call("", answer.calls().get(0).name(), json)));
                    }));

    private KeyValueDifferences() {}

    private static boolean wanted(GoldenCase golden) {
        return golden.toolParser().filter("gemma4"::equals).isPresent()
                && OutputParts.callsWanted(golden)
                && OutputParts.opener(golden, OutputParts.of(golden).rest()) >= 0;
    }

    private static String first(GoldenCase golden) {
        String rest = OutputParts.of(golden).rest();
        return rest.substring(OutputParts.opener(golden, rest));
    }

    /** The output from the last call on. */
    private static String call(GoldenCase golden) {
        String rest = OutputParts.of(golden).rest();
        return rest.substring(rest.lastIndexOf("<|tool_call>"));
    }

    private static boolean markerInString(GoldenCase golden) {
        String text = first(golden);
        int end = text.indexOf(END);
        return end >= 0 && text.substring(0, end).split(Pattern.quote(QUOTE), -1).length % 2 == 0;
    }

    private static Answer open(GoldenCase golden, Answer answer) {
        if (answer.calls().isEmpty()) {
            return answer;
        }
        List<Call> calls = new ArrayList<>(answer.calls());
        Call last = calls.removeLast();
        String json = last.arguments().substring(0, last.arguments().length() - 1);
        if (!call(golden).endsWith(QUOTE) && json.endsWith("\"")) {
            json = json.substring(0, json.length() - 1);
        } else if (call(golden).endsWith(QUOTE) && json.endsWith("\"\"")) {
            json = json.substring(0, json.length() - 1);
        }
        if (call(golden).endsWith(":")) {
            json = LAST_EMPTY.matcher(json).replaceFirst("");
        }
        calls.add(new Call(last.id(), last.name(), json));
        return answer.withCalls(calls);
    }
}
