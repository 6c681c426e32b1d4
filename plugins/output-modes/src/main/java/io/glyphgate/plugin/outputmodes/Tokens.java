package io.glyphgate.plugin.outputmodes;

import io.glyphgate.spi.GenerateRequest;
import io.glyphgate.spi.OutputMode;
import io.glyphgate.spi.OutputModeProvider;
import java.util.Set;

/** {@code tokens}: the server's own answer. */
public final class Tokens implements OutputModeProvider {
    /** For the service loader. */
    public Tokens() {}

    @Override
    public String name() {
        return "tokens";
    }

    @Override
    public Set<Need> needs() {
        return Set.of();
    }

    @Override
    public boolean verbatim() {
        return true;
    }

    @Override
    public OutputMode open(GenerateRequest request) {
        return (step, out) -> {};
    }
}
