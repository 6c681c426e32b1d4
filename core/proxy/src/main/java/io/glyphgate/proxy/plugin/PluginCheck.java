package io.glyphgate.proxy.plugin;

import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.KeyPath;
import io.glyphgate.proxy.config.Nearest;
import io.glyphgate.proxy.config.Problem;
import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.format.ResponseTemplate;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.EndpointDiscoveryProvider;
import io.glyphgate.spi.KvConnectorProvider;
import io.glyphgate.spi.PoolPolicyProvider;
import io.glyphgate.spi.Provider;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Finds what a configuration asks of plugins and does not get. */
public final class PluginCheck {
    private final ConfigFile file;
    private final Registry registry;
    private final List<Problem> problems = new ArrayList<>();

    private PluginCheck(ConfigFile file, Registry registry) {
        this.file = file;
        this.registry = registry;
    }

    /**
     * All that is wrong: names that no plugin brings, options that a policy refuses, preferences that settle nothing.
     * Tokenizers are not loaded; see {@link #unreadable}.
     */
    public static List<Problem> problems(ConfigFile file, Registry registry) {
        PluginCheck check = new PluginCheck(file, registry);
        check.problems.addAll(clashes(file, registry));
        file.config().models().forEach(check::model);
        file.config().pools().forEach(check::pool);
        file.config().plugins().prefer().forEach(check::preference);
        return check.problems;
    }

    /** The parsers that the configuration describes under a name that a plugin's parser of the same kind has. */
    public static List<Problem> clashes(ConfigFile file, Registry registry) {
        List<Problem> problems = new ArrayList<>();
        for (Plugin.Extension parser : registry.described()) {
            registry.folderOf(parser.kind(), parser.name()).ifPresent(folder -> problems.add(file.problem(
                    KeyPath.of("parsers", parser.name()),
                    "the plugin folder '" + folder + "' brings a " + parser.kind().label() + " '" + parser.name()
                            + "' already; give this one another name")));
        }
        return problems;
    }

    /**
     * Says that the tokenizer of a model does not load.
     *
     * @param file the configuration
     * @param model the model
     * @param fault what its provider threw
     */
    public static Problem unreadable(ConfigFile file, String model, IOException fault) {
        KeyPath key = KeyPath.of("models", model, "tokenizer", "source");
        String source = Optional.ofNullable(file.config().models().get(model))
                .flatMap(ProxyConfig.Model::tokenizer)
                .map(ProxyConfig.TokenizerSource::source)
                .orElseThrow(() -> new IllegalArgumentException("the model '" + model + "' names no tokenizer"));
        return file.problem(key, "the tokenizer '" + source + "' cannot be loaded: " + fault.getMessage());
    }

    private void model(String name, ProxyConfig.Model model) {
        KeyPath path = KeyPath.of("models", name);
        model.reasoningParser().ifPresent(parser ->
                parser(path.child("reasoning-parser"), PluginKind.REASONING_PARSER, parser, model));
        model.toolParser().ifPresent(parser ->
                parser(path.child("tool-parser"), PluginKind.TOOL_PARSER, parser, model));
        model.parser()
                .filter(parser -> registry.described(parser).isEmpty())
                .ifPresent(parser -> parser(path.child("parser"), PluginKind.PARSER, parser, model));
        model.tokenizer().ifPresent(tokenizer ->
                known(path.child("tokenizer").child("provider"), PluginKind.TOKENIZER, tokenizer.provider()));
    }

    private void parser(KeyPath path, PluginKind kind, String name, ProxyConfig.Model model) {
        if (!name.equals(ResponseTemplate.NAME)) {
            known(path, kind, name);
        } else if (model.tokenizer().isEmpty()) {
            problems.add(file.problem(path, "'hf' is what the response_template of the model's tokenizer describes; give "
                    + "tokenizer.source, or name another parser"));
        }
    }

    private void pool(String name, ProxyConfig.Pool pool) {
        KeyPath path = KeyPath.of("pools", name);
        ProxyConfig.Policy policy = pool.policy();
        made(path.child("policy"), PoolPolicyProvider.class, policy.name(), plugin -> plugin.create(policy.options()));
        pool.discovery().ifPresent(discovery -> made(
                path.child("discovery"), EndpointDiscoveryProvider.class, discovery.name(), plugin ->
                        plugin.create(DiscoveryContext.of(file, name, discovery))));
        if (pool.role() == ProxyConfig.Role.PREFILL) {
            ProxyConfig.Connector connector = pool.kv().connector();
            made(path.child("kv").child("connector"), KvConnectorProvider.class, connector.name(), plugin ->
                    plugin.create(connector.options()));
        }
    }

    /** Tries to make what a pool needs with the options that it gives. */
    private <P extends Provider> void made(KeyPath path, Class<P> type, String name, Function<P, ?> maker) {
        PluginKind kind = PluginKind.of(type);
        if (!known(path, kind, name)) {
            return;
        }
        P provider = registry.find(type, name).orElseThrow();
        try {
            Registry.withLoaderOf(provider, () -> maker.apply(provider));
        } catch (IllegalArgumentException e) {
            problems.add(file.problem(
                    path, "the " + kind.label() + " '" + name + "' refuses its options: " + e.getMessage()));
        } catch (RuntimeException | LinkageError e) {
            problems.add(
                    file.problem(path, "the " + kind.label() + " '" + name + "' fails with these options: " + e));
        }
    }

    private void preference(String label, Map<String, String> folders) {
        KeyPath path = KeyPath.of("plugins", "prefer", label);
        Optional<PluginKind> kind = PluginKind.labelled(label);
        if (kind.isEmpty()) {
            problems.add(file.problem(path, "there is no such kind of plugin; "
                    + Nearest.hint(label, PluginKind.labels())));
            return;
        }
        folders.forEach((name, folder) -> {
            Optional<String> actual = registry.folderOf(kind.get(), name);
            if (!actual.equals(Optional.of(folder))) {
                String brought = actual.map(other -> "'" + other + "' alone brings it; remove this key")
                        .orElse("no plugin brings it; " + Nearest.hint(name, registry.names(kind.get().type())));
                problems.add(file.problem(path.child(name), "the plugin folder '" + folder + "' does not bring the "
                        + label + " '" + name + "': " + brought + reasons()));
            }
        });
    }

    private boolean known(KeyPath path, PluginKind kind, String name) {
        if (registry.names(kind.type()).contains(name)) {
            return true;
        }
        if (!registry.described(name).isEmpty()) {
            problems.add(file.problem(path, "the entry parsers." + name + " describes no " + kind.label()
                    + "; add what is missing to it, or name another"));
            return false;
        }
        String help = combined(kind, name)
                .map(parser -> "a combined parser does its work and that of the other kind; write parser: " + parser
                        + " instead of reasoning-parser and tool-parser")
                .orElseGet(() -> UnbuiltParsers.hint(kind, name, registry.names(kind.type())) + reasons());
        problems.add(file.problem(path, "no plugin brings the " + kind.label() + " '" + name + "'; " + help));
        return false;
    }

    /** The combined parser that stands for what vLLM calls a reasoning parser or a tool parser of this name. */
    private Optional<String> combined(PluginKind kind, String name) {
        return kind == PluginKind.REASONING_PARSER || kind == PluginKind.TOOL_PARSER
                ? registry.find(CombinedParserProvider.class, name).map(CombinedParserProvider::name)
                : Optional.empty();
    }

    /** The plugins that might have brought what is missing. */
    private String reasons() {
        return registry.skipped().stream()
                .map(plugin -> "; skipped: " + plugin.reason())
                .collect(Collectors.joining());
    }
}
