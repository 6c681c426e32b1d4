package io.glyphgate.plugin.tokenizerhuggingface;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * The tokenizers library itself. Loaded at the first call, because it costs seconds and is native code; by a thread of its own,
 * because a virtual thread that is inside of native code holds up others.
 */
final class NativeTokenizer implements TextEncoder {
    /** Without these the library cuts a text after 512 tokens. */
    private static final Map<String, String> OPTIONS = Map.of("truncation", "false", "padding", "false");

    private final TokenizerFile file;
    private final Optional<LlamaForm> rebuilt;
    private @Nullable FutureTask<HuggingFaceTokenizer> tokenizer;
    private boolean closed;

    /** The tokenizer of a file, or of the form that takes the place of the file's own. */
    NativeTokenizer(TokenizerFile file, Optional<LlamaForm> rebuilt) {
        this.file = file;
        this.rebuilt = rebuilt;
    }

    @Override
    public int[] encode(String text, boolean addSpecialTokens) {
        // the binding's own way makes a string and a span of each token, too, which costs as much again as the IDs
        long encoding = TokenizersLibrary.LIB.encode(tokenizer().getHandle(), text, addSpecialTokens);
        try {
            return Arrays.stream(TokenizersLibrary.LIB.getTokenIds(encoding))
                    .mapToInt(Math::toIntExact)
                    .toArray();
        } finally {
            TokenizersLibrary.LIB.deleteEncoding(encoding);
        }
    }

    /** The text of tokens, special ones included. */
    String decode(int[] tokenIds) {
        return tokenizer().decode(Arrays.stream(tokenIds).asLongStream().toArray(), false);
    }

    private HuggingFaceTokenizer tokenizer() {
        FutureTask<HuggingFaceTokenizer> loading = loading();
        try {
            return loading.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + file.path() + " was loaded", e);
        } catch (ExecutionException e) {
            forget(loading);
            if (e.getCause() instanceof RuntimeException fault) {
                throw fault;
            }
            throw new IllegalStateException("cannot load " + file.path() + ": " + e.getCause(), e);
        }
    }

    private synchronized FutureTask<HuggingFaceTokenizer> loading() {
        if (closed) {
            throw new IllegalStateException("the tokenizer " + file.path() + " is closed");
        }
        if (tokenizer == null) {
            tokenizer = new FutureTask<>(this::load);
            Thread.ofPlatform().daemon().name("load-tokenizer").start(tokenizer);
        }
        return tokenizer;
    }

    /** Lets the next call try again. */
    private synchronized void forget(FutureTask<HuggingFaceTokenizer> failed) {
        if (tokenizer == failed) {
            tokenizer = null;
        }
    }

    private HuggingFaceTokenizer load() {
        // else the binding reports its use to its makers, and fetches another library where it finds a GPU
        System.setProperty("ai.djl.offline", "true");
        // the binding looks for its library with the loader of the thread, which is another plugin's or the host's
        Thread.currentThread().setContextClassLoader(NativeTokenizer.class.getClassLoader());
        try (InputStream in = rebuilt.isPresent() ? new ByteArrayInputStream(rebuilt.get().rewrite(file)) : file.open()) {
            return HuggingFaceTokenizer.newInstance(in, OPTIONS);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the tokenizer file " + file.path() + ": " + e.getMessage(), e);
        } catch (RuntimeException | LinkageError e) {
            throw new IllegalStateException(
                    "the tokenizers library cannot load " + file.path() + ": " + e.getMessage()
                            + " (it unpacks itself into the folder that DJL_CACHE_DIR names, or the home folder)",
                    e);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (tokenizer != null) {
            FutureTask<HuggingFaceTokenizer> loaded = tokenizer;
            tokenizer = null;
            if (loaded.isDone()) {
                closeLoaded(loaded);
            } else {
                Thread.ofPlatform().daemon().name("close-tokenizer").start(() -> closeLoaded(loaded));
            }
        }
    }

    private static void closeLoaded(FutureTask<HuggingFaceTokenizer> task) {
        try {
            task.get().close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            // what did not load need not be closed; its callers have been told
        }
    }
}
