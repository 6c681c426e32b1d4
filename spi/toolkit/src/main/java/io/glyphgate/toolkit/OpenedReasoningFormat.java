package io.glyphgate.toolkit;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ToolOpener;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * @param dropped markers that are dropped among content
 * @param trimmed whether white space at the end of reasoning is dropped
 * @param turnStarts text that starts or ends a turn in the prompt, behind which earlier markers do not count
 */
public record OpenedReasoningFormat(
        List<String> opens,
        List<String> closes,
        boolean onlyFirst,
        String label,
        List<String> dropped,
        boolean trimmed,
        List<String> turnStarts)
        implements ReasoningDescription {
    private static final int FIRST_LOOK = 32;

    /** Checks the markers and copies the lists. */
    public OpenedReasoningFormat {
        if (opens.isEmpty() || closes.isEmpty()) {
            throw new IllegalArgumentException("a reasoning format needs markers that open and markers that end it");
        }
        opens = List.copyOf(opens);
        closes = List.copyOf(closes);
        dropped = List.copyOf(dropped);
        turnStarts = List.copyOf(turnStarts);
    }

    @Override
    public Set<String> markers() {
        return Stream.of(opens, closes, dropped).flatMap(List::stream).collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public ReasoningParser parser(ParseContext context) {
        List<Mark> opening = CallFormat.marks(opens, Mark.Role.REASONING_OPEN);
        List<Mark> content = new ArrayList<>(onlyFirst ? List.of() : opening);
        content.addAll(CallFormat.marks(dropped, Mark.Role.REASONING_CLOSE));
        Map<String, Mark> inside = new LinkedHashMap<>();
        for (ToolOpener opener : context.toolOpeners()) {
            inside.put(opener.marker(), Mark.guarded(opener.marker(), Mark.Role.CALL_OPEN, opener.followedBy()));
        }
        if (!onlyFirst) {
            opening.forEach(mark -> inside.put(mark.text(), mark));
        }
        CallFormat.marks(closes, Mark.Role.REASONING_CLOSE).forEach(mark -> inside.put(mark.text(), mark));
        return new OpenedReasoning(
                this,
                Literals.of(opening, false),
                Literals.of(content, false),
                Literals.of(List.copyOf(inside.values()), false),
                onlyFirst ? "" : openPrompt(context));
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
