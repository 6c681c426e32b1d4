package io.glyphgate.testkit;

import io.glyphgate.spi.DeltaSink;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A sink that keeps all it is given. */
public final class Recorder implements DeltaSink {
    private final StringBuilder reasoning = new StringBuilder();
    private final StringBuilder content = new StringBuilder();
    private final StringBuilder consumed = new StringBuilder();
    private final StringBuilder added = new StringBuilder();
    private final StringBuilder fields = new StringBuilder();
    private final List<String> names = new ArrayList<>();
    private final List<@Nullable String> ids = new ArrayList<>();
    private final List<StringBuilder> arguments = new ArrayList<>();
    private final List<String> anomalies = new ArrayList<>();

    /** An empty recorder. */
    public Recorder() {}

    @Override
    public void reasoning(CharSequence text) {
        reasoning.append(text);
        consume(text, "r");
    }

    @Override
    public void content(CharSequence text) {
        content.append(text);
        consume(text, "c");
    }

    @Override
    public void addedContent(CharSequence text) {
        content.append(text);
        added.append(text);
    }

    @Override
    public void toolCall(String name, @Nullable String id) {
        names.add(name);
        ids.add(id);
        arguments.add(new StringBuilder());
    }

    @Override
    public void toolArguments(CharSequence json) {
        if (arguments.isEmpty()) {
            throw new AssertionError("arguments '" + json + "' came before any tool call was opened");
        }
        arguments.getLast().append(json);
    }

    @Override
    public void structure(CharSequence text) {
        consume(text, "s");
    }

    private void consume(CharSequence text, String field) {
        consumed.append(text);
        fields.append(field.repeat(text.length()));
    }

    @Override
    public void anomaly(String kind) {
        anomalies.add(kind);
    }

    /**
     * What a client would get.
     *
     * @return all reasoning, content and calls so far
     */
    public Parsed parsed() {
        List<Parsed.Call> calls = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            calls.add(new Parsed.Call(names.get(i), ids.get(i), arguments.get(i).toString()));
        }
        return new Parsed(reasoning.toString(), content.toString(), calls);
    }

    /**
     * The text that was accounted for: reasoning, content and structure in the order in which they came.
     *
     * @return at the end, the whole output
     */
    public String consumed() {
        return consumed.toString();
    }

    /**
     * The part of the content that the output did not hold.
     *
     * @return all of it so far
     */
    public String added() {
        return added.toString();
    }

    /**
     * Where each character of {@link #consumed} went.
     *
     * @return {@code r} for reasoning, {@code c} for content, {@code s} for structure, as many as there are characters
     */
    public String fields() {
        return fields.toString();
    }

    /**
     * The anomalies.
     *
     * @return their kinds, in order
     */
    public List<String> anomalies() {
        return List.copyOf(anomalies);
    }
}
