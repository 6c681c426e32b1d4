package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How each family writes what it says, told apart from how its parser reads it: the model that {@link FamilyProperties}
 * compares with. A parser that is registered and has no notation here fails the build.
 */
final class Notations {
    /** A call as the model means it. */
    record Call(String name, ObjectNode arguments) {}

    /**
     * What the model means.
     *
     * @param before content before the calls
     * @param after content behind them
     */
    record Said(String reasoning, String before, List<Call> calls, String after) {
        String content() {
            return before + after;
        }
    }

    /** How a family writes all of it. */
    interface Messages {
        /** The whole output. */
        String write(Said said);
    }

    /** What a family's calls cannot say, or say in a way that the comparison must know of. */
    enum Trait {
        /** Values are strings, numbers and booleans; all else is a string. */
        SCALARS,
        /** Inside arrays and objects only strings are known to be what they are. */
        STRINGS_INSIDE,
        /** Calls stand where the output starts. */
        ONLY_FIRST,
        /** The ID of a call is written beside its name. */
        NUMBERED,
        /** The arguments are the model's own characters. */
        RAW,
        /** The arguments are JSON whatever the model writes, unless the output ends in them. */
        MADE_JSON
    }

    /** How a family writes calls. */
    interface Calls {
        /** The text of calls, one after another. */
        String write(List<Call> calls);

        /** What is special. */
        default Set<Trait> traits() {
            return EnumSet.noneOf(Trait.class);
        }

        /** Markers that are text where they stand inside a string. */
        default List<String> quotable() {
            return List.of();
        }
    }

    /** What a parser makes of reasoning. */
    enum Heard {
        WHOLE,
        /** White space at its end is no reasoning. */
        TRIMMED,
        /** It is content, between markers. */
        SHOWN
    }

    /**
     * How a family writes reasoning.
     *
     * @param open what stands before it
     * @param close what stands behind it
     */
    record Reasoning(String open, String close, Heard heard) {
        String write(String reasoning) {
            return open + reasoning + close;
        }
    }

    private static final Reasoning THINK = new Reasoning("<think>", "</think>", Heard.WHOLE);
    private static final Reasoning THINK_TRIMMED = new Reasoning("<think>", "</think>", Heard.TRIMMED);

    static final Map<String, Reasoning> REASONING = Map.ofEntries(
            Map.entry("deepseek_r1", THINK),
            Map.entry("deepseek_v3", THINK),
            Map.entry("deepseek_v4", THINK_TRIMMED),
            Map.entry("ernie45", new Reasoning("<think>", "</think>\n<response>", Heard.WHOLE)),
            Map.entry("gemma4", new Reasoning("<|channel>thought\n", "<channel|>", Heard.TRIMMED)),
            Map.entry("glm45", THINK_TRIMMED),
            Map.entry(
                    "granite", new Reasoning("Here is my thought process:", "Here is my response:", Heard.WHOLE)),
            Map.entry("holo2", THINK),
            Map.entry("hunyuan_a13b", new Reasoning("<think>\n", "\n</think>\n<answer>\n", Heard.WHOLE)),
            Map.entry("kimi_k2", THINK_TRIMMED),
            Map.entry("minimax_m2", THINK_TRIMMED),
            // Here and with step3 the template has written the opening marker, so the model does not.
            Map.entry("minimax_m2_append_think", new Reasoning("", "</think>", Heard.SHOWN)),
            Map.entry("minimax_m3", new Reasoning("<mm:think>", "</mm:think>", Heard.WHOLE)),
            Map.entry("mistral", new Reasoning("[THINK]", "[/THINK]", Heard.TRIMMED)),
            Map.entry("nemotron_v3", THINK_TRIMMED),
            Map.entry("olmo3", THINK),
            Map.entry("qwen3", THINK),
            Map.entry("seed_oss", new Reasoning("<seed:think>", "</seed:think>", Heard.WHOLE)),
            Map.entry("step3", new Reasoning("", "</think>", Heard.WHOLE)),
            Map.entry("step3p5", THINK_TRIMMED));

