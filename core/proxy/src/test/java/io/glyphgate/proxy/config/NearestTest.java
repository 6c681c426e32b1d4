package io.glyphgate.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestTest {
    private static final List<String> KNOWN = List.of("port", "max-body", "reasoning-parser", "tool-parser", "on");

    @ParameterizedTest
    @CsvSource({
        "prot, port",
        "ports, port",
        "pot, port",
        "port, port",
        "maxbody, max-body",
        "max_body, max-body",
        "tool-praser, tool-parser",
        "reasoningparser, reasoning-parser",
    })
    void findsWhatWasMeant(String given, String meant) {
        assertThat(Nearest.to(given, KNOWN)).contains(meant);
    }

    @ParameterizedTest
    @CsvSource({"xyz", "ab", "host-name", "parser"})
    void findsNothingWhereNothingIsAlike(String given) {
        assertThat(Nearest.to(given, KNOWN)).isEmpty();
    }

    @Test
    void hintsAreSorted() {
        assertThat(Nearest.hint("qq", List.of("b", "a"))).isEqualTo("known: a, b");
        assertThat(Nearest.hint("prot", KNOWN)).startsWith("did you mean 'port'? (known: max-body, on, port, ");
        assertThat(Nearest.hint("x", List.of())).isEqualTo("there are none");
    }
}
