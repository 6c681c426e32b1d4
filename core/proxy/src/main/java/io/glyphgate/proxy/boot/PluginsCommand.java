package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.ParserText;
import io.glyphgate.proxy.config.ProxyConfig.OnFailure;
import io.glyphgate.proxy.plugin.Plugin;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.ToolParserProvider;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lists the plugins, or writes a parser out. */
@Command(
        name = "plugins",
        description = "List the plugins: what is loaded and from where, what was skipped and why; and the parsers that "
                + "a configuration describes.",
        mixinStandardHelpOptions = true)
final class PluginsCommand implements Callable<Integer> {
    private static final List<Class<? extends ParserProvider>> PARSERS =
            List.of(ReasoningParserProvider.class, ToolParserProvider.class, CombinedParserProvider.class);

    @Option(
            names = "--path",
            paramLabel = "FOLDER",
            description = "The folder of the plugins; the installation's by default.")
    private Optional<Path> path = Optional.empty();

    @Mixin
    private ParsersOption config = new ParsersOption();

    @Option(
            names = "--describe",
            paramLabel = "NAME",
            description = "Write the parsers of this name as an entry of parsers in a configuration, to start from, and "
                    + "list nothing.")
    private Optional<String> describe = Optional.empty();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        Optional<ConfigFile> file = config.read();
        if (path.isPresent() && file.isPresent()) {
            throw new IllegalArgumentException(
                    "the configuration says where the plugins are; give --path or --config");
        }
        Path folder = path.or(() -> file.map(Setup::pluginsFolder))
                .orElseGet(() -> Installation.home().resolve("plugins"));
        PrintWriter out = spec.commandLine().getOut();
        try (Registry registry = file.map(ParsersOption::load)
                .orElseGet(() -> Registry.load(folder, OnFailure.SKIP, Map.of()))) {
            if (describe.isPresent()) {
                out.print(description(registry, describe.get()));
                out.flush();
                return 0;
            }
            for (Plugin plugin : registry.plugins()) {
                out.println(plugin.folder() + " " + plugin.version() + " (SPI " + plugin.spiVersion() + ") from "
                        + folder.resolve(plugin.folder()));
                list(plugin.extensions(), out);
            }
            file.ifPresent(described -> out.println("described in " + described.path()));
            list(registry.described(), out);
            for (Plugin.Skipped skipped : registry.skipped()) {
                out.println("SKIPPED " + skipped.folder() + ": " + skipped.reason());
            }
            return registry.skipped().isEmpty() ? 0 : Main.FAILED;
        }
    }

    private static void list(List<Plugin.Extension> extensions, PrintWriter out) {
        for (Plugin.Extension extension : extensions) {
            out.println("  " + extension.kind().label() + " " + extension.name()
                    + (extension.aliases().isEmpty() ? "" : " (also " + String.join(", ", extension.aliases()) + ")"));
        }
    }

    private static String description(Registry registry, String name) {
        List<? extends ParserProvider> parsers = PARSERS.stream()
                .flatMap(kind -> registry.find(kind, name).stream())
                .toList();
        if (parsers.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is no parser '" + name + "'; `glyphgate plugins` lists those that are");
        }
        Map<String, Object> description = new TreeMap<>();
        parsers.forEach(parser -> description.putAll(parser.description()));
        if (description.isEmpty()) {
            throw new IllegalArgumentException("the parser '" + name + "' is code of its plugin, not a description");
        }
        return ParserText.write(name, ParserText.read(name, description));
    }
}
