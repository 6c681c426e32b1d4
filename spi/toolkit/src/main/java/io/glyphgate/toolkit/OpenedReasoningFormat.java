package io.glyphgate.toolkit;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ToolOpener;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Describes a family whose output starts as content, and whose reasoning is what an opening marker opens.
 *
 * <p>Reasoning ends at one of {@link #closes}, or where a tool call really opens.
 *
 * @param opens the markers that open reasoning
 * @param closes the markers that end it
 * @param onlyFirst whether a marker opens reasoning only where the output starts; the prompt does not matter then
 * @param label text behind an opening marker that belongs to it, where it stands there; possibly empty
 * @param labelOpens whether the label alone opens reasoning where the output starts, for models that leave out the marker
 * @param dropped markers that are dropped among content
 * @param trimmed whether white space at the end of reasoning is dropped
 * @param turnStarts text that starts or ends a turn in the prompt, behind which earlier markers do not count
 * @param promptOpens whether the prompt may have opened reasoning that the output goes on with
 * @param untilCall whether all behind a call is content, marker or not, so that strings in arguments stay whole
 * @param callEnd what ends a call, where markers in a call open no reasoning but markers behind it do; empty if calls are not told apart
 * @param visible the markers that must reach the parser as text; all that open, end or are dropped, and what ends a call, if it is
 *     not given
 */
public record OpenedReasoningFormat(
        List<String> opens,
        List<String> closes,
        boolean onlyFirst,
        String label,
        boolean labelOpens,
        List<String> dropped,
        boolean trimmed,
        List<String> turnStarts,
        boolean promptOpens,
        boolean untilCall,
        String callEnd,
        Optional<Set<String>> visible)
        implements ReasoningDescription {
    private static final int FIRST_LOOK = 32;

    /**
     * Checks the markers and copies the lists.
     *
     * @throws AmbiguousMarkerException if one marker would mean two things in the same place
     */
    public OpenedReasoningFormat {
        if (opens.isEmpty() || closes.isEmpty()) {
            throw new IllegalArgumentException("a reasoning format needs markers that open and markers that end it");
        }
        if (labelOpens && label.isEmpty()) {
            throw new IllegalArgumentException("no label is given that could open reasoning");
        }
        Literals.of(joined(opens, closes), false);
        Literals.of(joined(opens, dropped), false);
        opens = List.copyOf(opens);
        closes = List.copyOf(closes);
        dropped = List.copyOf(dropped);
        turnStarts = List.copyOf(turnStarts);
        visible = visible.map(Set::copyOf);
    }

    private static List<Mark> joined(List<String> opens, List<String> ends) {
        List<Mark> marks = new ArrayList<>(CallFormat.marks(opens, Mark.Role.REASONING_OPEN));
        marks.addAll(CallFormat.marks(ends, Mark.Role.REASONING_CLOSE));
        return marks;
    }

    /**
     * This description with more markers that must reach the parser as text.
     *
     * @param markers the markers beside those that open, end or are dropped
     * @return a changed copy
     */
    public OpenedReasoningFormat alsoVisible(String... markers) {
        Set<String> all = Stream.concat(markers().stream(), Stream.of(markers)).collect(Collectors.toSet());
        return new OpenedReasoningFormat(
                opens,
                closes,
                onlyFirst,
                label,
                labelOpens,
                dropped,
                trimmed,
                turnStarts,
                promptOpens,
                untilCall,
                callEnd,
                Optional.of(all));
    }

    /**
     * This description for models that may leave out the opening marker at the start of the output, but not its label.
     *
     * @return a changed copy
     */
    public OpenedReasoningFormat openedByLabel() {
        return new OpenedReasoningFormat(
                opens, closes, onlyFirst, label, true, dropped, trimmed, turnStarts, promptOpens, untilCall, callEnd, visible);
    }

    /**
     * This description for models whose calls may hold markers in their strings, and which may reason behind a call.
     *
     * @param end what ends a call
     * @return a changed copy
     */
    public OpenedReasoningFormat callsUntil(String end) {
        return new OpenedReasoningFormat(
                opens, closes, onlyFirst, label, labelOpens, dropped, trimmed, turnStarts, promptOpens, untilCall, end, visible);
    }

    /**
     * A family whose reasoning the prompt may open, and which may reason behind a call.
     *
     * @param opens the markers that open reasoning
     * @param closes the markers that end it
     * @param onlyFirst whether a marker opens reasoning only where the output starts
     * @param label text behind an opening marker that belongs to it; possibly empty
     * @param dropped markers that are dropped among content
     * @param trimmed whether white space at the end of reasoning is dropped
     * @param turnStarts text that starts or ends a turn in the prompt
     */
    public OpenedReasoningFormat(
            List<String> opens,
            List<String> closes,
            boolean onlyFirst,
            String label,
            List<String> dropped,
            boolean trimmed,
            List<String> turnStarts) {
        this(opens, closes, onlyFirst, label, false, dropped, trimmed, turnStarts, true, false, "", Optional.empty());
    }

    @Override
    public Set<String> markers() {
        return visible.orElseGet(() ->
                Stream.of(opens, closes, dropped, ends()).flatMap(List::stream).collect(Collectors.toUnmodifiableSet()));
    }

    private List<String> ends() {
        return callEnd.isEmpty() ? List.of() : List.of(callEnd);
    }

    /** Whether a call is told apart from other content. */
    boolean tellsCalls() {
        return untilCall || !callEnd.isEmpty();
    }

    @Override
    public ReasoningParser parser(ParseContext context) {
        List<Mark> opening = CallFormat.marks(opens, Mark.Role.REASONING_OPEN);
        Map<String, Mark> content = new LinkedHashMap<>();
        Map<String, Mark> inside = new LinkedHashMap<>();
        for (ToolOpener opener : context.toolOpeners()) {
            Mark call = Mark.guarded(opener.marker(), Mark.Role.CALL_OPEN, opener.followedBy());
            inside.merge(call.text(), call, Mark::either);
            if (tellsCalls()) {
                content.merge(call.text(), call, Mark::either);
            }
        }
        (onlyFirst ? List.<Mark>of() : opening).forEach(mark -> content.put(mark.text(), mark));
        CallFormat.marks(dropped, Mark.Role.REASONING_CLOSE).forEach(mark -> content.put(mark.text(), mark));
        Map<String, Mark> calls = new LinkedHashMap<>();
        CallFormat.marks(dropped, Mark.Role.REASONING_CLOSE).forEach(mark -> calls.put(mark.text(), mark));
        CallFormat.marks(ends(), Mark.Role.CALL_CLOSE).forEach(mark -> calls.put(mark.text(), mark));
        if (!onlyFirst) {
            opening.forEach(mark -> inside.put(mark.text(), mark));
        }
        CallFormat.marks(closes, Mark.Role.REASONING_CLOSE).forEach(mark -> inside.put(mark.text(), mark));
        return new OpenedReasoning(
                this,
                Literals.of(opening, false),
                Literals.of(List.copyOf(content.values()), false),
                Literals.of(List.copyOf(inside.values()), false),
                Literals.of(List.copyOf(calls.values()), false),
                onlyFirst || !promptOpens ? "" : openPrompt(context));
    }

    /** The end of a prompt that has opened reasoning, from behind the marker on; empty if it has not. */
    private String openPrompt(ParseContext context) {
        int seen = 0;
        for (int tokens = FIRST_LOOK; ; tokens *= 4) {
            String tail = context.promptTail(tokens);
            int opened = last(tail, opens);
            int closed = Math.max(last(tail, closes), last(tail, turnStarts));
            for (ToolOpener opener : context.toolOpeners()) {
                closed = Math.max(closed, tail.lastIndexOf(opener.marker()));
            }
            if (opened != closed || tail.length() == seen) {
                return opened > closed ? tail.substring(opened) : "";
            }
            seen = tail.length();
        }
    }

    private static int last(String text, List<String> markers) {
        return markers.stream().mapToInt(text::lastIndexOf).max().orElse(-1);
    }
}
