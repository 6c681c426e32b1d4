package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ConfigException;
import io.glyphgate.proxy.plugin.PluginException;
import io.helidon.logging.common.LogConfig;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line. */
@Command(
        name = "glyphgate",
        description = "A reverse proxy in front of vLLM pools that turns token IDs into text, reasoning and tool calls.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DemoCommand.class,
            ServeCommand.class,
            CheckCommand.class,
            PluginsCommand.class,
            SimulateCommand.class,
            SoakCommand.class,
            ExplainCommand.class,
            ParseCommand.class,
            ConformanceCommand.class,
            CommandLine.HelpCommand.class
        })
public final class Main {
    /** Exit status: what was asked for did not come out well. */
    static final int FAILED = 1;

    private Main() {}

    /** Runs a command and ends the process with its exit status. */
    public static void main(String[] args) {
        LogConfig.configureRuntime();
        System.exit(commandLine().execute(args));
    }

    /** The command line, for tests. */
    static CommandLine commandLine() {
        return new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((e, command, parsed) -> {
                    if (isExplained(e)) {
                        command.getErr().println(
                                e instanceof NoSuchFileException ? "there is no file " + e.getMessage() : e.getMessage());
                        return FAILED;
                    }
                    throw e;
                });
    }

    /** Whether the message alone tells the operator what to do. */
    private static boolean isExplained(Exception e) {
        return e instanceof ConfigException
                || e instanceof PluginException
                || e instanceof IOException
                || e instanceof IllegalArgumentException;
    }

    /** What the build has put into the jar. */
    static Properties build() throws IOException {
        Properties build = new Properties();
        try (var in = Main.class.getResourceAsStream("build.properties")) {
            if (in == null) {
                throw new IOException("the jar holds no build.properties");
            }
            build.load(in);
        }
        return build;
    }

    /** The version that the build has put into the jar's manifest. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() throws IOException {
            Properties build = build();
            return new String[] {
                "glyphgate " + build.getProperty("version"),
                "SPI " + build.getProperty("spi") + ", Java " + Runtime.version()
            };
        }
    }
}
