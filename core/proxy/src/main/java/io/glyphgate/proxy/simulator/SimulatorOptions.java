package io.glyphgate.proxy.simulator;

import io.glyphgate.proxy.choice.OutputPlan.Parsers;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.Tokenizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a simulated server is set up. The defaults are a {@code --tokens-only} server of vLLM 0.33 with the vocabulary of
 * Qwen3.
 *
 * @param host the address to listen on
 * @param port the port to listen on; 0 for a free one
 * @param kind which server it plays
 * @param model the name of the model. Source: {@code --served-model-name}
 * @param aliases further names of the model
 * @param root where the model's files are. Source: {@code --model}
 * @param version what {@code /version} says
 * @param scaleOut whether the endpoints for tokens are switched on. Source: {@code --enable-scale-out}
 * @param tokensOnly whether it does without a tokenizer. Source: {@code --tokens-only}, which switches {@code scaleOut}
 *     on
 * @param tokenizer the model's tokenizer; a server that is not tokens-only needs one, a tokens-only server uses it for
 *     nothing but to turn the text of {@code structured_outputs.choice} into tokens
 * @param parsers the parsers of the model. Source: {@code --reasoning-parser} and {@code --tool-call-parser}
 * @param derender the output mode {@code derender}; a server that is not tokens-only needs it
 * @param vocabularySize made-up tokens and the tokens of a prompt are below it
 * @param endOfSequence the ID of the end-of-sequence token
 * @param maxModelLength how many tokens prompt and output may have together. Source: {@code --max-model-len}
 * @param chunking how many tokens an event carries
 * @param timeToFirstToken how long the prompt takes
 * @param tokensPerSecond how fast the tokens of one choice come; 0 for as fast as they can be sent
 * @param connector how prompts are handed over to other servers. Source: {@code --kv-transfer-config}
 * @param store where prompts are kept with {@link Connector#LMCACHE}
 * @param kvLease how long a prompt is held that no other server takes. Source: {@code kv_lease_duration} of NIXL
 * @param faults how every answer to a generate request goes wrong, unless its own script names faults
 * @param keptRequests how many of the last requests are kept to be looked at
 */
public record SimulatorOptions(
        String host,
        int port,
        Kind kind,
        String model,
        List<String> aliases,
        String root,
        String version,
        boolean scaleOut,
        boolean tokensOnly,
        @Nullable Tokenizer tokenizer,
        Parsers parsers,
        @Nullable OutputModeProvider derender,
        int vocabularySize,
        int endOfSequence,
        int maxModelLength,
        Chunking chunking,
        Duration timeToFirstToken,
        double tokensPerSecond,
        Connector connector,
        KvStore store,
        Duration kvLease,
        List<Fault> faults,
        int keptRequests) {

    /** The servers that can be played. */
    public enum Kind {
        /** vLLM 0.33. */
        VLLM,
        /**
         * A vLLM from before {@code output_mode}: it ignores the field and does not echo it, sends no usage, and writes
         * the tokens of logprobs as {@code token_id:N}.
         */
        OLD_VLLM,
        /** The Rust frontend of vLLM 0.33: tokens only, short chunks, one choice, no stop strings, no abort. */
        RUST_FRONTEND
    }

    /** The ways of handing a prompt over that can be played. */
    public enum Connector {
        /** The server knows of none: it pays no attention to {@code kv_transfer_params}. */
        NONE,
        /** {@code NixlConnector}: the decode server pulls. */
        NIXL,
        /** {@code NixlPushConnector}: the decode server waits for the prefill server. */
        NIXL_PUSH,
        /** {@code MooncakeConnector}: the same, by a name that both requests carry. */
        MOONCAKE,
        /**
         * {@code LMCacheMPConnector}, or another one over shared storage: what a server has computed is in a store, where every
         * server that has the same one finds it.
         */
        LMCACHE
    }

    /** Checks that what belongs together is there. */
    public SimulatorOptions {
        aliases = List.copyOf(aliases);
        faults = List.copyOf(faults);
        if (!tokensOnly && (tokenizer == null || derender == null)) {
            throw new IllegalArgumentException(
                    "a simulated server that is not tokens-only needs a tokenizer and the output mode derender");
        }
    }

    /** Whether the model has a parser of any kind. */
    boolean hasParsers() {
        return parsers.combined() != null || parsers.reasoning() != null || parsers.tools() != null;
    }

    /** The tokenizer that makes text; null for a tokens-only server, even where it has one. */
    @Nullable Tokenizer detokenizing() {
        return tokensOnly ? null : tokenizer;
    }

    /**
     * Starts from the defaults.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects options; each method sets the option of its name and returns this. */
    public static final class Builder {
        private String host = "127.0.0.1";
        private int port;
        private Kind kind = Kind.VLLM;
        private String model = "tiny";
        private final List<String> aliases = new ArrayList<>();
        private String root = "./tiny";
        private String version = "0.33.0";
        private boolean scaleOut = true;
        private boolean tokensOnly = true;
        private @Nullable Tokenizer tokenizer;
        private Parsers parsers = Parsers.NONE;
        private @Nullable OutputModeProvider derender;
        private int vocabularySize = 151_936;
        private int endOfSequence = 151_645;
        private int maxModelLength = 40_960;
        private Chunking chunking = Chunking.of(1);
        private Duration timeToFirstToken = Duration.ZERO;
        private double tokensPerSecond;
        private Connector connector = Connector.NONE;
        private KvStore store = new KvStore();
        private Duration kvLease = Duration.ofSeconds(30);
        private List<Fault> faults = List.of();
        private int keptRequests = 1000;

        private Builder() {}

        /** See {@link SimulatorOptions#host}. */
        public Builder host(String value) {
            host = value;
            return this;
        }

        /** See {@link SimulatorOptions#port}. */
        public Builder port(int value) {
            port = value;
            return this;
        }

        /** See {@link SimulatorOptions#kind}. */
        public Builder kind(Kind value) {
            kind = value;
            return this;
        }

        /** See {@link SimulatorOptions#model}. */
        public Builder model(String value) {
            model = value;
            return this;
        }

        /** Adds one; see {@link SimulatorOptions#aliases}. */
        public Builder alias(String value) {
            aliases.add(value);
            return this;
        }

        /** See {@link SimulatorOptions#root}. */
        public Builder root(String value) {
            root = value;
            return this;
        }

        /** See {@link SimulatorOptions#version}. */
        public Builder version(String value) {
            version = value;
            return this;
        }

        /** See {@link SimulatorOptions#scaleOut}. */
        public Builder scaleOut(boolean value) {
            scaleOut = value;
            return this;
        }

        /** See {@link SimulatorOptions#tokensOnly}. */
        public Builder tokensOnly(boolean value) {
            tokensOnly = value;
            return this;
        }

        /** See {@link SimulatorOptions#tokenizer}. */
        public Builder tokenizer(@Nullable Tokenizer value) {
            tokenizer = value;
            return this;
        }

        /** See {@link SimulatorOptions#parsers}. */
        public Builder parsers(Parsers value) {
            parsers = value;
            return this;
        }

        /** See {@link SimulatorOptions#derender}. */
        public Builder derender(@Nullable OutputModeProvider value) {
            derender = value;
            return this;
        }

        /** See {@link SimulatorOptions#vocabularySize}. */
        public Builder vocabularySize(int value) {
            vocabularySize = value;
            return this;
        }

        /** See {@link SimulatorOptions#endOfSequence}. */
        public Builder endOfSequence(int value) {
            endOfSequence = value;
            return this;
        }

        /** See {@link SimulatorOptions#maxModelLength}. */
        public Builder maxModelLength(int value) {
            maxModelLength = value;
            return this;
        }

        /** See {@link SimulatorOptions#chunking}. */
        public Builder chunking(Chunking value) {
            chunking = value;
            return this;
        }

        /** See {@link SimulatorOptions#timeToFirstToken}. */
        public Builder timeToFirstToken(Duration value) {
            timeToFirstToken = value;
            return this;
        }

        /** See {@link SimulatorOptions#tokensPerSecond}. */
        public Builder tokensPerSecond(double value) {
            tokensPerSecond = value;
            return this;
        }

        /** See {@link SimulatorOptions#connector}. */
        public Builder connector(Connector value) {
            connector = value;
            return this;
        }

        /** See {@link SimulatorOptions#store}. */
        public Builder store(KvStore value) {
            store = value;
            return this;
        }

        /** See {@link SimulatorOptions#kvLease}. */
        public Builder kvLease(Duration value) {
            kvLease = value;
            return this;
        }

        /** See {@link SimulatorOptions#faults}. */
        public Builder faults(List<Fault> value) {
            faults = value;
            return this;
        }

        /** See {@link SimulatorOptions#keptRequests}. */
        public Builder keptRequests(int value) {
            keptRequests = value;
            return this;
        }

        /**
         * The options.
         *
         * @return what was collected
         * @throws IllegalArgumentException if the options do not fit together
         */
        public SimulatorOptions build() {
            return new SimulatorOptions(
                    host,
                    port,
                    kind,
                    model,
                    aliases,
                    root,
                    version,
                    scaleOut || tokensOnly,
                    tokensOnly,
                    tokenizer,
                    parsers,
                    derender,
                    vocabularySize,
                    endOfSequence,
                    maxModelLength,
                    chunking,
                    timeToFirstToken,
                    tokensPerSecond,
                    connector,
                    store,
                    kvLease,
                    faults,
                    keptRequests);
        }
    }
}
