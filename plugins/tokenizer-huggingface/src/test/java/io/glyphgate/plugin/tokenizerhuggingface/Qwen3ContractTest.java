package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import io.glyphgate.testkit.TokenizerContract;

class Qwen3ContractTest extends TokenizerContract {
    @Override
    protected TokenizerProvider provider() {
        return new HuggingFaceTokenizerProvider();
    }

    @Override
    protected Tokenizer load() {
        return Tokenizers.load(Tokenizers.folder("qwen3").orElseThrow());
    }
}
