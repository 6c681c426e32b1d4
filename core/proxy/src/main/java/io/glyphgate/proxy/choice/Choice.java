package io.glyphgate.proxy.choice;

import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.MessageDelta;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.ToolParserProvider;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One choice of one request: tokens in, steps for the output mode out. Used by one thread at a time.
 *
 * <p>Tokens become text, stop strings are matched, and what can no longer be part of one is released: to the step's
 * text and to the parsers, whichever the output mode needs. Tokens may come in pieces of any size; the steps, joined,
 * are the same.
 */
public final class Choice {
    private final boolean wantsText;
    private final boolean wantsMessage;
    private final boolean keepsStopToken;
    private final @Nullable Detokenizer detokenizer;
    private final StopStrings stop;
    private final StopAutomaton automaton;
    /** Special tokens that are text for the parsers only: no stop string is looked for in them. */
    private final String[] hidden;

    private final MessageBuilder message;
    private final @Nullable ParserStage parsers;
    /** Null where no parser runs. */
    private final @Nullable OutputWatch watch;

    /** Text that was made and not released; {@link #released} says where in the whole text it begins. */
    private final StringBuilder text = new StringBuilder();

    private int released;
    private int stopState = StopAutomaton.START;
    /** Tokens whose text is not all released, kept only where parsers want them. */
    private final TokenQueue waiting = new TokenQueue();

    private final TokenBuffer toParsers = new TokenBuffer();
    private final Step step = new Step();

    private int tokenCount;
    private @Nullable String stopString;
    private @Nullable String finishReason;

    /**
     * Starts a choice whose anomalies nobody asks for.
     *
     * @throws PluginFailedException if a parser could not be made
     */
    public Choice(OutputPlan plan) {
        this(plan, new Anomalies());
    }

    /**
     * Starts a choice.
     *
     * @param anomalies where to put what well-formed output would not hold
     * @throws PluginFailedException if a parser could not be made
     */
    public Choice(OutputPlan plan, Anomalies anomalies) {
        this.wantsText = plan.needs().contains(Need.TEXT);
        this.wantsMessage = plan.needs().contains(Need.MESSAGE);
        this.keepsStopToken = plan.includeStop();
        this.stop = plan.stop();
        this.automaton = stop.automaton();
        this.message = new MessageBuilder(plan);
        if (!wantsText && !wantsMessage && stop.isEmpty()) {
            this.detokenizer = null;
            this.parsers = null;
            this.watch = null;
            this.hidden = new String[0];
            return;
        }
        Tokenizer tokenizer = plan.tokenizer();
        if (tokenizer == null) {
            throw new IllegalArgumentException("model '" + plan.model() + "' has no tokenizer to make text with");
        }
        Set<String> markers = new HashSet<>();
        OutputWatch watch = new OutputWatch(plan, anomalies);
        this.parsers = wantsMessage ? chain(plan, tokenizer, markers, watch) : null;
        this.watch = parsers == null ? null : watch;
        this.hidden = plan.stopsInMarkers() ? new String[0] : markers.toArray(new String[0]);
        this.detokenizer = tokenizer.detokenizer(DetokenizerOptions.of(
                plan.promptTokenIds(),
                plan.skipSpecialTokens(),
                plan.spacesBetweenSpecialTokens(),
                Set.copyOf(markers)));
    }

    private @Nullable ParserStage chain(
            OutputPlan plan, Tokenizer tokenizer, Set<String> markers, OutputWatch watch) {
        CombinedParserProvider combined = plan.parsers().combined();
        if (combined != null) {
            markers.addAll(combined.markers());
            PlannedContext context = new PlannedContext(plan, tokenizer, null);
            return new ParserStage(PluginKind.PARSER, combined, () -> combined.create(context), message, watch, null);
        }
        ToolParserProvider tools = plan.wantsCalls() ? plan.parsers().tools() : null;
        ReasoningParserProvider reasoning = plan.parsers().reasoning();
        PlannedContext context = new PlannedContext(plan, tokenizer, tools);
        ParserStage stage = null;
        if (tools != null) {
            markers.addAll(tools.markers());
            stage = new ParserStage(PluginKind.TOOL_PARSER, tools, () -> tools.create(context), message, watch, null);
        }
        if (reasoning != null) {
            markers.addAll(reasoning.markers());
            stage = new ParserStage(
                    PluginKind.REASONING_PARSER, reasoning, () -> reasoning.create(context), message, watch, stage);
        }
        return stage;
    }

