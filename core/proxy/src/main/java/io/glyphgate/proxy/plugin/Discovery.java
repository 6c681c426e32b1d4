package io.glyphgate.proxy.plugin;

import io.glyphgate.spi.Provider;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the providers of one plugin and lets each pass the self-check. All of a plugin works, or none is used. */
final class Discovery {
    /** Where to stop looking: a loader that fails again and again may never come to an end. */
    private static final int MOST_FAULTS = 100;

    private final ClassLoader loader;
    private final List<String> faults = new ArrayList<>();
    private final Map<PluginKind, List<Provider>> providers = new EnumMap<>(PluginKind.class);
    private final List<Plugin.Extension> extensions = new ArrayList<>();

    private Discovery(ClassLoader loader) {
        this.loader = loader;
    }

    /**
     * A plugin that works.
     *
     * @param extensions what it brings
     * @param providers its providers by kind, in the order in which they were found; each kind is there
     */
    record Found(List<Plugin.Extension> extensions, Map<PluginKind, List<Provider>> providers) {}

    /**
     * Looks for the providers of a plugin.
     *
     * @param place what messages call it
     * @param loader its class loader
     * @throws PluginException if there are none, or something is wrong with one
     */
    static Found in(String place, ClassLoader loader) {
        Discovery discovery = new Discovery(loader);
        for (PluginKind kind : PluginKind.values()) {
            discovery.find(kind);
        }
        if (discovery.faults.isEmpty() && discovery.extensions.isEmpty()) {
            discovery.faults.add("brings nothing: no jar in it has a file META-INF/services/io.glyphgate.spi.XProvider "
                    + "that names a class");
        }
        if (!discovery.faults.isEmpty()) {
            throw new PluginException(
                    discovery.faults.stream().map(fault -> place + ": " + fault).toList());
        }
        return new Found(List.copyOf(discovery.extensions), discovery.providers);
    }

    private void find(PluginKind kind) {
        List<Provider> found = new ArrayList<>();
        Set<String> taken = new TreeSet<>();
        providers.put(kind, found);
        Iterator<? extends Provider> iterator =
                ServiceLoader.load(kind.type(), loader).iterator();
        while (faults.size() < MOST_FAULTS) {
            Provider provider;
            try {
                if (!iterator.hasNext()) {
                    break;
                }
                provider = iterator.next();
            } catch (ServiceConfigurationError e) {
                Throwable cause = e.getCause();
                faults.add("its service file for the kind " + kind.label() + " does not work: " + e.getMessage()
                        + (cause == null ? "" : " (" + named(cause) + ")"));
                continue;
            } catch (LinkageError e) {
                faults.add(told("a " + kind.label(), e));
                continue;
            }
            found.add(provider);
            Plugin.Extension extension = check(kind, provider);
            if (extension != null) {
                extensions.add(extension);
                extension.names().filter(name -> !taken.add(name)).forEach(name -> faults.add(
                        "brings two of the kind " + kind.label() + " called '" + name + "'; rename one"));
            }
        }
    }

    /** Uses a provider once; null, and a fault, if it fails. */
    private Plugin.@Nullable Extension check(PluginKind kind, Provider provider) {
        String what = "the " + kind.label() + " " + provider.getClass().getName();
        try {
            return Registry.withLoaderOf(provider, () -> {
                SelfCheck.run(kind, provider);
                return new Plugin.Extension(kind, provider.name(), new TreeSet<>(provider.aliases()));
            });
        } catch (SelfCheck.Failure e) {
            faults.add(what + " fails its self-check: " + e.getMessage());
        } catch (RuntimeException e) {
            faults.add(what + " fails its self-check: " + named(e));
        } catch (LinkageError e) {
            faults.add(told(what, e));
        } catch (StackOverflowError | AssertionError e) {
            faults.add(what + " fails its self-check: " + named(e));
        }
        return null;
    }

    private static String told(String what, LinkageError fault) {
        return switch (fault) {
            case NoClassDefFoundError missing -> what + " needs a class that is not there (" + named(missing)
                    + "); put the jar that holds it into the folder";
            case ExceptionInInitializerError failed when failed.getCause() != null ->
                what + " fails while its classes are set up: " + named(failed.getCause());
            default -> what + " does not fit the classes it finds (" + named(fault)
                    + "); compile the plugin with the jars that it runs with";
        };
    }

    private static String named(Throwable fault) {
        return fault.getClass().getSimpleName() + ": " + fault.getMessage();
    }
}
