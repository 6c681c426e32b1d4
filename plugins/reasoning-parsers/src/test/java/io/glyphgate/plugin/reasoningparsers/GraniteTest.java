package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.ReasoningParserContract;
import java.util.List;

class GraniteTest extends ReasoningParserContract {
    @Override
    protected ReasoningParserProvider provider() {
        return new Granite();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("Here is my thought process:\nCount.\nHere is my response:\nSeven.")
                        .reasoning("\nCount.\n")
                        .content("\nSeven."),
                Example.of("Here's my thought process:Here is my moreHere's my response:Seven. Here is my response: x")
                        .reasoning("Here is my more")
                        .content("Seven. Here is my response: x"),
                Example.of("Here is my answer.").content("Here is my answer."),
                Example.of("So: Here is my thought process:a").content("So: Here is my thought process:a"),
                Example.of("Here is my thought").content("Here is my thought").endedBy(FinishReason.LENGTH),
                Example.of("Here is my thought process:It never ends Here is my res")
                        .reasoning("It never ends Here is my res")
                        .endedBy(FinishReason.LENGTH));
    }
}
