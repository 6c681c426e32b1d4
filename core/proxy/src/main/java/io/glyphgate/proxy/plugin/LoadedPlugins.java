package io.glyphgate.proxy.plugin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The plugin folders that are loaded, for registries that come one after the other. What did not change on disk is not loaded
 * again, and is closed when the last registry that uses it is. A folder with native code is never loaded again and stays until
 * the end, because a process can load a native library in one class loader only.
 */
public final class LoadedPlugins implements AutoCloseable {
    private static final Logger LOG = System.getLogger(LoadedPlugins.class.getName());

    /** By the folder; what was loaded of it last. */
    private final Map<Path, LoadedPlugin> latest = new HashMap<>();

    private final IdentityHashMap<LoadedPlugin, Integer> holders = new IdentityHashMap<>();

    /**
     * A folder, loaded now or before; {@link #release} must follow.
     *
     * @throws PluginException if it does not work
     */
    synchronized LoadedPlugin take(PluginFolder folder) {
        LoadedPlugin plugin = latest.get(folder.path());
        if (plugin == null || !(plugin.folder().sameFiles(folder) || plugin.folder().hasNativeTokenizers())) {
            plugin = load(folder);
            latest.put(folder.path(), plugin);
        }
        holders.merge(plugin, 1, Integer::sum);
        return plugin;
    }

    private LoadedPlugin load(PluginFolder folder) {
        String place = "plugin folder '" + folder.name() + "'";
        if (folder.hasNativeTokenizers()) {
            nativeHolder().ifPresent(other -> {
                throw new PluginException(List.of(place + " holds DJL's native tokenizer library, which this process has"
                        + " loaded from '" + other.folder().path() + "' already; start the proxy again to use this one"));
            });
        }
        PluginClassLoader loader = folder.open();
        try {
            LoadedPlugin plugin = new LoadedPlugin(folder, loader, Discovery.in(place, loader));
            if (folder.spiVersion().equals(Plugin.UNKNOWN)) {
                LOG.log(Level.WARNING, "plugin folder ''{0}'' does not say in its manifest for which Spi-Version "
                        + "it was built; that it fits is not certain", folder.name());
            }
            return plugin;
        } catch (PluginException e) {
            close(loader).ifPresent(e::addSuppressed);
            throw e;
        }
    }

    private Optional<LoadedPlugin> nativeHolder() {
        return latest.values().stream().filter(plugin -> plugin.folder().hasNativeTokenizers()).findFirst();
    }

    /**
     * Says that a registry uses a plugin no more.
     *
     * @return why its jars could not be closed; null if they were, or need not be
     */
    synchronized @Nullable IOException release(LoadedPlugin plugin) {
        Integer left = holders.merge(plugin, -1, Integer::sum);
        if (left > 0) {
            return null;
        }
        holders.remove(plugin);
        if (plugin.folder().hasNativeTokenizers()) {
            return null;
        }
        latest.remove(plugin.folder().path(), plugin);
        return close(plugin.loader()).orElse(null);
    }

    private static Optional<IOException> close(PluginClassLoader loader) {
        try {
            loader.close();
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(e);
        }
    }

    /** Closes what is left. */
    @Override
    public synchronized void close() {
        List<IOException> faults = new ArrayList<>();
        latest.values().forEach(plugin -> close(plugin.loader()).ifPresent(faults::add));
        latest.clear();
        holders.clear();
        if (!faults.isEmpty()) {
            UncheckedIOException fault = new UncheckedIOException("plugins were not closed cleanly", faults.getFirst());
            faults.stream().skip(1).forEach(fault::addSuppressed);
            throw fault;
        }
    }
}
