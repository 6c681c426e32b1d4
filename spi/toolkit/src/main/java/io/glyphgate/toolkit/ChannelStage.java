package io.glyphgate.toolkit;

import io.glyphgate.spi.CombinedParser;
import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.TokenDelta;

/** The messages of one choice by a {@link ChannelFormat}. */
final class ChannelStage implements CombinedParser {
    /** Longer text is no header; it would be held for nothing. */
    private static final int MAX_HEADER = 256;

    private enum State {
        /** Where a message may start; only white space stands here. */
        FIRST,
        /** Text outside of a message. */
        BETWEEN,
        HEADER,
        BODY
    }

    private enum Field {
        REASONING,
        CONTENT,
        ARGUMENTS,
        NONE
    }

    private final ChannelFormat.Compiled compiled;
    private final ChannelFormat format;
    private final Cursor cursor = new Cursor();

    private State state = State.FIRST;
    /** Where the text goes: that of the body, or content outside of one. */
    private Field field = Field.CONTENT;

    private boolean inBody;
    private boolean messages;
    private int headerStart;
    /** The part of the first header that stands in the prompt. */
    private String prefix;

    ChannelStage(ChannelFormat.Compiled compiled, String opened) {
        this.compiled = compiled;
        this.format = compiled.format;
        int body = opened.indexOf(format.open());
        if (!opened.startsWith(format.role())) {
            prefix = "";
        } else if (body >= 0) {
            // A call that the prompt opens has no name in the output, so it cannot be announced.
            Header header = header(opened.substring(0, body), 0);
            field = header.recipient.isEmpty() ? field(header.channel) : Field.NONE;
            prefix = "";
            inBody = true;
            state = State.BODY;
        } else {
            prefix = opened;
            state = opened.contains(format.channel()) ? State.HEADER : State.FIRST;
        }
    }

    @Override
    public void accept(TokenDelta delta, DeltaSink out) {
        cursor.append(delta.text());
        read(false, out);
    }

    @Override
    public void finish(FinishReason reason, DeltaSink out) {
        read(true, out);
        if (state == State.FIRST && messages) {
            cursor.structure(cursor.end(), out);
        }
        if (state == State.HEADER && reason == FinishReason.STOP && cursor.end() > cursor.start()) {
            out.anomaly("not-a-message");
        }
        give(cursor.end(), out);
    }

    private void read(boolean atEnd, DeltaSink out) {
        boolean goesOn = true;
        while (goesOn) {
            goesOn = switch (state) {
                case FIRST -> first(atEnd, out);
                case BETWEEN -> text(compiled.between, atEnd, out);
                case HEADER -> header(atEnd, out);
                case BODY -> text(
                        field == Field.ARGUMENTS || field == Field.NONE ? compiled.addressed : compiled.text,
                        atEnd,
                        out);
            };
        }
    }

    /** Reads from the end of a message to the next header. Returns false if more text is needed. */
    private boolean first(boolean atEnd, DeltaSink out) {
        if (!cursor.skipWhiteSpace()) {
            return false;
        }
        return switch (cursor.match(compiled.first, atEnd)) {
            case OPEN -> false;
            case TEXT, CUT -> {
                state = State.BETWEEN;
                yield true;
            }
            case MARK -> marker(out);
        };
    }

    /** Reads text up to the next marker that counts. Returns false if there is none. */
    private boolean text(Literals literals, boolean atEnd, DeltaSink out) {
        while (cursor.seek(literals)) {
            switch (cursor.match(literals, atEnd)) {
                case OPEN -> {
                    give(cursor.position(), out);
                    return false;
                }
                case TEXT, CUT -> cursor.advance(cursor.length());
                case MARK -> {
                    give(cursor.position(), out);
                    return marker(out);
                }
            }
        }
        give(cursor.position(), out);
        return false;
    }

    /** Goes on behind the marker at the cursor, before which only white space is held. */
    private boolean marker(DeltaSink out) {
        int marker = cursor.position();
        cursor.advance(cursor.length());
        switch (cursor.mark().role()) {
            case HEADER_OPEN -> {
                headerStart = cursor.start();
                if (cursor.mark().text().equals(format.start())) {
                    prefix = "";
                }
                state = State.HEADER;
            }
            case BODY_OPEN -> {
                headerStart = marker;
                body(marker, out);
            }
            case BODY_CLOSE -> bodyEnded(out);
            case REASONING_OPEN,
                    REASONING_CLOSE,
                    GROUP_OPEN,
                    GROUP_CLOSE,
                    CALL_OPEN,
                    CALL_START,
                    CALL_CLOSE,
                    NAME_CLOSE,
                    NAME_STOP,
                    ID_OPEN,
                    KEY_OPEN,
                    KEY_CLOSE,
                    VALUE_OPEN,
                    VALUE_CLOSE -> throw new IllegalStateException(
                    cursor.mark().role() + " is not looked for between messages");
        }
        return true;
    }

