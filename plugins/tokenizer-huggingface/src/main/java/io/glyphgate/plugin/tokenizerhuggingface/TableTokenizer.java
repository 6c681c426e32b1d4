package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.Tokenizer;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** A tokenizer whose tokens lie in a table. */
final class TableTokenizer implements Tokenizer {
    private final Vocabulary vocabulary;
    private final TextDecoder decoder;
    private final TextEncoder encoder;
    private final OptionalInt endOfSequence;
    private final Map<String, @Nullable Object> settings;

    TableTokenizer(
            Vocabulary vocabulary,
            TextDecoder decoder,
            TextEncoder encoder,
            OptionalInt endOfSequence,
            Map<String, @Nullable Object> settings) {
        this.vocabulary = vocabulary;
        this.decoder = decoder;
        this.encoder = encoder;
        this.endOfSequence = endOfSequence;
        this.settings = settings;
    }

    @Override
    public int vocabularySize() {
        return vocabulary.size();
    }

    @Override
    public int[] encode(String text, boolean addSpecialTokens) {
        return encoder.encode(text, addSpecialTokens);
    }

    @Override
    public String decode(int[] tokenIds, boolean skipSpecialTokens) {
        return decoder.decode(tokenIds, skipSpecialTokens);
    }

    @Override
    public OptionalInt tokenId(String token) {
        int id = vocabulary.names().find(token);
        return id < 0 ? OptionalInt.empty() : OptionalInt.of(id);
    }

    @Override
    public Optional<String> token(int tokenId) {
        TokenNames names = vocabulary.names();
        return names.has(tokenId) ? Optional.of(names.text(tokenId)) : Optional.empty();
    }

    @Override
    public boolean isSpecial(int tokenId) {
        return Vocabulary.isSpecial(vocabulary.kind(tokenId));
    }

    @Override
    public OptionalInt endOfSequence() {
        return endOfSequence;
    }

    @Override
    public Map<String, @Nullable Object> settings() {
        return settings;
    }

    @Override
    public String fingerprint() {
        return vocabulary.fingerprint();
    }

    @Override
    public Detokenizer detokenizer(DetokenizerOptions options) {
        return decoder.detokenizer(options);
    }

    @Override
    public void close() {
        encoder.close();
    }
}