    /** By parser; behind a space stands what tells one notation of the parser from another. */
    static final Map<String, Calls> CALLS = Map.ofEntries(
            Map.entry(
                    "deepseek_v3",
                    new Headered(
                            "<｜tool▁calls▁begin｜>",
                            "<｜tool▁call▁begin｜>function<｜tool▁sep｜>@\n```json\n#\n```<｜tool▁call▁end｜>",
                            "<｜tool▁calls▁end｜>")),
            Map.entry(
                    "deepseek_v31",
                    new Headered(
                            "<｜tool▁calls▁begin｜>",
                            "<｜tool▁call▁begin｜>@<｜tool▁sep｜>#<｜tool▁call▁end｜>",
                            "<｜tool▁calls▁end｜>")),
            Map.entry("deepseek_v32", dsml("", "function_calls")),
            Map.entry("deepseek_v4", dsml("", "tool_calls")),
            Map.entry("deepseek_v4 joined", dsml("", "toolcalls")),
            Map.entry("deepseek_v41", dsml(" ", "calls")),
            Map.entry("gemma4", new KeyValues()),
            Map.entry(
                    "glm45",
                    new Tagged(
                            "",
                            "<tool_call>@\n",
                            "<arg_key>@</arg_key>\n<arg_value>#</arg_value>\n",
                            "</tool_call>\n",
                            "",
                            List.of("</arg_value>x", "</tool_call>x", "<arg_key>i</arg_key>"))),
            Map.entry("granite", new Listed("<|tool_call|>[", ",\n", "]")),
            Map.entry("granite4", new Listed("<tool_call>\n", "\n</tool_call>\n<tool_call>\n", "\n</tool_call>")),
            Map.entry("granite-20b-fc", new Listed("<function_call>", "\n<function_call>", "")),
            Map.entry("hermes", new Listed("<tool_call>\n", "\n</tool_call>\n<tool_call>\n", "\n</tool_call>")),
            Map.entry("hunyuan_a13b", new Listed("<tool_calls>[", ", ", "]</tool_calls>")),
            Map.entry(
                    "internlm",
                    new Listed(
                            "<|action_start|><|plugin|>",
                            "<|action_end|>\n<|action_start|><|plugin|>",
                            "<|action_end|>")),
            Map.entry("jamba", new Listed("<tool_calls>[\n", ",\n", "\n]</tool_calls>")),
            Map.entry(
                    "kimi_k2",
                    new Headered(
                            "<|tool_calls_section_begin|>",
                            "<|tool_call_begin|>functions.@:%<|tool_call_argument_begin|>#<|tool_call_end|>",
                            "<|tool_calls_section_end|>")),
            Map.entry("llama3_json", new Listed("", "; ", "")),
            Map.entry("llama4_pythonic", new Python("[", ", ", "]", true)),
            Map.entry(
                    "longcat",
                    new Listed(
                            "<longcat_tool_call>\n",
                            "\n</longcat_tool_call>\n<longcat_tool_call>\n",
                            "\n</longcat_tool_call>")),
            Map.entry(
                    "mimo", functions("<tool_call>\n<function=@>\n", "", "</function>\n</tool_call>\n")),
            Map.entry(
                    "minimax_m2",
                    new Tagged(
                            "<minimax:tool_call>\n",
                            "<invoke name=\"@\">\n",
                            "<parameter name=\"@\">#</parameter>\n",
                            "</invoke>\n",
                            "</minimax:tool_call>",
                            List.of("</parameter>x", "</invoke>x"))),
            Map.entry("mistral", new Headered("", "[TOOL_CALLS]@[ARGS]#", "")),
            Map.entry("mistral listed", new Listed("[TOOL_CALLS][", ", ", "]")),
            Map.entry("olmo3", new Python("<function_calls>", "\n", "</function_calls>", false)),
            Map.entry("phi4_mini_json", new Listed("functools[", ", ", "]")),
            Map.entry("pythonic", new Python("[", ", ", "]", true)),
            Map.entry("qwen3_coder", functions("<tool_call>\n<function=@>\n", "\n", "</function>\n</tool_call>\n")),
            Map.entry("seed_oss", functions("<seed:tool_call>\n<function=@>\n", "\n", "</function>\n</seed:tool_call>\n")),
            Map.entry(
                    "step3",
                    new Tagged(
                            "<｜tool_calls_begin｜>\n",
                            "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"@\">\n",
                            "<steptml:parameter name=\"@\">#</steptml:parameter>\n",
                            "</steptml:invoke><｜tool_call_end｜>\n",
                            "<｜tool_calls_end｜>",
                            List.of("</steptml:parameter>x", "</steptml:invoke>x")) {
                        @Override
                        public Set<Trait> traits() {
                            return EnumSet.of(Trait.SCALARS, Trait.MADE_JSON);
                        }
                    }),
            Map.entry("step5", functions("<tool_call>\n<function=@>\n", "\n", "</function>\n</tool_call>\n")),
            Map.entry("xlam", new Listed("[", ", ", "]", true)),
            Map.entry("xlam fenced", new Listed("```json\n[", ", ", "]\n```")),
            Map.entry("xlam marked", new Listed("[TOOL_CALLS] [", ", ", "]")),
            Map.entry("xlam tagged", new Listed("<tool_call>[", ", ", "]</tool_call>")));

