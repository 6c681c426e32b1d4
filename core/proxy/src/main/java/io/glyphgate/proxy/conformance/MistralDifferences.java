package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.conformance.DifferenceRules.Difference;
import io.glyphgate.spi.Tool;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Where Mistral's two notations, and its reasoning, differ from vLLM's batch answer. */
final class MistralDifferences {
    private static final String MARKER = "[TOOL_CALLS]";
    private static final Pattern THINK = Pattern.compile("\\[(/?)THINK]");
    private static final Pattern LISTED = Space.pattern("\\[TOOL_CALLS]\\s*\\[?\\s*\\{");
    private static final Pattern HEADED = Space.pattern("\\[TOOL_CALLS]\\s*[^\\s\\[{]");
    private static final Pattern BARE = Space.pattern("(?<!\\[TOOL_CALLS])(?:\\[\\s*)?\\{\\s*\"(?:name|arguments)\"");
    private static final Pattern REPEATED = Space.pattern("\\[TOOL_CALLS]\\s*\\[TOOL_CALLS]");
    private static final Pattern BETWEEN_BLOCKS = Space.pattern("(?s)\\s\\[/?THINK].*\\[THINK]|\\s\\[THINK]\\s*$");
    private static final Pattern THINK_BEHIND_CALL = Pattern.compile("(?s)\\[TOOL_CALLS].*\\[/?THINK]");
    private static final Pattern PARAMETERS = Space.pattern("[{,]\\s*\"parameters\"\\s*:");

    static final List<Rule> ALL = List.of(
            new Difference(
                    "D90",
                    "Characters that several tokens make are whole (mistral before version 11)",
                    golden -> written(golden) && golden.garbled(),
                    CallPartsDifferences::read),
            new Difference(
                    "D4",
                    CallDifferences.IN_REASONING,
                    golden -> golden.reasoningParser().filter("mistral"::equals).isPresent()
                            && OutputParts.of(golden).reasoning().contains(MARKER),
                    (golden, answer) -> CallPartsDifferences.read(
                            golden,
                            ReasoningDifferences.shown(
                                    golden, answer, OutputParts.of(golden).reasoning()))),
            new Difference(
                    "D95",
                    ReasoningDifferences.BLOCK_ENDS,
                    golden -> golden.reasoningParser().filter("mistral"::equals).isPresent()
                            && BETWEEN_BLOCKS.matcher(golden.text()).find(),
                    (golden, answer) -> ReasoningDifferences.shown(
                            golden, answer, OutputParts.of(golden).reasoning())),
            called("D6", CallDifferences.STANDS, golden -> found(PARAMETERS, golden)),
            new Difference(
                    "D10",
                    CallDifferences.NO_CALL,
                    golden -> OutputParts.mistralCalls(golden) && golden.text().contains("[CALL_ID]"),
                    ReasoningDifferences::parted),
            new Difference(
                    "D7",
                    CallDifferences.TEXT_AFTER,
                    golden -> golden.reasoningParser().filter("mistral"::equals).isPresent()
                            && OutputParts.callsWanted(golden)
                            && THINK_BEHIND_CALL.matcher(golden.text()).find(),
                    ReasoningDifferences::parted),
            called(
                    "D91",
                    "Either notation of a call is read, whatever the tokenizer (mistral)",
                    golden -> found(golden.bound() ? LISTED : HEADED, golden)),
            called(
                    "D92",
                    "Each marker opens calls (mistral before version 11)",
                    golden -> !golden.bound()
                            && golden.text().indexOf(MARKER) != golden.text().lastIndexOf(MARKER)),
            called(
                    "D96",
                    "A marker that is repeated counts once (mistral from version 11 on)",
                    golden -> golden.bound() && found(REPEATED, golden)),
            called(
                    "D93",
                    "Demanded calls may stand without their marker (mistral from version 11 on)",
                    golden -> ListedCalls.unmarked(golden) && golden.bound() && found(BARE, golden)),
            called(
                    "D94",
                    "The ID that the model writes is the ID of the call (mistral)",
                    golden -> golden.text().contains("[CALL_ID]")));

    private MistralDifferences() {}

    private static boolean written(GoldenCase golden) {
        return golden.toolParser().filter("mistral"::equals).isPresent();
    }

    /** Whether vLLM strips the content, because it might have been calls without their marker. */
    static boolean stripped(GoldenCase golden) {
        return written(golden) && !golden.bound() && CallParts.of(golden).calls().isEmpty();
    }

    private static boolean found(Pattern pattern, GoldenCase golden) {
        return pattern.matcher(OutputParts.of(golden).rest()).find();
    }

    /** A rule about outputs with calls. */
    private static Difference called(String id, String title, Predicate<GoldenCase> about) {
        return new Difference(
                id,
                title,
                golden -> written(golden)
                        && OutputParts.callsWanted(golden)
                        && about.test(golden)
                        && !CallParts.of(golden).calls().isEmpty(),
                CallPartsDifferences::read);
    }

    /** The output of a case with the reasoning parser, taken apart. */
    static OutputParts parts(GoldenCase golden, String text) {
        int call = opener(golden, text);
        StringBuilder reasoning = new StringBuilder();
        StringBuilder content = new StringBuilder();
        boolean inside = false;
        int from = 0;
        Matcher mark = THINK.matcher(text).region(0, call);
        while (mark.find()) {
            boolean ends = !mark.group(1).isEmpty();
            String piece = text.substring(from, mark.start());
            (inside ? reasoning : content).append(inside && ends ? Space.stripTrailing(piece) : piece);
            inside = !ends;
            from = mark.end();
        }
        String piece = text.substring(from, call);
        (inside ? reasoning : content).append(inside ? Space.stripTrailing(piece) : piece);
        return new OutputParts(reasoning.toString(), content + text.substring(call));
    }

    /** Where the first call opens; the end of the text if none does. */
    private static int opener(GoldenCase golden, String text) {
        if (!OutputParts.callsWanted(golden)) {
            return text.length();
        }
        String names = golden.parseRequest().tools().stream()
                .map(Tool::name)
                .map(Pattern::quote)
                .collect(Collectors.joining("|"));
        Matcher opener = Space.pattern("\\[TOOL_CALLS]\\s*(?:\\[\\{|\\[ \\{|\\[\\n|\\{|(?:" + names
                        + ")(?:\\[ARGS]|\\{|\\[CALL_ID]))")
                .matcher(text);
        return opener.find() ? opener.start() : text.length();
    }
}
