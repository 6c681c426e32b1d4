package io.glyphgate.testkit;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ParseContext;
import java.util.ArrayList;
import java.util.List;

/**
 * An output and what a parser must make of it. The contract tests check every law on every example, so give one of each
 * kind: plain text, the usual form, several calls, text around calls, a marker in prose, broken and unclosed forms.
 *
 * @param context what the request says
 * @param output the whole output
 * @param reason why it ended
 * @param expected what must come of it
 */
public record Example(ParseContext context, String output, FinishReason reason, Parsed expected) {
    /**
     * An output that ended by itself, in an empty context, of which nothing is expected yet.
     *
     * @param output the whole output
     * @return an example to complete
     */
    public static Example of(String output) {
        return new Example(TestContext.builder().build(), output, FinishReason.STOP, new Parsed("", "", List.of()));
    }

    /**
     * The same in another context.
     *
     * @param value what the request says
     * @return a copy
     */
    public Example in(ParseContext value) {
        return new Example(value, output, reason, expected);
    }

    /**
     * The same, ended for another reason.
     *
     * @param value the reason
     * @return a copy
     */
    public Example endedBy(FinishReason value) {
        return new Example(context, output, value, expected);
    }

    /**
     * Expects reasoning.
     *
     * @param text all of it
     * @return a copy
     */
    public Example reasoning(String text) {
        return new Example(context, output, reason, new Parsed(text, expected.content(), expected.calls()));
    }

    /**
     * Expects content.
     *
     * @param text all of it
     * @return a copy
     */
    public Example content(String text) {
        return new Example(context, output, reason, new Parsed(expected.reasoning(), text, expected.calls()));
    }

    /**
     * Expects one more call.
     *
     * @param name the name of the function
     * @param arguments the JSON text of the arguments, character by character
     * @return a copy
     */
    public Example call(String name, String arguments) {
        List<Parsed.Call> calls = new ArrayList<>(expected.calls());
        calls.add(new Parsed.Call(name, null, arguments));
        return new Example(context, output, reason, new Parsed(expected.reasoning(), expected.content(), calls));
    }

    /**
     * Expects one more call with an ID of the model's own.
     *
     * @param name the name of the function
     * @param id the ID
     * @param arguments the JSON text of the arguments, character by character
     * @return a copy
     */
    public Example call(String name, String id, String arguments) {
        List<Parsed.Call> calls = new ArrayList<>(expected.calls());
        calls.add(new Parsed.Call(name, id, arguments));
        return new Example(context, output, reason, new Parsed(expected.reasoning(), expected.content(), calls));
    }
}
