package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.testkit.Example;
import io.glyphgate.testkit.TestContext;
import io.glyphgate.testkit.ToolParserContract;
import java.util.List;

class PythonicTest extends ToolParserContract {
    @Override
    protected ToolParserProvider provider() {
        return new Pythonic();
    }

    @Override
    protected List<Example> examples() {
        return List.of(
                Example.of("No call at all.").content("No call at all."),
                Example.of("[ping()]").call("ping", "{}"),
                Example.of("[f(a='x'), g.h(b = 2 , c=None)] \n")
                        .call("f", "{\"a\": \"x\"}")
                        .call("g.h", "{\"b\": 2, \"c\": null}"),
                Example.of("[\n f(a=1),\n ping()\n]").call("f", "{\"a\": 1}").call("ping", "{}"),
                values("True, False, None, true, false, null", "true, false, null, true, false, null"),
                values("-3, +4, 1_000, 0x1F, .5, 2., 1e3, 007.5", "-3, 4, 1000, 31, 0.5, 2.0, 1.0e3, 7.5"),
                values("12345678901234567890, -0.0005", "12345678901234567890, -0.0005"),
                values("'', \"\", '''''', 'it\\'s', \"it's\"", "\"\", \"\", \"\", \"it's\", \"it's\""),
                values("'a\\tb\\\\n\\x41\\101\\u00e9\\U0001F6A2\\q'", "\"a\\tb\\\\nAAé🚢\\\\q\""),
                values(
                        "r'\\d\\'', u'ü', '''two ' \"\" lines\n'''",
                        "\"\\\\d\\\\'\", \"ü\", \"two ' \\\"\\\" lines\\n\""),
                values("(1, 'b'), (), (1,), (2), ((3, 4), 5)", "[1, \"b\"], [], [1], 2, [[3, 4], 5]"),
                values(
                        "{'k': {2: [True]}, 'l': 'm',}, {1, 2}, {}, {'s'}",
                        """
                        {"k": {"2": [true]}, "l": "m"}, [1, 2], {}, ["s"]"""),
                values("'](){}, f(a=', \"🚢\"", "\"](){}, f(a=\", \"🚢\""),
                Example.of("[save(path='C:\\\\rig\\\\', mode='w')]")
                        .call("save", "{\"path\": \"C:\\\\rig\\\\\", \"mode\": \"w\"}"),
                Example.of("[grep(pat='x[0]] (a', at=-7.5, opt=None, on=True)]")
                        .call("grep", "{\"pat\": \"x[0]] (a\", \"at\": -7.5, \"opt\": null, \"on\": true}"),
                Example.of("Before [f(a=1)]").content("Before [f(a=1)]"),
                Example.of("\n[f(a=1)]").content("\n[f(a=1)]"),
                Example.of("[f(a=1)]\nAfter [f(a=1)].")
                        .content("After [f(a=1)].")
                        .call("f", "{\"a\": 1}"),
                Example.of("[f(a=1) and x[0] is]").content("and x[0] is]").call("f", "{\"a\": 1}"),
                Example.of("[1, 2, 3]").content("[1, 2, 3]"),
                Example.of("[see the notes](notes.md)").content("[see the notes](notes.md)"),
                Example.of("[f('x')]").content("[f('x')]"),
                Example.of("[f(a=1), x]").content("x]").call("f", "{\"a\": 1}"),
                Example.of("[f(a=1, b=1+2)]").content("1+2)]").call("f", "{\"a\": 1"),
                Example.of("[f(a=1, b=(2)]\nAfter.").content("After.").call("f", "{\"a\": 1, \"b\": 2"),
                Example.of("[f(a=1),]").call("f", "{\"a\": 1}"),
                Example.of("[f(a={'k' 1})]").content("1})]").call("f", "{\"a\": {\"k\""),
                Example.of("[f(a=1, b c)]").content("b c)]").call("f", "{\"a\": 1"),
                cut("[f(a='Ob").call("f", "{\"a\": \"Ob"),
                cut("[f(a='x', b=12").call("f", "{\"a\": \"x\", \"b\": 12"),
                cut("[f(a='x', b=0.").call("f", "{\"a\": \"x\", \"b\": 0"),
                cut("[f(a='x', b=Tru").call("f", "{\"a\": \"x\""),
                cut("[f(a='x', bcd").call("f", "{\"a\": \"x\""),
                cut("[f(a={'k").call("f", "{\"a\": {\"k"),
                cut("[f(a=1)").call("f", "{\"a\": 1}"),
                cut("[f(a=1), g").content("g").call("f", "{\"a\": 1}"),
                cut("[f(").content("[f("),
                demanded(ToolChoice.REQUIRED, "[{\"name\": \"f\", \"parameters\": {\"a\": 1}}]")
                        .call("f", "{\"a\": 1}"),
                demanded(ToolChoice.REQUIRED, "Not now.").content("Not now."),
                demanded(ToolChoice.REQUIRED, "[").content("[").endedBy(FinishReason.LENGTH),
                demanded(ToolChoice.REQUIRED, "[{\"name\": \"f\", \"parameters\": {\"a\": [1}}]")
                        .call("f", "{\"a\": [1}}"),
                demanded(ToolChoice.named("f"), "{\"a\": 1}").call("f", "{\"a\": 1}"));
    }

    private static Example values(String written, String json) {
        return Example.of("[f(a=[" + written + "])]").call("f", "{\"a\": [" + json + "]}");
    }

    private static Example cut(String output) {
        return Example.of(output).endedBy(FinishReason.LENGTH);
    }

    private static Example demanded(ToolChoice choice, String output) {
        return Example.of(output).in(TestContext.builder().toolChoice(choice).build());
    }
}
