package io.glyphgate.proxy.upstream;

import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.wire.BadAnswerException;
import io.glyphgate.proxy.wire.ServerTokens;
import io.glyphgate.spi.Tokenizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Asks a server whether its tokenizer is the one of this proxy. What counts is what it does, not what its files are: the same
 * files give other tokens under another version of the libraries. So a fixed text is cut into tokens here and there, and its
 * tokens are made a text again.
 */
public final class TokenizerProbe {
    private static final String CURE =
            "; give the model the tokenizer that the server loads, or another tokenizer.stack";
    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** Spaces at the start and in rows, digits, accents, scripts, and what has no token of its own. */
    private static final String TEXT = "   three spaces first, then 12,345.678 caf\u00e9s e\u0301 \u6771\u4eac \ud83d\udea2\n\n"
            + "\tdef f(x):\n    return x  # 'don\u2019t' ?  ";

    private final UpstreamClient client;

    /** A probe over a client. */
    public TokenizerProbe(UpstreamClient client) {
        this.client = client;
    }

    /**
     * What was found.
     *
     * @param compared whether the server has a tokenizer that could be asked
     * @param misfits what differs from the proxy, each with what to do; empty if nothing does
     */
    public record Findings(boolean compared, List<String> misfits) {}

    /**
     * Compares a server with the proxy.
     *
     * @param server the server
     * @param model the name under which it knows the model
     * @param tokenizer the tokenizer of the proxy
     * @param maxLength how many tokens prompt and output may have together, as the proxy says
     * @param template the chat template of the proxy; empty if it has none, or several
     * @throws UpstreamException if the server does not answer
     */
    public Findings compare(
            Endpoint server, String model, Tokenizer tokenizer, OptionalInt maxLength, Optional<String> template) {
        Optional<byte[]> tokens = post(server, "/tokenize", ServerTokens.tokenize(model, TEXT, true));
        if (tokens.isEmpty()) {
            return new Findings(false, List.of());
        }
        List<String> misfits = new ArrayList<>();
        try {
            int[] own = tokenizer.encode(TEXT, true);
            int[] its = ServerTokens.tokens(tokens.get());
            if (!Arrays.equals(own, its)) {
                int at = Math.max(0, Arrays.mismatch(own, its));
                misfits.add("its tokenizer makes other tokens of a text than the proxy's: from token " + at + " on "
                        + shown(its, at) + " there, " + shown(own, at) + " here" + CURE);
            }
            Optional<byte[]> text = post(server, "/detokenize", ServerTokens.detokenize(model, own));
            if (text.isPresent() && !ServerTokens.prompt(text.get()).equals(tokenizer.decode(own, false))) {
                misfits.add("its tokenizer makes another text of tokens than the proxy's" + CURE);
            }
            OptionalInt length = ServerTokens.maxLength(tokens.get());
            if (length.isPresent() && maxLength.isPresent() && length.getAsInt() != maxLength.getAsInt()) {
                misfits.add("it takes " + length.getAsInt() + " tokens, but the proxy tells clients " + maxLength.getAsInt()
                        + ": set max-model-len to " + length.getAsInt());
            }
            Optional<String> theirs = get(server, "/tokenizer_info").flatMap(ServerTokens::chatTemplate);
            if (template.isPresent() && theirs.isPresent() && !template.equals(theirs)) {
                misfits.add("its chat template is another one than the proxy's: set chat-template to the file that the "
                        + "server loads");
            }
        } catch (BadAnswerException e) {
            misfits.add("its answer about tokens cannot be read: " + e.getMessage() + ": check that it is a vLLM server");
        }
        return new Findings(true, List.copyOf(misfits));
    }

    private static String shown(int[] ids, int from) {
        return Arrays.toString(Arrays.copyOfRange(ids, Math.min(from, ids.length), Math.min(ids.length, from + 4)));
    }

    private Optional<byte[]> post(Endpoint server, String path, byte[] body) {
        try (Leg leg = client.ask(server, path, body, LIMIT)) {
            byte[] answer = leg.wholeBody();
            return leg.status() == 200 ? Optional.of(answer) : Optional.empty();
        }
    }

    private Optional<byte[]> get(Endpoint server, String path) {
        try (Leg leg = client.get(server, path, LIMIT)) {
            byte[] answer = leg.wholeBody();
            return leg.status() == 200 ? Optional.of(answer) : Optional.empty();
        }
    }
}
