package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolChoice.Mode;
import java.util.List;
import java.util.regex.Pattern;

/** Reads the plain JSON that a server makes some families write for a call that is demanded. */
final class DemandedCalls {
    private static final Pattern NO_MARKER = Pattern.compile("(?!)");

    private static final Pattern NO_CALLS = Space.pattern("\\[\\s*[^\\s{]");

    private DemandedCalls() {}

    /** Whether the case is one of these families, and its request demands a call. */
    static boolean expected(GoldenCase golden) {
        Mode mode = golden.parseRequest().toolChoice().mode();
        return (Tags.of(golden).filter(Tags::forcedJson).isPresent() || PythonDifferences.written(golden))
                && (mode == Mode.REQUIRED || mode == Mode.NAMED)
                && !Space.blank(OutputParts.of(golden).rest());
    }

    /** Whether the output starts like that JSON, too. */
    static boolean written(GoldenCase golden) {
        boolean named = golden.parseRequest().toolChoice().mode() == Mode.NAMED;
        return expected(golden) && Space.strip(OutputParts.of(golden).rest()).startsWith(named ? "{" : "[");
    }

    static CallParts read(GoldenCase golden) {
        String json = Space.stripLeading(OutputParts.of(golden).rest());
        ToolChoice choice = golden.parseRequest().toolChoice();
        if (choice.mode() == Mode.REQUIRED) {
            CallParts array = ListedCalls.array(json);
            return array.calls().isEmpty() || NO_CALLS.matcher(json).lookingAt()
                    ? new CallParts(List.of(OutputParts.of(golden).rest()), List.of(), false, false)
                    : array;
        }
        int end = CallParts.valueEnd(json, 0, NO_MARKER);
        int to = Math.abs(end);
        Call call = new Call("", choice.function(), json.substring(0, to));
        return new CallParts(List.of("", json.substring(to)), List.of(call), end < 0, false);
    }
}
