package io.glyphgate.testkit;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.Tokenizer;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A tokenizer for tests: tokens 0 to 255 are the bytes of UTF-8, those after them the special tokens that it is
 * given. It adds no tokens around a text.
 */
public final class TestTokenizer implements Tokenizer {
    private static final int BYTES = 256;
    private static final int MAX_CHARACTER = 4;

    private final List<String> specials;

    /**
     * A tokenizer.
     *
     * @param specials the special tokens, none of which starts with another; they are numbered from 256
     */
    public TestTokenizer(String... specials) {
        this.specials = List.of(specials);
    }

    @Override
    public int vocabularySize() {
        return BYTES + specials.size();
    }

    @Override
    public int[] encode(String text, boolean addSpecialTokens) {
        int[] ids = new int[text.length() * MAX_CHARACTER];
        int count = 0;
        for (int at = 0; at < text.length(); ) {
            int special = specialAt(text, at);
            if (special >= 0) {
                ids[count++] = BYTES + special;
                at += specials.get(special).length();
            } else {
                int next = text.offsetByCodePoints(at, 1);
                for (byte b : text.substring(at, next).getBytes(StandardCharsets.UTF_8)) {
                    ids[count++] = Byte.toUnsignedInt(b);
                }
                at = next;
            }
        }
        return Arrays.copyOf(ids, count);
    }

    private int specialAt(String text, int at) {
        for (int i = 0; i < specials.size(); i++) {
            if (text.startsWith(specials.get(i), at)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public String decode(int[] tokenIds, boolean skipSpecialTokens) {
        StringBuilder text = new StringBuilder();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int id : tokenIds) {
            if (id >= 0 && id < BYTES) {
                bytes.write(id);
            } else {
                text.append(bytes.toString(StandardCharsets.UTF_8));
                bytes.reset();
                if (isSpecial(id) && !skipSpecialTokens) {
                    text.append(specials.get(id - BYTES));
                }
            }
        }
        return text.append(bytes.toString(StandardCharsets.UTF_8)).toString();
    }

    @Override
    public OptionalInt tokenId(String token) {
        int special = specials.indexOf(token);
        if (special >= 0) {
            return OptionalInt.of(BYTES + special);
        }
        boolean ascii = token.length() == 1 && token.charAt(0) < 128;
        return ascii ? OptionalInt.of(token.charAt(0)) : OptionalInt.empty();
    }

    @Override
    public Optional<String> token(int tokenId) {
        if (isSpecial(tokenId)) {
            return Optional.of(specials.get(tokenId - BYTES));
        }
        boolean known = tokenId >= 0 && tokenId < BYTES;
        return known ? Optional.of(tokenId < 128 ? String.valueOf((char) tokenId) : "<0x%02X>".formatted(tokenId)) : Optional.empty();
    }

    @Override
    public boolean isSpecial(int tokenId) {
        return tokenId >= BYTES && tokenId < vocabularySize();
    }

    @Override
    public Detokenizer detokenizer(DetokenizerOptions options) {
        ByteBuffer pending = ByteBuffer.allocate(MAX_CHARACTER);
        return (id, out) -> {
            if (isSpecial(id)) {
                String token = specials.get(id - BYTES);
                if (!options.skipSpecialTokens() || options.keptTokens().contains(token)) {
                    out.append(token);
                }
            } else if (id >= 0 && id < BYTES) {
                pending.put((byte) id);
                take(pending, out);
            }
        };
    }

    /** Gives out the pending bytes once they are a whole character, or can no longer become one. */
    private static void take(ByteBuffer pending, StringBuilder out) {
        try {
            CharBuffer characters = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(pending.duplicate().flip());
            out.append(characters);
            pending.clear();
        } catch (CharacterCodingException incomplete) {
            // Not a character yet; four bytes that are none never will be.
            if (!pending.hasRemaining()) {
                out.append('\ufffd');
                pending.clear();
            }
        }
    }

    @Override
    public void close() {}
}
