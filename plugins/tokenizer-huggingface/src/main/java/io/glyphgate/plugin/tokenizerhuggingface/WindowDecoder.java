package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import java.util.Arrays;

/** Any decoder at all, by asking the tokenizers library: {@code DecodeStream} step by step, two decodes a token. */
record WindowDecoder(Vocabulary vocabulary, NativeTokenizer library) implements TextDecoder {
    @Override
    public Detokenizer detokenizer(DetokenizerOptions options) {
        ShownTokens shown = ShownTokens.of(vocabulary, options);
        return AddedTokensRaw.where(options, vocabulary, new Window(shown, shown(shown, options.promptTokenIds())));
    }

    @Override
    public String decode(int[] tokenIds, boolean skipSpecialTokens) {
        return library.decode(shown(ShownTokens.of(skipSpecialTokens), tokenIds));
    }

    private int[] shown(ShownTokens shown, int[] tokenIds) {
        return Arrays.stream(tokenIds)
                .filter(id -> !shown.hides(id, vocabulary.kind(id)))
                .toArray();
    }

    private final class Window implements Detokenizer {
        private final ShownTokens shown;
        private int[] ids;
        /** How many of the IDs {@link #given} is the text of. */
        private int givenIds;
        /** The text of the window that was given out already. */
        private String given = "";

        private Window(ShownTokens shown, int[] ids) {
            this.shown = shown;
            this.ids = ids;
        }

        @Override
        public void next(int tokenId, StringBuilder out) {
            if (shown.hides(tokenId, vocabulary.kind(tokenId))) {
                return;
            }
            if (given.isEmpty() && ids.length > 0) {
                String text = library.decode(ids);
                if (!endsInReplacement(text)) {
                    given = text;
                    givenIds = ids.length;
                }
            }
            ids = Arrays.copyOf(ids, ids.length + 1);
            ids[ids.length - 1] = tokenId;
            String text = library.decode(ids);
            if (utf8Length(text) <= utf8Length(given) || endsInReplacement(text)) {
                return;
            }
            if (text.startsWith(given)) {
                out.append(text, given.length(), text.length());
                ids = Arrays.copyOfRange(ids, givenIds, ids.length);
                given = library.decode(ids);
                givenIds = ids.length;
            } else {
                // the library fails here, and vLLM begins anew with this token
                ids = new int[0];
                given = "";
                givenIds = 0;
                next(tokenId, out);
            }
        }

        private static boolean endsInReplacement(String text) {
            return text.endsWith(String.valueOf(Utf8.REPLACEMENT));
        }

        /** The library compares lengths in UTF-8. */
        private static int utf8Length(String text) {
            int length = 0;
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                length += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
            }
            return length;
        }
    }
}
