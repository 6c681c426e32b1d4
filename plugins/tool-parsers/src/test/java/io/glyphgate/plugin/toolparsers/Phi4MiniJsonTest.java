package io.glyphgate.plugin.toolparsers;

class Phi4MiniJsonTest extends JsonArrayContract {
    Phi4MiniJsonTest() {
        super(new Phi4MiniJson(), "functools", "", "Before.\n\nAfter.\n");
    }
}
