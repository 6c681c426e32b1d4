package io.glyphgate.proxy.soak;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Says whether a client was told what it must be told: all that the model said, or a defined error. */
final class Judge {
    private static final JsonMapper JSON = new JsonMapper();

    private final int endOfSequence;

    /**
     * A judge.
     *
     * @param endOfSequence the token with which every output ends
     */
    Judge(int endOfSequence) {
        this.endOfSequence = endOfSequence;
    }

    /** What came of a request. */
    enum Outcome {
        /** The client got all of the answer. */
        WHOLE,
        /** The client got an error in place of the answer. */
        REFUSED,
        /** The client got the start of the answer, and an error event. */
        BROKEN,
        /** The client left, or sent no request. */
        LEFT,
        /** The client got what nobody promises. */
        WRONG
    }

    /**
     * A verdict.
     *
     * @param reason what is wrong; empty if nothing is
     */
    record Verdict(Outcome outcome, String reason) {
        static Verdict of(Outcome outcome) {
            return new Verdict(outcome, "");
        }
    }

    /** Something that nobody promises. */
    private static final class WrongException extends Exception {
        private static final long serialVersionUID = 1;

        WrongException(String message) {
            super(message);
        }
    }

    /** What a client was told of one choice. */
    private static final class Told {
        private final List<Integer> tokens = new ArrayList<>();
        private final StringBuilder text = new StringBuilder();
        private final StringBuilder reasoning = new StringBuilder();
        private final StringBuilder content = new StringBuilder();
        private final StringBuilder arguments = new StringBuilder();
        private String finishReason = "";

        void add(JsonNode choice) {
            choice.path("token_ids").forEach(id -> tokens.add(id.asInt()));
            text.append(choice.path("text").asText(""));
            JsonNode message = choice.has("delta") ? choice.path("delta") : choice.path("message");
            reasoning.append(message.path("reasoning").asText(""));
            content.append(message.path("content").asText(""));
            message.path("tool_calls").forEach(call -> arguments.append(call.at("/function/arguments").asText("")));
            finishReason = choice.path("finish_reason").asText("").replace("null", "");
        }
    }

    /** Judges the answer to a client that has waited for it. */
    Verdict judge(Visit visit, BareClient.Answer answer) {
        try {
            Outcome outcome = outcome(visit, answer);
            if (outcome != Outcome.WHOLE && visit.mustBeWhole()) {
                throw new WrongException("an error although nothing went wrong");
            }
            return Verdict.of(outcome);
        } catch (WrongException | IOException e) {
            return new Verdict(Outcome.WRONG, e.getMessage() + ": " + visit + ": " + answer);
        }
    }

    private Outcome outcome(Visit visit, BareClient.Answer answer) throws WrongException, IOException {
        check(answer.end() == BareClient.End.WHOLE, "the answer does not end as HTTP says");
        if (answer.status() != 200) {
            JsonNode error = JSON.readTree(answer.body()).path("error");
            String slug = answer.header("X-Glyphgate-Error");
            check(!slug.isEmpty() && !slug.equals("internal") && !slug.equals("plugin-failed"), "no defined error");
            check(error.path("code").asInt() == answer.status() && !error.path("message").asText("").isBlank(), "not the shape of an error");
            check(!answer.body().contains("127.0.0.1"), "an error that shows an address");
            return Outcome.REFUSED;
        }
        List<Told> told = IntStream.range(0, visit.choices()).mapToObj(i -> new Told()).toList();
        boolean failed = false;
        if (visit.stream()) {
            for (JsonNode event : events(answer.body())) {
                check(!failed, "an event behind the error");
                failed = event.has("error");
                add(event.path("choices"), told);
            }
        } else {
            add(JSON.readTree(answer.body()).path("choices"), told);
        }
        for (Told choice : told) {
            if (failed) {
                isStart(visit, choice);
            } else {
                isWhole(visit, choice);
            }
        }
        return failed ? Outcome.BROKEN : Outcome.WHOLE;
    }

    private static void add(JsonNode choices, List<Told> told) throws WrongException {
        for (JsonNode choice : choices) {
            int index = choice.path("index").asInt(-1);
            check(index >= 0 && index < told.size(), "a choice that was not asked for");
            told.get(index).add(choice);
        }
    }

    /** The events of a stream; checks that it ends with {@code [DONE]}. */
    private static List<JsonNode> events(String stream) throws WrongException, IOException {
        List<JsonNode> events = new ArrayList<>();
        boolean done = false;
        for (String part : stream.replace("\r\n", "\n").split("\n\n", -1)) {
            String data = part.lines()
                    .filter(line -> line.startsWith("data: "))
                    .map(line -> line.substring("data: ".length()))
                    .collect(Collectors.joining("\n"));
            if (!data.isEmpty()) {
                check(!done, "data behind [DONE]");
                done = data.equals("[DONE]");
                if (!done) {
                    events.add(JSON.readTree(data));
                }
            }
        }
        check(done, "no [DONE]");
        return events;
    }

    private void isWhole(Visit visit, Told told) throws WrongException {
        Utterance said = visit.utterance();
        check(told.tokens.equals(tokens(said)), "other tokens than were said");
        check(!told.finishReason.isEmpty(), "no finish reason");
        switch (visit.mode()) {
            case "text" -> check(told.text.toString().equals(said.text()), "another text than was said");
            case "derender" -> {
                check(told.reasoning.toString().strip().equals(said.reasoning().strip()), "other reasoning than was said");
                check(told.content.toString().strip().equals(said.content().strip()), "other content than was said");
                check(told.arguments.toString().equals(said.arguments()), "another call than was said");
            }
            default -> {}
        }
    }

    private void isStart(Visit visit, Told told) throws WrongException {
        Utterance said = visit.utterance();
        List<Integer> all = tokens(said);
        check(told.tokens.size() <= all.size() && told.tokens.equals(all.subList(0, told.tokens.size())), "other tokens than were said");
        check(said.text().startsWith(told.text.toString()), "another text than was said");
        check(said.reasoning().strip().startsWith(told.reasoning.toString().strip()), "other reasoning than was said");
        check(said.arguments().startsWith(told.arguments.toString()), "another call than was said");
    }

    private List<Integer> tokens(Utterance said) {
        List<Integer> tokens = new ArrayList<>(IntStream.of(said.tokens()).boxed().toList());
        tokens.add(endOfSequence);
        return tokens;
    }

    private static void check(boolean right, String wrong) throws WrongException {
        if (!right) {
            throw new WrongException(wrong);
        }
    }
}
