package io.glyphgate.plugin.tokenizerhuggingface;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Decoders over vocabularies so small that every odd neighbourhood comes up: spaces at the start, runs of bytes that
 * break, characters in halves, U+FFFD as a token. The tokenizers library is the judge.
 */
class SmallVocabularyProperties {
    private static final List<String> PIECES = List.of(
            "<s>", "<tag>", "\u2581", "\u2581\u2581", "\u2581a", "b", " ", "\uFFFD", "x\uFFFD", "<0x20>", "<0x41>",
            "<0xE4>", "<0xB8>", "<0xAD>", "<0xF0>", "<0xEF>", "<0xBF>", "<0xBD>", "<0xZZ>", "<0xff>");
    private static final List<String> BYTE_LEVEL = List.of(
            "<s>", "<tag>", "\u0120", "\u0120a", "b", " ", "\uFFFD", "\u00E4", "\u00B8", "\u0143", "\u00E4\u00B8",
            "\u00B8\u0143", "\u00F0", "\u00EF\u00BF\u00BD", "\u00EF", "\u00BF", "\u00BD", "\u00E4\u00B8\u0143",
            "a\u00E4", "\uFF5Ctag\uFF5C");

    private static final String REPLACE =
            "{\"type\": \"Replace\", \"pattern\": {\"String\": \"\u2581\"}, \"content\": \" \"}";
    private static final String BYTES = "{\"type\": \"ByteFallback\"}, {\"type\": \"Fuse\"}";
    private static final String STRIP = "{\"type\": \"Strip\", \"content\": \" \", \"start\": 1, \"stop\": 0}";

    private static final List<String> DECODERS = List.of(
            "{\"type\": \"ByteLevel\", \"add_prefix_space\": true, \"trim_offsets\": true, \"use_regex\": true}",
            sequence(REPLACE, BYTES, STRIP),
            sequence(REPLACE, BYTES),
            sequence(REPLACE, "{\"type\": \"Fuse\"}", STRIP),
            REPLACE,
            "{\"type\": \"Metaspace\", \"replacement\": \"\u2581\", \"prepend_scheme\": \"always\", \"split\": true}",
            "{\"type\": \"Metaspace\", \"replacement\": \"\u2581\", \"prepend_scheme\": \"never\", \"split\": true}",
            sequence(REPLACE, BYTES, STRIP.replace("1", "2")));

    private static final Map<String, Pair> PAIRS = new ConcurrentHashMap<>();

    /** The tokenizer under test, and the library's own decode. */
    record Pair(Tokenizer table, WindowDecoder library) {}

    @Property(tries = 4000)
    void eachStepGivesWhatTheLibraryGives(
            @ForAll("decoders") String decoder,
            @ForAll("ids") int[] prompt,
            @ForAll("ids") int[] ids,
            @ForAll boolean skip,
            @ForAll boolean spaces) {
        Pair pair = PAIRS.computeIfAbsent(decoder, SmallVocabularyProperties::load);
        DetokenizerOptions options = DetokenizerOptions.of(prompt, skip, spaces, Set.of());
        assertThat(texts(pair.table().detokenizer(options), ids))
                .isEqualTo(texts(pair.library().detokenizer(options), ids));
        assertThat(pair.table().decode(ids, skip)).isEqualTo(pair.library().decode(ids, skip));
    }

    @Provide
    Arbitrary<String> decoders() {
        return Arbitraries.of(DECODERS);
    }

    @Provide
    Arbitrary<int[]> ids() {
        // two IDs past the vocabulary
        return Arbitraries.integers().between(0, PIECES.size() + 1).array(int[].class).ofMaxSize(8);
    }

    private static String sequence(String... decoders) {
        return "{\"type\": \"Sequence\", \"decoders\": [" + String.join(",", decoders) + "]}";
    }

    private static Pair load(String decoder) {
        try {
            Path folder = Tokenizers.workFolder("small-" + DECODERS.indexOf(decoder));
            Path path = SmallVocabulary.write(
                    folder,
                    decoder,
                    decoder.contains("ByteLevel") ? BYTE_LEVEL : PIECES,
                    SmallVocabulary.added(0, "<s>", true),
                    SmallVocabulary.added(1, "<tag>", false));
            TokenizerFile file = TokenizerFile.find(path.toUri());
            return new Pair(
                    Tokenizers.load(folder),
                    new WindowDecoder(
                            Tokenizers.parsed(file, Map.of()).vocabulary(),
                            new NativeTokenizer(file, Optional.empty())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> texts(Detokenizer detokenizer, int[] ids) {
        List<String> texts = new ArrayList<>();
        for (int id : ids) {
            var out = new StringBuilder();
            detokenizer.next(id, out);
            texts.add(out.toString());
        }
        return texts;
    }
}
