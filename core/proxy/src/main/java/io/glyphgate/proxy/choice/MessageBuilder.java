package io.glyphgate.proxy.choice;

import io.glyphgate.spi.MessageDelta;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Makes the message of a choice out of what the parsers found: the one place that applies the caller's wishes. */
final class MessageBuilder implements MessageDelta {
    private final boolean wantsReasoning;
    private final boolean wantsCalls;
    private final boolean wantsParallelCalls;
    private final boolean functionNamed;
    private final @Nullable ToolParserProvider tools;

    private final StringBuilder reasoning = new StringBuilder();
    private final StringBuilder content = new StringBuilder();
    private final Lead lead = new Lead();
    private final List<ToolCallDelta> changed = new ArrayList<>();
    private final List<ToolCallDelta> changedView = Collections.unmodifiableList(changed);

    private int calls;
    /** The call opened last; null before the first and while a call that is not wanted is open. */
    private @Nullable Call open;

    MessageBuilder(OutputPlan plan) {
        this.wantsReasoning = plan.parse().includeReasoning();
        this.wantsCalls = plan.wantsCalls();
        this.wantsParallelCalls = plan.parse().parallelToolCalls();
        this.functionNamed = plan.parse().toolChoice().mode() == ToolChoice.Mode.NAMED;
        this.tools = plan.parsers().tools();
    }

    void addReasoning(CharSequence text) {
        if (wantsReasoning) {
            reasoning.append(text);
        }
    }

    void addContent(CharSequence text, int start, int end) {
        content.append(text, start, end);
    }

    void openCall(String name, @Nullable String id) {
        open = null;
        if (!wantsCalls || (calls > 0 && !wantsParallelCalls)) {
            calls++;
            return;
        }
        open = new Call(calls++, id == null || id.isEmpty() ? newId() : id, name);
        changed.add(open);
    }

    void addArguments(CharSequence json) {
        if (calls == 0) {
            throw new IllegalStateException("arguments were given before any call was opened");
        }
        Call call = open;
        if (call == null || json.isEmpty()) {
            return;
        }
        if (!call.changed) {
            call.changed = true;
            changed.add(call);
        }
        call.arguments.append(json);
    }

    /** Whether there is reasoning together with what follows it. */
    boolean mixesReasoning() {
        return !reasoning.isEmpty() && (!content.isEmpty() || !changed.isEmpty());
    }

    /** Takes the reasoning out, to hand it out by itself; valid until the next call. */
    MessageDelta takeReasoning() {
        lead.text.setLength(0);
        lead.text.append(reasoning);
        reasoning.setLength(0);
        return lead;
    }

    /** Reasoning by itself. */
    private final class Lead implements MessageDelta {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CharSequence reasoning() {
            return text;
        }

        @Override
        public CharSequence content() {
            return "";
        }

        @Override
        public List<ToolCallDelta> toolCalls() {
            return List.of();
        }

        @Override
        public boolean waitsForToolResults() {
            return MessageBuilder.this.waitsForToolResults();
        }
    }

    /** Forgets what was handed out, not what later pieces belong to. */
    void clear() {
        reasoning.setLength(0);
        content.setLength(0);
        for (int i = 0; i < changed.size(); i++) {
            ((Call) changed.get(i)).clear();
        }
        changed.clear();
    }

    @Override
    public CharSequence reasoning() {
        return reasoning;
    }

    @Override
    public CharSequence content() {
        return content;
    }

    @Override
    public List<ToolCallDelta> toolCalls() {
        return changedView;
    }

    @Override
    public boolean waitsForToolResults() {
        return wantsCalls && calls > 0 && !functionNamed;
    }

    private String newId() {
        return tools == null ? randomId() : tools.newCallId().orElseGet(MessageBuilder::randomId);
    }

    private static String randomId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        HexFormat hex = HexFormat.of();
        return "chatcmpl-tool-" + hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong());
    }

    private static final class Call implements ToolCallDelta {
        private final int index;
        private final String id;
        private final String name;
        private final StringBuilder arguments = new StringBuilder();
        private boolean opens = true;
        private boolean changed = true;

        Call(int index, String id, String name) {
            this.index = index;
            this.id = id;
            this.name = name;
        }

        void clear() {
            arguments.setLength(0);
            opens = false;
            changed = false;
        }

        @Override
        public int index() {
            return index;
        }

        @Override
        public boolean opens() {
            return opens;
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public CharSequence arguments() {
            return arguments;
        }
    }
}