    /**
     * Takes what the server sent. Once the choice has ended it takes nothing more.
     *
     * @param tokenIds the new tokens
     * @param count how many of the array count
     * @param finish how the engine ended the choice; null while it goes on
     * @return how many of the tokens belong to the output; fewer than {@code count} when one of them completed a stop
     *     string, after which {@link #stopString()} tells it and the choice has ended
     * @throws PluginFailedException if a parser threw; the choice has then ended with the reason {@code error}
     */
    public int accept(int[] tokenIds, int count, @Nullable EngineFinish finish) {
        if (ended()) {
            return 0;
        }
        step.begin();
        boolean byToken = finish != null && finish.byToken() && count > 0;
        int kept = 0;
        while (kept < count && stopString == null) {
            int tokenId = tokenIds[kept++];
            int from = text.length();
            if (detokenizer != null && (keepsStopToken || !byToken || kept < count)) {
                detokenizer.next(tokenId, text);
            }
            if (!stop.isEmpty()) {
                if (hides(from)) {
                    stopState = StopAutomaton.START;
                } else {
                    matchStop(from);
                }
            }
            tokenCount++;
            step.addToken(tokenId, released + text.length());
            if (parsers != null) {
                waiting.add(tokenId, released + text.length());
            }
        }
        if (stopString != null) {
            end("stop", false);
        } else if (finish != null) {
            end(finish.reason(), byToken && !keepsStopToken);
        } else {
            try {
                release(stop.isEmpty() || stop.include() ? text.length() : text.length() - automaton.open(stopState));
            } catch (PluginFailedException e) {
                finishReason = "error";
                throw e;
            }
        }
        return kept;
    }

    /**
     * Ends a choice whose server is gone or was told to stop: gives out what is held back. Does nothing if it has
     * ended.
     *
     * @throws PluginFailedException if a parser threw; the choice has then ended with the reason {@code error}
     */
    public void abort(String finishReason) {
        if (!ended()) {
            step.begin();
            end(finishReason, false);
        }
    }

    /** Whether the choice has ended. */
    public boolean ended() {
        return finishReason != null;
    }

    /** The stop string that the proxy matched, or null. */
    public @Nullable String stopString() {
        return stopString;
    }

    /** How many tokens the choice has. */
    public int tokenCount() {
        return tokenCount;
    }

    /** How many of the tokens are reasoning; those whose text a parser still holds back come later. */
    public int reasoningTokenCount() {
        return parsers == null ? 0 : parsers.reasoningTokens();
    }

    /**
     * The reasoning of the next step by itself, where that step also holds what follows it. A client that looks for one field
     * a chunk must not lose the other, so a stream hands this out first.
     *
     * @return null if the next step does not mix them; valid until the next call of any method
     */
    public @Nullable ChoiceStep reasoningStep() {
        return step.handedOut || !message.mixesReasoning() ? null : new ReasoningStep(step.takeFirst(), message.takeReasoning());
    }

    /** Reasoning by itself: no tokens, which go with the step that follows. */
    private record ReasoningStep(boolean first, MessageDelta message) implements ChoiceStep {
        private static final TokenDelta NO_TOKENS = TokenDelta.of("");

        @Override
        public boolean last() {
            return false;
        }

        @Override
        public TokenDelta tokens() {
            return NO_TOKENS;
        }

