package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.plugin.tokenizerhuggingface.PieceRules.Lead;
import io.glyphgate.plugin.tokenizerhuggingface.PieceRules.Replacement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What {@code decoder} in a {@code tokenizer.json} says. */
sealed interface DecoderSpec {
    /** Adds a token to a vocabulary in the form that the decoder needs. */
    void add(Vocabulary.Builder vocabulary, String token, boolean special, boolean added);

    /** Tokens whose characters stand for bytes. */
    record ByteLevel() implements DecoderSpec {
        @Override
        public void add(Vocabulary.Builder vocabulary, String token, boolean special, boolean added) {
            ByteLevelDecoder.add(vocabulary, token, special, added);
        }
    }

    /** Tokens that are pieces of text. */
    record Pieces(PieceRules rules) implements DecoderSpec {
        @Override
        public void add(Vocabulary.Builder vocabulary, String token, boolean special, boolean added) {
            rules.add(vocabulary, token, special, added);
        }
    }

    /**
     * A decoder that only the tokenizers library knows.
     *
     * @param description its type, or the types of its parts
     */
    record Other(String description) implements DecoderSpec {
        @Override
        public void add(Vocabulary.Builder vocabulary, String token, boolean special, boolean added) {
            vocabulary.addText(token, special, added);
        }
    }

    /** Writes it. */
    default void write(TableWriter out) throws IOException {
        switch (this) {
            case ByteLevel byteLevel -> out.number(0);
            case Pieces pieces -> {
                out.number(1);
                pieces.rules().write(out);
            }
            case Other other -> {
                out.number(2);
                out.text(other.description());
            }
        }
    }

    /** Reads what {@link #write} wrote. */
    static DecoderSpec read(TableReader in) throws IOException {
        return switch (in.below(3)) {
            case 0 -> new ByteLevel();
            case 1 -> new Pieces(PieceRules.read(in));
            default -> new Other(in.text());
        };
    }

    /** Reads the value of {@code decoder}. */
    static DecoderSpec of(@Nullable Object json) {
        List<Map<?, ?>> steps = new ArrayList<>();
        flatten(json, steps);
        List<String> types =
                steps.stream().map(step -> String.valueOf(step.get("type"))).toList();
        if (types.equals(List.of("ByteLevel"))) {
            return new ByteLevel();
        }
        Optional<PieceRules> pieces =
                types.equals(List.of("Metaspace")) ? metaspace(steps.getFirst()) : sequence(steps);
        return pieces.<DecoderSpec>map(Pieces::new)
                .orElseGet(() -> new Other(types.isEmpty() ? "none" : String.join(", ", types)));
    }

    private static void flatten(@Nullable Object json, List<Map<?, ?>> steps) {
        if (json instanceof Map<?, ?> map) {
            if ("Sequence".equals(map.get("type")) && map.get("decoders") instanceof List<?> list) {
                list.forEach(each -> flatten(each, steps));
            } else {
                steps.add(map);
            }
        }
    }

    private static Optional<PieceRules> metaspace(Map<?, ?> step) {
        // the older form of the file has a flag in the place of the scheme
        boolean kept = "never".equals(step.get("prepend_scheme")) || Boolean.FALSE.equals(step.get("add_prefix_space"));
        return character(step, "replacement")
                .map(space -> new PieceRules(
                        List.of(new Replacement(String.valueOf(space), " ")),
                        false,
                        kept ? Lead.KEPT : Lead.FIRST_TOKEN,
                        space));
    }

    /**
     * Any number of {@code Replace}, then {@code ByteFallback}, {@code Fuse} and {@code Strip}, each perhaps absent.
     */
    private static Optional<PieceRules> sequence(List<Map<?, ?>> steps) {
        int at = 0;
        List<Replacement> replacements = new ArrayList<>();
        while (is(steps, at, "Replace")
                && steps.get(at).get("pattern") instanceof Map<?, ?> pattern
                && pattern.get("String") instanceof String from
                && !from.isEmpty()
                && steps.get(at).get("content") instanceof String to) {
            replacements.add(new Replacement(from, to));
            at++;
        }
        boolean byteFallback = is(steps, at, "ByteFallback");
        at += byteFallback ? 1 : 0;
        boolean fused = is(steps, at, "Fuse");
        at += fused ? 1 : 0;
        Lead lead = Lead.KEPT;
        char leadCharacter = ' ';
        // without Fuse, Strip would work on each token; more than one character would need another rule
        if (fused
                && is(steps, at, "Strip")
                && steps.get(at).get("start") instanceof Integer start
                && start <= 1
                && Integer.valueOf(0).equals(steps.get(at).get("stop"))) {
            Optional<Character> stripped = character(steps.get(at), "content");
            if (stripped.isPresent()) {
                lead = start == 1 ? Lead.STRIPPED : Lead.KEPT;
                leadCharacter = stripped.get();
                at++;
            }
        }
        return at > 0 && at == steps.size()
                ? Optional.of(new PieceRules(replacements, byteFallback, lead, leadCharacter))
                : Optional.empty();
    }

    private static boolean is(List<Map<?, ?>> steps, int at, String type) {
        return at < steps.size() && type.equals(steps.get(at).get("type"));
    }

    private static Optional<Character> character(Map<?, ?> step, String key) {
        return step.get(key) instanceof String text && text.length() == 1
                ? Optional.of(text.charAt(0))
                : Optional.empty();
    }
}