    static final Map<String, Messages> MESSAGES = Map.of("openai", Notations::channels);

    private static final List<String> RECIPIENTS = List.of(
            "<|channel|>commentary to=functions.@ <|constrain|>json",
            " to=functions.@<|channel|>commentary json",
            "<|channel|>analysis to=functions.@<|constrain|>json");

    private Notations() {}

    /** The notations that a tool parser reads; at least one. */
    static List<Calls> calls(String parser) {
        return CALLS.entrySet().stream()
                .filter(entry -> parser.equals(parser(entry.getKey())))
                .map(Map.Entry::getValue)
                .toList();
    }

    /** The parser that reads a notation of {@link #CALLS}. */
    static String parser(String notation) {
        return notation.split(" ", 2)[0];
    }

    private static String channels(Said said) {
        List<String> messages = new ArrayList<>();
        if (!said.reasoning.isEmpty()) {
            messages.add("<|channel|>analysis<|message|>" + said.reasoning + "<|end|>");
        }
        if (!said.before.isEmpty()) {
            messages.add("<|channel|>commentary<|message|>" + said.before + "<|end|>");
        }
        for (int i = 0; i < said.calls.size(); i++) {
            Call call = said.calls.get(i);
            messages.add(RECIPIENTS.get(i % RECIPIENTS.size()).replace("@", call.name) + "<|message|>" + call.arguments
                    + "<|call|>");
        }
        if (!said.after.isEmpty()) {
            messages.add("<|channel|>final<|message|>" + said.after + "<|return|>");
        }
        return String.join("<|start|>assistant", messages);
    }

    /** A name and then its arguments as JSON; {@code @}, {@code %} and {@code #} stand for name, number, arguments. */
    private record Headered(String open, String call, String close) implements Calls {
        @Override
        public String write(List<Call> calls) {
            StringBuilder out = new StringBuilder(open);
            for (int i = 0; i < calls.size(); i++) {
                out.append(call.replace("@", calls.get(i).name)
                        .replace("%", String.valueOf(i))
                        .replace("#", calls.get(i).arguments.toString()));
            }
            return out + close;
        }

        @Override
        public Set<Trait> traits() {
            return call.contains("%") ? EnumSet.of(Trait.RAW, Trait.NUMBERED) : EnumSet.of(Trait.RAW);
        }

        @Override
        public List<String> quotable() {
            return List.of(call, close, "```", "}");
        }
    }

    /** A JSON object with the name and the arguments, which every second call has first. */
    private record Listed(String open, String separator, String close, boolean onlyFirst) implements Calls {
        private Listed(String open, String separator, String close) {
            this(open, separator, close, false);
        }

        @Override
        public String write(List<Call> calls) {
            List<String> objects = new ArrayList<>();
            for (Call call : calls) {
                String name = "\"name\": \"" + call.name + "\"";
                String arguments = "\"arguments\": " + call.arguments;
                objects.add(
                        objects.size() % 2 == 0
                                ? "{" + name + ", " + arguments + "}"
                                : "{\n" + arguments + ",\n" + name + "\n}");
            }
            return open + String.join(separator, objects) + close;
        }

        @Override
        public Set<Trait> traits() {
            return onlyFirst ? EnumSet.of(Trait.RAW, Trait.ONLY_FIRST) : EnumSet.of(Trait.RAW);
        }

        @Override
        public List<String> quotable() {
            return List.of(open + "{\"name\": \"f\"", separator, close, "}");
        }
    }

    /**
     * Arguments between tags as bare text; {@code @} and {@code #} stand for a name and a value, {@code %} for whether
     * the value is a string.
     */
    private static class Tagged implements Calls {
        private final String open;
        private final String callOpen;
        private final String parameter;
        private final String callClose;
        private final String close;
        private final List<String> quotable;

        /**
         * Tags.
         *
         * @param quotable what is text in a value because nothing follows that may
         */
        private Tagged(
                String open, String callOpen, String parameter, String callClose, String close, List<String> quotable) {
            this.open = open;
            this.callOpen = callOpen;
            this.parameter = parameter;
            this.callClose = callClose;
            this.close = close;
            this.quotable = quotable;
        }

