package io.glyphgate.proxy.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Finds what each key alone allows, but all together do not. Needs no plugin and no server. */
final class ConfigCheck {
    private static final Pattern PARSER_NAME = Pattern.compile("[a-z0-9_-]+");
    private static final Pattern POOL_NAME = Pattern.compile("[A-Za-z0-9._-]+");

    private static final Pattern PREFIX = Pattern.compile("(/[A-Za-z0-9._-]+)+");

    private final ConfigFile file;
    private final ProxyConfig config;
    private final List<Problem> problems = new ArrayList<>();

    private ConfigCheck(ConfigFile file) {
        this.file = file;
        this.config = file.config();
    }

    /** All that is wrong with a file from which requests are to be served. */
    static List<Problem> problems(ConfigFile file) {
        ConfigCheck check = new ConfigCheck(file);
        check.served();
        check.all();
        check.doors();
        check.tls();
        return check.problems;
    }

    /** All that is wrong with a file that need not have models and pools. */
    static List<Problem> problemsOfParsers(ConfigFile file) {
        ConfigCheck check = new ConfigCheck(file);
        check.all();
        return check.problems;
    }

    private void all() {
        names();
        config.parsers().forEach(this::parser);
        config.models().forEach(this::model);
        config.pools().forEach(this::pool);
    }

    private void served() {
        if (config.models().isEmpty()) {
            wrong(KeyPath.of("models"), "there is no model; name at least one");
        }
        if (config.pools().isEmpty()) {
            wrong(KeyPath.of("pools"), "there is no pool; name at least one with its servers");
        }
    }

    private void names() {
        Map<String, String> owners = new HashMap<>();
        config.models().keySet().forEach(name -> owners.put(name, name));
        config.models().forEach((name, model) -> {
            KeyPath aliases = KeyPath.of("models", name, "aliases");
            for (int i = 0; i < model.aliases().size(); i++) {
                String alias = model.aliases().get(i);
                String owner = owners.putIfAbsent(alias, name);
                if (owner != null) {
                    wrong(aliases.item(i), "'" + alias + "' already names the model '" + owner
                            + "'; a name must mean one model, so remove one");
                }
            }
        });
    }

    private void model(String name, ProxyConfig.Model model) {
        KeyPath path = KeyPath.of("models", name);
        if (name.isBlank()) {
            wrong(path, "a model needs a name");
        }
        if (model.parser().isPresent()
                && (model.reasoningParser().isPresent() || model.toolParser().isPresent())) {
            wrong(path.child("parser"), "a combined parser replaces reasoning-parser and tool-parser; "
                    + "give either parser, or the other two");
        }
        model.tokenizer().ifPresent(tokenizer -> {
            try {
                file.locate(tokenizer.source());
            } catch (URISyntaxException e) {
                wrong(path.child("tokenizer").child("source"), "'" + tokenizer.source()
                        + "' is neither a path nor a URI: " + e.getReason());
            }
        });
        model.chatTemplate().source().ifPresent(source -> {
            if (model.tokenizer().isEmpty()) {
                wrong(path.child("chat-template").child("source"), "a prompt is made of messages only where the proxy has the "
                        + "model's tokenizer; give " + path.child("tokenizer").child("source") + ", or remove the key");
            }
            try {
                file.locate(source);
            } catch (URISyntaxException e) {
                wrong(path.child("chat-template").child("source"), "'" + source
                        + "' is neither a path nor a URI: " + e.getReason());
            }
        });
        boolean decodes = config.pools().values().stream()
                .anyMatch(pool -> pool.model().equals(name) && pool.role().decodes());
        if (!decodes && !config.pools().isEmpty()) {
            wrong(path, "no pool with role decode or both serves this model; add one, or remove the model");
        }
    }

