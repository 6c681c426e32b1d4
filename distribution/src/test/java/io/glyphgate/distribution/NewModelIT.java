package io.glyphgate.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tutorial on a new model, done as it is written: its files, its commands, and what they print. */
class NewModelIT {
    /** A file that is shown, or commands and perhaps what the last of them prints. */
    private static final Pattern STEP = Pattern.compile(
            "<!-- file: (?<name>\\S+) -->\n```\\w+\n(?<text>.*?)```\n|```sh\n(?<commands>.*?)```\n(?:\n```text\n(?<output>.*?)```\n)?",
            Pattern.DOTALL);

    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    @TempDir
    private Path folder;

    @Test
    void everyStepDoesWhatThePageSays() throws Exception {
        List<MatchResult> steps = STEP.matcher(Files.readString(Path.of("../docs/tutorial/new-model.md"))).results().toList();
        assertThat(steps).hasSizeGreaterThan(15);
        int commands = 0;
        for (MatchResult step : steps) {
            if (step.group("name") == null) {
                commands += run(step.group("commands"), step.group("output"));
            } else {
                write(step.group("name"), step.group("text"));
            }
        }
        assertThat(commands).isEqualTo(11);
    }

    private void write(String name, String text) throws IOException {
        String shipped = Installation.built().home().resolve("tokenizers/qwen3/tokenizer.json.gz").toString();
        Files.writeString(folder.resolve(name), text.replaceFirst("/models/\\S+", Matcher.quoteReplacement(shipped)));
    }

    private int run(String commands, String output) throws Exception {
        List<String> lines = commands.lines().toList();
        Launch launch = null;
        for (String line : lines) {
            launch = Launch.of(folder, Map.of(), words(line));
        }
        assertThat(launch).isNotNull();
        assertThat(launch.output().replaceAll("chatcmpl-tool-[0-9a-f]+", "chatcmpl-tool-…").strip())
                .as(commands)
                .isEqualTo(output.strip());
        assertThat(launch.status()).as(commands).isEqualTo(commands.contains("mistake") ? 1 : 0);
        return lines.size();
    }

    /** The words of a command, its first one replaced by the launcher. */
    private static List<String> words(String command) {
        List<String> words = new ArrayList<>();
        WORD.matcher(command).results().forEach(word -> words.add(word.group(1) == null ? word.group(2) : word.group(1)));
        assertThat(words.getFirst()).isEqualTo("glyphgate");
        words.set(0, Installation.built().launcher().toString());
        return words;
    }
}