        @Override
        public String write(List<Call> calls) {
            StringBuilder out = new StringBuilder(open);
            for (Call call : calls) {
                out.append(callOpen.replace("@", call.name));
                call.arguments.properties().forEach(argument -> out.append(parameter
                        .replace("@", argument.getKey())
                        .replace("%", String.valueOf(argument.getValue().isTextual()))
                        .replace("#", bare(argument.getValue()))));
                out.append(callClose);
            }
            return out.append(close).toString().stripTrailing();
        }

        @Override
        public Set<Trait> traits() {
            return EnumSet.of(Trait.MADE_JSON);
        }

        private static String bare(JsonNode value) {
            return value.isTextual() ? value.textValue() : value.toString();
        }

        @Override
        public List<String> quotable() {
            return quotable;
        }
    }

    /** Tags of DeepSeek with {@code space} in front of their names, in a group of a name. */
    private static Tagged dsml(String space, String group) {
        String open = "<｜DSML｜" + space;
        String close = "</｜DSML｜" + space;
        return new Tagged(
                open + group + ">\n",
                open + "invoke name=\"@\">\n",
                open + "parameter name=\"@\" string=\"%\">#" + close + "parameter>\n",
                close + "invoke>\n",
                close + group + ">",
                List.of(close + "parameter>x", close + "invoke>x"));
    }

    /**
     * Functions and parameters named in their tags.
     *
     * @param line what is around a value; where it is a newline, a parameter opens only at the start of a line
     */
    private static Tagged functions(String callOpen, String line, String callClose) {
        List<String> ends = List.of("</parameter>x", " </function>x");
        return new Tagged(
                "",
                callOpen,
                "<parameter=@>" + line + "#" + line + "</parameter>\n",
                callClose,
                "",
                line.isEmpty() ? ends : List.of(ends.get(0), ends.get(1), "x<parameter=i>"));
    }

    /** Python calls with keyword arguments. */
    private record Python(String open, String separator, String close, boolean onlyFirst) implements Calls {
        @Override
        public String write(List<Call> calls) {
            return calls.stream().map(Python::call).collect(Collectors.joining(separator, open, close));
        }

        private static String call(Call call) {
            List<String> arguments = new ArrayList<>();
            call.arguments.properties().forEach(argument ->
                    arguments.add(argument.getKey() + "=" + literal(argument.getValue())));
            return call.name + "(" + String.join(", ", arguments) + ")";
        }

        private static String literal(JsonNode value) {
            if (value.isObject()) {
                return value.properties().stream()
                        .map(member -> string(member.getKey()) + ": " + literal(member.getValue()))
                        .collect(Collectors.joining(", ", "{", ",}"));
            }
            if (value.isArray()) {
                boolean tuple = value.size() > 1;
                return value.valueStream()
                        .map(Python::literal)
                        .collect(Collectors.joining(" ,", tuple ? "(" : "[", tuple ? ")" : "]"));
            }
            if (value.isBoolean()) {
                return value.booleanValue() ? "True" : "False";
            }
            return value.isNull() ? "None" : value.isTextual() ? string(value.textValue()) : value.toString();
        }

        private static String string(String text) {
            return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'";
        }

        @Override
        public Set<Trait> traits() {
            return onlyFirst ? EnumSet.of(Trait.ONLY_FIRST) : EnumSet.noneOf(Trait.class);
        }

        @Override
        public List<String> quotable() {
            return List.of(open, close, ")", "'", "g(");
        }
    }

    /** Gemma's bare keys and values, strings between markers. */
    private record KeyValues() implements Calls {
        @Override
        public String write(List<Call> calls) {
            return calls.stream()
                    .map(call -> "<|tool_call>call:" + call.name + value(call.arguments) + "<tool_call|>")
                    .collect(Collectors.joining());
        }

        private static String value(JsonNode value) {
            if (value.isObject()) {
                return value.properties().stream()
                        .map(member -> member.getKey() + ":" + value(member.getValue()))
                        .collect(Collectors.joining(",", "{", "}"));
            }
            if (value.isArray()) {
                return value.valueStream().map(KeyValues::value).collect(Collectors.joining(",", "[", "]"));
            }
            return value.isTextual() ? "<|\"|>" + value.textValue() + "<|\"|>" : value.toString();
        }

        @Override
        public Set<Trait> traits() {
            return EnumSet.of(Trait.STRINGS_INSIDE, Trait.MADE_JSON);
        }

        @Override
        public List<String> quotable() {
            return List.of("<|tool_call>call:f{", "<tool_call|>", "}", ",k:");
        }
    }
}
