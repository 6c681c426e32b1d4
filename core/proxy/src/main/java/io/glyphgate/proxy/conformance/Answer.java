package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a client gets of one choice in the end.
 *
 * @param text the text; empty for a parser case
 * @param reasoning the reasoning; empty where there is none
 * @param content the content; empty where there is none
 * @param calls the tool calls, in order
 * @param finishReason as a chat answer gives it
 * @param stopReason the stop string that was matched; empty if none was
 * @param keptTokens how many tokens belong to the output
 */
public record Answer(
        String text,
        String reasoning,
        String content,
        List<Call> calls,
        String finishReason,
        String stopReason,
        int keptTokens) {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** Copies the list. */
    public Answer {
        calls = List.copyOf(calls);
    }

    /**
     * A tool call.
     *
     * @param id the ID; empty for one that the host made at random
     * @param name the name of the function
     * @param arguments the text of the arguments
     */
    public record Call(String id, String name, String arguments) {
        /** The arguments as a JSON value; empty if the text is none, as that of a call that was cut off. */
        public Optional<JsonNode> value() {
            try {
                JsonNode value = JSON.readTree(arguments);
                return value.isMissingNode() ? Optional.empty() : Optional.of(value);
            } catch (JsonProcessingException e) {
                // Text that is no JSON is an answer like any other: it is compared as text.
                return Optional.empty();
            }
        }

        private boolean sameArguments(Call other) {
            Optional<JsonNode> mine = value();
            Optional<JsonNode> others = other.value();
            if (mine.isEmpty() || others.isEmpty()) {
                return arguments.equals(other.arguments);
            }
            return mine.get().equals(Answer::compareNumbers, others.get());
        }
    }

    /** This answer with other reasoning. */
    public Answer withReasoning(String other) {
        return new Answer(text, other, content, calls, finishReason, stopReason, keptTokens);
    }

    /** This answer with other content. */
    public Answer withContent(String other) {
        return new Answer(text, reasoning, other, calls, finishReason, stopReason, keptTokens);
    }

    /** This answer with other calls. */
    public Answer withCalls(List<Call> other) {
        return new Answer(text, reasoning, content, other, finishReason, stopReason, keptTokens);
    }

    /** This answer with another finish reason. */
    public Answer withFinishReason(String other) {
        return new Answer(text, reasoning, content, calls, other, stopReason, keptTokens);
    }

    Answer withKeptTokens(int other) {
        return new Answer(text, reasoning, content, calls, finishReason, stopReason, other);
    }

    /** In what another answer differs from this expected one, a line each; arguments are compared as JSON values. */
    List<String> differences(Answer other) {
        List<String> found = new ArrayList<>();
        compare("text", text, other.text, found);
        compare("reasoning", reasoning, other.reasoning, found);
        compare("content", content, other.content, found);
        compare("finish_reason", finishReason, other.finishReason, found);
        compare("stop_reason", stopReason, other.stopReason, found);
        compare("kept tokens", String.valueOf(keptTokens), String.valueOf(other.keptTokens), found);
        compare("number of calls", String.valueOf(calls.size()), String.valueOf(other.calls.size()), found);
        for (int i = 0; i < Math.min(calls.size(), other.calls.size()); i++) {
            Call mine = calls.get(i);
            Call others = other.calls.get(i);
            compare("name of call " + i, mine.name, others.name, found);
            if (!mine.id.isEmpty()) {
                compare("id of call " + i, mine.id, others.id, found);
            }
            if (!mine.sameArguments(others)) {
                compare("arguments of call " + i, mine.arguments, others.arguments, found);
            }
        }
        return found;
    }

    private static void compare(String what, String expected, String actual, List<String> found) {
        if (!expected.equals(actual)) {
            found.add(what + ": expected " + JSON.getNodeFactory().textNode(expected) + ", got "
                    + JSON.getNodeFactory().textNode(actual));
        }
    }

    /** Whole numbers of any size are exact, others as exact as a double, whatever their notation; all else is as it is. */
    private static int compareNumbers(JsonNode a, JsonNode b) {
        if (a.isNumber() && b.isNumber()) {
            return a.isIntegralNumber() && b.isIntegralNumber()
                    ? a.bigIntegerValue().compareTo(b.bigIntegerValue())
                    : Double.compare(a.doubleValue(), b.doubleValue());
        }
        return a.equals(b) ? 0 : 1;
    }
}
