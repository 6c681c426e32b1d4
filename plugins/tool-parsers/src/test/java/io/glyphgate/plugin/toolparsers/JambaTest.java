package io.glyphgate.plugin.toolparsers;

class JambaTest extends JsonArrayContract {
    JambaTest() {
        super(new Jamba(), "<tool_calls>", "</tool_calls>", "Before.\n\nAfter.\n");
    }
}
