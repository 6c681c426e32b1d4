package io.glyphgate.testkit;

import io.glyphgate.spi.CombinedParser;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.TokenDelta;
import java.util.List;
import java.util.Set;

/** A combined parser may give out everything, and the contract holds it to the same laws. */
class BracketCallsTest extends CombinedParserContract {
    @Override
    protected CombinedParserProvider provider() {
        return new BracketCalls();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("(think)say[call]done").reasoning("think").content("saydone").call("call", "7", "{}"),
                Example.of("(open").reasoning("open"),
                Example.of("say[cut").content("say"),
                Example.of("plain").content("plain"));
    }

    /** Reasoning in round brackets, the names of calls in square ones. */
    public static final class BracketCalls implements CombinedParserProvider {
        /** For the service loader. */
        public BracketCalls() {}

        @Override
        public String name() {
            return "bracket-calls";
        }

        @Override
        public Set<String> markers() {
            return Set.of("(", ")", "[", "]");
        }

        @Override
        public CombinedParser create(ParseContext context) {
            return new CombinedParser() {
                private final StringBuilder name = new StringBuilder();
                private char open = ' ';

                @Override
                public void accept(TokenDelta delta, DeltaSink out) {
                    String text = delta.text().toString();
                    for (int i = 0; i < text.length(); i++) {
                        take(text.substring(i, i + 1), out);
                    }
                }

                private void take(String c, DeltaSink out) {
                    if ("([])".contains(c)) {
                        out.structure(c);
                        if (c.equals("]") && open == '[') {
                            out.toolCall(name.toString(), "7");
                            out.toolArguments("{}");
                        }
                        name.setLength(0);
                        open = c.equals("(") || c.equals("[") ? c.charAt(0) : ' ';
                    } else if (open == '(') {
                        out.reasoning(c);
                    } else if (open == '[') {
                        name.append(c);
                        out.structure(c);
                    } else {
                        out.content(c);
                    }
                }

                @Override
                public void finish(FinishReason reason, DeltaSink out) {}
            };
        }
    }
}
