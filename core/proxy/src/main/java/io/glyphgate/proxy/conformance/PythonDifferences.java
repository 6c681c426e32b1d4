package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import io.glyphgate.spi.ToolChoice.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where calls in Python's notation differ from vLLM's batch answer. */
final class PythonDifferences {
    private static final Set<String> LISTS = Set.of("pythonic", "llama4_pythonic");
    private static final Pattern LIST = Pattern.compile("(?:<\\|python_start\\|>)?\\[");
    private static final Pattern LIST_END = Space.pattern("\\s*\\](?:<\\|python_end\\|>)?");
    private static final String GROUP = "<function_calls>";
    private static final String GROUP_CLOSE = "</function_calls>";

    /** What the proxy makes of an output. */
    private record Parts(String content, List<Call> calls) {}

    static final List<Rule> ALL = List.of(
            new Difference(
                    "D60",
                    "A Python call stands once its first argument has begun",
                    golden -> written(golden)
                            && read(golden)
                            && golden.answer()
                                    .filter(answer -> answer.calls().isEmpty()
                                            || !Space.blank(parts(golden).content()))
                                    .isPresent()
                            && !parts(golden).calls().isEmpty(),
                    PythonDifferences::standing),
            new Difference(
                    "D61",
                    "Text around Python calls is content, and there may be several groups",
                    golden -> OutputParts.pythonCalls(golden)
                            && read(golden)
                            && golden.answer()
                                    .filter(answer -> !answer.calls().isEmpty())
                                    .isPresent()
                            && !parts(golden).calls().isEmpty(),
                    PythonDifferences::standing),
            new Difference(
                    "D62",
                    "Python calls count between their tags only",
                    golden -> OutputParts.pythonCalls(golden)
                            && read(golden)
                            && !OutputParts.of(golden).rest().contains(GROUP),
                    (golden, answer) -> CallDifferences.withCalls(golden, answer, List.of())
                            .withContent(OutputParts.of(golden).rest())),
            new Difference(
                    "D63",
                    "Where a call is demanded, other output than JSON is read as ever",
                    golden -> written(golden)
                            && mode(golden) == Mode.REQUIRED
                            && DemandedCalls.expected(golden)
                            && !DemandedCalls.written(golden),
                    PythonDifferences::standing),
            new Difference(
                    "D64",
                    "A named function gets arguments that are JSON only",
                    golden -> written(golden) && mode(golden) == Mode.NAMED && DemandedCalls.expected(golden),
                    PythonDifferences::standing),
            new Difference(
                    "D65",
                    "A demanded JSON call cut off by the end keeps its name and the arguments so far",
                    golden -> written(golden) && mode(golden) == Mode.REQUIRED && DemandedCalls.written(golden),
                    PythonDifferences::standing));

    private PythonDifferences() {}

    static boolean written(GoldenCase golden) {
        return OutputParts.pythonCalls(golden)
                || golden.toolParser().filter(LISTS::contains).isPresent();
    }

    /** Where the first tag stands that an offered function follows; -1 if there is none. */
    static int opener(GoldenCase golden, String text) {
        return golden.parseRequest().tools().stream()
                .map(tool -> Space.pattern(GROUP + "\\s*" + Pattern.quote(tool.name() + "("))
                        .matcher(text))
                .filter(Matcher::find)
                .mapToInt(Matcher::start)
                .min()
                .orElse(-1);
    }

    private static Mode mode(GoldenCase golden) {
        return golden.parseRequest().toolChoice().mode();
    }

    private static boolean read(GoldenCase golden) {
        return mode(golden) == Mode.AUTO && !golden.parseRequest().tools().isEmpty();
    }

    /** The answer that has the calls that stand, and the text around them. */
    static Answer standing(GoldenCase golden, Answer answer) {
        Parts parts = parts(golden);
        return CallDifferences.withCalls(golden, answer.withContent(parts.content()), parts.calls());
    }

    private static Parts parts(GoldenCase golden) {
        if (DemandedCalls.written(golden)) {
            CallParts demanded = DemandedCalls.read(golden);
            return new Parts(demanded.content(), demanded.calls());
        }
        String text = OutputParts.of(golden).rest();
        return OutputParts.pythonCalls(golden) ? groups(text) : list(text);
    }

    private static Parts list(String text) {
        Matcher open = LIST.matcher(text);
        PythonCallText list = PythonCallText.at(text, open.lookingAt() ? open.end() : text.length(), true);
        if (list.calls().isEmpty()) {
            return new Parts(text, List.of());
        }
        String after = text.substring(list.end());
        return new Parts(Space.stripLeading(withoutEnd(after, LIST_END)), list.calls());
    }

    private static Parts groups(String text) {
        StringBuilder content = new StringBuilder();
        List<Call> calls = new ArrayList<>();
        int from = 0;
        int open = text.indexOf(GROUP);
        while (open >= 0) {
            PythonCallText group = PythonCallText.at(text, open + GROUP.length(), false);
            if (!group.calls().isEmpty()) {
                add(content, Space.stripTrailing(text.substring(from, open)), !calls.isEmpty());
                calls.addAll(group.calls());
                String after = Space.stripLeading(text.substring(group.end()));
                boolean cut = GROUP_CLOSE.startsWith(after);
                from = text.length() - (cut ? 0 : after.length());
                int close = text.indexOf(GROUP_CLOSE, from);
                int next = nextGroup(text, from);
                if (close >= 0 && (next < 0 || close < next)) {
                    add(content, Space.stripTrailing(text.substring(from, close)), true);
                    from = close + GROUP_CLOSE.length();
                }
            }
            open = text.indexOf(GROUP, Math.max(from, open + 1));
        }
        add(content, text.substring(from), !calls.isEmpty());
        return new Parts(content.toString(), calls);
    }

    /** Where the next group stands that has calls; -1 if none does. */
    private static int nextGroup(String text, int from) {
        int next = text.indexOf(GROUP, from);
        while (next >= 0 && PythonCallText.at(text, next + GROUP.length(), false).calls().isEmpty()) {
            next = text.indexOf(GROUP, next + 1);
        }
        return next;
    }

    /** Adds a piece of text; what is blank beside a call is none. */
    private static void add(StringBuilder content, String piece, boolean afterCall) {
        if (!Space.blank(piece)) {
            content.append(afterCall && content.isEmpty() ? Space.stripLeading(piece) : piece);
        } else if (!afterCall) {
            content.append(piece);
        }
    }

    private static String withoutEnd(String text, Pattern end) {
        Matcher matcher = end.matcher(text);
        return matcher.lookingAt() ? text.substring(matcher.end()) : text;
    }
}
