package io.glyphgate.plugin.tokenizerhuggingface;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The table against the tokenizers library, over tokens of every kind and in every mix. */
class DetokenizerProperties {
    private static final String[] TEXTS = {
        "alpha größe 日本語 한국어 🙂🚀 👩‍🔬",
        " naïve Ελλάδα x=3.5;\n\t\"quoted\" \\ end",
        "— עברית عربى ไทย 𝔘𝔫𝔦 zażółć",
        "\uFFFD",
        " ",
        "   ",
        "\n\n",
        "\u2581"
    };

    /** Every decoder by the library's own decode, step by step. */
    private static final Map<String, WindowDecoder> LIBRARY = new ConcurrentHashMap<>();

    /** One choice of one request. */
    record Case(String tokenizer, int[] prompt, int[] ids, boolean skip, boolean spaces) {
        DetokenizerOptions options() {
            return DetokenizerOptions.of(prompt, skip, spaces, Set.of());
        }
    }

    @Property(tries = 2000)
    void eachStepGivesWhatTheLibraryGives(@ForAll("cases") Case each) {
        assertThat(texts(Tokenizers.load(each.tokenizer()).detokenizer(each.options()), each.ids()))
                .isEqualTo(texts(library(each.tokenizer()).detokenizer(each.options()), each.ids()));
    }

    @Property(tries = 2000)
    void decodingAtOnceGivesWhatTheLibraryGives(@ForAll("cases") Case each) {
        assertThat(Tokenizers.load(each.tokenizer()).decode(each.ids(), each.skip()))
                .isEqualTo(library(each.tokenizer()).decode(each.ids(), each.skip()));
    }

    @Property
    void anyCutGivesTheSameText(@ForAll("cases") Case each, @ForAll long cuts) {
        Tokenizer tokenizer = Tokenizers.load(each.tokenizer());
        List<String> texts = texts(tokenizer.detokenizer(each.options()), each.ids());
        Detokenizer detokenizer = tokenizer.detokenizer(each.options());
        var out = new StringBuilder();
        var joined = new StringBuilder();
        for (int i = 0; i < each.ids().length; i++) {
            detokenizer.next(each.ids()[i], out);
            if (((cuts >>> (i % 64)) & 1) != 0) {
                joined.append(out);
                out.setLength(0);
            }
        }
        assertThat(joined.append(out).toString()).isEqualTo(String.join("", texts));
    }

    @Property
    void idsOutOfRangeAddNothing(@ForAll("cases") Case each, @ForAll int stray) {
        Tokenizer tokenizer = Tokenizers.load(each.tokenizer());
        int unknown = stray < 0 ? stray : Integer.MAX_VALUE - stray % 1000;
        int[] mixed = IntStream.of(each.ids())
                .flatMap(id -> IntStream.of(unknown, id))
                .toArray();
        // an unknown token between two added ones parts them
        var spaced = new Case(each.tokenizer(), each.prompt(), each.ids(), each.skip(), true);
        assertThat(String.join("", texts(tokenizer.detokenizer(spaced.options()), mixed)))
                .isEqualTo(String.join("", texts(tokenizer.detokenizer(spaced.options()), each.ids())));
    }

    @Provide
    Arbitrary<Case> cases() {
        return Arbitraries.of("qwen3", "llama2").flatMap(name -> {
            Arbitrary<int[]> piece = piece(name);
            Arbitrary<int[]> ids = piece.list().ofMinSize(1).ofMaxSize(12).map(DetokenizerProperties::join);
            Arbitrary<int[]> prompt = piece.list().ofMaxSize(3).map(DetokenizerProperties::join);
            return Combinators.combine(prompt, ids, Arbitraries.of(true, false), Arbitraries.of(true, false))
                    .as((before, after, skip, spaces) -> new Case(name, before, after, skip, spaces));
        });
    }

    private static Arbitrary<int[]> piece(String name) {
        Tokenizer tokenizer = Tokenizers.load(name);
        int size = tokenizer.vocabularySize();
        int[] bytes = bytes(tokenizer);
        Arbitrary<Integer> added = name.equals("qwen3")
                ? Arbitraries.integers().between(151643, size - 1)
                : Arbitraries.of(0, 1, 2);
        return Arbitraries.oneOf(
                Arbitraries.of(TEXTS).map(text -> tokenizer.encode(text, false)),
                Arbitraries.of(TEXTS).map(text -> utf8(bytes, text)),
                Arbitraries.of(TEXTS).map(text -> {
                    int[] whole = utf8(bytes, text);
                    return IntStream.of(whole).limit(whole.length - 1).toArray();
                }),
                Arbitraries.integers().between(0, size - 1).array(int[].class).ofMaxSize(4),
                Arbitraries.of(IntStream.of(bytes).boxed().toList()).array(int[].class).ofMaxSize(3),
                added.array(int[].class).ofMaxSize(3));
    }

    /** The tokens that are one byte each, by byte. */
    private static int[] bytes(Tokenizer tokenizer) {
        int[] bytes = new int[256];
        int next = 0x100;
        for (int b = 0; b < 256; b++) {
            boolean itself = (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
            String byteLevel = String.valueOf((char) (itself ? b : next++));
            bytes[b] = tokenizer
                    .tokenId(String.format("<0x%02X>", b))
                    .orElseGet(() -> tokenizer.tokenId(byteLevel).orElseThrow());
        }
        return bytes;
    }

    private static int[] utf8(int[] bytes, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return IntStream.range(0, utf8.length).map(i -> bytes[utf8[i] & 0xFF]).toArray();
    }

    private static int[] join(List<int[]> parts) {
        return parts.stream().flatMapToInt(IntStream::of).toArray();
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

    private static WindowDecoder library(String name) {
        return LIBRARY.computeIfAbsent(name, key -> {
            try {
                TokenizerFile file = TokenizerFile.find(Tokenizers.folder(key).orElseThrow().toUri());
                return new WindowDecoder(
                            Tokenizers.parsed(file, Map.of()).vocabulary(),
                            new NativeTokenizer(file, Optional.empty()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }
}
