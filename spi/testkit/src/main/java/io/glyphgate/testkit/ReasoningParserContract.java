package io.glyphgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.ChoiceParser;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ReasoningParserProvider;

/**
 * The laws that every reasoning parser keeps. Extend it, give your provider and examples, and let JUnit run it:
 *
 * <pre>{@code
 * class AcmeReasoningTest extends ReasoningParserContract {
 *     @Override
 *     protected ReasoningParserProvider provider() {
 *         return new AcmeReasoning();
 *     }
 *
 *     @Override
 *     protected List<Example> examples() {
 *         return List.of(Example.of("[[think]]answer").reasoning("think").content("answer"));
 *     }
 * }
 * }</pre>
 */
public abstract class ReasoningParserContract extends ChoiceParserContract {
    /** For subclasses. */
    protected ReasoningParserContract() {}

    /**
     * The provider under test.
     *
     * @return an instance, as the service loader would make it
     */
    protected abstract ReasoningParserProvider provider();

    @Override
    ParserProvider parserProvider() {
        return provider();
    }

    @Override
    Class<? extends ParserProvider> service() {
        return ReasoningParserProvider.class;
    }

    @Override
    ChoiceParser parser(ParseContext context) {
        return provider().create(context);
    }

    @Override
    void checkKind(Parsed parsed) {
        assertThat(parsed.calls())
                .as("tool calls, which a reasoning parser leaves to the tool parser")
                .isEmpty();
    }
}
