package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;
import java.util.Map;

class Gemma4Test extends ToolParserContract {
    private static final String PING = "<|tool_call>call:ping{}<tool_call|>";
    private static final TestContext TOOLS = TestContext.builder()
            .tool("ping", Map.of())
            .tool(
                    "f",
                    Map.of(
                            "properties",
                            Map.of(
                                    "s", Map.of("type", "string"),
                                    "n", Map.of("type", "integer"),
                                    "on", Map.of("type", "boolean"),
                                    "a", Map.of("type", "array", "items", Map.of("type", "number")),
                                    "o", Map.of("properties", Map.of("n", Map.of("type", "integer"))))))
            .build();

    @Override
    protected ToolParserProvider provider() {
        return new Gemma4();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                of("No call at all.\n").content("No call at all.\n"),
                of(PING + PING + "\n").call("ping", "{}").call("ping", "{}"),
                of("Before.\n" + PING + "\nAfter.").content("Before.\nAfter.").call("ping", "{}"),
                of("<|tool_call>:ping()<tool_call|>").call("ping", "{}"),
                of("<|tool_call>call:ping<tool_call|>").call("ping", "{}"),
                f("s:<|\"|>Ob\"an\n<|\"|>,n:3,on:true").call("f", "{\"s\": \"Ob\\\"an\\n\", \"n\": 3, \"on\": true}"),
                f(" s : Oban , n : <|\"|>4<|\"|> , on:no,").call("f", "{\"s\": \"Oban\", \"n\": 4, \"on\": \"no\"}"),
                f("a:[1, 2.5,[3]],o:{n:7,x:{y:null},z:[]}")
                        .call(
                                "f",
                                "{\"a\": [1, 2.5, [\"3\"]], \"o\": {\"n\": 7, \"x\": {\"y\": \"null\"}, \"z\": []}}"),
                f("s:<|\"|>a<tool_call|> } ,n:1<|\"|>").call("f", "{\"s\": \"a<tool_call|> } ,n:1\"}"),
                f("<|\"|>s<|\"|>:<|\"|><|\"|>").call("f", "{\"s\": \"\"}"),
                of("<|tool_call>call:f{o:{n:1,<tool_call|>x").content("x").call("f", "{\"o\": {\"n\": 1}}"),
                f("a:[[,2.5],[3]],s:,n:1").call("f", "{\"a\": [[\"2.5\"], [\"3\"]], \"s\": \"\", \"n\": 1}"),
                of("<|tool_call>call:f(n:3)<tool_call|>").call("f", "{\"n\": 3}"),
                of("<|tool_call>call:f \n{n:3}<tool_call|>").call("f", "{\"n\": 3}"),
                of("<|tool_call>call:f\n(n:3)<tool_call|>").call("f", "{\"n\": 3}"),
                of("<|tool_call>call:f\nn:{n:3}}<tool_call|>").call("f", "{\"n\": {\"n\": \"3\"}}"),
                of("<|tool_call>call:f{n:1}" + PING).call("f", "{\"n\": 1}").call("ping", "{}"),
                of("<|tool_call>call:unknown{n:1}<tool_call|>").call("unknown", "{\"n\": \"1\"}"),
                of("I write <|tool_call> here.").content("I write <|tool_call> here."),
                of("<|tool_call><tool_call|>").content("<|tool_call><tool_call|>"),
                cut("<|tool_call>call:fi").content("<|tool_call>call:fi"),
                cut("<|tool_call>call:f{s:<|\"|>Ob").call("f", "{\"s\": \"Ob"),
                cut("<|tool_call>call:f{n:1,s:<|\"|>").call("f", "{\"n\": 1, \"s\": \""),
                cut("<|tool_call>call:f{n:12").call("f", "{\"n\": 12"),
                cut("<|tool_call>call:f{n:1,on").call("f", "{\"n\": 1"),
                cut("<|tool_call>call:f{n:1}<tool_c").call("f", "{\"n\": 1}"));
    }

    private static Example of(String output) {
        return Example.of(output).in(TOOLS);
    }

    private static Example f(String arguments) {
        return of("<|tool_call>call:f{" + arguments + "}<tool_call|>");
    }

    private static Example cut(String output) {
        return of(output).endedBy(FinishReason.LENGTH);
    }
}