    private void parser(String name, ParserConfig parser) {
        KeyPath path = KeyPath.of("parsers", name);
        if (!PARSER_NAME.matcher(name).matches()) {
            wrong(path, "the name of a parser may hold lower-case letters, digits, '-' and '_' only");
        }
        if (name.equals("hf")) {
            wrong(path, "hf is the name of what a tokenizer's own response_template describes; "
                    + "give this one another name");
        }
        boolean reasons = parser.reasoning().isPresent() || parser.openedReasoning().isPresent();
        boolean pair = reasons || parser.tools().isPresent();
        if (!pair && parser.messages().isEmpty()) {
            wrong(path, "describes nothing; give reasoning, opened-reasoning, tools or messages");
        }
        if (pair && parser.messages().isPresent()) {
            wrong(path.child("messages"), "messages say what is reasoning and what a call; "
                    + "remove this key, or the others");
        }
        if (parser.reasoning().isPresent() && parser.openedReasoning().isPresent()) {
            wrong(path.child("opened-reasoning"), "reasoning has one form; remove this key, or reasoning");
        }
    }

    private void pool(String name, ProxyConfig.Pool pool) {
        KeyPath path = KeyPath.of("pools", name);
        if (!POOL_NAME.matcher(name).matches()) {
            wrong(path, "the name of a pool is sent in a header, so use only letters, digits, '-', '_' and '.'");
        }
        ProxyConfig.Model model = config.models().get(pool.model());
        if (model == null) {
            wrong(path.child("model"), "there is no model '" + pool.model() + "'; "
                    + Nearest.hint(pool.model(), config.models().keySet()));
        } else if (pool.tokenizer() == ProxyConfig.TokenizerSetting.PROXY && model.tokenizer().isEmpty()) {
            wrong(path.child("tokenizer"), "proxy needs the model's tokenizer; give "
                    + KeyPath.of("models", pool.model(), "tokenizer", "source"));
        }
        servers(path, pool);
        if (pool.role() == ProxyConfig.Role.RENDER) {
            renders(name, pool);
            tls(path.child("tls"), pool);
            return;
        }
        KeyPath derender = path.child("upstream-derender");
        if (file.gives(derender) && pool.tokenizer() != ProxyConfig.TokenizerSetting.UPSTREAM) {
            wrong(derender, "means nothing in a pool whose tokenizer setting is "
                    + Key.nameOf(pool.tokenizer()) + "; remove it");
        }
        KeyPath chat = path.child("chat");
        if (file.gives(chat) && pool.tokenizer() != ProxyConfig.TokenizerSetting.UPSTREAM) {
            wrong(chat, "means nothing in a pool whose tokenizer setting is " + Key.nameOf(pool.tokenizer()) + "; remove it");
        } else if (pool.chat() == ProxyConfig.Chat.NATIVE && pool.role() != ProxyConfig.Role.BOTH) {
            wrong(chat, "native needs role: both, because what a prefill pool computes is handed over as tokens, and here"
                    + " the servers make them; give the decode pool tokenizer: proxy");
        }
        kv(name, pool);
        limits(name, pool.limits());
        tls(path.child("tls"), pool);
    }

    /** What a pool means that makes prompts, and what then means nothing any more. */
    private void renders(String name, ProxyConfig.Pool pool) {
        KeyPath path = KeyPath.of("pools", name);
        if (pool.tokenizer() != ProxyConfig.TokenizerSetting.UPSTREAM) {
            wrong(path.child("tokenizer"), "the servers of a pool that renders load the tokenizer; write upstream");
        }
        for (String key : List.of("upstream-derender", "chat", "kv", "limits")) {
            if (file.gives(path.child(key))) {
                wrong(path.child(key), "means nothing in a pool whose role is render, as its servers generate nothing; remove it");
            }
        }
        for (String key : List.of("chat-template", "sampling-defaults")) {
            KeyPath unused = KeyPath.of("models", pool.model(), key);
            if (file.gives(unused)) {
                wrong(unused, "means nothing where the servers of a pool render (" + path + "): they bring their own; remove it, or"
                        + " the pool");
            }
        }
    }

    private void servers(KeyPath path, ProxyConfig.Pool pool) {
        if (pool.endpoints().isEmpty() && pool.discovery().isEmpty()) {
            wrong(path.child("endpoints"), "a pool needs at least one server, for example [ http://decode-0:8000 ], or discovery,"
                    + " which finds them");
        }
        if (!pool.endpoints().isEmpty() && pool.discovery().isPresent()) {
            wrong(path.child("discovery"), "the servers are named by endpoints, or found by discovery; remove one of the two");
        }
        Set<URI> seen = new HashSet<>();
        for (int i = 0; i < pool.endpoints().size(); i++) {
            URI endpoint = pool.endpoints().get(i);
            if (!seen.add(endpoint)) {
                wrong(path.child("endpoints").item(i), "'" + endpoint + "' is in this pool already; remove one");
            }
        }
        KeyPath health = path.child("watch").child("health").child("path");
        if (!pool.watch().health().path().startsWith("/")) {
            wrong(health, "'" + pool.watch().health().path() + "' must be a path, starting with '/'");
        }
        ProxyConfig.Ejection ejection = pool.watch().ejection();
        if (ejection.maxTime().compareTo(ejection.time()) < 0) {
            wrong(path.child("watch").child("ejection").child("max-time"), "is shorter than time; make it at least as long");
        }
    }

