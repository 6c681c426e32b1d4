package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.config.ConfigException;
import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.KeyPath;
import io.glyphgate.proxy.config.Problem;
import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.format.DescribedParsers;
import io.glyphgate.proxy.format.ResponseTemplate;
import io.glyphgate.proxy.observe.CaptureFolder;
import io.glyphgate.proxy.plugin.DiscoveryContext;
import io.glyphgate.proxy.plugin.PluginCheck;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.pool.Discovering;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.render.Renderer;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.secure.Secrets;
import io.glyphgate.proxy.wire.JsonValue;
import io.glyphgate.spi.ChatTemplate.ContentFormat;
import io.glyphgate.spi.ChatTemplateException;
import io.glyphgate.spi.ChatTemplateProvider;
import io.glyphgate.spi.EndpointDiscoveryProvider;
import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.KvConnectorProvider;
import io.glyphgate.spi.PoolPolicyProvider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a configuration leads to, all of it checked: plugins, tokenizers, models, pools. */
final class Setup implements AutoCloseable {
    /** The plugin that compiles chat templates. */
    private static final String ENGINE = "jinja";

    private final ConfigFile file;
    private final Stock stock;
    private final Registry registry;
    private final List<ServedModel> models = new ArrayList<>();
    private final List<Discovering> discoveries = new ArrayList<>();
    private final Router router;
    private final Optional<CaptureFolder> captures;
    private final Secrets secrets;
    /** Lets go of what was taken from the stock. */
    private final List<Runnable> taken;

    private volatile WarmUp warmUp = WarmUp.none();

