package io.glyphgate.proxy.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The whole configuration, one YAML file. Keys are the names of the components in kebab case; a component without
 * {@link Default} and not {@link Optional}, {@link List}, {@link Map} or a block whose keys may all be left out, must
 * be given.
 */
public record ProxyConfig(
        @Doc("The socket that clients speak to.") Server server,
        @Doc("A socket of its own for operators: /health, /ready, /metrics, /admin/pools, /admin/plugins. Without this block"
                        + " /metrics is on the socket of the clients, and the pages under /admin are nowhere.")
                Optional<Admin> admin,
        @Doc("Where plugins are, and what happens when one does not load.") Plugins plugins,
        @Doc("The models, by the name that clients use; at least one.") Map<String, Model> models,
        @Doc("The pools of vLLM servers, by a name of your choice; at least one.") Map<String, Pool> pools,
        @Doc("Parsers that need no plugin: formats, described, by a name of your choice. `glyphgate plugins "
                        + "--describe NAME` writes out one of a plugin to start from.")
                Map<String, ParserConfig> parsers,
        @Doc("How a pool is chosen among those that can serve a request.") Routing routing,
        @Doc("Connections to the vLLM servers.") Upstream upstream,
        @Doc("Requests that are sent to another server, because the first one failed before it answered.") Retries retries,
        @Doc("Connections of the clients.") Clients clients,
        @Doc("Outputs with an anomaly, kept as files to play again.") Capture capture,
        @Doc("The doors beside that to generate, and what they allow.") Doors doors,
        @Doc("Streams that clients have derendered chunk by chunk.") Derender derender,
        @Doc("How changes of files are taken up while the proxy runs.") Reload reload) {

    /** The socket that clients speak to. */
    public record Server(
            @Doc("The address to listen on.") @Default("0.0.0.0") String host,
            @Doc("The port to listen on; 0 takes a free one.") @Default("8080") @Range(min = 0, max = 65535) int port,
            @Doc("The largest request body; a larger one gets status 413.")
                    @Default("32MiB") @Range(min = 1, max = 1 << 30)
                    Size maxBody,
            @Doc("The longest first line of a request, its path and query above all; a longer one gets status 414.")
                    @Default("8KiB") @Range(min = 64, max = 1 << 20)
                    Size maxRequestLine,
            @Doc("How large all headers of a request may be together; larger ones get status 431, and those over four"
                            + " times that are not read: status 400.")
                    @Default("16KiB") @Range(min = 256, max = 1 << 24)
                    Size maxHeaders,
            @Doc("How many headers a request may have; more get status 431.")
                    @Default("100") @Range(min = 1, max = 10_000)
                    int maxHeaderCount,
            @Doc("What carries streams: auto, a few loops that wait for many sockets at once, where neither side has TLS, and else a"
                            + " thread for each stream; or thread, always the latter.")
                    @Default("auto")
                    Streaming streaming,
            @Doc("How long streams may go on after a request to stop, before they are cut.")
                    @Default("5m") @Range(min = 0, max = Range.DAY)
                    Duration drain,
            @Doc("How long the proxy goes on taking connections after a request to stop, while /ready says no: what load"
                            + " balancers need to notice. drain begins after it.")
                    @Default("5s") @Range(min = 0, max = Range.DAY)
                    Duration drainDelay,
            @Doc("When /ready says yes, but for a proxy that is stopping, or has not made its first prompts yet. any-model: a"
                            + " server is up for at least one model. every-model: for each of them. started: whatever the servers do.")
                    @Default("any-model")
                    Ready ready,
            @Doc("A file with the keys of clients, of which each request must bring one as `Authorization: Bearer KEY`: one a"
                            + " line, behind it a name for the metrics if you like; '#' starts a comment line. Read again when it"
                            + " changes. Relative to this file. Without it everybody may ask.")
                    Optional<Path> apiKeyFile,
            @Doc("The certificate that clients see. Without this block the socket speaks plain HTTP.")
                    Optional<ServerTls> tls) {}

    /** When the proxy is ready for requests. */
    public enum Ready {
        ANY_MODEL,
        EVERY_MODEL,
        STARTED
    }

    /** How clients reach the socket over TLS. */
    public record ServerTls(
            @Doc("A PEM file with the server's certificate, and behind it those that lead to its issuer. Relative to this file."
                            + " Read again, with private-key, when it changes.")
                    Path certificateChain,
            @Doc("A PEM file with the key of the certificate, not encrypted.") Path privateKey,
            @Doc("A PEM file with the certificates of the issuers of clients' certificates; needed by client-auth.")
                    Optional<Path> clientCa,
            @Doc("Whether a client must show a certificate: none, optional (one that it shows must be good), or required.")
                    @Default("none")
                    ClientAuth clientAuth) {}

    /** What carries streams. */
    public enum Streaming {
        AUTO,
        THREAD
    }

    /** Whether a client must show a certificate. */
    public enum ClientAuth {
        NONE,
        OPTIONAL,
        REQUIRED
    }

    /** The socket of the operators. It speaks plain HTTP. */
    public record Admin(
            @Doc("The address to listen on.") @Default("127.0.0.1") String host,
            @Doc("The port to listen on; 0 takes a free one.") @Range(min = 0, max = 65535) int port,
            @Doc("A file with keys as server.api-key-file has them, for this socket; /health and /ready need none. Without it"
                            + " everybody who reaches the socket may read it.")
                    Optional<Path> apiKeyFile) {}

    /** Where plugins are, and what happens when one does not load. */
    public record Plugins(
            @Doc("The folder that holds one folder per plugin; relative to the installation.")
                    @Default("plugins") Path path,
            @Doc("Whether a plugin that does not load stops the start, or is skipped and listed as skipped.")
                    @Default("fail")
                    OnFailure onFailure,
            @Doc("Which plugin folder wins when two bring the same name: kind, then name, then folder. "
                            + "For example reasoning-parser: { qwen3: acme }.")
                    Map<String, Map<String, String>> prefer) {}

    /** What happens when a plugin does not load. */
    public enum OnFailure {
        FAIL,
        SKIP
    }

    /** One model. */
    public record Model(
            @Doc("Other names that clients may use.") List<String> aliases,
            @Doc("The model's tokenizer; needed by pools whose tokenizer setting is proxy.")
                    Optional<TokenizerSource> tokenizer,
            @Doc("The reasoning parser, by name; hf is what the tokenizer's own response_template describes.")
                    Optional<String> reasoningParser,
            @Doc("The tool parser, by name; or hf.") Optional<String> toolParser,
            @Doc("A combined parser, or an entry of parsers with all that it describes, by name; or hf; instead of "
                            + "reasoning-parser and tool-parser.")
                    Optional<String> parser,
            @Doc("The number of token IDs, to refuse others; taken from the tokenizer where there is one.")
                    @Range(min = 1, max = Integer.MAX_VALUE)
                    OptionalInt vocabularySize,
            @Doc("What becomes of kv_transfer_params of clients, which steer servers to each other. reject: status 400. strip: "
                            + "they are removed, from answers too. pass: they go both ways, for a coordinator before this "
                            + "proxy. reject by default where the model has prefill pools, else pass.")
                    Optional<KvParams> kvParams,
            @Doc("How many tokens prompt and output may have together, as the servers have it (vLLM's --max-model-len);"
                            + " clients are told. Taken from the tokenizer where it says so.")
                    @Range(min = 1, max = Integer.MAX_VALUE)
                    OptionalInt maxModelLen,
            @Doc("How messages become a prompt.") ChatTemplate chatTemplate,
            @Doc("Sampling parameters of chats and completions where a client gives none, as vLLM takes them from the model's"
                            + " generation_config.json: temperature, top_p, top_k, min_p, repetition_penalty, max_tokens. Values are"
                            + " JSON. Taken from the generation_config.json beside the tokenizer, if there is one, for those not given.")
                    Map<String, String> samplingDefaults) {

        /** Whether the model's output needs parsing to become a message. */
        public boolean hasParser() {
            return reasoningParser.isPresent() || toolParser.isPresent() || parser.isPresent();
        }
    }

    /** What becomes of {@code kv_transfer_params} of clients. */
    public enum KvParams {
        PASS,
        STRIP,
        REJECT
    }

    /** How messages become a prompt. */
    public record ChatTemplate(
            @Doc("A file with a chat template to use in place of the tokenizer's own (vLLM's --chat-template): a path,"
                            + " relative to this file, or a file: URI. May be written as the value of chat-template.")
                    @Shorthand
                    Optional<String> source,
            @Doc("How the template takes the content of a message: string, openai (parts), or auto to see it in the template.")
                    @Default("auto")
                    ContentFormat contentFormat,
            @Doc("Arguments of the template where a client gives none (vLLM's --default-chat-template-kwargs); values are JSON,"
                            + " and what is no JSON is text. For example { enable_thinking: false }.")
                    Map<String, String> defaultArguments) {}

    /** How a template takes the content of a message. */
    public enum ContentFormat {
        AUTO,
        STRING,
        OPENAI
    }

    /** Where a tokenizer comes from. Other keys are options of the provider. */
    public record TokenizerSource(
            @Doc("The tokenizer plugin, by name.") @Default("huggingface") String provider,
            @Doc("A path, relative to this file, or a URI.") String source,
            @Doc("Options of the provider.") @Rest Map<String, String> options) {}

    /** One pool. */
    public record Pool(
            @Doc("The model that its servers serve.") String model,
            @Doc("The name under which the servers know the model; the model's own name by default.")
                    Optional<String> servedModel,
            @Doc("What the pool is for: prefill, decode, or both. render: its servers generate nothing; they make the prompts of"
                            + " chats and completions (vLLM's `vllm launch render`), and for a model without a tokenizer here they read"
                            + " the output, too.")
                    @Default("both")
                    Role role,
            @Doc("none: token IDs in and out. upstream: the servers load the tokenizer and make text and messages. "
                            + "proxy: the servers are asked for tokens only, and the proxy makes text and messages.")
                    TokenizerSetting tokenizer,
            @Doc("The addresses of the servers, for example http://decode-0:8000; at least one, or discovery in its place.")
                    List<URI> endpoints,
            @Doc("How the servers are found, in place of endpoints: the name of a discovery, and its options. Of plugins that"
                            + " come with the proxy: dns, file, kubernetes.")
                    Optional<Discovery> discovery,
            @Doc("How it is seen which servers work.") Watch watch,
            @Doc("How an endpoint is chosen: the name of a policy, or a block with name and the policy's options.")
                    @Default("power-of-two-choices")
                    Policy policy,
            @Doc("What the servers of an upstream pool can do at derender: none, batch, or stream. "
                            + "vLLM 0.33 refuses streams.")
                    @Default("batch")
                    UpstreamDerender upstreamDerender,
            @Doc("Whether the servers of an upstream pool are asked for chats and completions themselves. native: such a request "
                            + "is passed on as it came. none: it is not, and needs a pool whose setting is proxy.")
                    @Default("none")
                    Chat chat,
            @Doc("How a prefill pool hands prompts over to decode pools.") Kv kv,
            @Doc("How much the servers are asked to do at once, and who waits meanwhile.") Limits limits,
            @Doc("How its https endpoints are reached; by default as the JDK trusts and without a certificate of the proxy's.")
                    Optional<PoolTls> tls,
            @Doc("A file with the key that the servers want (vLLM's --api-key); it goes with every request to them, probes too."
                            + " Relative to this file.")
                    Optional<Path> apiKeyFile) {}

    /** How much the servers of a pool are asked to do at once. */
    public record Limits(
            @Doc("How many requests of this proxy an endpoint serves at once. While all endpoints that could serve a request"
                            + " are full, it waits: those with the lowest `priority` go first, as in vLLM, and of these who came"
                            + " first. Without it there is no limit, and nobody waits.")
                    @Range(min = 1, max = 1_000_000)
                    OptionalInt inFlightPerEndpoint,
            @Doc("How many requests may wait for an endpoint of the pool. When one more comes, the last in the order gets"
                            + " status 429.")
                    @Default("100") @Range(min = 0, max = 1_000_000)
                    int queue,
            @Doc("How long a request may wait before it gets status 429.")
                    @Default("10s") @Range(min = 1, max = Range.DAY)
                    Duration queueWait) {}

    /** How the servers of a pool are found. Other keys are options of the discovery. */
    public record Discovery(
            @Doc("The name of the discovery.") @Shorthand String name,
            @Doc("Options of the discovery.") @Rest Map<String, String> options) {}

    /** How it is seen which servers of a pool work. */
    public record Watch(
            @Doc("Asking each server now and then whether it is well.") Health health,
            @Doc("Leaving servers alone on which requests fail one after the other.") Ejection ejection,
            @Doc("How long all streams of a server may wait for bytes before it counts as hung and is ejected, although it"
                            + " still says that it is well; 0s for ever. A stream that waits for its first token counts, so it"
                            + " must be longer than the longest prompt takes.")
                    @Default("45s") @Range(min = 0, max = Range.DAY)
                    Duration noProgress,
            @Doc("How long a server that is new, or was down, takes to get its full share of requests; 0s not at all."
                            + " Servers that are there at the start have it at once.")
                    @Default("30s") @Range(min = 0, max = Range.DAY)
                    Duration slowStart) {}

    /** Health checks. */
    public record Health(
            @Doc("The path that is asked; a status from 200 to 299 is well, one from 400 to 499 says nothing.")
                    @Default("/health")
                    String path,
            @Doc("How often, give or take a tenth; 0s never.") @Default("5s") @Range(min = 0, max = Range.DAY)
                    Duration interval,
            @Doc("How long the answer may take.") @Default("2s") @Range(min = 1, max = Range.DAY) Duration timeout,
            @Doc("How many checks must fail one after the other for a server to be held unhealthy.")
                    @Default("3") @Range(min = 1, max = 1000)
                    int unhealthyAfter,
            @Doc("How many must then be good one after the other for it to get requests again.")
                    @Default("2") @Range(min = 1, max = 1000)
                    int healthyAfter) {}

    /** Leaving servers alone on which requests fail. */
    public record Ejection(
            @Doc("How many requests must fail one after the other, before the first byte of their answers: no connection, a"
                            + " broken one, silence, a status of 500 or more but 501 and 503; 0 ejects no server for that.")
                    @Default("5") @Range(min = 0, max = 1000)
                    int failures,
            @Doc("How long the first time; then one request tries it, and if that fails, too, it is twice as long.")
                    @Default("10s") @Range(min = 1, max = Range.DAY)
                    Duration time,
            @Doc("How long at most.") @Default("5m") @Range(min = 1, max = Range.DAY) Duration maxTime,
            @Doc("How many of a hundred servers of the pool may be ejected at once. The last one that is up never is.")
                    @Default("50") @Range(min = 0, max = 100)
                    int maxPercent) {}

    /** How the https endpoints of a pool are reached. */
    public record PoolTls(
            @Doc("A PEM file with the certificates of the issuers that are trusted, and no others; the JDK's by default."
                            + " Relative to this file.")
                    Optional<Path> ca,
            @Doc("A PEM file with the certificate that the proxy shows to the servers (mTLS), and behind it those that lead to"
                            + " its issuer.")
                    Optional<Path> certificateChain,
            @Doc("A PEM file with the key of that certificate, not encrypted.") Optional<Path> privateKey,
            @Doc("The name that the servers' certificates must hold, and that is asked for (SNI); the host of the endpoint by"
                            + " default.")
                    Optional<String> serverName,
            @Doc("Whether the name in a server's certificate is compared. Without it every server with a certificate of a"
                            + " trusted issuer is taken for the right one.")
                    @Default("true")
                    boolean verifyHost) {}

    /** How a prefill pool hands prompts over to decode pools. */
    public record Kv(
            @Doc("Prefill pools feed the decode pools of their model that have the same group.") @Default("default")
                    String group,
            @Doc("The KV connector of the servers: the name of a connector, or a block with name and the connector's "
                            + "options. Of prefill pools only.")
                    @Default("nixl")
                    Connector connector,
            @Doc("What happens where no prefill server gives a prompt away. decode-only: the decode server computes the "
                            + "prompt itself. fail: status 502. Of prefill pools only.")
                    @Default("decode-only")
                    WithoutPrefill withoutPrefill) {}

    /** A KV connector; may be written as its name alone. Other keys are options of the connector. */
    public record Connector(
            @Doc("The name of the connector.") @Shorthand String name,
            @Doc("Options of the connector.") @Rest Map<String, String> options) {}

    /** What happens where no prefill server gives a prompt away. */
    public enum WithoutPrefill {
        DECODE_ONLY,
        FAIL
    }

    /** What a pool is for. */
    public enum Role {
        PREFILL,
        DECODE,
        BOTH,
        RENDER;

        /** Whether the pool can give the answer of a request. */
        public boolean decodes() {
            return this == DECODE || this == BOTH;
        }
    }

    /** Who holds the tokenizer of a pool; the order is from the narrowest pool to the widest. */
    public enum TokenizerSetting {
        NONE,
        UPSTREAM,
        PROXY
    }

    /** What the servers of an upstream pool can do at derender. */
    public enum UpstreamDerender {
        NONE,
        BATCH,
        STREAM
    }

    /** Whether the servers of an upstream pool are asked for chats and completions themselves. */
    public enum Chat {
        NONE,
        NATIVE
    }

    /** A pool policy; may be written as its name alone. Other keys are options of the policy. */
    public record Policy(
            @Doc("The name of the policy.") @Shorthand String name,
            @Doc("Options of the policy.") @Rest Map<String, String> options) {}

    /** How a pool is chosen among those that can serve a request. */
    public record Routing(
            @Doc("narrowest: the pool that can do least, so that wider ones stay free. any: spread over all that can.")
                    @Default("narrowest")
                    Prefer prefer) {}

    /** How a pool is chosen among those that can serve a request. */
    public enum Prefer {
        NARROWEST,
        ANY
    }

    /** Connections to the vLLM servers. */
    public record Upstream(
            @Doc("How long a connection may take to open.") @Default("2s") @Range(min = 1, max = Range.DAY)
                    Duration connect,
            @Doc("How long a server may take until the first byte of its answer, the reading of the request included.")
                    @Default("10m") @Range(min = 1, max = Range.DAY)
                    Duration firstByte,
            @Doc("How long a server may be silent in the middle of an answer.")
                    @Default("60s") @Range(min = 1, max = Range.DAY)
                    Duration betweenBytes,
            @Doc("How many idle connections to keep open to each endpoint.")
                    @Default("256") @Range(min = 0, max = 100_000)
                    int idleConnectionsPerEndpoint,
            @Doc("How long an idle connection is kept. Less than the servers keep it: vLLM closes it after 5 s"
                            + " (VLLM_HTTP_TIMEOUT_KEEP_ALIVE).")
                    @Default("4s")
                    Duration idleLife,
            @Doc("What becomes of the start when the tokenizer of a server makes other tokens than the proxy's: fail, warn,"
                            + " or ignore, which asks no server. A server that does not answer, or has none, is no fault.")
                    @Default("warn")
                    OnMismatch tokenizerMismatch,
            @Doc("What becomes of the start when a server answers, but cannot do what the setting of its pool asks of it: fail;"
                            + " warn, which does not use the server until it can; or ignore, which asks no server. After the start"
                            + " fail does as warn.")
                    @Default("warn")
                    OnMismatch misfit,
            @Doc("How often servers are asked what they can do, give or take a tenth; a server that cannot, ten times as often.")
                    @Default("10m") @Range(min = 100, max = Range.DAY)
                    Duration probeInterval) {}

    /** Requests that are sent to another server, because the first one failed before it answered. */
    public record Retries(
            @Doc("How many servers are asked to answer one request, at most; 1 for no retries. Those that took no connection"
                            + " do not count.")
                    @Default("3") @Range(min = 1, max = 100)
                    int attempts,
            @Doc("How many retries there may be of the requests to one model, as a share of those of the last 10 seconds, so"
                            + " that servers that fail are not asked to do everything several times.")
                    @Default("20%") @Range(min = 0, max = 1_000)
                    Percent budget,
            @Doc("How many retries per second there may be beside that share, so that few requests can be retried, too.")
                    @Default("10") @Range(min = 0, max = 1_000_000)
                    int minPerSecond) {}

    /** What becomes of the start when a server is another one than the configuration says. */
    public enum OnMismatch {
        FAIL,
        WARN,
        IGNORE
    }

    /** The doors beside that to generate. */
    public record Doors(
            @Doc("Whether /tokenize and /detokenize are open.") @Default("true") boolean tokenize,
            @Doc("Whether /tokenizer_info is open; it shows the tokenizer's settings and the chat template.")
                    @Default("false")
                    boolean tokenizerInfo,
            @Doc("Whether happy_vLLM's doors are open: /v1/tokenizer, /v1/decode, /v2/tokenizer, /v2/decode, /v1/split_text,"
                            + " /v1/metadata_text, /v1/info, /liveness, /readiness.")
                    @Default("true")
                    boolean happyVllm,
            @Doc("What stands before the paths of happy_vLLM's doors, for example /llm (its --api-endpoint-prefix).")
                    Optional<String> happyVllmPrefix,
            @Doc("Whether a client may bring a chat template of its own. happy_vLLM allows it always, vLLM with"
                            + " --trust-request-chat-template.")
                    @Default("false")
                    boolean trustRequestChatTemplate,
            @Doc("Whether /v1/chat/completions and /v1/completions are open.") @Default("true") boolean openai,
            @Doc("Whether the doors /render and /derender behind those paths are open.") @Default("true") boolean render,
            @Doc("Whether /v1/messages and /v1/messages/count_tokens, which are Anthropic's, are open.") @Default("true")
                    boolean anthropic,
            @Doc("What becomes of a chat, completion or message with a field that is not known, so that nobody knows whether it changes the"
                            + " answer: refuse (status 400), or ignore, as vLLM does.")
                    @Default("refuse")
                    UnknownFields unknownFields) {}

    /** Streams that clients have derendered chunk by chunk. */
    public record Derender(
            @Doc("How many streams are kept for their next chunk, so that it costs what the first one did; beyond, the one goes that"
                            + " has waited the longest. A stream that is not kept is made again of what its client carries.")
                    @Default("1000") @Range(min = 0, max = 1_000_000)
                    int streams,
            @Doc("How much memory these streams may take together, as far as it grows with their requests and tokens; beyond, those"
                            + " go that have waited the longest, and one that is larger alone is not kept.")
                    @Default("128MiB") @Range(min = 0, max = 1L << 40)
                    Size streamMemory,
            @Doc("How long a stream is kept for its next chunk.") @Default("2m") @Range(min = 1, max = Range.DAY)
                    Duration streamIdle,
            @Doc("How old the stream_state may be that a client brings; an older one gets status 400.")
                    @Default("1h") @Range(min = 1, max = 30 * Range.DAY)
                    Duration stateAge,
            @Doc("A file with one key, at least 32 characters, with which each stream_state is signed. Proxies that share their"
                            + " clients need the same one. Read at the start and at a reload; relative to this file. Without it"
                            + " the proxy makes one at each start, and streams end with it.")
                    Optional<Path> stateKeyFile) {}

    /** What becomes of a request with fields that are not known. */
    public enum UnknownFields {
        REFUSE,
        IGNORE
    }

    /** Connections of the clients. */
    public record Clients(
            @Doc("Whether a client that closes its side of the connection counts as gone, which aborts its request; from 50 to 150 ms after its start on.")
                    @Default("true")
                    boolean cancelOnDisconnect,
            @Doc("How long a client may take to send a request, head and body, before it gets status 408 and its connection is"
                            + " closed.")
                    @Default("1m") @Range(min = 1, max = Range.DAY)
                    Duration request,
            @Doc("How long a client may take no bytes before its stream is cut.")
                    @Default("2m") @Range(min = 1, max = Range.DAY)
                    Duration stall,
            @Doc("How long a stream may be silent before a comment is sent to keep the connection alive.")
                    @Default("15s") @Range(min = 1, max = Range.DAY)
                    Duration keepAlive) {}

    /** Outputs with an anomaly, kept as files to play again. */
    public record Capture(
            @Doc("The folder that the files go to; it must exist. Relative to this file. Nothing is captured without it."
                            + " The files hold what users were answered and the end of what they asked.")
                    Optional<Path> folder,
            @Doc("How many files to keep; a new one takes the place of the oldest.")
                    @Default("1000") @Range(min = 1, max = 100_000)
                    int maxFiles,
            @Doc("How large all files together may be; a new one takes the place of the oldest.")
                    @Default("64MiB") @Range(min = 1 << 10, max = 1L << 40)
                    Size maxSize,
            @Doc("How many tokens of an output to keep, the first ones: 4 bytes of memory each while it runs.")
                    @Default("32768") @Range(min = 1, max = 10_000_000)
                    int maxTokens,
            @Doc("How many tokens of the prompt to keep, the last ones: parsers look at its end.")
                    @Default("512") @Range(min = 0, max = 10_000_000)
                    int promptTokens) {}

    /** How changes of files are taken up while the proxy runs. */
    public record Reload(
            @Doc("Whether this file, and the tokenizers, chat templates and plugins that it names, are looked at now and then;"
                            + " a change is taken up. Without it SIGHUP has them read again.")
                    @Default("true")
                    boolean watch,
            @Doc("How often they are looked at.") @Default("2s") @Range(min = 100, max = Range.DAY) Duration every) {}
}
