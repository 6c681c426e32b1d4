package io.glyphgate.proxy.wire;

import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import java.util.List;
import java.util.Map;

/**
 * What {@code parse_context} or {@code chat_request} says about parsing, with vLLM's defaults filled in.
 *
 * @param tools the functions that the caller offers
 * @param toolChoice {@link ToolChoice#NONE} without tools, {@link ToolChoice#AUTO} with tools, where the caller did not say
 * @param parallelToolCalls whether more than one call is wanted; true by default
 * @param includeReasoning whether the client gets the reasoning; true by default
 * @param chatTemplateArguments {@code chat_template_kwargs}
 * @param earlierToolCalls {@code history_tool_call_cnt}
 */
public record ParseRequest(
        List<Tool> tools,
        ToolChoice toolChoice,
        boolean parallelToolCalls,
        boolean includeReasoning,
        Map<String, Object> chatTemplateArguments,
        int earlierToolCalls) {
    /** A request that says nothing about parsing. */
    public static final ParseRequest DEFAULT = new ParseRequest(List.of(), ToolChoice.NONE, true, true, Map.of(), 0);
}
