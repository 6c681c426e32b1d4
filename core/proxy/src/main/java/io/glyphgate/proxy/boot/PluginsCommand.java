package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ProxyConfig.OnFailure;
import io.glyphgate.proxy.plugin.Plugin;
import io.glyphgate.proxy.plugin.Registry;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lists the plugins. */
@Command(
        name = "plugins",
        description = "List the plugins: what is loaded and from where, what was skipped and why.",
        mixinStandardHelpOptions = true)
final class PluginsCommand implements Callable<Integer> {
    @Option(names = "--path", paramLabel = "FOLDER", description = "The folder of the plugins; the installation's by default.")
    private Optional<Path> path = Optional.empty();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        Path folder = path.orElse(Installation.home().resolve("plugins"));
        PrintWriter out = spec.commandLine().getOut();
        try (Registry registry = Registry.load(folder, OnFailure.SKIP, Map.of())) {
            for (Plugin plugin : registry.plugins()) {
                out.println(plugin.folder() + " " + plugin.version() + " (SPI " + plugin.spiVersion() + ") from "
                        + folder.resolve(plugin.folder()));
                for (Plugin.Extension extension : plugin.extensions()) {
                    out.println("  " + extension.kind().label() + " " + extension.name()
                            + (extension.aliases().isEmpty() ? "" : " (also " + String.join(", ", extension.aliases()) + ")"));
                }
            }
            for (Plugin.Skipped skipped : registry.skipped()) {
                out.println("SKIPPED " + skipped.folder() + ": " + skipped.reason());
            }
            return registry.skipped().isEmpty() ? 0 : Main.FAILED;
        }
    }
}
