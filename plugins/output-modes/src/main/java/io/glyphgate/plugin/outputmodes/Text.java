package io.glyphgate.plugin.outputmodes;

import io.glyphgate.spi.GenerateRequest;
import io.glyphgate.spi.OutputMode;
import io.glyphgate.spi.OutputModeProvider;
import java.util.Set;

/** {@code text}: the text in a field of that name; in a stream, what is new of it. */
public final class Text implements OutputModeProvider {
    /** For the service loader. */
    public Text() {}

    @Override
    public String name() {
        return "text";
    }

    @Override
    public Set<Need> needs() {
        return Set.of(Need.TEXT);
    }

    @Override
    public void validate(GenerateRequest request) {
        Detokenizing.require(request, name());
    }

    @Override
    public OutputMode open(GenerateRequest request) {
        return (step, out) -> out.field("text").string(step.tokens().text());
    }
}
