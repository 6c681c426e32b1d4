package io.glyphgate.proxy.simulator;

import io.glyphgate.proxy.choice.OutputPlan.Parsers;
import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.Tokenizer;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.NullMarked;

/** Servers to test with. */
@NullMarked
final class Servers {
    private Servers() {}

    /** A server that makes text and messages. */
    static SimulatorOptions.Builder full(Tokenizer tokenizer) {
        return SimulatorOptions.builder()
                .tokensOnly(false)
                .tokenizer(tokenizer)
                .derender(ServiceLoader.load(OutputModeProvider.class).stream()
                        .map(ServiceLoader.Provider::get)
                        .filter(mode -> mode.name().equals("derender"))
                        .findFirst()
                        .orElseThrow())
                .parsers(new Parsers(null, new Thinking(), null));
    }

    /**
     * All is reasoning up to the end marker, unless the template has closed it: what the captured server's parser does.
     */
    private static final class Thinking implements ReasoningParserProvider {
        private static final String END = "</think>";

        @Override
        public String name() {
            return "thinking";
        }

        @Override
        public Set<String> markers() {
            return Set.of(END);
        }

        @Override
        public ReasoningParser create(ParseContext context) {
            boolean thinks = !Boolean.FALSE.equals(context.chatTemplateArguments().get("enable_thinking"));
            return new ReasoningParser() {
                private final StringBuilder text = new StringBuilder();

                @Override
                public void accept(TokenDelta delta, DeltaSink out) {
                    text.append(delta.text());
                }

                @Override
                public void finish(FinishReason reason, DeltaSink out) {
                    int end = thinks ? text.indexOf(END) : 0;
                    int reasoning = end < 0 ? text.length() : end;
                    out.reasoning(text.substring(0, reasoning));
                    if (thinks && end >= 0) {
                        out.structure(END);
                        out.content(text.substring(end + END.length()));
                    } else {
                        out.content(text.substring(reasoning));
                    }
                }
            };
        }
    }
}
