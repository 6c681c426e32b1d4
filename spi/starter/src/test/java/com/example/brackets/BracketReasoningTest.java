package com.example.brackets;

import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import java.util.List;

class BracketReasoningTest extends ReasoningParserContract {
    @Override
    protected ReasoningParserProvider provider() {
        return new BracketReasoning();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("[[one ] two]]three").reasoning("one ] two").content("three"),
                Example.of("[[one]]]").reasoning("one").content("]"),
                Example.of("no thought").content("no thought"),
                Example.of("[[never ends]").reasoning("never ends]"),
                Example.of("[").content("["),
                Example.of("[x").content("[x"));
    }
}
