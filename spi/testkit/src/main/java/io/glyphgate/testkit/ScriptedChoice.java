package io.glyphgate.testkit;

import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.MessageDelta;
import io.glyphgate.spi.TokenDelta;
import java.util.ArrayList;
import java.util.List;

/**
 * The output of a choice as a script of small pieces, which steps of any size can be made of.
 *
 * @param pieces the pieces, in order
 * @param finishReason how the choice ends
 * @param waitsForToolResults what {@link MessageDelta#waitsForToolResults} says from the first call on
 * @since 1.0
 */
public record ScriptedChoice(List<Piece> pieces, String finishReason, boolean waitsForToolResults) {
    /** Copies the list. */
    public ScriptedChoice {
        pieces = List.copyOf(pieces);
    }

    /** A piece of output. */
    public sealed interface Piece {}

    /**
     * A token and the text that it completed.
     *
     * @param id the token
     * @param text its text; possibly empty
     */
    public record Token(int id, String text) implements Piece {}

    /**
     * Reasoning.
     *
     * @param text the text
     */
    public record Reasoning(String text) implements Piece {}

    /**
     * Content.
     *
     * @param text the text
     */
    public record Content(String text) implements Piece {}

    /**
     * The start of a call.
     *
     * @param id its ID
     * @param name the name of the function
     */
    public record Call(String id, String name) implements Piece {}

    /**
     * Arguments of the call opened last.
     *
     * @param json their next characters
     */
    public record Arguments(String json) implements Piece {}

    /**
     * The steps of the choice.
     *
     * @param size how many pieces make a step
     * @return the steps, at least one
     */
    public List<ChoiceStep> steps(int size) {
        List<ChoiceStep> steps = new ArrayList<>();
        List<Call> calls = new ArrayList<>();
        int at = 0;
        do {
            int end = Math.min(pieces.size(), at + size);
            steps.add(step(pieces.subList(at, end), at == 0, end == pieces.size(), calls));
            at = end;
        } while (at < pieces.size());
        return steps;
    }

    /** Joins pieces to a step; {@code calls} are the calls so far, and gains the new ones. */
    private ChoiceStep step(List<Piece> group, boolean first, boolean last, List<Call> calls) {
        StringBuilder text = new StringBuilder();
        List<Token> tokens = new ArrayList<>();
        List<Integer> ends = new ArrayList<>();
        StringBuilder reasoning = new StringBuilder();
        StringBuilder content = new StringBuilder();
        List<MessageDelta.ToolCallDelta> deltas = new ArrayList<>();
        for (Piece piece : group) {
            switch (piece) {
                case Token token -> {
                    text.append(token.text);
                    tokens.add(token);
                    ends.add(text.length());
                }
                case Reasoning more -> reasoning.append(more.text);
                case Content more -> content.append(more.text);
                case Call call -> {
                    deltas.add(new CallDelta(calls.size(), true, call.id, call.name, new StringBuilder()));
                    calls.add(call);
                }
                case Arguments more -> {
                    int index = calls.size() - 1;
                    if (deltas.isEmpty() || deltas.get(deltas.size() - 1).index() != index) {
                        Call call = calls.get(index);
                        deltas.add(new CallDelta(index, false, call.id, call.name, new StringBuilder()));
                    }
                    ((CallDelta) deltas.get(deltas.size() - 1)).arguments.append(more.json);
                }
            }
        }
        TokenDelta tokenDelta = TokenDelta.of(
                text.toString(),
                tokens.stream().mapToInt(Token::id).toArray(),
                ends.stream().mapToInt(Integer::intValue).toArray());
        MessageDelta message = new Message(reasoning, content, deltas, waitsForToolResults && !calls.isEmpty());
        return new Step(first, last, tokenDelta, message, last ? finishReason : "");
    }

    private record CallDelta(int index, boolean opens, String id, String name, StringBuilder arguments)
            implements MessageDelta.ToolCallDelta {}

    private record Message(
            CharSequence reasoning,
            CharSequence content,
            List<MessageDelta.ToolCallDelta> toolCalls,
            boolean waitsForToolResults)
            implements MessageDelta {}

    private record Step(boolean first, boolean last, TokenDelta tokens, MessageDelta message, String finishReason)
            implements ChoiceStep {}
}
