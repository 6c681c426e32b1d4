package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.spi.CombinedParser;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.WatchedParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parsers of a model, each watched while it works. */
final class WatchedParsers {
    private final List<WatchedParser> first = new ArrayList<>();
    private final List<WatchedParser> last = new ArrayList<>();
    private final OutputPlan.Parsers parsers;

    WatchedParsers(OutputPlan.Parsers parsers) {
        CombinedParserProvider combined = parsers.combined();
        ReasoningParserProvider reasoning = parsers.reasoning();
        ToolParserProvider tools = parsers.tools();
        this.parsers = new OutputPlan.Parsers(
                combined == null ? null : new Combined(combined),
                reasoning == null ? null : new Reasoning(reasoning),
                tools == null ? null : new Tools(tools));
    }

    /** The parsers to put into a plan. */
    OutputPlan.Parsers parsers() {
        return parsers;
    }

    /** The parser of the first choice that gets the text; null if there is none. */
    @Nullable WatchedParser first() {
        return first.isEmpty() ? last() : first.getFirst();
    }

    /** The parser of the first choice whose content is that of the message; null if there is none. */
    @Nullable WatchedParser last() {
        return last.isEmpty() ? (first.isEmpty() ? null : first.getFirst()) : last.getFirst();
    }

    private abstract static class Named<P extends ParserProvider> implements ParserProvider {
        final P provider;

        private Named(P provider) {
            this.provider = provider;
        }

        @Override
        public String name() {
            return provider.name();
        }

        @Override
        public Set<String> markers() {
            return provider.markers();
        }
    }

    private static WatchedParser kept(WatchedParser parser, List<WatchedParser> in) {
        in.add(parser);
        return parser;
    }

    private final class Combined extends Named<CombinedParserProvider> implements CombinedParserProvider {
        private Combined(CombinedParserProvider provider) {
            super(provider);
        }

        @Override
        public CombinedParser create(ParseContext context) {
            return kept(new WatchedParser(provider.create(context)), first);
        }
    }

    private final class Reasoning extends Named<ReasoningParserProvider> implements ReasoningParserProvider {
        private Reasoning(ReasoningParserProvider provider) {
            super(provider);
        }

        @Override
        public ReasoningParser create(ParseContext context) {
            return kept(new WatchedParser(provider.create(context)), first);
        }
    }

    private final class Tools extends Named<ToolParserProvider> implements ToolParserProvider {
        private Tools(ToolParserProvider provider) {
            super(provider);
        }

        @Override
        public List<ToolOpener> openers() {
            return provider.openers();
        }

        @Override
        public List<ToolOpener> openers(ParseContext context) {
            return provider.openers(context);
        }

        @Override
        public ToolParser create(ParseContext context) {
            return kept(new WatchedParser(provider.create(context)), last);
        }
    }
}
