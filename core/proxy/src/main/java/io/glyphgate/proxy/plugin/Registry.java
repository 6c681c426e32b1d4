package io.glyphgate.proxy.plugin;

import io.glyphgate.proxy.config.FileStamp;
import io.glyphgate.proxy.config.ProxyConfig.OnFailure;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.Provider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The providers of all plugins, by kind and name. A plugin is a folder of jars with a class loader of its own, and is
 * used only if all of it loads and passes a self-check.
 */
public final class Registry implements AutoCloseable {
    /** A call that may fail in its own way. */
    @FunctionalInterface
    public interface Call<T, X extends Exception> {
        /** Makes the call. */
        T run() throws X;
    }

    /** A provider and the folder it came from. */
    private record Owned(String folder, Provider provider) {}

    /** A plugin and its providers. */
    private record Loaded(Plugin plugin, Map<PluginKind, List<Provider>> providers) {}

    /**
     * The folders that registries of one load use.
     *
     * @param plugins where they are loaded
     * @param own whether nobody else loads plugins there
     * @param taken those that are not given back yet
     */
    private record Holdings(LoadedPlugins plugins, boolean own, List<LoadedPlugin> taken) {}

    private static final Logger LOG = System.getLogger(Registry.class.getName());
    private static final String CLASS_PATH = "class path";
    private static final String CONFIGURATION = "the configuration";

    private final List<Plugin> plugins = new ArrayList<>();
    private final List<Plugin.Skipped> skipped = new ArrayList<>();
    private final List<Plugin.Extension> described = new ArrayList<>();
    private final List<String> stale = new ArrayList<>();
    private final Holdings holdings;
    private final Map<PluginKind, Map<String, Owned>> byName = new EnumMap<>(PluginKind.class);

    private Registry(Holdings holdings) {
        this.holdings = holdings;
        for (PluginKind kind : PluginKind.values()) {
            byName.put(kind, new TreeMap<>());
        }
    }

    /**
     * Loads all plugins.
     *
     * <p>What only an operator can decide is an error whatever {@code onFailure} says: two plugins that bring the same
     * name without a preference for one, and two that hold the native tokenizer library.
     *
     * @param pluginsFolder the folder that holds one folder per plugin; names that start with a dot are passed over
     * @param onFailure whether a plugin that does not load is an error, or is skipped and listed as skipped
     * @param prefer which folder wins where two bring the same name: kind, name, folder
     * @return the registry; close it to close the plugins' jars
     * @throws PluginException if plugins cannot be used; it tells all faults at once
     */
    public static Registry load(Path pluginsFolder, OnFailure onFailure, Map<String, Map<String, String>> prefer) {
        return load(pluginsFolder, onFailure, prefer, new Holdings(new LoadedPlugins(), true, new ArrayList<>()));
    }

    /**
     * As {@link #load(Path, OnFailure, Map)}, but what is loaded already and has not changed is used again.
     *
     * @param loaded what is loaded; it must be closed after this registry
     */
    public static Registry load(
            Path pluginsFolder, OnFailure onFailure, Map<String, Map<String, String>> prefer, LoadedPlugins loaded) {
        return load(pluginsFolder, onFailure, prefer, new Holdings(loaded, false, new ArrayList<>()));
    }

    private static Registry load(
            Path pluginsFolder, OnFailure onFailure, Map<String, Map<String, String>> prefer, Holdings holdings) {
        Registry registry = new Registry(holdings);
        try {
            registry.loadAll(pluginsFolder, onFailure, prefer);
        } catch (RuntimeException e) {
            registry.close();
            throw e;
        }
        return registry;
    }

    /**
     * The providers that a class loader sees, for tests and for programs that embed the proxy.
     *
     * @throws PluginException if one of them does not load
     */
    public static Registry of(ClassLoader loader) {
        Registry registry = new Registry(new Holdings(new LoadedPlugins(), true, new ArrayList<>()));
        Discovery.Found found = Discovery.in(CLASS_PATH, loader);
        Plugin plugin = new Plugin(CLASS_PATH, Plugin.UNKNOWN, Plugin.UNKNOWN, found.extensions());
        // Within one plugin no name is claimed twice, which Discovery has seen to, so no fault can come.
        registry.join(List.of(new Loaded(plugin, found.providers())), Map.of(), new ArrayList<>());
        return registry;
    }

