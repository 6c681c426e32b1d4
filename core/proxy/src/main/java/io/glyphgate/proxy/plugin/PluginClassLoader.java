package io.glyphgate.proxy.plugin;

import io.glyphgate.spi.Provider;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Enumeration;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a plugin to itself: it sees the JDK, the SPI, and its own jars. Nothing else of the program reaches it, so its
 * libraries may be of any version. The SPI always comes from the program, even where a plugin's folder holds a copy.
 */
final class PluginClassLoader extends URLClassLoader {
    private static final String SPI_CLASSES = Provider.class.getPackageName() + ".";
    private static final String SPI_RESOURCES = SPI_CLASSES.replace('.', '/');
    private static final ClassLoader HOST = Provider.class.getClassLoader();

    static {
        ClassLoader.registerAsParallelCapable();
    }

    PluginClassLoader(String folder, URL[] jars) {
        super("plugin-" + folder, jars, ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        return name.startsWith(SPI_CLASSES) ? HOST.loadClass(name) : super.loadClass(name, resolve);
    }

    @Override
    public @Nullable URL getResource(String name) {
        return name.startsWith(SPI_RESOURCES) ? HOST.getResource(name) : super.getResource(name);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        return name.startsWith(SPI_RESOURCES) ? HOST.getResources(name) : super.getResources(name);
    }
}
