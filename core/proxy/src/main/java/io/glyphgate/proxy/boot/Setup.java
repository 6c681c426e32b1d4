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
import io.glyphgate.proxy.plugin.PluginCheck;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.KvConnectorProvider;
import io.glyphgate.spi.PoolPolicyProvider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a configuration leads to, all of it checked: plugins, tokenizers, models, pools. */
final class Setup implements AutoCloseable {
    private final ConfigFile file;
    private final Registry registry;
    private final List<ServedModel> models = new ArrayList<>();
    private final Router router;
    private final Optional<CaptureFolder> captures;

    private Setup(ConfigFile file, Registry plugins) {
        this.file = file;
        registry = plugins.with(DescribedParsers.of(file));
        List<Problem> problems = new ArrayList<>(PluginCheck.problems(file, registry));
        if (problems.isEmpty()) {
            file.config().models().forEach((name, model) -> models.add(model(name, model, problems)));
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        List<Pool> pools = new ArrayList<>();
        file.config().pools().forEach((name, pool) -> pools.add(pool(name, pool)));
        router = new Router(models, pools, file.config().routing().prefer());
        captures = file.config().capture().folder().map(this::captures);
    }

    private CaptureFolder captures(Path folder) {
        ProxyConfig.Capture capture = file.config().capture();
        Path place = file.path().toAbsolutePath().resolveSibling(folder).normalize();
        try {
            return CaptureFolder.open(place, capture.maxFiles(), capture.maxSize().bytes());
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
        return of(file, plugins(file));
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
        try {
            return new Setup(file, registry);
        } catch (RuntimeException e) {
            registry.close();
            throw e;
        }
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
                tokenizer = Registry.withLoaderOf(provider, () -> provider.load(place, source.options()));
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
        return new ServedModel(name, config, tokenizer, parsers);
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
        return new Pool(name, config, Registry.withLoaderOf(provider, () -> provider.create(options)), connector(config));
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

    @Override
    public void close() {
        captures.ifPresent(CaptureFolder::close);
        for (ServedModel model : models) {
            if (model.tokenizer() != null) {
                model.tokenizer().close();
            }
        }
        registry.close();
    }
}
