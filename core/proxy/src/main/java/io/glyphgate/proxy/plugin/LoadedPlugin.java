package io.glyphgate.proxy.plugin;

/**
 * A plugin folder that is loaded.
 *
 * @param folder what lay in it when it was loaded
 * @param loader its class loader
 * @param found what it brings
 */
record LoadedPlugin(PluginFolder folder, PluginClassLoader loader, Discovery.Found found) {
    /** What a registry tells of it. */
    Plugin plugin() {
        return new Plugin(folder.name(), folder.version(), folder.spiVersion(), found.extensions());
    }
}
