package io.glyphgate.proxy.choice;

import io.glyphgate.spi.ChoiceParser;
import io.glyphgate.spi.CombinedParser;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Parsers of a notation that needs no lookahead: <code>[reasoning]</code>, <code>{name:arguments}</code>, the rest is
 * content; {@code !} is an anomaly, and {@code #} makes the parser throw.
 */
final class MarkerParsers {
    /** What the parsers made here were given: {@code id=text} of each token. */
    final List<String> reasoningTokens = new ArrayList<>();

    final List<String> toolTokens = new ArrayList<>();
    final List<ParseContext> contexts = new ArrayList<>();

    final ReasoningParserProvider reasoning = new ReasoningParserProvider() {
        @Override
        public String name() {
            return "brackets";
        }

        @Override
        public Set<String> markers() {
            return Set.of("[", "]");
        }

        @Override
        public ReasoningParser create(ParseContext context) {
            contexts.add(context);
            return new Reasoning();
        }
    };

    /** The ID of a new call; empty for one of the host's own. */
    String newCallId = "";

    final ToolParserProvider tools = new ToolParserProvider() {
        @Override
        public Optional<String> newCallId() {
            return Optional.of(newCallId).filter(id -> !id.isEmpty());
        }

        @Override
        public String name() {
            return "braces";
        }

        @Override
        public Set<String> markers() {
            return Set.of("{", "}");
        }

        @Override
        public List<ToolOpener> openers() {
            return List.of(new ToolOpener("{", List.of()));
        }

        @Override
        public ToolParser create(ParseContext context) {
            return new Tools();
        }
    };

    final CombinedParserProvider combined = new CombinedParserProvider() {
        @Override
        public String name() {
            return "both";
        }

        @Override
        public boolean stopsInMarkers() {
            return false;
        }

        @Override
        public Set<String> markers() {
            return Set.of("[", "]", "{", "}");
        }

        @Override
        public CombinedParser create(ParseContext context) {
            return new Combined();
        }
    };

    private static void record(TokenDelta delta, List<String> tokens) {
        int from = 0;
        for (int i = 0; i < delta.tokenCount(); i++) {
            tokens.add(delta.tokenId(i) + "=" + delta.text().subSequence(from, delta.textEnd(i)));
            from = delta.textEnd(i);
        }
    }

    private final class Reasoning extends Reader implements ReasoningParser {
        @Override
        public void accept(TokenDelta delta, DeltaSink out) {
            record(delta, reasoningTokens);
            read(delta, out, true, false);
        }
    }

    private final class Tools extends Reader implements ToolParser {
        @Override
        public void accept(TokenDelta delta, DeltaSink out) {
            record(delta, toolTokens);
            read(delta, out, false, true);
        }
    }

    private static final class Combined extends Reader implements CombinedParser {
        @Override
        public void accept(TokenDelta delta, DeltaSink out) {
            read(delta, out, true, true);
        }
    }

    private abstract static class Reader implements ChoiceParser {
        private final StringBuilder name = new StringBuilder();
        private boolean inReasoning;
        private boolean inName;
        private boolean inArguments;

        void read(TokenDelta delta, DeltaSink out, boolean readsReasoning, boolean readsCalls) {
            for (int i = 0; i < delta.text().length(); i++) {
                char c = delta.text().charAt(i);
                CharSequence piece = delta.text().subSequence(i, i + 1);
                if (c == '#') {
                    throw new IllegalStateException("number sign");
                }
                if (readsReasoning && (inReasoning ? c == ']' : c == '[')) {
                    inReasoning = c == '[';
                    out.structure(piece);
                } else if (inReasoning) {
                    out.reasoning(piece);
                } else if (readsCalls && c == '{') {
                    inName = true;
                    name.setLength(0);
                    out.structure(piece);
                } else if (inName && c == ':') {
                    inName = false;
                    inArguments = true;
                    out.toolCall(name.toString(), name.indexOf("/") >= 0 ? name.toString() : null);
                    out.structure(piece);
                } else if (inName) {
                    name.append(c);
                    out.structure(piece);
                } else if (inArguments && c == '}') {
                    inArguments = false;
                    out.structure(piece);
                } else if (inArguments) {
                    out.toolArguments(piece);
                    out.structure(piece);
                } else {
                    if (c == '!') {
                        out.anomaly("exclamation");
                    }
                    out.content(piece);
                }
            }
        }

        @Override
        public void finish(FinishReason reason, DeltaSink out) {
            if (inName) {
                out.content(name);
            }
        }
    }
}
