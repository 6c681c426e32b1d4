package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down in one line what it is given, pieces of the same kind joined. */
final class TestSink implements DeltaSink {
    private final StringBuilder line = new StringBuilder();
    private final StringBuilder arguments = new StringBuilder();
    private final List<String> pieces = new ArrayList<>();
    private String kind = "";

    @Override
    public void reasoning(CharSequence text) {
        add("reasoning", text);
    }

    @Override
    public void content(CharSequence text) {
        add("content", text);
    }

    @Override
    public void addedContent(CharSequence text) {
        add("content", text);
    }

    @Override
    public void toolCall(String name, @Nullable String id) {
        add("call", name);
        kind = "";
        arguments.append('|');
    }

    @Override
    public void toolArguments(CharSequence json) {
        arguments.append(json);
        pieces.add(json.toString());
    }

    @Override
    public void structure(CharSequence text) {}

    @Override
    public void anomaly(String anomaly) {}

    /** The arguments of all calls, as they were given. */
    List<String> pieces() {
        return pieces;
    }

    private void add(String what, CharSequence text) {
        if (!what.equals(kind)) {
            line.append(line.isEmpty() ? "" : " ").append(what).append(':');
            kind = what;
        }
        line.append(text);
    }

    @Override
    public String toString() {
        return line + (arguments.isEmpty() ? "" : " " + arguments);
    }
}
