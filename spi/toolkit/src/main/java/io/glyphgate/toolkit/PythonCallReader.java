package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;

/**
 * Reads a list of Python calls, all those of its group. A call is one for certain when its name is followed by a
 * keyword or by no argument at all; what stands after the last one is left to the stage.
 */
final class PythonCallReader implements ArgumentsReader {
    private enum Step {
        /** Before a name; a separator may have come, so that a call must follow. */
        START,
        NAME,
        /** Behind the parenthesis that opens the arguments. */
        FIRST,
        KEY,
        /** Behind a keyword, before its equals sign. */
        EQUALS,
        ARGUMENTS,
        /** Behind a call. */
        NEXT
    }

    private static final int MAX_NAME = 256;
    private static final char NO_SEPARATOR = '\0';

    private final char separator;
    private final JsonCallReader.Announcer announcer;
    private final Cursor cursor;
    private final PythonArguments arguments = new PythonArguments();

    private Step step = Step.START;
    private boolean called;
    private String name = "";
    private int wordStart;
    private int wordEnd;

    PythonCallReader(Arguments.PythonCalls calls, Cursor cursor, JsonCallReader.Announcer announcer) {
        this.separator =
                calls.separator().isEmpty() ? NO_SEPARATOR : calls.separator().charAt(0);
        this.cursor = cursor;
        this.announcer = announcer;
    }

    @Override
    public Progress read(boolean atEnd, DeltaSink out) {
        while (!cursor.exhausted()) {
            char c = cursor.current();
            boolean goesOn =
                    switch (step) {
                        case START -> start(c);
                        case NAME -> name(c);
                        case FIRST -> first(c, out);
                        case KEY -> key(c, out);
                        case EQUALS -> equals(c, out);
                        case ARGUMENTS -> arguments(c);
                        case NEXT -> next(c, out);
                    };
            if (!goesOn) {
                give(out);
                return stopped(out);
            }
        }
        give(out);
        if (!atEnd) {
            return Progress.OPEN;
        }
        if (step == Step.ARGUMENTS) {
            arguments.cut();
            give(out);
            return Progress.CUT;
        }
        if (!called) {
            return Progress.NO_CALL;
        }
        return step == Step.NEXT || cursor.start() == cursor.position() ? Progress.COMPLETE : broken();
    }

    private void give(DeltaSink out) {
        if (step == Step.ARGUMENTS || step == Step.NEXT) {
            cursor.structure(cursor.position() - arguments.undecided(), out);
            arguments.giveTo(out);
        }
    }

    private Progress stopped(DeltaSink out) {
        return switch (step) {
            case NEXT -> Progress.COMPLETE;
            case ARGUMENTS -> {
                arguments.stop();
                give(out);
                yield broken();
            }
            case START, NAME, FIRST, KEY, EQUALS -> called ? broken() : Progress.NO_CALL;
        };
    }

    /** What cannot be read is text, and so is all after it. */
    private Progress broken() {
        cursor.advance(cursor.start() - cursor.position());
        return Progress.BROKEN;
    }

    private boolean start(char c) {
        if (Blank.is(c)) {
            cursor.advance(1);
            return true;
        }
        wordStart = cursor.position();
        step = Step.NAME;
        return PythonArguments.startsName(c);
    }

    private boolean name(char c) {
        if (c == '(') {
            name = cursor.slice(wordStart, cursor.position()).toString();
            cursor.advance(1);
            step = Step.FIRST;
            return true;
        }
        if (!PythonArguments.inName(c) && c != '.') {
            return false;
        }
        return word();
    }

    private boolean word() {
        cursor.advance(1);
        return cursor.position() - wordStart <= MAX_NAME;
    }

    private boolean first(char c, DeltaSink out) {
        if (Blank.is(c)) {
            cursor.advance(1);
            return true;
        }
        if (c == ')') {
            announce(out);
            arguments.begin();
            step = Step.ARGUMENTS;
            return true;
        }
        wordStart = cursor.position();
        step = Step.KEY;
        return PythonArguments.startsName(c);
    }

    private boolean key(char c, DeltaSink out) {
        if (PythonArguments.inName(c)) {
            return word();
        }
        wordEnd = cursor.position();
        step = Step.EQUALS;
        return equals(c, out);
    }

    private boolean equals(char c, DeltaSink out) {
        if (c == '=') {
            announce(out);
            arguments.begin(cursor.slice(wordStart, wordEnd));
            cursor.advance(1);
            step = Step.ARGUMENTS;
            return true;
        }
        if (!Blank.is(c)) {
            return false;
        }
        cursor.advance(1);
        return true;
    }

    private void announce(DeltaSink out) {
        announcer.announce(name, null, out);
        called = true;
    }

    private boolean arguments(char c) {
        switch (arguments.take(c)) {
            case INSIDE -> cursor.advance(1);
            case AFTER -> {}
            case LAST -> {
                cursor.advance(1);
                step = Step.NEXT;
            }
            case WRONG -> {
                return false;
            }
        }
        return true;
    }

    private boolean next(char c, DeltaSink out) {
        if (Blank.is(c)) {
            cursor.advance(1);
            return true;
        }
        if (separator == NO_SEPARATOR ? !PythonArguments.startsName(c) : c != separator) {
            return false;
        }
        give(out);
        if (separator != NO_SEPARATOR) {
            cursor.advance(1);
            cursor.structure(cursor.position(), out);
        }
        step = Step.START;
        return true;
    }
}