    /**
     * Calls a provider in a way that lets it load classes: with the thread's context class loader set to the plugin's
     * own, where libraries look for theirs. Meant for {@code create}, {@code load} and the like, not for each token.
     *
     * @param provider the provider
     * @param call what to call
     * @return what the call returned
     * @throws X what the call threw
     */
    public static <T extends @Nullable Object, X extends Exception> T withLoaderOf(Provider provider, Call<T, X> call)
            throws X {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(provider.getClass().getClassLoader());
        try {
            return call.run();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Finds a provider by its name or one of its aliases. */
    public <P extends Provider> Optional<P> find(Class<P> kind, String name) {
        return Optional.ofNullable(named(PluginKind.of(kind)).get(name)).map(owned -> kind.cast(owned.provider()));
    }

    /** The names of all providers of a kind, aliases included, sorted. */
    public Set<String> names(Class<? extends Provider> kind) {
        return new TreeSet<>(named(PluginKind.of(kind)).keySet());
    }

    /** The folder of the plugin that a name comes from; empty if no plugin brings it. */
    public Optional<String> folderOf(PluginKind kind, String name) {
        return Optional.ofNullable(named(kind).get(name)).map(Owned::folder).filter(folder -> !folder.equals(CONFIGURATION));
    }

    /** The plugins that are in use, by folder. */
    public List<Plugin> plugins() {
        return List.copyOf(plugins);
    }

    /** What changed on disk and cannot be loaded in place of what is loaded: sentences that name the folder. */
    public List<String> stale() {
        return List.copyOf(stale);
    }

    /** What tells a folder of plugins from what was there before: each plugin folder, with its jars. */
    public static Map<Path, String> stamps(Path pluginsFolder) {
        Map<Path, String> stamps = new TreeMap<>();
        try {
            entriesOf(pluginsFolder).forEach(entry -> stamps.put(
                    entry, Files.isDirectory(entry) ? PluginFolder.stamp(entry) : FileStamp.of(entry)));
        } catch (PluginException e) {
            stamps.put(pluginsFolder, String.valueOf(e.getMessage()));
        }
        return stamps;
    }

    /** The plugins that were left out, by folder. */
    public List<Plugin.Skipped> skipped() {
        return List.copyOf(skipped);
    }

    /**
     * All of this, and parsers that the configuration describes. What a plugin brings under such a name stays; {@link
     * PluginCheck} tells of it.
     *
     * @param parsers the parsers
     * @return a registry that stands for this one; to close either closes the plugins' jars
     */
    public Registry with(List<? extends ParserProvider> parsers) {
        Registry all = new Registry(holdings);
        all.plugins.addAll(plugins);
        all.skipped.addAll(skipped);
        all.stale.addAll(stale);
        all.described.addAll(described);
        byName.forEach((kind, names) -> all.named(kind).putAll(names));
        for (ParserProvider parser : parsers) {
            PluginKind kind = PluginKind.of(parser);
            all.described.add(new Plugin.Extension(kind, parser.name(), Set.of()));
            all.named(kind).putIfAbsent(parser.name(), new Owned(CONFIGURATION, parser));
        }
        return all;
    }

    /** The parsers that the configuration describes, in its order. */
    public List<Plugin.Extension> described() {
        return List.copyOf(described);
    }

    /** What the configuration describes under a name: the kinds of parsers. */
    public Set<PluginKind> described(String name) {
        return described.stream()
                .filter(parser -> parser.name().equals(name))
                .map(Plugin.Extension::kind)
                .collect(Collectors.toSet());
    }

    /** Closes the jars of all plugins that no other registry uses. Their providers must no longer be used. */
    @Override
    public void close() {
        List<IOException> faults = new ArrayList<>();
        for (LoadedPlugin plugin : List.copyOf(holdings.taken())) {
            IOException fault = holdings.plugins().release(plugin);
            if (fault != null) {
                faults.add(fault);
            }
        }
        holdings.taken().clear();
        if (holdings.own()) {
            holdings.plugins().close();
        }
        if (!faults.isEmpty()) {
            UncheckedIOException fault = new UncheckedIOException("plugins were not closed cleanly", faults.getFirst());
            faults.stream().skip(1).forEach(fault::addSuppressed);
            throw fault;
        }
    }

    private void loadAll(Path pluginsFolder, OnFailure onFailure, Map<String, Map<String, String>> prefer) {
        SpiVersion host = SpiVersion.ofHost();
        List<String> faults = new ArrayList<>();
        List<PluginFolder> folders = new ArrayList<>();
        for (Path entry : entriesOf(pluginsFolder)) {
            try {
                if (Files.isDirectory(entry)) {
                    folders.add(PluginFolder.scan(entry, host));
                } else if (entry.toString().endsWith(".jar")) {
                    throw new PluginException(List.of("the jar '" + entry.getFileName()
                            + "' lies beside the plugin folders; give it a folder of its own"));
                }
            } catch (PluginException e) {
                skip(entry.getFileName().toString(), e, faults);
            }
        }
        List<Loaded> loaded = new ArrayList<>();
        List<String> clashes = nativeTokenizersTwice(folders);
        for (PluginFolder folder : folders) {
            if (folder.hasNativeTokenizers() && !clashes.isEmpty()) {
                continue; // which one is to be loaded only an operator can say
            }
            try {
                LoadedPlugin plugin = holdings.plugins().take(folder);
                holdings.taken().add(plugin);
                loaded.add(new Loaded(plugin.plugin(), plugin.found().providers()));
                if (!plugin.folder().sameFiles(folder)) {
                    stale.add("plugin folder '" + folder.name() + "' holds native code and has changed; what was loaded goes on"
                            + " until the proxy is started again");
                }
            } catch (PluginException e) {
                skip(folder.name(), e, faults);
            }
        }
        List<String> refused = new ArrayList<>();
        switch (onFailure) {
            case FAIL -> refused.addAll(faults);
            case SKIP -> faults.forEach(fault -> LOG.log(Level.WARNING, "skipped: {0}", fault));
        }
        refused.addAll(clashes);
        join(loaded, prefer, refused);
        if (!refused.isEmpty()) {
            throw new PluginException(refused);
        }
    }

    private static List<Path> entriesOf(Path pluginsFolder) {
        try (Stream<Path> entries = Files.list(pluginsFolder)) {
            return entries.filter(entry -> !entry.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new PluginException(List.of("the plugins folder '" + pluginsFolder + "' cannot be read (" + e
                    + "); set plugins.path to the folder that holds the plugins"));
        }
    }

    /** A process can load one copy of a native library, whatever the class loader. */
    private static List<String> nativeTokenizersTwice(List<PluginFolder> folders) {
        List<String> holders = folders.stream()
                .filter(PluginFolder::hasNativeTokenizers)
                .map(folder -> "'" + folder.name() + "'")
                .toList();
        return holders.size() < 2
                ? List.of()
                : List.of("the plugin folders " + String.join(" and ", holders) + " each hold DJL's native tokenizer "
                        + "library, which a process can load only once; keep it in one of them (a parser gets its "
                        + "tokenizer from the proxy)");
    }

    private void skip(String folder, PluginException fault, List<String> faults) {
        skipped.add(new Plugin.Skipped(folder, String.join("; ", fault.faults())));
        faults.addAll(fault.faults());
    }

    /** Takes plugins into use; a name that two of them claim is a fault. */
    private void join(List<Loaded> loaded, Map<String, Map<String, String>> prefer, List<String> faults) {
        for (PluginKind kind : PluginKind.values()) {
            Map<String, List<Owned>> claims = new TreeMap<>();
            for (Loaded plugin : loaded) {
                for (Provider provider : plugin.providers().getOrDefault(kind, List.of())) {
                    Owned owned = new Owned(plugin.plugin().folder(), provider);
                    Stream.concat(Stream.of(provider.name()), provider.aliases().stream())
                            .forEach(name -> claims.computeIfAbsent(name, n -> new ArrayList<>()).add(owned));
                }
            }
            Map<String, String> preferred = prefer.getOrDefault(kind.label(), Map.of());
            claims.forEach((name, owners) -> settle(kind, name, owners, preferred.get(name), faults));
        }
        loaded.forEach(plugin -> plugins.add(plugin.plugin()));
    }

    private void settle(
            PluginKind kind, String name, List<Owned> owners, @Nullable String preferred, List<String> faults) {
        List<Owned> left = owners.size() == 1
                ? owners
                : owners.stream().filter(owned -> owned.folder().equals(preferred)).toList();
        if (left.size() == 1) {
            named(kind).put(name, left.getFirst());
            return;
        }
        String folders = owners.stream().map(owned -> "'" + owned.folder() + "'").collect(Collectors.joining(" and "));
        faults.add("the plugin folders %s each bring the %s '%s'; remove one, or set plugins.prefer: { %s: { %s: %s } }"
                .formatted(folders, kind.label(), name, kind.label(), name, owners.getFirst().folder()));
    }

    private Map<String, Owned> named(PluginKind kind) {
        Map<String, Owned> names = byName.get(kind);
        if (names == null) {
            throw new IllegalStateException("no names for " + kind);
        }
        return names;
    }
}