        @Override
        public String finishReason() {
            return "";
        }
    }

    /** What came since the last call: a view, valid until the next call of any method. */
    public ChoiceStep step() {
        step.handOut();
        return step;
    }

    /** Whether the text from an offset on is a token that is none for stop strings. */
    private boolean hides(int from) {
        int length = text.length() - from;
        for (String marker : hidden) {
            if (marker.length() == length && text.indexOf(marker, from) == from) {
                return true;
            }
        }
        return false;
    }

    /** Looks for a stop string in the text from an offset on; cuts the text where one is complete. */
    private void matchStop(int from) {
        boolean counts = tokenCount >= stop.minTokens();
        for (int i = from; i < text.length(); i++) {
            stopState = automaton.next(stopState, text.charAt(i));
            int match = automaton.match(stopState);
            if (match >= 0 && counts) {
                stopString = stop.strings().get(match);
                text.setLength(stop.include() ? i + 1 : i + 1 - stopString.length());
                return;
            }
        }
    }

    private void end(String reason, boolean byToken) {
        finishReason = "error";
        release(text.length());
        if (parsers != null && watch != null) {
            parsers.finish(EngineFinish.reason(reason), byToken);
            watch.finished(EngineFinish.reason(reason));
        }
        finishReason = reason;
    }

    /** Gives out so much of the text, and to the parsers the tokens that are now complete. */
    private void release(int length) {
        int start = released;
        released += length;
        if (wantsText) {
            step.text.append(text, 0, length);
        }
        if (parsers != null) {
            toParsers.append(text, 0, length);
            while (!waiting.isEmpty() && (waiting.headEnd() <= released || length == text.length())) {
                toParsers.add(waiting.headId(), Math.min(waiting.headEnd(), released) - start);
                waiting.remove();
            }
        } else if (wantsMessage) {
            message.addContent(text, 0, length);
        }
        text.delete(0, length);
        if (parsers != null && !toParsers.isEmpty()) {
            parsers.accept(toParsers);
            toParsers.clear();
        }
    }

    /** What came since the step before. */
    private final class Step implements ChoiceStep, TokenDelta {
        private final StringBuilder text = new StringBuilder();
        private int[] tokenIds = new int[16];
        /** Where the tokens' text ends in the whole text, released or not. */
        private int[] ends = new int[16];

        private int count;
        /** Where in the whole text this step's text begins. */
        private int start;

        private boolean handedOut;
        private boolean first = true;
        private boolean last;
        private boolean lastHandedOut;

        void begin() {
            if (!handedOut) {
                return;
            }
            handedOut = false;
            first = false;
            last = false;
            text.setLength(0);
            count = 0;
            start = released;
            message.clear();
        }

        boolean takeFirst() {
            boolean taken = first;
            first = false;
            return taken;
        }

        void handOut() {
            begin();
            handedOut = true;
            last = ended() && !lastHandedOut;
            lastHandedOut |= last;
        }

        void addToken(int tokenId, int end) {
            if (count == tokenIds.length) {
                tokenIds = Arrays.copyOf(tokenIds, count * 2);
                ends = Arrays.copyOf(ends, count * 2);
            }
            tokenIds[count] = tokenId;
            ends[count] = end;
            count++;
        }

        @Override
        public boolean first() {
            return first;
        }

        @Override
        public boolean last() {
            return last;
        }

        @Override
        public TokenDelta tokens() {
            return this;
        }

        @Override
        public MessageDelta message() {
            return message;
        }

        @Override
        public String finishReason() {
            return last && finishReason != null ? finishReason : "";
        }

        @Override
        public CharSequence text() {
            return text;
        }

        @Override
        public int tokenCount() {
            return count;
        }

        @Override
        public int tokenId(int index) {
            return tokenIds[index];
        }

        @Override
        public int textEnd(int index) {
            return wantsText ? Math.min(ends[index], released) - start : 0;
        }
    }
}
