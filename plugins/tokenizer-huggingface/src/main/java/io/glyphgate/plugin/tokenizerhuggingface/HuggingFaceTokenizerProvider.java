package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Loads {@code tokenizer.json} and {@code tekken.json}. The source is one of these files or the folder that holds it;
 * the file may be compressed with gzip. The option {@code stack} says which library the servers load it through: {@code
 * tokenizers} (the default), {@code transformers-4} or {@code transformers-5}; {@code prompt-cache} how many bytes the tokens of
 * known parts of prompts may take, {@code 16MiB} by default, {@code 0} for none; {@code vocabulary-cache} the folder that keeps the
 * tables of vocabularies for the next start, {@code none} for none, by default {@code cache/vocabularies} of the installation.
 */
public final class HuggingFaceTokenizerProvider implements TokenizerProvider {
    /** The end-of-sequence token of every tekken vocabulary. */
    private static final String TEKKEN_END = "</s>";

    private static final System.Logger LOGGER = System.getLogger(HuggingFaceTokenizerProvider.class.getName());

    private final Map<Path, Optional<TableCache>> caches = new ConcurrentHashMap<>();

    @Override
    public String name() {
        return "huggingface";
    }

    @Override
    public Tokenizer load(URI source, Map<String, String> options) throws IOException {
        Options wanted = Options.of(options);
        TokenizerFile file = TokenizerFile.find(source);
        return file.isTekken() ? tekken(file, wanted) : tokenizerJson(file, wanted);
    }

    /** What a file says, as it was kept by an earlier start if that is possible. */
    private <T extends Tables> T tables(
            TokenizerFile file, Options options, List<?> besides, TableReader.Form<T> form, TokenizerFile.Reader<T> reader)
            throws IOException {
        Optional<TableCache> cache = options.vocabularyCache().flatMap(folder -> caches.computeIfAbsent(folder, TableCache::in));
        return cache.isPresent() ? cache.get().load(file, besides, form, reader) : file.read(reader);
    }

    private Tokenizer tokenizerJson(TokenizerFile file, Options options) throws IOException {
        Stack stack = options.stack();
        Map<String, @Nullable Object> settings = TokenizerSettings.beside(file);
        Optional<LlamaForm> rebuilt = stack == Stack.TRANSFORMERS_5 ? LlamaForm.of(settings) : Optional.empty();
        TokenizerJson.Besides besides = new TokenizerJson.Besides(rebuilt, settings);
        TokenizerJson.Contents contents = tables(
                file, options, besides.json(), TokenizerJson.Contents::read, json -> TokenizerJson.read(json, besides));
        Vocabulary vocabulary = contents.vocabulary();
        if (!contents.configOnly().isEmpty()) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "{0}: tokens that only tokenizer_config.json adds can be decoded, but text that holds them is"
                            + " encoded as if they were no tokens: {1}",
                    file.path(),
                    contents.configOnly());
        }
        var library = new NativeTokenizer(file, rebuilt);
        TextDecoder decoder =
                switch (contents.decoder()) {
                    case DecoderSpec.ByteLevel byteLevel -> new ByteLevelDecoder(vocabulary);
                    case DecoderSpec.Pieces pieces -> new PieceDecoder(vocabulary, pieces.rules());
                    case DecoderSpec.Other other -> {
                        LOGGER.log(
                                System.Logger.Level.INFO,
                                "{0}: the decoder ({1}) is not among those that are fast here; the tokenizers library"
                                        + " decodes each token",
                                file.path(),
                                other.description());
                        yield new WindowDecoder(vocabulary, library);
                    }
                };
        boolean cleaned = stack == Stack.TRANSFORMERS_4 && Boolean.TRUE.equals(settings.get("clean_up_tokenization_spaces"));
        return new TableTokenizer(
                vocabulary,
                cleaned ? new CleanedDecoder(decoder) : decoder,
                options.promptCache() == 0
                        ? library
                        : new RememberingEncoder(library, contents.cuts(), options.promptCache()),
                contents.endOfSequence(),
                settings);
    }

    private Tokenizer tekken(TokenizerFile file, Options options) throws IOException {
        TekkenJson.Contents contents =
                tables(file, options, List.of("tekken.json"), TekkenJson.Contents::read, TekkenJson::read);
        int end = contents.vocabulary().names().find(TEKKEN_END);
        return new TableTokenizer(
                contents.vocabulary(),
                TekkenDecoder.of(contents.vocabulary()),
                new TekkenEncoder(contents),
                end < 0 ? OptionalInt.empty() : OptionalInt.of(end),
                TokenizerSettings.beside(file));
    }
}
