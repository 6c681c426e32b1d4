package io.glyphgate.plugin.tokenizerhuggingface;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.Tokenizer;
import java.lang.management.ManagementFactory;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DetokenizerAllocationTest {
    private static final String TEXT = "The tide table 東京タワー lists 🚢 two naïve\n crossings.";

    @ParameterizedTest
    @ValueSource(strings = {"qwen3", "llama2"})
    void aTokenAllocatesNothing(String name) {
        Tokenizer tokenizer = Tokenizers.load(name);
        int[] ids = tokenizer.encode(TEXT, false);
        Detokenizer detokenizer = tokenizer.detokenizer(DetokenizerOptions.of(ids, true, true, Set.of("<think>")));
        var out = new StringBuilder(4096);
        run(detokenizer, ids, out, 100);

        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        run(detokenizer, ids, out, 10_000);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        // the measurement itself may allocate a little
        assertThat(allocated).isLessThan(10_000);
    }

    private static void run(Detokenizer detokenizer, int[] ids, StringBuilder out, int times) {
        for (int i = 0; i < times; i++) {
            out.setLength(0);
            for (int id : ids) {
                detokenizer.next(id, out);
            }
        }
    }
}
