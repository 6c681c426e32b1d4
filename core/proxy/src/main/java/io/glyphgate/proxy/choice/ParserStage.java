package io.glyphgate.proxy.choice;

import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.spi.ChoiceParser;
import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.TokenDelta;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One parser of a choice. What it finds goes to the message; its content goes to the next parser, if there is one,
 * together with the tokens that it is made of.
 *
 * <p>The parser tells of every character of its input, in order ({@link DeltaSink}), so the lengths of what it gives
 * say which field each token belongs to. A token belongs where its text ends; one without text belongs to the text
 * after it. A parser that miscounts gets tokens and fields out of step, but never the text.
 */
final class ParserStage implements DeltaSink {
    /** Where a piece of the input went. */
    private enum Field {
        REASONING,
        CONTENT,
        STRUCTURE
    }

    private final PluginKind kind;
    private final ParserProvider provider;
    private final ChoiceParser parser;
    private final MessageBuilder message;
    private final OutputWatch watch;
    private final @Nullable ParserStage next;
    private final TokenBuffer toNext = new TokenBuffer();

    private final TokenQueue tokens = new TokenQueue();
    /** How much text the parser was given, and how much of it it has told of. */
    private int given;

    private int told;
    /** Where the text of the first token in the queue begins. */
    private int headStart;

    private Field lastField = Field.CONTENT;
    private int reasoningTokens;

    /**
     * A stage with a new parser.
     *
     * @param kind the kind of the plugin
     * @param next the parser that reads this one's content; null if the content is the message's
     */
    ParserStage(
            PluginKind kind,
            ParserProvider provider,
            Supplier<? extends ChoiceParser> create,
            MessageBuilder message,
            OutputWatch watch,
            @Nullable ParserStage next) {
        this.kind = kind;
        this.provider = provider;
        this.message = message;
        this.watch = watch;
        this.next = next;
        try {
            this.parser = Registry.withLoaderOf(provider, create::get);
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            throw failed(e);
        }
    }

    private PluginFailedException failed(Throwable e) {
        watch.found(kind, provider, HostAnomaly.PARSER_EXCEPTION);
        return new PluginFailedException(kind, provider.name(), e);
    }

    void accept(TokenDelta delta) {
        for (int i = 0; i < delta.tokenCount(); i++) {
            tokens.add(delta.tokenId(i), given + delta.textEnd(i));
        }
        given += delta.text().length();
        try {
            parser.accept(delta, this);
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            throw failed(e);
        }
        passOn();
    }

    /**
     * Ends the output.
     *
     * @param byToken whether the last token is a stop token without text, which belongs to no field
     */
    void finish(FinishReason reason, boolean byToken) {
        try {
            parser.finish(reason, this);
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            throw failed(e);
        }
        while (!tokens.isEmpty()) {
            int token = tokens.headId();
            tokens.remove();
            if (lastField == Field.REASONING && !(byToken && tokens.isEmpty())) {
                reasoningTokens++;
            }
            if (lastField == Field.CONTENT && next != null) {
                toNext.add(token, toNext.text().length());
            }
        }
        if (told != given) {
            watch.found(kind, provider, HostAnomaly.UNACCOUNTED_TEXT);
        }
        passOn();
        if (next != null) {
            next.finish(reason, byToken);
        }
    }

    /** How many of the tokens belong to the reasoning. */
    int reasoningTokens() {
        return reasoningTokens;
    }

    @Override
    public void reasoning(CharSequence text) {
        message.addReasoning(text);
        tell(text.length(), Field.REASONING);
    }

    @Override
    public void content(CharSequence text) {
        addedContent(text);
        tell(text.length(), Field.CONTENT);
    }

    @Override
    public void addedContent(CharSequence text) {
        if (next == null) {
            message.addContent(text, 0, text.length());
            watch.content(text);
        } else {
            toNext.append(text, 0, text.length());
        }
    }

    @Override
    public void toolCall(String name, @Nullable String id) {
        message.openCall(Objects.requireNonNull(name, "the name of a call is null"), id);
        watch.call(kind, provider, name);
    }

    @Override
    public void toolArguments(CharSequence json) {
        message.addArguments(json);
        watch.arguments(json);
    }

    @Override
    public void structure(CharSequence text) {
        tell(text.length(), Field.STRUCTURE);
    }

    @Override
    public void anomaly(String anomaly) {
        watch.told(kind, provider, String.valueOf(anomaly)); // a plugin may give what it must not, null included
    }

    private void passOn() {
        if (next != null && !toNext.isEmpty()) {
            next.accept(toNext);
            toNext.clear();
        }
    }

    /** Gives the next so many characters of the input, and the tokens that end in them, to a field. */
    private void tell(int length, Field field) {
        if (length == 0) {
            return;
        }
        told += length;
        lastField = field;
        while (!tokens.isEmpty()) {
            int end = tokens.headEnd();
            if (end > told || (end == told && headStart == end)) {
                return;
            }
            if (field == Field.REASONING) {
                reasoningTokens++;
            }
            if (field == Field.CONTENT && next != null) {
                toNext.add(tokens.headId(), toNext.text().length() - (told - end));
            }
            headStart = end;
            tokens.remove();
        }
    }
}
