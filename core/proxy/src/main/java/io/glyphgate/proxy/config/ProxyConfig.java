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
        @Doc("Connections of the clients.") Clients clients,
        @Doc("Outputs with an anomaly, kept as files to play again.") Capture capture,
        @Doc("The doors beside that to generate, and what they allow.") Doors doors) {

    /** The socket that clients speak to. */
    public record Server(
            @Doc("The address to listen on.") @Default("0.0.0.0") String host,
            @Doc("The port to listen on; 0 takes a free one.") @Default("8080") @Range(min = 0, max = 65535) int port,
            @Doc("The largest request body; a larger one gets status 413.")
                    @Default("32MiB") @Range(min = 1, max = 1 << 30)
                    Size maxBody,
            @Doc("How long streams may go on after a request to stop, before they are cut.")
                    @Default("5m") @Range(min = 0, max = Range.DAY)
                    Duration drain,
            @Doc("A file with the keys of clients, of which each request must bring one as `Authorization: Bearer KEY`: one a"
                            + " line, behind it a name for the metrics if you like; '#' starts a comment line. Read again when it"
                            + " changes. Relative to this file. Without it everybody may ask.")
                    Optional<Path> apiKeyFile,
            @Doc("The certificate that clients see. Without this block the socket speaks plain HTTP.")
                    Optional<ServerTls> tls) {}

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
            @Doc("How messages become a prompt.") ChatTemplate chatTemplate) {

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
            @Doc("What the pool is for: prefill, decode, or both.") @Default("both") Role role,
            @Doc("none: token IDs in and out. upstream: the servers load the tokenizer and make text and messages. "
                            + "proxy: the servers are asked for tokens only, and the proxy makes text and messages.")
                    TokenizerSetting tokenizer,
            @Doc("The addresses of the servers, at least one; for example http://decode-0:8000.") List<URI> endpoints,
            @Doc("How an endpoint is chosen: the name of a policy, or a block with name and the policy's options.")
                    @Default("power-of-two-choices")
                    Policy policy,
            @Doc("What the servers of an upstream pool can do at derender: none, batch, or stream. "
                            + "vLLM 0.33 refuses streams.")
                    @Default("batch")
                    UpstreamDerender upstreamDerender,
            @Doc("How a prefill pool hands prompts over to decode pools.") Kv kv,
            @Doc("How its https endpoints are reached; by default as the JDK trusts and without a certificate of the proxy's.")
                    Optional<PoolTls> tls,
            @Doc("A file with the key that the servers want (vLLM's --api-key); it goes with every request to them, probes too."
                            + " Relative to this file.")
                    Optional<Path> apiKeyFile) {}

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
        BOTH;

        /** Whether the pool can give the answer of a request. */
        public boolean decodes() {
            return this != PREFILL;
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
            @Doc("How long a server may take until the first byte of its answer.")
                    @Default("10m") @Range(min = 1, max = Range.DAY)
                    Duration firstByte,
            @Doc("How long a server may be silent in the middle of an answer.")
                    @Default("60s") @Range(min = 1, max = Range.DAY)
                    Duration betweenBytes,
            @Doc("How many idle connections to keep open to each endpoint.")
                    @Default("16") @Range(min = 0, max = 100_000)
                    int idleConnectionsPerEndpoint,
            @Doc("How long an idle connection is kept. Less than the servers keep it: vLLM closes it after 5 s"
                            + " (VLLM_HTTP_TIMEOUT_KEEP_ALIVE).")
                    @Default("4s")
                    Duration idleLife,
            @Doc("What becomes of the start when the tokenizer of a server makes other tokens than the proxy's: fail, warn,"
                            + " or ignore, which asks no server. A server that does not answer, or has none, is no fault.")
                    @Default("warn")
                    OnMismatch tokenizerMismatch) {}

    /** What becomes of the start when a server's tokenizer is another one. */
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
                    boolean trustRequestChatTemplate) {}

    /** Connections of the clients. */
    public record Clients(
            @Doc("Whether a client that closes its side of the connection counts as gone, which aborts its request.")
                    @Default("true")
                    boolean cancelOnDisconnect,
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
}