    private Setup(ConfigFile file, Stock stock, Registry plugins, List<Runnable> taken) {
        this.file = file;
        this.stock = stock;
        this.taken = taken;
        registry = plugins.with(DescribedParsers.of(file));
        List<Problem> problems = new ArrayList<>(PluginCheck.problems(file, registry));
        secrets = Secrets.read(file, problems);
        if (problems.isEmpty()) {
            file.config().models().forEach((name, model) -> models.add(model(name, model, problems)));
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        List<Pool> pools = new ArrayList<>();
        file.config().pools().forEach((name, pool) -> pools.add(pool(name, pool)));
        pools.forEach(pool -> pool.config().discovery().ifPresent(found -> discoveries.add(discovering(pool, found))));
        router = new Router(models, pools, file.config().routing().prefer());
        captures = file.config().capture().folder().map(this::captures);
    }

    private CaptureFolder captures(Path folder) {
        ProxyConfig.Capture capture = file.config().capture();
        Path place = file.path().toAbsolutePath().resolveSibling(folder).normalize();
        try {
            CaptureFolder opened = stock.captures()
                    .take(place, () -> CaptureFolder.open(
                            place, capture.maxFiles(), capture.maxSize().bytes(), stock.captured()));
            taken.add(() -> stock.captures().release(place));
            return opened;
        } catch (IOException e) {
            throw new ConfigException(List.of(file.problem(
                    KeyPath.of("capture", "folder"),
                    "no file can be written to '" + place + "' (" + e + "); make the folder and let the proxy write to it, or remove the key")));
        }
    }

    /**
     * Builds what a configuration asks for.
     *
     * @throws ConfigException if it cannot be had; the message has a line for each reason
     */
    static Setup of(ConfigFile file) {
        return of(file, new Stock());
    }

    /** Loads the plugins that a configuration names. */
    static Registry plugins(ConfigFile file) {
        ProxyConfig.Plugins plugins = file.config().plugins();
        return Registry.load(pluginsFolder(file), plugins.onFailure(), plugins.prefer());
    }

    /** The folder of the plugins that a configuration names. */
    static Path pluginsFolder(ConfigFile file) {
        return Installation.home().resolve(file.config().plugins().path());
    }

    /** Builds what a configuration asks for of plugins that are loaded; they are closed with it. */
    static Setup of(ConfigFile file, Registry registry) {
        return of(file, new Stock(registry, Clock.system(ZoneId.systemDefault())));
    }

    /** Builds what a configuration asks for, and uses what other setups of the stock have built already. */
    static Setup of(ConfigFile file, Stock stock) {
        List<Runnable> taken = new ArrayList<>();
        Registry plugins = stock.plugins(file);
        taken.add(plugins::close);
        try {
            return new Setup(file, stock, plugins, taken);
        } catch (RuntimeException | LinkageError e) {
            letGo(taken);
            throw e;
        }
    }

    /** What another configuration leads to in place of this one; what has not changed is taken over. */
    Setup next(ConfigFile changed) {
        return of(changed, stock);
    }

    /** Makes this one's settings those of what it shares with others. */
    void takeEffect() {
        stock.inForce(router.pools());
        ProxyConfig.Capture capture = file.config().capture();
        captures.ifPresent(folder -> folder.limit(capture.maxFiles(), capture.maxSize().bytes()));
    }

    /** Begins to make the first prompts of all models whose prompts are made here. */
    WarmUp warmUp() {
        warmUp = WarmUp.start(
                config().doors(),
                router.models().stream().filter(model -> router.renderServers(model).isEmpty()).toList());
        return warmUp;
    }

    /** Whether no first prompt is being made. */
    boolean isWarm() {
        return warmUp.over();
    }

    Stock stock() {
        return stock;
    }

    ConfigFile file() {
        return file;
    }

    ProxyConfig config() {
        return file.config();
    }

    Optional<CaptureFolder> captures() {
        return captures;
    }

    /** The keys and certificates that the configuration names. */
    Secrets secrets() {
        return secrets;
    }

    Registry registry() {
        return registry;
    }

    Router router() {
        return router;
    }

    private ServedModel model(String name, ProxyConfig.Model config, List<Problem> problems) {
        @Nullable Tokenizer tokenizer = null;
        if (config.tokenizer().isPresent()) {
            ProxyConfig.TokenizerSource source = config.tokenizer().get();
            TokenizerProvider provider = registry.find(TokenizerProvider.class, source.provider()).orElseThrow();
            try {
                URI place = file.locate(source.source());
                tokenizer = tokenizer(provider, place, source.options());
            } catch (IOException e) {
                problems.add(PluginCheck.unreadable(file, name, e));
            } catch (URISyntaxException e) {
                problems.add(file.problem(KeyPath.of("models", name, "tokenizer", "source"), String.valueOf(e.getMessage())));
            }
        }
        OutputPlan.Parsers parsers = OutputPlan.Parsers.NONE;
        try {
            parsers = OutputPlan.Parsers.of(
                    registryFor(config), config.parser(), config.reasoningParser(), config.toolParser());
        } catch (IOException e) {
            problems.add(file.problem(
                    KeyPath.of("models", name, "tokenizer", "source"), String.valueOf(e.getMessage())));
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the configuration was checked", e);
        }
        return new ServedModel(
                name,
                config,
                tokenizer,
                parsers,
                SamplingDefaults.of(file, name, config, problems),
                renderer(name, config, tokenizer, problems));
    }

    private Tokenizer tokenizer(TokenizerProvider provider, URI place, Map<String, String> options) throws IOException {
        Stock.TokenizerKey key =
                new Stock.TokenizerKey(provider, place, options, ConfigFiles.tokenizerStamp(place));
        Tokenizer tokenizer = stock.tokenizers()
                .take(key, () -> Registry.withLoaderOf(provider, () -> provider.load(place, options)));
        taken.add(() -> stock.tokenizers().release(key));
        return tokenizer;
    }

    private @Nullable Renderer renderer(
            String name, ProxyConfig.Model config, @Nullable Tokenizer tokenizer, List<Problem> problems) {
        Optional<ChatTemplateProvider> engine = registry.find(ChatTemplateProvider.class, ENGINE);
        ProxyConfig.ChatTemplate template = config.chatTemplate();
        if (engine.isEmpty()) {
            template.source().ifPresent(source -> problems.add(file.problem(
                    KeyPath.of("models", name, "chat-template", "source"),
                    "no plugin compiles chat templates; add the plugin chat-template-jinja, or remove the key")));
            return null;
        }
        String server = serverTemplate(name, template, engine.get(), problems);
        if (tokenizer == null) {
            return null;
        }
        Map<String, @Nullable Object> defaults = new LinkedHashMap<>();
        template.defaultArguments().forEach((argument, value) -> defaults.put(argument, JsonValue.orText(value)));
        Optional<ContentFormat> format = switch (template.contentFormat()) {
            case AUTO -> Optional.empty();
            case STRING -> Optional.of(ContentFormat.STRING);
            case OPENAI -> Optional.of(ContentFormat.OPENAI);
        };
        return new Renderer(
                engine.get(), tokenizer.settings(), server, format, defaults, stock.clock());
    }

    /** The operator's template; it is compiled once here, so that a wrong one stops the start. */
    private @Nullable String serverTemplate(
            String name, ProxyConfig.ChatTemplate template, ChatTemplateProvider engine, List<Problem> problems) {
        if (template.source().isEmpty()) {
            return null;
        }
        KeyPath key = KeyPath.of("models", name, "chat-template", "source");
        try {
            String source = Files.readString(Path.of(file.locate(template.source().get())));
            engine.compile(source);
            return source;
        } catch (IOException | IllegalArgumentException | FileSystemNotFoundException | URISyntaxException e) {
            problems.add(file.problem(key, "the chat template '" + template.source().get() + "' cannot be read: " + e));
        } catch (ChatTemplateException e) {
            problems.add(file.problem(key, "the chat template '" + template.source().get() + "' is wrong: " + e.getMessage()));
        }
        return null;
    }

    /** The registry, with the parsers that the tokenizer of a model describes if the model wants them. */
    private Registry registryFor(ProxyConfig.Model model) throws IOException, URISyntaxException {
        boolean reasoning = model.reasoningParser().filter(ResponseTemplate.NAME::equals).isPresent();
        boolean tools = model.toolParser().filter(ResponseTemplate.NAME::equals).isPresent();
        boolean both = model.parser().filter(ResponseTemplate.NAME::equals).isPresent();
        if (model.tokenizer().isEmpty() || !(reasoning || tools || both)) {
            return registry;
        }
        URI place = file.locate(model.tokenizer().get().source());
        if (!"file".equals(place.getScheme())) {
            throw new IOException("the parser 'hf' reads the response_template of a tokenizer on this machine; give a "
                    + "path, or name another parser");
        }
        return registry.with(ResponseTemplate.parsers(Path.of(place), reasoning, tools));
    }

    private Pool pool(String name, ProxyConfig.Pool config) {
        PoolPolicyProvider provider =
                registry.find(PoolPolicyProvider.class, config.policy().name()).orElseThrow();
        Map<String, String> options = config.policy().options();
        return new Pool(
                name,
                config,
                Registry.withLoaderOf(provider, () -> provider.create(options)),
                connector(config),
                secrets.access(name),
                stock.known(name));
    }

    private Discovering discovering(Pool pool, ProxyConfig.Discovery config) {
        EndpointDiscoveryProvider provider =
                registry.find(EndpointDiscoveryProvider.class, config.name()).orElseThrow();
        return new Discovering(
                pool,
                config.name(),
                Registry.withLoaderOf(provider, () -> provider.create(DiscoveryContext.of(file, pool.name(), config))));
    }

    /** Starts to look for the servers of the pools that have a discovery. */
    void discover() {
        for (Discovering discovery : discoveries) {
            String name = discovery.pool().config().discovery().orElseThrow().name();
            Registry.withLoaderOf(registry.find(EndpointDiscoveryProvider.class, name).orElseThrow(), () -> {
                discovery.start();
                return true;
            });
        }
    }

    /** What looks for the servers of the pools that have a discovery. */
    List<Discovering> discoveries() {
        return List.copyOf(discoveries);
    }

    /** Ends the looking. */
    void discoverNoMore() {
        discoveries.forEach(Discovering::close);
    }

    private Optional<KvConnector> connector(ProxyConfig.Pool pool) {
        if (pool.role() != ProxyConfig.Role.PREFILL) {
            return Optional.empty();
        }
        ProxyConfig.Connector chosen = pool.kv().connector();
        KvConnectorProvider provider =
                registry.find(KvConnectorProvider.class, chosen.name()).orElseThrow();
        return Optional.of(Registry.withLoaderOf(provider, () -> provider.create(chosen.options())));
    }

    private static void letGo(List<Runnable> taken) {
        taken.reversed().forEach(Runnable::run);
        taken.clear();
    }

    @Override
    public void close() {
        discoverNoMore();
        warmUp.await();
        letGo(taken);
    }
}
