package io.glyphgate.testkit;

import io.glyphgate.spi.ChoiceParser;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ParserProvider;

/**
 * The laws that every combined parser keeps. Extend it, give your provider and examples, and let JUnit run it:
 *
 * <pre>{@code
 * class AcmeCombinedTest extends CombinedParserContract {
 *     @Override
 *     protected CombinedParserProvider provider() {
 *         return new AcmeCombined();
 *     }
 *
 *     @Override
 *     protected List<Example> examples() {
 *         return List.of(Example.of("<t>think</t>[[f {}]]").reasoning("think").call("f", "{}"));
 *     }
 * }
 * }</pre>
 */
public abstract class CombinedParserContract extends ChoiceParserContract {
    /** For subclasses. */
    protected CombinedParserContract() {}

    /**
     * The provider under test.
     *
     * @return an instance, as the service loader would make it
     */
    protected abstract CombinedParserProvider provider();

    @Override
    ParserProvider parserProvider() {
        return provider();
    }

    @Override
    Class<? extends ParserProvider> service() {
        return CombinedParserProvider.class;
    }

    @Override
    ChoiceParser parser(ParseContext context) {
        return provider().create(context);
    }

    @Override
    void checkKind(Parsed parsed) {
        // A combined parser may give out everything.
    }
}
