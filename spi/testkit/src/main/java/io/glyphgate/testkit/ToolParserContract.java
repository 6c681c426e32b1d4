package io.glyphgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.ChoiceParser;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ToolParserProvider;

/**
 * The laws that every tool parser keeps. Extend it, give your provider and examples, and let JUnit run it:
 *
 * <pre>{@code
 * class AcmeToolTest extends ToolParserContract {
 *     @Override
 *     protected ToolParserProvider provider() {
 *         return new AcmeTool();
 *     }
 *
 *     @Override
 *     protected List<Example> examples() {
 *         return List.of(Example.of("[[f {}]]").call("f", "{}"));
 *     }
 * }
 * }</pre>
 */
public abstract class ToolParserContract extends ChoiceParserContract {
    /** For subclasses. */
    protected ToolParserContract() {}

    /**
     * The provider under test.
     *
     * @return an instance, as the service loader would make it
     */
    protected abstract ToolParserProvider provider();

    @Override
    ParserProvider parserProvider() {
        return provider();
    }

    @Override
    Class<? extends ParserProvider> service() {
        return ToolParserProvider.class;
    }

    @Override
    ChoiceParser parser(ParseContext context) {
        return provider().create(context);
    }

    @Override
    void checkKind(Parsed parsed) {
        assertThat(parsed.reasoning())
                .as("reasoning, which a tool parser never sees")
                .isEmpty();
    }
}
