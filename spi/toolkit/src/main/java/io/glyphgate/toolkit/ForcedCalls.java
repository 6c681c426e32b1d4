package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParser;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one choice whose request demands them, for a family whose server then lets the model write plain JSON
 * instead of the family's own markup: the arguments alone where the request names the function, else an array of
 * objects with {@code name} and {@code parameters}. The first visible character tells; any other output is left to the
 * family's own parser.
 */
final class ForcedCalls implements ToolParser {
    /** A call as the server's constraints make it. */
    static final Arguments.JsonCall CALL = new Arguments.JsonCall("name", List.of("parameters", "arguments"));

    private enum State {
        /** Nothing visible has come. */
        START,
        /** In the arguments of the named function. */
        ARGUMENTS,
        /** In an array, where a call or its end may come. */
        ARRAY,
        /** In a call of the array. */
        CALL,
        /** Behind the JSON. */
        END,
        /** Nothing of it: the family's parser reads on. */
        NATIVE
    }

    private final ToolChoice choice;
    private final ToolParser family;
    private final Cursor cursor = new Cursor();
    private final JsonSpan span = new JsonSpan();

    private State state = State.START;
    private @Nullable JsonCallReader reader;
    /** Whether there is a call; an array without one is text. */
    private boolean called;
    /** Whether there was text behind the JSON. */
    private boolean texted;

    ForcedCalls(ToolChoice choice, ToolParser family) {
        this.choice = choice;
        this.family = family;
    }

    @Override
    public void accept(TokenDelta delta, DeltaSink out) {
        if (state == State.NATIVE) {
            family.accept(delta, out);
        } else {
            cursor.append(delta.text());
            read(false, out);
        }
    }

    @Override
    public void finish(FinishReason reason, DeltaSink out) {
        boolean open = state == State.ARGUMENTS || state == State.ARRAY || state == State.CALL;
        if (state != State.NATIVE) {
            read(true, out);
        }
        if (state == State.ARRAY && !called) {
            broken(out);
            read(true, out);
        }
        if (state == State.START) {
            toFamily(out);
        }
        if (state == State.NATIVE) {
            family.finish(reason, out);
        } else {
            cursor.structure(cursor.end(), out);
            if (open && called && reason == FinishReason.STOP) {
                out.anomaly("unclosed-call");
            }
        }
    }

    private void read(boolean atEnd, DeltaSink out) {
        boolean goesOn = true;
        while (goesOn) {
            goesOn = switch (state) {
                case START -> cursor.skipWhiteSpace() && start(out);
                case ARGUMENTS -> arguments(out);
                case ARRAY -> cursor.skipWhiteSpace() && array(out);
                case CALL -> call(atEnd, out);
                case END -> end(out);
                case NATIVE -> false;
            };
        }
    }

    private boolean start(DeltaSink out) {
        boolean named = choice.mode() == ToolChoice.Mode.NAMED;
        if (cursor.current() != (named ? '{' : '[')) {
            toFamily(out);
            return false;
        }
        if (named) {
            cursor.structure(cursor.position(), out);
            called = true;
            out.toolCall(choice.function(), null);
            span.begin();
            state = State.ARGUMENTS;
        } else {
            cursor.advance(1);
            state = State.ARRAY;
        }
        return true;
    }

    private void toFamily(DeltaSink out) {
        state = State.NATIVE;
        if (cursor.end() > cursor.start()) {
            family.accept(TokenDelta.of(cursor.slice(cursor.start(), cursor.end()).toString()), out);
        }
    }

    private boolean arguments(DeltaSink out) {
        int from = cursor.position();
        while (!cursor.exhausted() && state == State.ARGUMENTS) {
            if (span.take(cursor.current()) == JsonSpan.Place.LAST) {
                state = State.END;
            }
            cursor.advance(1);
        }
        if (cursor.position() > from) {
            out.toolArguments(cursor.slice(from, cursor.position()));
            cursor.structure(cursor.position(), out);
        }
        return state == State.END;
    }

    /** Reads the sign that stands in the array outside its calls. */
    private boolean array(DeltaSink out) {
        switch (cursor.current()) {
            case '{' -> {
                reader = new JsonCallReader(CALL, Literals.EMPTY, cursor, this::announce, false);
                state = State.CALL;
            }
            case ',' -> cursor.advance(1);
            case ']' -> {
                if (!called) {
                    return broken(out);
                }
                cursor.advance(1);
                cursor.structure(cursor.position(), out);
                state = State.END;
            }
            default -> broken(out);
        }
        return true;
    }

    private void announce(String name, @Nullable String id, DeltaSink out) {
        cursor.structure(cursor.position(), out);
        called = true;
        out.toolCall(name, id);
    }

    private boolean call(boolean atEnd, DeltaSink out) {
        if (reader == null) {
            throw new IllegalStateException("there is a call, but nothing that reads it");
        }
        return switch (reader.read(atEnd, out)) {
            case OPEN -> false;
            case COMPLETE, CLOSED -> {
                state = State.ARRAY;
                yield true;
            }
            case CUT, UNBEGUN -> {
                state = State.END;
                yield true;
            }
            case BROKEN -> (cursor.current() == ']' || cursor.current() == '{') ? unclosed(out) : broken(out);
            case NO_CALL -> broken(out);
        };
    }

    /** Behind a call that lacks its last brace: the array ends here, or goes on. */
    private boolean unclosed(DeltaSink out) {
        out.anomaly("malformed-call");
        state = State.ARRAY;
        return true;
    }

    /** The array cannot go on here: what follows is text. */
    private boolean broken(DeltaSink out) {
        out.anomaly("malformed-call");
        state = State.END;
        texted = true;
        return true;
    }

    private boolean end(DeltaSink out) {
        if (!texted) {
            if (!cursor.skipWhiteSpace()) {
                return false;
            }
            cursor.structure(cursor.position(), out);
            texted = true;
        }
        cursor.advance(cursor.end() - cursor.position());
        cursor.content(cursor.end(), out);
        return false;
    }
}