    private void limits(String name, ProxyConfig.Limits limits) {
        KeyPath path = KeyPath.of("pools", name, "limits");
        for (String key : List.of("queue", "queue-wait")) {
            if (file.gives(path.child(key)) && limits.inFlightPerEndpoint().isEmpty()) {
                wrong(path.child(key), "nobody waits where there is no limit; give " + path.child("in-flight-per-endpoint")
                        + ", or remove this key");
            }
        }
    }

    private void tls(KeyPath path, ProxyConfig.Pool pool) {
        pool.tls().ifPresent(tls -> {
            if (pool.discovery().isEmpty() && pool.endpoints().stream().noneMatch(endpoint -> "https".equals(endpoint.getScheme()))) {
                wrong(path, "means nothing in a pool without https endpoints; write https:// before them, or remove it");
            }
            if (tls.certificateChain().isPresent() != tls.privateKey().isPresent()) {
                wrong(path, "a certificate is of no use without its key, nor the key without it; give certificate-chain and"
                        + " private-key, or neither");
            }
        });
    }

    private void kv(String name, ProxyConfig.Pool pool) {
        KeyPath path = KeyPath.of("pools", name, "kv");
        switch (pool.role()) {
            case PREFILL -> {
                boolean feeds = config.pools().values().stream()
                        .anyMatch(other -> other.role() == ProxyConfig.Role.DECODE
                                && other.model().equals(pool.model())
                                && other.kv().group().equals(pool.kv().group()));
                if (!feeds) {
                    wrong(KeyPath.of("pools", name), "no pool with role decode and kv.group '" + pool.kv().group()
                            + "' serves model '" + pool.model() + "', so nothing uses what this pool computes; add one, or"
                            + " remove this pool");
                }
            }
            case DECODE -> {
                for (String key : List.of("connector", "without-prefill")) {
                    if (file.gives(path.child(key))) {
                        wrong(path.child(key), "means nothing in a pool that does not prefill; give it to the prefill pools");
                    }
                }
            }
            case RENDER -> throw new IllegalArgumentException("it hands nothing over");
            case BOTH -> {
                if (file.gives(path)) {
                    wrong(path, "means nothing in a pool whose role is both: its servers compute their prompts; remove it");
                }
            }
        }
    }

    private void tls() {
        config.server().tls().ifPresent(tls -> {
            KeyPath path = KeyPath.of("server", "tls");
            if (tls.clientAuth() != ProxyConfig.ClientAuth.NONE && tls.clientCa().isEmpty()) {
                wrong(path.child("client-auth"), "certificates of clients are compared with those of their issuers; give "
                        + path.child("client-ca"));
            }
            if (tls.clientAuth() == ProxyConfig.ClientAuth.NONE && tls.clientCa().isPresent()) {
                wrong(path.child("client-ca"), "nothing asks clients for a certificate; give " + path.child("client-auth")
                        + " (optional or required), or remove this key");
            }
        });
        config.admin().ifPresent(admin -> {
            if (admin.port() != 0 && admin.port() == config.server().port()) {
                wrong(KeyPath.of("admin", "port"), "is the port of the clients (server.port); give another one");
            }
        });
    }

    private void doors() {
        config.doors().happyVllmPrefix().ifPresent(prefix -> {
            if (!PREFIX.matcher(prefix).matches()) {
                wrong(KeyPath.of("doors", "happy-vllm-prefix"), "'" + prefix
                        + "' must be the start of a path: '/', then letters, digits, '-', '_', '.', without '/' at the end");
            }
        });
    }

    private void wrong(KeyPath path, String text) {
        problems.add(file.problem(path, text));
    }
}
