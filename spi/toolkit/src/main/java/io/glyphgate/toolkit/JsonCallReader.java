package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import org.jspecify.annotations.Nullable;

/** Reads a call that is a JSON object with its name and its arguments. */
final class JsonCallReader implements ArgumentsReader {
    /** Takes the name of a call as soon as it is certain. */
    interface Announcer {
        void announce(String name, @Nullable String id, DeltaSink out);
    }

    private enum Step {
        OBJECT,
        KEY_OR_END,
        KEY,
        COLON,
        VALUE,
        NAME,
        ARGUMENTS,
        /** In a string that holds the arguments. */
        QUOTED,
        OTHER,
        COMMA_OR_END,
        /** Behind the object, where models tend to write one brace too many. */
        END
    }

    private final Arguments.JsonCall keys;
    private final Literals breaks;
    private final Cursor cursor;
    private final Announcer announcer;
    private final JsonSpan span = new JsonSpan();
    private final JsonString string = new JsonString();

    private Step step;
    private String key = "";
    private boolean named;
    private boolean argued;
    /** Whether a part of the arguments has been passed on. */
    private boolean given;

    private int argumentsFrom;
    /** Arguments that came before the name. */
    private @Nullable String early;

    /**
     * A reader in front of a call's object, or in it.
     *
     * @param opened whether the object's first brace has been read
     */
    JsonCallReader(Arguments.JsonCall keys, Literals breaks, Cursor cursor, Announcer announcer, boolean opened) {
        this.keys = keys;
        this.breaks = breaks;
        this.cursor = cursor;
        this.announcer = announcer;
        this.step = opened ? Step.KEY_OR_END : Step.OBJECT;
    }

    @Override
    public Progress read(boolean atEnd, DeltaSink out) {
        Progress progress = steps(atEnd, out);
        if (!named) {
            return progress == Progress.OPEN ? progress : Progress.NO_CALL;
        }
        if (step == Step.ARGUMENTS) {
            giveArguments(out);
        } else if (step == Step.QUOTED) {
            string.give(out);
        }
        cursor.structure(cursor.position(), out);
        if ((progress == Progress.COMPLETE || progress == Progress.BROKEN) && !argued && !given) {
            out.toolArguments("{}");
        }
        return progress;
    }

    private void giveArguments(DeltaSink out) {
        if (cursor.position() > argumentsFrom) {
            out.toolArguments(cursor.slice(argumentsFrom, cursor.position()));
            argumentsFrom = cursor.position();
            given = true;
        }
    }

    private Progress steps(boolean atEnd, DeltaSink out) {
        while (!cursor.exhausted()) {
            char c = cursor.current();
            switch (step) {
                case OBJECT, KEY_OR_END, COLON, VALUE, COMMA_OR_END -> {
                    if (!Blank.is(c)) {
                        if (c == '}' && (step == Step.KEY_OR_END || step == Step.COMMA_OR_END)) {
                            cursor.advance(1);
                            if (!named) {
                                return Progress.NO_CALL;
                            }
                            step = Step.END;
                            continue;
                        }
                        if (!sign(c, out)) {
                            return Progress.BROKEN;
                        }
                        if (step == Step.NAME || step == Step.ARGUMENTS || step == Step.QUOTED || step == Step.OTHER) {
                            continue;
                        }
                    }
                    cursor.advance(1);
                }
                case END -> {
                    if (c != '}') {
                        return Progress.COMPLETE;
                    }
                    out.anomaly("malformed-call");
                    cursor.advance(1);
                }
                case KEY -> {
                    cursor.advance(1);
                    if (string.take(c)) {
                        key = string.text();
                        step = Step.COLON;
                    }
                }
                case NAME -> {
                    cursor.advance(1);
                    if (string.take(c)) {
                        step = Step.COMMA_OR_END;
                        if (!name(string.text(), out)) {
                            return Progress.NO_CALL;
                        }
                    }
                }
                case QUOTED -> {
                    cursor.advance(1);
                    if (string.take(c)) {
                        quotedEnded(out);
                    }
                }
                case ARGUMENTS, OTHER -> {
                    if (!span.inString() && breaks.startWith(c)) {
                        switch (cursor.match(breaks, atEnd)) {
                            case OPEN -> {
                                return Progress.OPEN;
                            }
                            case MARK -> {
                                return Progress.BROKEN;
                            }
                            case CUT -> {
                                if (!JsonSpan.opens(c) || cursor.end() > cursor.position() + 1) {
                                    return Progress.CUT;
                                }
                            }
                            case TEXT -> {}
                        }
                    }
                    JsonSpan.Place place = span.take(c);
                    if (place != JsonSpan.Place.AFTER) {
                        cursor.advance(1);
                    }
                    if (place != JsonSpan.Place.INSIDE) {
                        valueEnded(out);
                    }
                }
            }
        }
        if (!atEnd) {
            return Progress.OPEN;
        }
        return step == Step.END ? Progress.COMPLETE : Progress.CUT;
    }

    /** Takes a character of the object's frame. Returns false if it cannot stand here. */
    private boolean sign(char c, DeltaSink out) {
        return switch (step) {
            case OBJECT -> go(Step.KEY_OR_END, c == '{');
            case KEY_OR_END -> {
                string.begin();
                yield go(Step.KEY, c == '"');
            }
            case COLON -> go(Step.VALUE, c == ':');
            case COMMA_OR_END -> go(Step.KEY_OR_END, c == ',');
            case VALUE -> value(c, out);
            case KEY, NAME, ARGUMENTS, QUOTED, OTHER, END -> throw new IllegalStateException(
                    step + " is not part of the frame");
        };
    }

    private boolean go(Step next, boolean allowed) {
        step = next;
        return allowed;
    }

    private boolean value(char c, DeltaSink out) {
        if (key.equals(keys.nameKey()) && !named) {
            if (c != '"') {
                return false;
            }
            cursor.advance(1);
            string.begin();
            step = Step.NAME;
            return true;
        }
        boolean none = keys.quoted() && c == 'n';
        boolean arguments = !argued && !none && keys.argumentKeys().contains(key);
        if (arguments && keys.quoted() && c == '"') {
            cursor.advance(1);
            string.begin();
            step = Step.QUOTED;
            return true;
        }
        span.begin();
        argumentsFrom = cursor.position();
        step = arguments ? Step.ARGUMENTS : Step.OTHER;
        if (step == Step.OTHER) {
            // It has no place in the message.
            out.anomaly("unknown-member");
        }
        return c != ',' && c != '}' && c != ']';
    }

    private boolean name(String name, DeltaSink out) {
        if (Blank.strip(name).isEmpty()) {
            return false;
        }
        announcer.announce(name, null, out);
        named = true;
        if (early != null) {
            out.toolArguments(early);
            early = null;
        }
        return true;
    }

    private void quotedEnded(DeltaSink out) {
        argued = true;
        if (named) {
            string.give(out);
        } else {
            early = string.text();
        }
        step = Step.COMMA_OR_END;
    }

    private void valueEnded(DeltaSink out) {
        if (step == Step.ARGUMENTS) {
            argued = true;
            if (named) {
                giveArguments(out);
            } else {
                early = cursor.slice(argumentsFrom, cursor.position()).toString();
            }
        }
        step = Step.COMMA_OR_END;
    }
}
