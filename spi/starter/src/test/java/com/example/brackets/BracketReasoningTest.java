package com.example.brackets;

import io.glyphgate.spi.ReasoningParserProvider;
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
                new Example("[[one ] two]]three", "one ] two", "three"),
                new Example("[[one]]]", "one", "]"),
                new Example("no thought", "", "no thought"),
                new Example("[[never ends]", "never ends]", ""),
                new Example("[", "", "["),
                new Example("[x", "", "[x"));
    }
}
