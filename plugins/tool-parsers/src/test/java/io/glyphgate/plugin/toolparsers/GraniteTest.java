package io.glyphgate.plugin.toolparsers;

class GraniteTest extends JsonArrayContract {
    GraniteTest() {
        super(new Granite(), "<|tool_call|>", "", "Before.\nAfter.\n");
    }
}
