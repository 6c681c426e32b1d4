package io.glyphgate.toolkit;

import io.glyphgate.spi.CombinedParser;
import io.glyphgate.spi.ParseContext;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Describes a format in which the output is a sequence of messages, each with a header and a body. The header says where
 * the body goes: it names a channel, and perhaps a recipient.
 *
 * <p>A message is {@code start ROLE channel NAME constrain TYPE open BODY end}. A recipient may stand behind the role or
 * the channel, as a word that starts with {@link #recipient}. A recipient is a function, whose name may stand behind
 * {@link #functions}, and the body is the arguments of a call, as the model wrote them. Without a recipient, it is
 * reasoning in one of the channels {@link #reasoning}, and content otherwise. A body for the role itself, or for one of
 * the tools {@link #own} that a server has of its own, is reasoning in these channels and reaches no field in others.
 * Either is an anomaly.
 *
 * <p>The header is held until its end. Text that turns out to be no header stays text of the message that it stands in,
 * or content outside of one. An end counts only where a header, another end or the end of the output follows.
 *
 * @param start the marker before a role
 * @param role the role of the model, which follows {@code start}
 * @param channel the marker before a channel
 * @param constrain the marker before the type of a body
 * @param open the marker that ends a header
 * @param ends the markers that end a body
 * @param recipient what a recipient starts with, for example {@code to=}
 * @param functions what may stand before the name of a function, for example {@code functions.}
 * @param own the tools of the server: recipients of these names, and those that go on with a dot, are no functions
 * @param reasoning the channels of reasoning
 * @param content the channels of content; others are content too, but counted as an anomaly
 * @param constraint how a server holds a model to calls, and to a content; empty if it cannot
 */
public record ChannelFormat(
        String start,
        String role,
        String channel,
        String constrain,
        String open,
        List<String> ends,
        String recipient,
        String functions,
        Set<String> own,
        Set<String> reasoning,
        Set<String> content,
        Optional<CallConstraint> constraint) {
    private static final int FIRST_LOOK = 32;

    /** Copies the collections. */
    public ChannelFormat {
        ends = List.copyOf(ends);
        own = Set.copyOf(own);
        reasoning = Set.copyOf(reasoning);
        content = Set.copyOf(content);
        if (ends.isEmpty()) {
            throw new IllegalArgumentException("a channel format needs a marker that ends a body");
        }
    }

    /**
     * The markers that must reach the parser as text.
     *
     * @return those of headers and bodies
     */
    public Set<String> markers() {
        Set<String> markers = new LinkedHashSet<>(List.of(start, channel, constrain, open));
        markers.addAll(ends);
        return markers;
    }

    /** The function that a recipient names; empty if it is none. */
    String function(String recipient) {
        String name = recipient.startsWith(functions) ? recipient.substring(functions.length()) : recipient;
        int dot = recipient.indexOf('.');
        boolean ofTheServer = own.contains(dot < 0 ? recipient : recipient.substring(0, dot));
        return ofTheServer || recipient.equals(role) ? "" : name;
    }

    /**
     * Makes the description ready: does once the work that all its choices share.
     *
     * @return what starts parsers
     * @throws AmbiguousMarkerException if one marker would mean two things in the same place
     */
    public Compiled compile() {
        return new Compiled(this);
    }

    /** A description made ready. Immutable; used by many threads at once. */
    public static final class Compiled {
        final ChannelFormat format;
        /** Where a message may start and no text stands before it. */
        final Literals first;
        /** Between messages, where text stands. */
        final Literals between;
        /** In a header. */
        final Literals header;
        /** In the body of a text. */
        final Literals text;
        /** In the body for a recipient, which only its own end ends. */
        final Literals addressed;

        private Compiled(ChannelFormat format) {
            this.format = format;
            Mark start = Mark.of(format.start, Mark.Role.HEADER_OPEN);
            Mark channel = Mark.of(format.channel, Mark.Role.HEADER_OPEN);
            Mark recipient = Mark.of(format.recipient, Mark.Role.HEADER_OPEN);
            Mark open = Mark.of(format.open, Mark.Role.BODY_OPEN);
            List<Mark> ends = new ArrayList<>();
            List<String> followedBy = new ArrayList<>(format.ends);
            followedBy.addAll(List.of(format.start, format.role, format.channel, format.open));
            for (String end : format.ends) {
                ends.add(new Mark(end, Mark.Role.BODY_CLOSE, followedBy, true, false));
            }
            // A prompt may leave the role to the model, too.
            Mark role = Mark.guarded(
                    format.role, Mark.Role.HEADER_OPEN, List.of(format.channel, format.recipient, format.open));
            first = literals(ends, start, role, channel, recipient, open);
            between = literals(ends, start, channel, open);
            header = literals(ends, start, open);
            text = literals(ends, Mark.guarded(format.start, Mark.Role.HEADER_OPEN, List.of(format.role)));
            addressed = literals(ends);
        }

        private static Literals literals(List<Mark> ends, Mark... others) {
            List<Mark> marks = new ArrayList<>(ends);
            marks.addAll(List.of(others));
            return Literals.of(marks, false);
        }

        /**
         * Starts the parser of one choice.
         *
         * @param context its prompt may hold the start of the first header, or of the first body
         * @return a new parser
         */
        public CombinedParser parser(ParseContext context) {
            return new ChannelStage(this, opened(context));
        }

        /** The message that the prompt leaves open, from its role on; empty if there is none. */
        private String opened(ParseContext context) {
            int seen = -1;
            for (int tokens = FIRST_LOOK; ; tokens *= 4) {
                String tail = context.promptTail(tokens);
                int start = tail.lastIndexOf(format.start);
                int end = -1;
                for (String marker : format.ends) {
                    end = Math.max(end, tail.lastIndexOf(marker));
                }
                if (start > end) {
                    return tail.substring(start + format.start.length());
                }
                if (end >= 0 || tail.length() == seen) {
                    return "";
                }
                seen = tail.length();
            }
        }
    }
}
