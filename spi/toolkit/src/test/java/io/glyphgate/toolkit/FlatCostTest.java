package io.glyphgate.toolkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.glyphgate.spi.ChoiceParser;
import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParser;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** In every long state of the engine a token costs no memory, and what is passed on is passed on at once. */
class FlatCostTest {
    private static final int TOKENS = 200_000;
    private static final CallFormat JSON = CallFormat.of(new Arguments.JsonCall("name", List.of("arguments")))
            .call("<tool_call>", List.of("{"), "</tool_call>")
            .build();
    private static final CallFormat TAGGED = CallFormat.of(new Arguments.Tagged("<p=", ">", "</p>", true))
            .group("<tool_call>", "</tool_call>")
            .call("<f=", List.of(), "</f>")
            .nameEnd(">")
            .build();

    private static final CallFormat LISTED = CallFormat.of(
                    new Arguments.JsonCalls(new Arguments.JsonCall("name", List.of("arguments"))))
            .call("<calls>", List.of("["), "</calls>")
            .build();
    private static final CallFormat QUOTED = CallFormat.of(
                    new Arguments.JsonCall("name", List.of("arguments"), true))
            .call("<call>", List.of("{"))
            .build();
    private static final CallFormat HEADED = CallFormat.of(new Arguments.JsonValue())
            .group("<calls>", "</calls>")
            .call("<call>", List.of(), "</call>")
            .nameEnd("<with>")
            .build();

    private static ChoiceParser reasoning() {
        Literals literals = Literals.of(
                List.of(
                        Mark.of("</think>", Mark.Role.REASONING_CLOSE),
                        Mark.guarded("<tool_call>", Mark.Role.CALL_OPEN, List.of("{"))),
                false);
        return new DelimitedReasoning(literals, literals, true, true);
    }

    private static ToolParser calls(CallFormat format) {
        return new CallStage(format, new CallLiterals(format), List.of());
    }

    @Test
    void reasoningIsFlat() {
        check(reasoning(), "", " a <b");
    }

    @Test
    void contentIsFlat() {
        check(calls(JSON), "", " a <b");
        check(calls(TAGGED), "", "a\n\n<");
    }

    @Test
    void jsonArgumentsAreFlat() {
        check(calls(JSON), "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"", "x\\n<");
        check(calls(JSON), "<tool_call>{\"name\": \"f\", \"arguments\": [", "1, {}, <");
        check(calls(LISTED), "<calls>[{\"name\": \"f\", \"arguments\": [", "1, {}, <");
        check(calls(QUOTED), "<call>{\"name\": \"f\", \"arguments\": \"", "1, {}, <");
        check(calls(HEADED), "<calls><call>f<with>[", "1, {}, <");
    }

    @Test
    void demandedArgumentsAreFlat() {
        check(new ForcedCalls(ToolChoice.named("f"), calls(JSON)), "{\"a\": \"", "x\\n<");
        check(new ForcedCalls(ToolChoice.named("f"), calls(JSON)), "{}", " a <b");
    }

    @Test
    void taggedStringsAreFlat() {
        check(calls(TAGGED), "<tool_call><f=g><p=a>", "\"\n<");
    }

    private static void check(ChoiceParser parser, String start, String token) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Counter out = new Counter();
        parser.accept(TokenDelta.of(start), out);
        TokenDelta delta = TokenDelta.of(token);
        for (int i = 0; i < TOKENS; i++) {
            parser.accept(delta, out);
        }
        out.characters = 0;
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < TOKENS; i++) {
            parser.accept(delta, out);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated)
                .as("bytes allocated for %d tokens <%s>", TOKENS, token)
                .isLessThan(TOKENS / 10);
        assertThat(out.characters)
                .as("characters given out for %d tokens <%s>", TOKENS, token)
                .isBetween((TOKENS - 10L) * token.length(), (TOKENS + 10L) * token.length());
    }

    private static final class Counter implements DeltaSink {
        private long characters;

        @Override
        public void reasoning(CharSequence text) {
            characters += text.length();
        }

        @Override
        public void content(CharSequence text) {
            characters += text.length();
        }

        @Override
        public void toolCall(String name, @Nullable String id) {}

        @Override
        public void toolArguments(CharSequence json) {}

        @Override
        public void structure(CharSequence text) {
            characters += text.length();
        }

        @Override
        public void anomaly(String kind) {}
    }
}
