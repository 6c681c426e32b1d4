package io.glyphgate.proxy.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;

/** A tokenizer over a few tokens of Qwen3's vocabulary, none of which is part of a character. */
@NullMarked
final class ExcerptTokenizer implements Tokenizer {
    private final Map<Integer, String> texts = new HashMap<>();
    private final Map<String, Integer> ids = new HashMap<>();
    private final Set<Integer> special = new HashSet<>();

    ExcerptTokenizer() throws IOException {
        try (InputStream in = ExcerptTokenizer.class.getResourceAsStream("/wire/qwen3-excerpt.json")) {
            for (Map.Entry<String, JsonNode> entry : new JsonMapper().readTree(in).properties()) {
                int id = Integer.parseInt(entry.getKey());
                String text = entry.getValue().path("text").asText(entry.getValue().asText());
                texts.put(id, text);
                ids.put(text, id);
                if (entry.getValue().path("special").asBoolean()) {
                    special.add(id);
                }
            }
        }
    }

    @Override
    public int vocabularySize() {
        return 151_669;
    }

    @Override
    public int[] encode(String text, boolean addSpecialTokens) {
        IntStream.Builder found = IntStream.builder();
        int start = 0;
        while (start < text.length()) {
            int end = text.length();
            Integer id = ids.get(text.substring(start, end));
            while (id == null) {
                end--;
                if (end == start) {
                    throw new IllegalArgumentException("the excerpt has no token for '" + text.substring(start) + "'");
                }
                id = ids.get(text.substring(start, end));
            }
            found.add(id);
            start = end;
        }
        return found.build().toArray();
    }

    @Override
    public String decode(int[] tokenIds, boolean skipSpecialTokens) {
        StringBuilder text = new StringBuilder();
        for (int id : tokenIds) {
            append(id, skipSpecialTokens, Set.of(), text);
        }
        return text.toString();
    }

    @Override
    public OptionalInt tokenId(String token) {
        Integer id = ids.get(token);
        return id == null ? OptionalInt.empty() : OptionalInt.of(id);
    }

    @Override
    public Optional<String> token(int tokenId) {
        return Optional.ofNullable(texts.get(tokenId));
    }

    @Override
    public boolean isSpecial(int tokenId) {
        return special.contains(tokenId);
    }

    @Override
    public Detokenizer detokenizer(DetokenizerOptions options) {
        return (tokenId, out) -> append(tokenId, options.skipSpecialTokens(), options.keptTokens(), out);
    }

    private void append(int id, boolean skipSpecialTokens, Set<String> kept, StringBuilder out) {
        String text = texts.getOrDefault(id, "");
        if (!skipSpecialTokens || !special.contains(id) || kept.contains(text)) {
            out.append(text);
        }
    }

    @Override
    public void close() {}
}
