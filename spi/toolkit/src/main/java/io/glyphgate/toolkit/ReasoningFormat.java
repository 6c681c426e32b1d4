package io.glyphgate.toolkit;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ToolOpener;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Describes a family whose reasoning stands between two markers before the answer. The output starts inside the
 * reasoning, with or without its opening marker, unless the prompt or the template arguments say otherwise.
 *
 * <p>Reasoning ends at {@link #close}, or where a tool call really opens. What follows is content, marker or not.
 *
 * @param open the marker that may open the reasoning
 * @param close the marker that ends it
 * @param opensOnce whether a second {@code open} inside the reasoning is text; else each of them is dropped
 * @param offWhen template arguments that turn reasoning off: if one has the value given here, all output is content
 * @param turnStarts text that starts or ends a turn in the prompt, behind which earlier markers do not count
 * @param onWhen template arguments that keep it on whatever {@code offWhen} says
 * @param openKept whether the opening marker in the output is text
 * @param trimmed whether white space at the end of the reasoning is dropped
 */
public record ReasoningFormat(
        String open,
        String close,
        boolean opensOnce,
        Map<String, Object> offWhen,
        List<String> turnStarts,
        Map<String, Object> onWhen,
        boolean openKept,
        boolean trimmed)
        implements ReasoningDescription {
    private static final int FIRST_LOOK = 32;

    /** Checks the markers and copies the collections. */
    public ReasoningFormat {
        if (open.isEmpty() || close.isEmpty()) {
            throw new IllegalArgumentException(
                    "a reasoning format needs both markers, but has '" + open + "' and '" + close + "'");
        }
        offWhen = Map.copyOf(offWhen);
        turnStarts = List.copyOf(turnStarts);
        onWhen = Map.copyOf(onWhen);
    }

    /**
     * A family that keeps white space at the end of the reasoning.
     *
     * @param open the marker that may open the reasoning
     * @param close the marker that ends it
     * @param opensOnce whether a second {@code open} inside the reasoning is text
     * @param offWhen template arguments that turn reasoning off
     * @param turnStarts text that starts or ends a turn in the prompt
     */
    public ReasoningFormat(
            String open, String close, boolean opensOnce, Map<String, Object> offWhen, List<String> turnStarts) {
        this(open, close, opensOnce, offWhen, turnStarts, Map.of(), false, false);
    }

    /**
     * This description with white space at the end of the reasoning dropped.
     *
     * @return a changed copy
     */
    public ReasoningFormat trimming() {
        return new ReasoningFormat(open, close, opensOnce, offWhen, turnStarts, onWhen, openKept, true);
    }

    /**
     * This description with the opening marker in the output kept as text.
     *
     * @return a changed copy
     */
    public ReasoningFormat keepingOpen() {
        return new ReasoningFormat(open, close, opensOnce, offWhen, turnStarts, onWhen, true, trimmed);
    }

    /**
     * This description with template arguments that keep reasoning on.
     *
     * @param on their values
     * @return a changed copy
     */
    public ReasoningFormat onWhen(Map<String, Object> on) {
        return new ReasoningFormat(open, close, opensOnce, offWhen, turnStarts, on, openKept, trimmed);
    }

    @Override
    public Set<String> markers() {
        return Set.of(open, close);
    }

    @Override
    public ReasoningParser parser(ParseContext context) {
        List<Mark> ends = ends(context.toolOpeners());
        List<Mark> all = new ArrayList<>(ends);
        all.add(Mark.of(open, Mark.Role.REASONING_OPEN));
        Literals opening = Literals.of(openKept ? ends : all, false);
        Literals afterOpen = opensOnce ? Literals.of(ends, false) : opening;
        return new DelimitedReasoning(opening, afterOpen, trimmed, reasons(context));
    }

    /**
     * Starts a parser for which all output is content.
     *
     * @return a new parser
     */
    public static ReasoningParser none() {
        return new DelimitedReasoning(Literals.EMPTY, Literals.EMPTY, false, false);
    }

    /** What ends the reasoning. A marker that several openers share counts where any of them lets it count. */
    private List<Mark> ends(List<ToolOpener> openers) {
        Map<String, Mark> marks = new LinkedHashMap<>();
        for (ToolOpener opener : openers) {
            marks.merge(
                    opener.marker(),
                    Mark.guarded(opener.marker(), Mark.Role.CALL_OPEN, opener.followedBy()),
                    ReasoningFormat::either);
        }
        marks.remove(open);
        marks.put(close, Mark.of(close, Mark.Role.REASONING_CLOSE));
        return List.copyOf(marks.values());
    }

    private static Mark either(Mark one, Mark other) {
        List<String> followedBy = new ArrayList<>();
        if (!one.followedBy().isEmpty() && !other.followedBy().isEmpty()) {
            followedBy.addAll(one.followedBy());
            followedBy.addAll(other.followedBy());
        }
        return Mark.guarded(
                one.text(), one.role(), followedBy.stream().distinct().toList());
    }

    private static boolean given(Map<String, Object> arguments, ParseContext context) {
        return arguments.entrySet().stream()
                .anyMatch(argument -> Objects.equals(
                        context.chatTemplateArguments().get(argument.getKey()), argument.getValue()));
    }

    private boolean reasons(ParseContext context) {
        if (given(offWhen, context) && !given(onWhen, context)) {
            return false;
        }
        int seen = 0;
        for (int tokens = FIRST_LOOK; ; tokens *= 4) {
            String tail = context.promptTail(tokens);
            int closed = tail.lastIndexOf(close);
            for (ToolOpener opener : context.toolOpeners()) {
                closed = Math.max(closed, tail.lastIndexOf(opener.marker()));
            }
            int opened = tail.lastIndexOf(open);
            for (String turn : turnStarts) {
                opened = Math.max(opened, tail.lastIndexOf(turn));
            }
            if (closed != opened || tail.length() == seen) {
                return closed <= opened;
            }
            seen = tail.length();
        }
    }
}
