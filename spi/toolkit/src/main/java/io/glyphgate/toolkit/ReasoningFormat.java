package io.glyphgate.toolkit;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ToolOpener;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

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
 * @param shown whether the reasoning is left in the content, for a client that looks for the markers itself: all output
 *     is content, with {@code open} in front of it unless the prompt has closed the reasoning
 * @param answerOpen what may open the answer; then all markers are dropped behind the reasoning, as is white space before
 *     {@code answerOpen} where nothing else stands there, and behind {@code answerClose} where nothing follows; empty if
 *     the answer has no markers
 * @param answerClose what closes it
 * @param off whether reasoning is off unless {@code onWhen} keeps it on
 * @param visible the markers that must reach the parser as text; {@code open} and {@code close} if it is not given
 */
public record ReasoningFormat(
        String open,
        String close,
        boolean opensOnce,
        Map<String, Object> offWhen,
        List<String> turnStarts,
        Map<String, Object> onWhen,
        boolean openKept,
        boolean trimmed,
        boolean shown,
        String answerOpen,
        String answerClose,
        boolean off,
        Optional<Set<String>> visible)
        implements ReasoningDescription {
    private static final int FIRST_LOOK = 32;

    /**
     * Checks the markers and copies the collections.
     *
     * @throws AmbiguousMarkerException if one marker opens and ends the reasoning
     */
    public ReasoningFormat {
        if (open.isEmpty() || close.isEmpty()) {
            throw new IllegalArgumentException(
                    "a reasoning format needs both markers, but has '" + open + "' and '" + close + "'");
        }
        if (open.equals(close)) {
            throw new AmbiguousMarkerException(
                    Mark.of(open, Mark.Role.REASONING_OPEN), Mark.of(close, Mark.Role.REASONING_CLOSE));
        }
        offWhen = Map.copyOf(offWhen);
        turnStarts = List.copyOf(turnStarts);
        onWhen = Map.copyOf(onWhen);
        visible = visible.map(Set::copyOf);
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
        this(
                open,
                close,
                opensOnce,
                offWhen,
                turnStarts,
                Map.of(),
                false,
                false,
                false,
                "",
                "",
                false,
                Optional.empty());
    }

    /**
     * This description with white space at the end of the reasoning dropped.
     *
     * @return a changed copy
     */
    public ReasoningFormat trimming() {
        return changed(copy -> copy.trimmed = true);
    }

    /**
     * This description with the opening marker in the output kept as text.
     *
     * @return a changed copy
     */
    public ReasoningFormat keepingOpen() {
        return changed(copy -> copy.openKept = true);
    }

    /**
     * This description with the reasoning left in the content.
     *
     * @return a changed copy
     */
    public ReasoningFormat showing() {
        return changed(copy -> copy.shown = true);
    }

    /**
     * This description with markers around the answer.
     *
     * @param opening what may open it
     * @param closing what closes it
     * @return a changed copy
     */
    public ReasoningFormat answering(String opening, String closing) {
        return changed(copy -> {
            copy.answerOpen = opening;
            copy.answerClose = closing;
        });
    }

    /**
     * This description with template arguments that keep reasoning on.
     *
     * @param on their values
     * @return a changed copy
     */
    public ReasoningFormat onWhen(Map<String, Object> on) {
        return changed(copy -> copy.onWhen = on);
    }

    /**
     * This description with reasoning off unless a template argument asks for it.
     *
     * @param on the values that turn it on
     * @return a changed copy
     */
    public ReasoningFormat onlyWhen(Map<String, Object> on) {
        return changed(copy -> {
            copy.onWhen = on;
            copy.off = true;
        });
    }

    /**
     * This description with more markers that must reach the parser as text.
     *
     * @param markers the markers beside those that it has
     * @return a changed copy
     */
    public ReasoningFormat alsoVisible(String... markers) {
        Set<String> all = new LinkedHashSet<>(markers());
        all.addAll(List.of(markers));
        return changed(copy -> copy.visible = Optional.of(all));
    }

    private ReasoningFormat changed(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return new ReasoningFormat(
                open,
                close,
                opensOnce,
                offWhen,
                turnStarts,
                copy.onWhen,
                copy.openKept,
                copy.trimmed,
                copy.shown,
                copy.answerOpen,
                copy.answerClose,
                copy.off,
                copy.visible);
    }

    /** What of a description may be changed. */
    private static final class Copy {
        private Map<String, Object> onWhen;
        private boolean openKept;
        private boolean trimmed;
        private boolean shown;
        private String answerOpen;
        private String answerClose;
        private boolean off;
        private Optional<Set<String>> visible;

        private Copy(ReasoningFormat format) {
            onWhen = format.onWhen;
            openKept = format.openKept;
            trimmed = format.trimmed;
            shown = format.shown;
            answerOpen = format.answerOpen;
            answerClose = format.answerClose;
            off = format.off;
            visible = format.visible;
        }
    }

    @Override
    public Set<String> markers() {
        return visible.orElseGet(
                () -> answerOpen.isEmpty() ? Set.of(open, close) : Set.of(open, close, answerOpen, answerClose));
    }

    @Override
    public boolean showsMarkers() {
        return shown;
    }

    @Override
    public ReasoningParser parser(ParseContext context) {
        if (shown) {
            return new ShownReasoning(reasons(context) ? open : "");
        }
        List<Mark> ends = ends(context.toolOpeners());
        List<Mark> all = new ArrayList<>(ends);
        all.add(Mark.of(open, Mark.Role.REASONING_OPEN));
        Literals opening = Literals.of(openKept ? ends : all, false);
        Literals afterOpen = opensOnce ? Literals.of(ends, false) : opening;
        return new DelimitedReasoning(opening, afterOpen, open.length(), trimmed, reasons(context), answer());
    }

    /**
     * Starts a parser for which all output is content.
     *
     * @return a new parser
     */
    public static ReasoningParser none() {
        return new DelimitedReasoning(Literals.EMPTY, Literals.EMPTY, 0, false, false, Literals.EMPTY);
    }

    /** The markers behind the reasoning; none if they are text there. */
    private Literals answer() {
        return answerOpen.isEmpty()
                ? Literals.EMPTY
                : Literals.of(
                        List.of(
                                Mark.of(answerOpen, Mark.Role.BODY_OPEN),
                                Mark.of(answerClose, Mark.Role.BODY_CLOSE),
                                Mark.of(open, Mark.Role.REASONING_OPEN),
                                Mark.of(close, Mark.Role.REASONING_CLOSE)),
                        false);
    }

    /** What ends the reasoning. A marker that several openers share counts where any of them lets it count. */
    private List<Mark> ends(List<ToolOpener> openers) {
        Map<String, Mark> marks = new LinkedHashMap<>();
        for (ToolOpener opener : openers) {
            marks.merge(
                    opener.marker(),
                    Mark.guarded(opener.marker(), Mark.Role.CALL_OPEN, opener.followedBy()),
                    Mark::either);
        }
        marks.remove(open);
        marks.put(close, Mark.of(close, Mark.Role.REASONING_CLOSE));
        return List.copyOf(marks.values());
    }

    private static boolean given(Map<String, Object> arguments, ParseContext context) {
        return arguments.entrySet().stream()
                .anyMatch(argument ->
                        Objects.equals(context.chatTemplateArguments().get(argument.getKey()), argument.getValue()));
    }

    private boolean reasons(ParseContext context) {
        if ((off || given(offWhen, context)) && !given(onWhen, context)) {
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
