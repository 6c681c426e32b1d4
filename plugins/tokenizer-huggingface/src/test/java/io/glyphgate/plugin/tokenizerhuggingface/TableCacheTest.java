package io.glyphgate.plugin.tokenizerhuggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.Tokenizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableCacheTest {
    private static final String BYTE_LEVEL = "{\"type\": \"ByteLevel\"}";
    private static final String PIECES =
            """
            {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
             {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
            """;

    /** How many bytes of a kept file come before the tables. */
    private static final int HEAD = 56;

    @TempDir
    private Path temp;

    private final List<LogRecord> log = new ArrayList<>();
    private final Logger logger = Logger.getLogger(TableCache.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            log.add(entry);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private Path model;
    private Path cache;

    @BeforeEach
    void folders() throws IOException {
        model = Files.createDirectory(temp.resolve("model"));
        cache = temp.resolve("kept/vocabularies");
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    @AfterEach
    void logAsBefore() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    /** A start: a plugin that knows nothing yet loads the model. */
    private Tokenizer start(String... options) throws IOException {
        return start(model, options);
    }

    private Tokenizer start(Path source, String... options) throws IOException {
        var all = new HashMap<String, String>();
        all.put("vocabulary-cache", cache.toString());
        for (int i = 0; i < options.length; i += 2) {
            all.put(options[i], options[i + 1]);
        }
        return new HuggingFaceTokenizerProvider().load(source.toUri(), all);
    }

    private List<Path> kept() throws IOException {
        try (Stream<Path> files = Files.list(cache)) {
            return files.sorted().toList();
        }
    }

    private Path onlyKept() throws IOException {
        assertThat(kept()).hasSize(1);
        return kept().getFirst();
    }

    private void smallModel(String... added) throws IOException {
        SmallVocabulary.write(model, BYTE_LEVEL, List.of("a", "\u0120b", "</s>"), added);
    }

    private static void assertSame(Tokenizer tokenizer, Tokenizer expected) {
        assertThat(tokenizer.vocabularySize()).isEqualTo(expected.vocabularySize());
        assertThat(tokenizer.fingerprint()).isEqualTo(expected.fingerprint());
        assertThat(tokenizer.endOfSequence()).isEqualTo(expected.endOfSequence());
        assertThat(tokenizer.settings()).isEqualTo(expected.settings());
        Set<String> kept = Set.of("<think>", "</s>");
        for (int id = -1; id <= expected.vocabularySize(); id++) {
            Optional<String> token = expected.token(id);
            boolean same = tokenizer.token(id).equals(token)
                    && tokenizer.isSpecial(id) == expected.isSpecial(id)
                    && (token.isEmpty() || tokenizer.tokenId(token.get()).equals(expected.tokenId(token.get())));
            for (boolean skip : List.of(true, false)) {
                same &= tokenizer.decode(new int[] {id}, skip).equals(expected.decode(new int[] {id}, skip));
                DetokenizerOptions options = DetokenizerOptions.of(new int[] {id}, skip, false, kept);
                var text = new StringBuilder();
                var expectedText = new StringBuilder();
                tokenizer.detokenizer(options).next(id, text);
                expected.detokenizer(options).next(id, expectedText);
                same &= text.compareTo(expectedText) == 0;
            }
            if (!same) {
                assertThat(id).as("%s", token).isEqualTo("as it was");
            }
        }
        assertThat(tokenizer.tokenId("no such token")).isEmpty();
    }

    static Stream<Path> tokenizers() throws IOException {
        return RememberingEncoderTest.tokenizers();
    }

    @ParameterizedTest
    @MethodSource("tokenizers")
    void whatIsKeptIsWhatWasRead(Path folder) throws IOException {
        for (String stack : List.of("tokenizers", "transformers-5")) {
            try (Tokenizer read = start(folder, "vocabulary-cache", "none", "stack", stack);
                    Tokenizer first = start(folder, "stack", stack);
                    Tokenizer second = start(folder, "stack", stack)) {
                assertSame(first, read);
                assertSame(second, read);
            }
        }
        onlyKept(); // none of them is of the class that transformers 5 builds anew
        assertThat(log).isEmpty();
    }

    /** All that is kept, not only what a tokenizer shows. */
    @ParameterizedTest
    @MethodSource("tokenizers")
    void allOfTheTablesComesBack(Path folder) throws IOException {
        TokenizerFile file = TokenizerFile.find(folder.toUri());
        assumeTrue(!file.isTekken());
        TokenizerJson.Contents read = Tokenizers.parsed(file, TokenizerSettings.beside(file));
        byte[] key = new byte[32];
        TableCache tables = TableCache.in(cache).orElseThrow();
        tables.keep(key, read);
        TokenizerJson.Contents kept = tables.find(key, TokenizerJson.Contents::read).orElseThrow();

        assertThat(kept.decoder()).isEqualTo(read.decoder());
        assertThat(kept.configOnly()).isEqualTo(read.configOnly());
        assertThat(kept.endOfSequence()).isEqualTo(read.endOfSequence());
        assertThat(kept.added()).isEqualTo(read.added());
        for (AddedToken token : read.added()) {
            String text = "a" + token.content() + "b" + token.content();
            assertThat(kept.cuts().of(text)).isEqualTo(read.cuts().of(text));
        }
        assertThat(written(kept)).isEqualTo(written(read));
    }

    private static byte[] written(Tables tables) throws IOException {
        var bytes = new ByteArrayOutputStream();
        TableWriter out = new TableWriter(buffer -> {
            byte[] some = new byte[buffer.remaining()];
            buffer.get(some);
            bytes.write(some);
        });
        tables.write(out);
        out.flush();
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                BYTE_LEVEL,
                "{\"type\": \"Metaspace\", \"replacement\": \"\u2581\", \"prepend_scheme\": \"first\"}",
                "{\"type\": \"Replace\", \"pattern\": {\"String\": \"\\ud800\"}, \"content\": \"\\udfff\\ufffd\"}",
                "{\"type\": \"WordPiece\", \"prefix\": \"##\", \"cleanup\": true}",
                "null"
            })
    void eachDecoderComesBack(String decoder) throws IOException {
        SmallVocabulary.write(
                model, decoder, List.of("a", "\u2581b", "<0x41>", "\\ud800"), SmallVocabulary.added(9, "<|x|>", true));
        TokenizerFile file = TokenizerFile.find(model.toUri());
        TokenizerJson.Contents read = Tokenizers.parsed(file, Map.of("eos_token", "<|x|>"));
        byte[] key = new byte[32];
        TableCache.in(cache).orElseThrow().keep(key, read);
        assertThat(TableCache.in(cache).orElseThrow().find(key, TokenizerJson.Contents::read).orElseThrow())
                .usingRecursiveComparison()
                .isEqualTo(read);
    }

    @Test
    void aTekkenVocabularyIsKept() throws IOException {
        StringBuilder vocab = new StringBuilder();
        for (int b = 0; b < 256; b++) {
            vocab.append(b == 0 ? "" : ",")
                    .append("{\"token_bytes\": \"")
                    .append(Base64.getEncoder().encodeToString(new byte[] {(byte) b}))
                    .append("\"}");
        }
        Files.writeString(
                model.resolve("tekken.json"),
                """
                {"config": {"pattern": "\\\\p{L}+|.", "default_vocab_size": 276, "default_num_special_tokens": 20}, "vocab": [%s]}
                """
                        .formatted(vocab));
        try (Tokenizer read = start("vocabulary-cache", "none");
                Tokenizer first = start();
                Tokenizer second = start()) {
            assertSame(first, read);
            assertSame(second, read);
            assertThat(second.encode("ü[INST]", true)).isEqualTo(read.encode("ü[INST]", true)).hasSize(9);
        }
        onlyKept();
    }

    /** Tables of another file under the name of this one's are a lie that only one who reads them believes. */
    @Test
    void theSecondStartReadsWhatIsKept() throws IOException {
        smallModel();
        start().close();
        Path file = onlyKept();
        byte[] key = HexFormat.of().parseHex(file.getFileName().toString().substring(0, 64));
        Path other = Files.createDirectory(temp.resolve("other"));
        SmallVocabulary.write(other, BYTE_LEVEL, List.of("x", "y"));
        TableCache.in(cache).orElseThrow().keep(key, Tokenizers.parsed(TokenizerFile.find(other.toUri()), Map.of()));

        try (Tokenizer tokenizer = start()) {
            assertThat(tokenizer.token(0)).hasValue("x");
        }
        try (Tokenizer tokenizer = start("vocabulary-cache", "none")) {
            assertThat(tokenizer.token(0)).hasValue("a");
        }
    }

    @Test
    void whatTheTablesAreMadeOfDecidesWhetherTheyAreFound() throws IOException {
        smallModel(SmallVocabulary.added(3, "<t>", false));
        Path config = model.resolve("tokenizer_config.json");
        Files.writeString(config, "{\"eos_token\": \"</s>\"}");
        start().close();
        start("stack", "transformers-4", "prompt-cache", "0").close();
        assertThat(kept()).as("the same tables").hasSize(1);

        Files.writeString(config, "{\"eos_token\": \"</s>\", \"chat_template\": \"{{ messages }}\"}");
        try (Tokenizer tokenizer = start()) {
            assertThat(tokenizer.settings()).containsEntry("chat_template", "{{ messages }}");
        }
        assertThat(kept()).as("settings that say nothing of tokens").hasSize(1);

        Files.writeString(config, "{\"eos_token\": \"a\"}");
        try (Tokenizer tokenizer = start()) {
            assertThat(tokenizer.endOfSequence()).hasValue(0);
        }
        Files.writeString(config, "{\"eos_token\": \"a\", \"added_tokens_decoder\": {\"4\": {\"content\": \"<new>\"}}}");
        try (Tokenizer tokenizer = start()) {
            assertThat(tokenizer.tokenId("<new>")).hasValue(4);
        }
        smallModel(SmallVocabulary.added(3, "<u>", false));
        try (Tokenizer tokenizer = start()) {
            assertThat(tokenizer.tokenId("<u>")).hasValue(3);
            assertThat(tokenizer.tokenId("<t>")).isEmpty();
        }
        assertThat(kept()).hasSize(4);
    }

    @Test
    void anotherFormOfTheTokenizerIsNotFound() throws IOException {
        SmallVocabulary.write(model, PIECES, List.of("\u2581a", "b"));
        String config = "{\"tokenizer_class\": \"LlamaTokenizer\"%s}";
        Files.writeString(model.resolve("tokenizer_config.json"), config.formatted(""));
        start().close();
        start("stack", "transformers-5").close();
        assertThat(kept()).hasSize(2);
        Files.writeString(model.resolve("tokenizer_config.json"), config.formatted(", \"add_prefix_space\": false"));
        try (Tokenizer tokenizer = start("stack", "transformers-5")) {
            assertThat(tokenizer.decode(new int[] {0}, false)).isEqualTo(" a");
        }
        assertThat(kept()).hasSize(3);
    }

    @Test
    void theWayAFileIsPackedCountsAndWhatIsBehindTheDocumentToo() throws IOException {
        smallModel();
        Path file = model.resolve("tokenizer.json");
        start().close();
        Path packed = temp.resolve("packed.json.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
            Files.copy(file, out);
        }
        start(packed).close();
        assertThat(kept()).hasSize(2);
        start(packed).close();
        Files.writeString(file, Files.readString(file) + " ".repeat(200_000));
        start().close();
        start().close();
        assertThat(kept()).hasSize(3);
    }

    /** The hash of a file that was read is that of the file. */
    @ParameterizedTest
    @ValueSource(strings = {"qwen3", "llama2"})
    void readingAndHashingAgree(String name) throws IOException {
        TokenizerFile file = TokenizerFile.find(Tokenizers.folder(name).orElseThrow().toUri());
        TokenizerFile.Hashed<String> hashed = file.readHashed(json -> "the first token only");
        assertThat(hashed.sha256()).isEqualTo(file.sha256());
    }

    /** The file is exchanged between the look at it and the reading: what is kept is named after what was read. */
    @Test
    void aFileThatChangesWhileItIsReadIsKeptUnderItsOwnName() throws IOException {
        smallModel(SmallVocabulary.added(3, "<old>", true));
        TokenizerFile file = TokenizerFile.find(model.toUri());
        var besides = new TokenizerJson.Besides(Optional.empty(), Map.of());
        TableCache tables = TableCache.in(cache).orElseThrow();
        byte[] oldKey = tables.key(file.sha256(), besides.json());
        tables.load(
                file,
                new AbstractList<Object>() {
                    @Override
                    public Object get(int index) {
                        return besides.json().get(index);
                    }

                    @Override
                    public int size() { // asked when the key is made, after the file was hashed
                        try {
                            smallModel(SmallVocabulary.added(3, "<new>", true));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                        return besides.json().size();
                    }
                },
                TokenizerJson.Contents::read,
                json -> TokenizerJson.read(json, besides));
        assertThat(tables.find(oldKey, TokenizerJson.Contents::read)).isEmpty();
        TokenizerJson.Contents kept = tables.find(tables.key(file.sha256(), besides.json()), TokenizerJson.Contents::read)
                .orElseThrow();
        assertThat(kept.vocabulary().names().find("<new>")).isEqualTo(3);
    }

    /** Every byte of a small file, each turned in one bit. */
    @Test
    void damageIsNoticedAndMended() throws IOException {
        smallModel(SmallVocabulary.added(3, "<t>", true));
        start().close();
        Path file = onlyKept();
        byte[] right = Files.readAllBytes(file);
        TokenizerFile source = TokenizerFile.find(model.toUri());
        var besides = new TokenizerJson.Besides(Optional.empty(), Map.of());
        TableCache tables = TableCache.in(cache).orElseThrow();
        byte[] key = tables.key(source.sha256(), besides.json());
        assertThat(tables.find(key, TokenizerJson.Contents::read)).isPresent();
        Random random = new Random(8);
        int tried = 0;
        // in the middle lies a megabyte of empty slots: some of its bytes stand for all
        for (int at = 0; at < right.length; at = at < 200 || at >= right.length - 500 ? at + 1 : Math.min(at + 20_011, right.length - 500)) {
            byte[] wrong = right.clone();
            wrong[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, wrong);
            assertThat(tables.find(key, TokenizerJson.Contents::read)).as("byte %d", at).isEmpty();
            tried++;
        }
        assertThat(tried).isGreaterThan(700);
        assertThat(log).hasSize(tried).allSatisfy(entry -> {
            assertThat(entry.getLevel()).isEqualTo(Level.WARNING);
            assertThat(String.valueOf(entry.getParameters()[0])).isEqualTo(file.toString());
        });
        assertMends(file, right);
    }

    private void assertMends(Path file, byte[] right) throws IOException {
        try (Tokenizer read = start("vocabulary-cache", "none");
                Tokenizer mended = start()) {
            assertSame(mended, read);
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(right);
    }

    @Test
    void aFileThatIsCutOffOrTooLongIsNoticedAndMended() throws IOException {
        smallModel();
        start().close();
        Path file = onlyKept();
        byte[] right = Files.readAllBytes(file);
        for (int length : new int[] {0, 1, 20, HEAD - 1, HEAD, HEAD + 3, HEAD + 100, right.length / 2, right.length - 1}) {
            Files.write(file, Arrays.copyOf(right, length));
            assertMends(file, right);
            // and with a head that says so
            Files.write(file, withRightHead(Arrays.copyOf(right, Math.max(length, HEAD))));
            assertMends(file, right);
        }
        Files.write(file, Arrays.copyOf(right, right.length + 1));
        assertMends(file, right);
        Files.write(file, withRightHead(Arrays.copyOf(right, right.length + 1)));
        assertMends(file, right);
        assertThat(log).hasSize(20);
    }

    /** What a fool or a foe wrote, with a length and a checksum that are right. */
    @Test
    void lengthsThatCannotBeAreRefusedBeforeThereIsMemoryForThem() throws IOException {
        smallModel();
        start().close();
        Path file = onlyKept();
        byte[] right = Files.readAllBytes(file);
        for (int count : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE / 4, right.length}) {
            byte[] wrong = right.clone();
            // the count of tokens, then the length of their names
            ByteBuffer.wrap(wrong).putInt(HEAD + Integer.BYTES, Integer.reverseBytes(count));
            Files.write(file, withRightHead(wrong));
            assertMends(file, right);
        }
        assertThat(log).hasSize(5);
    }

    private static byte[] withRightHead(byte[] file) {
        CRC32 checksum = new CRC32();
        checksum.update(file, HEAD, file.length - HEAD);
        ByteBuffer.wrap(file).putLong(8, file.length).putLong(16, checksum.getValue());
        return file;
    }

    @Test
    void theFileOfAnotherVocabularyIsNoUseUnderThisName() throws IOException {
        smallModel();
        start().close();
        Path file = onlyKept();
        byte[] right = Files.readAllBytes(file);
        SmallVocabulary.write(model, BYTE_LEVEL, List.of("x", "y"));
        start().close();
        Path other = kept().stream().filter(each -> !each.equals(file)).findFirst().orElseThrow();
        Files.write(other, right);
        try (Tokenizer tokenizer = start()) {
            assertThat(tokenizer.token(0)).hasValue("x");
        }
        assertThat(log).hasSize(1);
    }

    @Test
    void aFolderThatCannotBeWrittenToIsToldOnce() throws IOException {
        smallModel();
        Files.writeString(temp.resolve("kept"), "a file where the folder should be");
        HuggingFaceTokenizerProvider provider = new HuggingFaceTokenizerProvider();
        Map<String, String> options = Map.of("vocabulary-cache", cache.toString());
        for (int i = 0; i < 3; i++) {
            try (Tokenizer tokenizer = provider.load(model.toUri(), options)) {
                assertThat(tokenizer.token(0)).hasValue("a");
            }
        }
        List<LogRecord> told = log.stream()
                .filter(entry -> entry.getMessage().contains("cannot be kept"))
                .toList();
        assertThat(told).hasSize(1);
        assertThat(told.getFirst().getLevel()).isEqualTo(Level.INFO);
        assertThat(told.getFirst().getParameters()[0]).isEqualTo(cache);
    }

    @Test
    void manyStartsAtOnce() throws Exception {
        smallModel();
        int starts = 16;
        try (ExecutorService threads = Executors.newFixedThreadPool(starts)) {
            Callable<String> start = () -> {
                try (Tokenizer tokenizer = start()) {
                    return tokenizer.fingerprint();
                }
            };
            List<Future<String>> fingerprints = threads.invokeAll(Collections.nCopies(starts, start));
            for (Future<String> fingerprint : fingerprints) {
                assertThat(fingerprint.get()).isEqualTo(fingerprints.getFirst().get());
            }
        }
        onlyKept();
        assertThat(log).isEmpty();
    }

    @Test
    void othersMayReadWhatOneHasWritten() throws IOException {
        smallModel();
        start().close();
        Path file = onlyKept();
        Path ordinary = Files.writeString(temp.resolve("ordinary"), "");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo(PosixFilePermissions.toString(Files.getPosixFilePermissions(ordinary)));
    }

    @Test
    void whatIsNotUsedForLongIsDeletedAndNothingElse() throws IOException {
        smallModel();
        start().close();
        Path used = onlyKept();
        String key = "0123456789abcdef".repeat(4);
        Path forgotten = Files.writeString(cache.resolve(key + ".vocabulary.bin"), "");
        Path begun = Files.writeString(cache.resolve(key + ".123e4567-e89b-12d3-a456-426614174000.tmp"), "");
        Path writing = Files.writeString(cache.resolve(key + ".123e4567-e89b-12d3-a456-426614174001.tmp"), "");
        List<Path> others = new ArrayList<>();
        for (String name : List.of(key, key + ".bin", "a" + key + ".vocabulary.bin", "notes.tmp", "java.aot")) {
            others.add(Files.writeString(cache.resolve(name), ""));
        }
        FileTime old = FileTime.from(Instant.now().minus(Duration.ofDays(31)));
        for (Path each : Stream.concat(Stream.of(used, forgotten, begun), others.stream()).toList()) {
            Files.setLastModifiedTime(each, old);
        }

        start().close();
        assertThat(Files.getLastModifiedTime(used)).as("it was used").isGreaterThan(old);
        assertThat(forgotten).as("nothing was written").exists();
        SmallVocabulary.write(model, BYTE_LEVEL, List.of("x", "y"));
        start().close();

        assertThat(used).exists();
        assertThat(writing).exists();
        assertThat(others).allSatisfy(other -> assertThat(other).exists());
        assertThat(forgotten).doesNotExist();
        assertThat(begun).doesNotExist();
        assertThat(kept()).hasSize(others.size() + 3);
    }

    @Test
    void aUseIsNotedOnceADay() throws IOException {
        smallModel();
        start().close();
        Path file = onlyKept();
        FileTime recently = FileTime.from(Instant.now().minus(Duration.ofHours(20)));
        Files.setLastModifiedTime(file, recently);
        start().close();
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(recently);
    }

    @Test
    void aTokenizerThatCannotBeReadIsKeptNowhere() throws IOException {
        Path file = Files.writeString(model.resolve("tokenizer.json"), "{\"model\": {\"vocab\": {\"a\": -1}}}");
        assertThatThrownBy(this::start)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("the ID of the token \"a\" is -1");
        assertThat(cache).doesNotExist();
        smallModel();
        Files.writeString(model.resolve("tokenizer_config.json"), "{\"added_tokens_decoder\": {\"x\": {\"content\": \"y\"}}}");
        assertThatThrownBy(this::start)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("tokenizer_config.json")
                .hasMessageContaining("has the key \"x\"");
        assertThat(cache).doesNotExist();
    }

    @Test
    void theFolderOfTheInstallationIsTheDefault() throws IOException {
        Supplier<Optional<Path>> folder = () -> {
            try {
                return Options.of(Map.of()).vocabularyCache();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        String home = System.getProperty("glyphgate.home");
        try {
            System.clearProperty("glyphgate.home");
            assertThat(folder.get()).isEmpty();
            System.setProperty("glyphgate.home", temp.toString());
            assertThat(folder.get()).hasValue(temp.resolve("cache/vocabularies"));
            assertThat(Options.of(Map.of("vocabulary-cache", "none")).vocabularyCache()).isEmpty();
        } finally {
            if (home == null) {
                System.clearProperty("glyphgate.home");
            } else {
                System.setProperty("glyphgate.home", home);
            }
        }
    }

    @Test
    void aFolderMustBeAWholePath() {
        assertThatThrownBy(() -> Options.of(Map.of("vocabulary-cache", "cache")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("\"cache\"")
                .hasMessageContaining("none");
        assertThatThrownBy(() -> Options.of(Map.of("vocabulary-cache", "/a\0b"))).isInstanceOf(IOException.class);
    }
}
