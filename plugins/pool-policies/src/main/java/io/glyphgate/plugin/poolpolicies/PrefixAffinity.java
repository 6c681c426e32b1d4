package io.glyphgate.plugin.poolpolicies;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicy.RoutedRequest;
import io.glyphgate.spi.PoolPolicyProvider;
import java.util.Map;

/**
 * Sends prompts that start with the same blocks of tokens to the same endpoint, which has those blocks in its prefix cache, as
 * long as it is not too busy. Options: {@code block-size} and {@code blocks} say how many tokens count, {@code load-factor} and
 * {@code free-load} what too busy is.
 */
public final class PrefixAffinity implements PoolPolicyProvider {
    private static final int MOST_TOKENS = 1 << 20;
    /** vLLM's default. */
    private static final int BLOCK_SIZE = 16;

    private static final int BLOCKS = 32;

    @Override
    public String name() {
        return "prefix-affinity";
    }

    @Override
    public PoolPolicy create(Map<String, String> given) {
        Options options = Options.of(name(), given);
        int blockSize = options.whole("block-size", BLOCK_SIZE, 1, MOST_TOKENS);
        int blocks = options.whole("blocks", BLOCKS, 1, MOST_TOKENS);
        Affinity affinity = Affinity.of(options);
        options.requireNoOthers("block-size, blocks, load-factor, free-load");
        return (request, endpoints) -> affinity.pick(key(request, blockSize, blocks), endpoints);
    }

    /** Of whole blocks only, as the servers cache them; of all tokens where there is no whole block, or of the ID without any. */
    private static long key(RoutedRequest request, int blockSize, int blocks) {
        int[] prompt = request.promptTokenIds();
        long whole = Math.min(blocks, prompt.length / blockSize);
        int end = whole == 0 ? prompt.length : (int) (whole * blockSize);
        long key = Affinity.start();
        for (int i = 0; i < end; i++) {
            key = Affinity.add(key, prompt[i]);
        }
        return end == 0 ? Affinity.add(key, request.requestId()) : key;
    }
}
