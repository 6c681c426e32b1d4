package io.glyphgate.plugin.outputmodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.testkit.OutputModeContract;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TokensTest extends OutputModeContract {
    @Override
    protected OutputModeProvider provider() {
        return new Tokens();
    }

    @Override
    protected Map<String, Object> assemble(List<Map<String, Object>> events) {
        assertThat(events).allMatch(Map::isEmpty);
        return Map.of();
    }

    @Test
    void isTheServersOwnAnswer() {
        assertThat(new Tokens().verbatim()).isTrue();
        assertThat(new Tokens().needs()).isEmpty();
    }
}
