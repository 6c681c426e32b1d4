package io.glyphgate.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Parsers that belong together, and how a model writes for them: reasoning, content, then a call of a function with one long
 * string. Families leave out what they do not have.
 *
 * @param name the names of the parsers, joined by {@code +}
 * @param combined a combined parser, by name
 * @param reasoning a reasoning parser, by name
 * @param tools a tool parser, by name
 * @param template arguments of the chat template that the parsers need
 * @param open what stands before the reasoning; empty if nothing does
 * @param close what stands behind it; empty if there is no reasoning
 * @param content whether there is content
 * @param callOpen what stands before the call's string; empty if there is no call
 * @param callClose what stands behind it
 */
public record Family(
        String name,
        Optional<String> combined,
        Optional<String> reasoning,
        Optional<String> tools,
        Map<String, Object> template,
        String open,
        String close,
        boolean content,
        String callOpen,
        String callClose) {
    /** All families; a test holds them to the parsers that there are. */
    public static final List<Family> ALL = List.of(
            think("qwen3", "\n").with("hermes", "\n<tool_call>\n{\"name\": \"write\", \"arguments\": {\"text\": \"", "\"}}\n</tool_call>"),
            think("step3p5", "\n").with("qwen3_coder", "\n<tool_call>\n<function=write>\n<parameter=text>\n",
                    "\n</parameter>\n</function>\n</tool_call>"),
            think("deepseek_r1", "\n").with("deepseek_v3",
                    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>write\n```json\n{\"text\": \"",
                    "\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"),
            think("deepseek_v3", "\n").where(Map.of("thinking", true)).with("deepseek_v31",
                    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>write<｜tool▁sep｜>{\"text\": \"", "\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"),
            calls("deepseek_v32", "\n<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"write\">\n<｜DSML｜parameter name=\"text\" string=\"true\">",
                    "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"),
            reasoning("gemma4", "<|channel>thought\n", "<channel|>").with("gemma4",
                    "<|tool_call>call:write{text:<|\"|>", "<|\"|>}<tool_call|>"),
            think("glm45", "\n").with("glm45", "\n<tool_call>write\n<arg_key>text</arg_key>\n<arg_value>", "</arg_value>\n</tool_call>"),
            reasoning("granite", "Here is my thought process:", "Here is my response:").with("granite",
                    "<|tool_call|>[{\"name\": \"write\", \"arguments\": {\"text\": \"", "\"}}]"),
            reasoning("hunyuan_a13b", "<think>\n", "\n</think>\n<answer>\n").with("hunyuan_a13b",
                    "<tool_calls>[{\"name\": \"write\", \"arguments\": {\"text\": \"", "\"}}]</tool_calls>\n</answer>"),
            calls("internlm", "<|action_start|><|plugin|>{\"name\": \"write\", \"parameters\": {\"text\": \"", "\"}}<|action_end|>"),
            calls("jamba", "<tool_calls>[{\"name\": \"write\", \"arguments\": {\"text\": \"", "\"}}]</tool_calls>"),
            think("kimi_k2", "").with("kimi_k2",
                    "<|tool_calls_section_begin|><|tool_call_begin|>functions.write:0<|tool_call_argument_begin|>{\"text\": \"",
                    "\"}<|tool_call_end|><|tool_calls_section_end|>"),
            callFirst("llama3_json", "{\"name\": \"write\", \"parameters\": {\"text\": \"", "\"}}"),
            callFirst("llama4_pythonic", "[write(text=\"", "\")]"),
            think("minimax_m2", "\n").with("minimax_m2",
                    "\n<minimax:tool_call>\n<invoke name=\"write\">\n<parameter name=\"text\">",
                    "</parameter>\n</invoke>\n</minimax:tool_call>"),
            think("olmo3", "\n").with("olmo3", "<function_calls>write(text=\"", "\")</function_calls>"),
            calls("phi4_mini_json", "functools[{\"name\": \"write\", \"arguments\": {\"text\": \"", "\"}}]"),
            callFirst("pythonic", "[write(text=\"", "\")]"),
            reasoning("seed_oss", "<seed:think>", "</seed:think>\n").with("seed_oss",
                    "\n<seed:tool_call>\n<function=write>\n<parameter=text>", "</parameter>\n</function>\n</seed:tool_call>"),
            reasoning("step3", "", "</think>\n").with("step3",
                    "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"write\"><steptml:parameter name=\"text\">",
                    "</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>"),
            think("nemotron_v3", "\n"),
            think("deepseek_v4", "\n").with("deepseek_v4",
                    "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"write\">\n<｜DSML｜parameter name=\"text\" string=\"true\">",
                    "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>"),
            calls("deepseek_v41",
                    "<｜DSML｜ calls>\n<｜DSML｜ invoke name=\"write\">\n<｜DSML｜ parameter name=\"text\" string=\"true\">",
                    "</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>"),
            reasoning("ernie45", "<think>", "</think>\n<response>"),
            think("holo2", "\n"),
            reasoning("minimax_m3", "<mm:think>", "</mm:think>\n"),
            // It takes no markers for its own that the vocabulary of the measurement does not have.
            reasoning("mistral", "", "").with("mistral", "[TOOL_CALLS]write[ARGS]{\"text\": \"", "\"}"),
            reasoning("minimax_m2_append_think", "", ""),
            calls("granite4", "<tool_call>{\"name\": \"write\", \"arguments\": {\"text\": \"", "\"}}</tool_call>"),
            calls("granite-20b-fc", "<function_call>{\"name\": \"write\", \"arguments\": {\"text\": \"", "\"}}"),
            calls("longcat", "<longcat_tool_call>{\"name\": \"write\", \"arguments\": {\"text\": \"", "\"}}</longcat_tool_call>"),
            calls("mimo", "\n<tool_call>\n<function=write>\n<parameter=text>", "</parameter>\n</function>\n</tool_call>"),
            calls("step5", "\n<tool_call>\n<function=write>\n<parameter=text>\n", "\n</parameter>\n</function>\n</tool_call>"),
            calls("xlam", "<tool_call>[{\"name\": \"write\", \"arguments\": {\"text\": \"", "\"}}]</tool_call>"),
            new Family("openai", Optional.of("openai"), Optional.empty(), Optional.empty(), Map.of(),
                    "<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>", true,
                    "<|end|><|start|>assistant<|channel|>commentary to=functions.write <|constrain|>json<|message|>{\"text\": \"",
                    "\"}<|call|>"));

    /** A family by its name. */
    public static Family named(String name) {
        return ALL.stream()
                .filter(family -> family.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no family '" + name + "'"));
    }

    private static Family reasoning(String parser, String open, String close) {
        return new Family(
                parser, Optional.empty(), Optional.of(parser), Optional.empty(), Map.of(), open, close, true, "", "");
    }

    private static Family think(String parser, String behind) {
        return reasoning(parser, "<think>", "</think>" + behind);
    }

    private static Family calls(String parser, String callOpen, String callClose) {
        return new Family(
                parser, Optional.empty(), Optional.empty(), Optional.of(parser), Map.of(), "", "", true, callOpen, callClose);
    }

    /** A family whose calls count only at the start of the output. */
    private static Family callFirst(String parser, String callOpen, String callClose) {
        return new Family(
                parser, Optional.empty(), Optional.empty(), Optional.of(parser), Map.of(), "", "", false, callOpen, callClose);
    }

    private Family where(Map<String, Object> arguments) {
        return new Family(name, combined, reasoning, tools, arguments, open, close, content, callOpen, callClose);
    }

    private Family with(String toolParser, String opens, String closes) {
        return new Family(
                name + "+" + toolParser, combined, reasoning, Optional.of(toolParser), template, open, close, content, opens, closes);
    }
}
