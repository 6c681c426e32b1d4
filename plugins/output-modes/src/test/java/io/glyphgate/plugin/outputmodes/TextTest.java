package io.glyphgate.plugin.outputmodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.testkit.OutputModeContract;
import io.glyphgate.testkit.TestGenerateRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TextTest extends OutputModeContract {
    @Override
    protected OutputModeProvider provider() {
        return new Text();
    }

    @Override
    protected Map<String, Object> assemble(List<Map<String, Object>> events) {
        StringBuilder text = new StringBuilder();
        events.forEach(event -> text.append(event.get("text")));
        return Map.of("text", text.toString());
    }

    @Test
    void needsTextOnly() {
        assertThat(new Text().needs()).containsExactly(Need.TEXT);
        assertThat(new Text().verbatim()).isFalse();
    }

    @Test
    void refusesARequestWithoutDetokenizing() {
        TestGenerateRequest request =
                new TestGenerateRequest(Map.of("sampling_params", Map.of("detokenize", false)));
        assertThatThrownBy(() -> new Text().validate(request))
                .isInstanceOfSatisfying(
                        InvalidRequestException.class,
                        e -> assertThat(e.param()).isEqualTo("sampling_params.detokenize"))
                .hasMessageContaining("'text'");
        new Text().validate(request.with("sampling_params", Map.of("detokenize", true)));
    }
}