    private void bodyEnded(DeltaSink out) {
        cursor.structure(cursor.position(), out);
        inBody = false;
        messages = true;
        field = Field.CONTENT;
        state = State.FIRST;
    }

    /** Reads a header. Returns false if more text is needed. */
    private boolean header(boolean atEnd, DeltaSink out) {
        while (true) {
            boolean found = cursor.seek(compiled.header);
            int excess = cursor.position() - headerStart - MAX_HEADER;
            if (excess > 0) {
                // Where the reading goes on must not depend on how much text had come.
                cursor.advance(-excess);
                return noHeader(out);
            }
            if (!found) {
                return false;
            }
            switch (cursor.match(compiled.header, atEnd)) {
                case OPEN -> {
                    return false;
                }
                case TEXT, CUT -> cursor.advance(cursor.length());
                case MARK -> {
                    if (cursor.mark().role() != Mark.Role.BODY_OPEN) {
                        return noHeader(out);
                    }
                    int to = cursor.position();
                    cursor.advance(cursor.length());
                    body(to, out);
                    return true;
                }
            }
        }
    }

    /** What was held of a header is text; reading goes on at the cursor. */
    private boolean noHeader(DeltaSink out) {
        out.anomaly("not-a-message");
        prefix = "";
        give(cursor.position(), out);
        state = inBody ? State.BODY : State.BETWEEN;
        return true;
    }

    /** Starts the body behind the header that ends at a position. */
    private void body(int headerEnd, DeltaSink out) {
        Header header = header(prefix + cursor.slice(headerStart, headerEnd), prefix.length());
        prefix = "";
        inBody = true;
        messages = true;
        state = State.BODY;
        cursor.structure(cursor.position(), out);
        if (header.recipient.isEmpty()) {
            field = field(header.channel);
            if (!format.reasoning().contains(header.channel)
                    && !format.content().contains(header.channel)) {
                out.anomaly("unknown-channel");
            }
        } else if (!format.function(header.recipient).isEmpty()) {
            field = Field.ARGUMENTS;
            out.toolCall(format.function(header.recipient), null);
        } else {
            field = format.reasoning().contains(header.channel) ? Field.REASONING : Field.NONE;
            out.anomaly("unknown-recipient");
        }
    }

    private Field field(String channel) {
        return format.reasoning().contains(channel) ? Field.REASONING : Field.CONTENT;
    }

    private record Header(String channel, String recipient) {}

    /**
     * Reads a header.
     *
     * @param seam where the output begins in it, so that a word may start there
     */
    private Header header(String text, int seam) {
        int channel = text.indexOf(format.channel());
        int recipient = text.indexOf(format.recipient());
        while (recipient > 0 && recipient != seam && !startsWord(text, recipient)) {
            recipient = text.indexOf(format.recipient(), recipient + 1);
        }
        return new Header(
                channel < 0 ? "" : word(text, channel + format.channel().length()),
                recipient < 0 ? "" : word(text, recipient + format.recipient().length()));
    }

    private static boolean startsWord(String text, int at) {
        return Blank.is(text.charAt(at - 1)) || text.charAt(at - 1) == '>';
    }

    /** The text from a position to the next white space or marker. */
    private static String word(String text, int from) {
        int to = from;
        while (to < text.length() && !Blank.is(text.charAt(to)) && text.charAt(to) != '<') {
            to++;
        }
        return text.substring(from, to);
    }

    private void give(int to, DeltaSink out) {
        switch (field) {
            case REASONING -> cursor.reasoning(to, out);
            case CONTENT -> cursor.content(to, out);
            case ARGUMENTS -> {
                if (to > cursor.start()) {
                    out.toolArguments(cursor.slice(cursor.start(), to));
                    cursor.structure(to, out);
                }
            }
            case NONE -> cursor.structure(to, out);
        }
    }
}
