package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.simulator.SimulatedServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code glyphgate soak}, short. To run it for longer, run the command. */
class SoakTest {
    @Test
    void nothingIsWrongAndNothingIsLeftOpen() throws Exception {
        StringWriter printed = new StringWriter();
        int status = soak(printed, "--minutes", "0.1", "--clients", "24", "--seed", "7");
        assertThat(status).as(printed.toString()).isZero();
        assertThat(printed.toString()).contains("| `none` |", "| together |", "seed 7", "All is well.").doesNotContain("WRONG");
    }

    /** A server that goes wrong without a proxy before it cuts streams and sends garbage, which must not pass. */
    @Test
    void whatIsWrongIsFound(@TempDir Path folder) throws Exception {
        try (Stage stage = new Stage(folder)) {
            SimulatedServer server = stage.server(Stage.full());
            StringWriter printed = new StringWriter();
            int status = soak(printed, "--minutes", "0.02", "--clients", "8", "--seed", "7", "--patience", "1", "--proxy", server.uri().toString());
            assertThat(status).isEqualTo(1);
            assertThat(printed.toString()).contains("WRONG: ", "the answer does not end as HTTP says", "--seed 7");
        }
    }

    private static int soak(StringWriter printed, String... arguments) throws Exception {
        SoakCommand command = new SoakCommand();
        new CommandLine(command).setOut(new PrintWriter(printed, true)).parseArgs(arguments);
        return command.run(Stage.REGISTRY, Stage.QWEN3);
    }
}
