package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.AnswerForm;
import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.OutputReport;
import io.glyphgate.proxy.generate.Plan;
import io.glyphgate.proxy.generate.Translation;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.openai.DerenderedStream.Origin;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.route.TextPlace;
import io.glyphgate.proxy.tokenize.Prompts;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.proxy.wire.ChatRequest;
import io.glyphgate.proxy.wire.CompletionRequest;
import io.glyphgate.proxy.wire.DerenderBody;
import io.glyphgate.proxy.wire.DerenderBody.Kind;
import io.glyphgate.proxy.wire.DerenderBody.Said;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.ServerTexts;
import io.glyphgate.proxy.wire.StreamState;
import io.glyphgate.proxy.wire.Usage;
import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What answers at the derender doors: makes the answer to a chat or a completion of tokens that a client has got by itself. They go
 * through the same choices and forms as all others. A stream comes chunk by chunk, each with the state that the one before gave;
 * the choice waits here for the next one, and is made again of the state where it is not here.
 */
public final class Derender {
    private static final int MOST_CHOICES = 16_384; // vLLM's VLLM_MAX_N_SEQUENCES
    private static final byte[] NO_MESSAGES = "{\"messages\":[]}".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NO_PROMPT = "{}".getBytes(StandardCharsets.US_ASCII);

    private final Router router;
    private final Generate generate;
    private final OwnAnswers answers;
    private final Prompts prompts;
    private final Meters meters;
    private final OutputReport report;
    private final boolean strict;
    private final StateSeal seal;
    private final StreamSessions sessions;

    /**
     * What is kept of streams, and how long.
     *
     * @param key what their states are signed with
     * @param sessions how many are kept
     * @param bytes how much memory they take together
     * @param idle how long one waits for its next chunk
     * @param age how old the state may be that a client brings
     */
    public record Streams(byte[] key, int sessions, long bytes, Duration idle, Duration age) {}

    /**
     * The doors.
     *
     * @param router knows the models
     * @param generate asks servers, and refuses what cannot be answered
     * @param prompts does work that takes long
     * @param meters counts streams that were made again
     * @param report is told of each output
     * @param strict whether a field of a chat or completion that is not known is refused
     * @param streams what is kept of streams
     */
    public Derender(
            Router router, Generate generate, Prompts prompts, Meters meters, OutputReport report, boolean strict, Streams streams) {
        this.router = router;
        this.generate = generate;
        answers = new OwnAnswers(generate);
        this.prompts = prompts;
        this.meters = meters;
        this.report = report;
        this.strict = strict;
        seal = new StateSeal(streams.key, streams.age, InstantSource.system());
        sessions = new StreamSessions(streams.sessions, streams.bytes, streams.idle);
    }

    /** How an output is read. */
    private sealed interface Reading {
        /** As a message. */
        record OfChat(ChatRequest request) implements Reading {}

        /** As a text. */
        record OfCompletion(CompletionRequest request) implements Reading {}
    }

    /** Answers {@code /v1/chat/completions/derender}. */
    public void chat(byte[] body, Client client) {
        answer(Kind.CHAT, body, client);
    }

    /** Answers {@code /v1/completions/derender}. */
    public void completion(byte[] body, Client client) {
        answer(Kind.COMPLETION, body, client);
    }

    /** How many streams wait for their next chunk. */
    public int waiting() {
        return sessions.size();
    }

    /** How much memory those streams take, in bytes. */
    public long waitingBytes() {
        return sessions.bytes();
    }

    /**
     * Lets streams go whose next chunk has not come.
     *
     * @param now {@link System#nanoTime()}
     */
    public void sweep(long now) {
        sessions.sweep(now);
    }

    private static String path(Kind kind) {
        return switch (kind) {
            case CHAT -> ChatForm.PATH;
            case COMPLETION -> CompletionForm.PATH;
        } + ServerRendering.DERENDER;
    }

    private void answer(Kind kind, byte[] bytes, Client client) {
        answers.answer(client, () -> {
            DerenderBody body = DerenderBody.of(kind, bytes);
            ServedModel model = router.model(body.model());
            if (router.textPlace(model) instanceof TextPlace.Servers servers) {
                byte[] answer = generate.inquiry(servers, model, client).post(path(kind), body::named);
                return prompts.work(answer.length, client, () -> ServerTexts.named(answer, model.name()));
            }
            return body.stream()
                    ? chunk(kind, body, model, bytes.length, client)
                    : prompts.work(bytes.length, client, () -> whole(kind, body, model));
        });
    }

    /** Reads the request that the tokens answer. */
    private Reading reading(Kind kind, DerenderBody body, ServedModel model) {
        return switch (kind) {
            case CHAT -> {
                if (body.request().isEmpty() && model.isParsed()) {
                    throw new InvalidRequestException(
                            kind.request(),
                            "chat_request is required, because the output of model '" + model.name() + "' is parsed: send the request"
                                    + " that was rendered.");
                }
                ChatRequest request = ChatRequest.of(body.request().orElse(NO_MESSAGES));
                request.checkOfOutput(strict);
                yield new Reading.OfChat(request);
            }
            case COMPLETION -> {
                CompletionRequest request = CompletionRequest.of(body.request().orElse(NO_PROMPT));
                request.checkOfOutput(strict);
                yield new Reading.OfCompletion(request);
            }
        };
    }

    private static Head head(Answer answer, ServedModel model) throws MalformedJsonException {
        return new Head(requestId(answer), model.name(), Instant.now().getEpochSecond(), null);
    }

    /** Finds what a server's answer says, and checks it. */
    private static Answer scan(Said said, ServedModel model, boolean whole) {
        Answer answer = new Answer();
        RawValue response = said.response();
        try {
            answer.scan(response.bytes(), response.from(), response.to());
            if (!answer.isOfTokens()) {
                throw new InvalidRequestException(
                        said.path() + ".output_mode", "output_mode must be 'tokens': the text of others was made already.");
            }
        } catch (MalformedJsonException e) {
            throw DerenderBody.unreadable(said.path(), e);
        }
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < answer.choiceCount(); i++) {
            check(answer.choice(i), said.path() + ".choices[" + i + "]", model, whole);
            if (!seen.add(answer.choice(i).index())) {
                throw new InvalidRequestException(
                        said.path() + ".choices[" + i + "].index", "Two choices have the index " + answer.choice(i).index() + ".");
            }
        }
        if (said.promptTokenIds() != null) {
            checkPrompt(said.promptTokenIds(), model);
        }
        return answer;
    }

    private static void check(AnswerChoice choice, String at, ServedModel model, boolean whole) {
        if (choice.index() >= MOST_CHOICES) {
            throw new InvalidRequestException(at + ".index", "The index of a choice must be below " + MOST_CHOICES + ".");
        }
        if (whole && choice.tokenCount() == 0) {
            throw new InvalidRequestException(
                    at + ".token_ids", "choice " + choice.index() + " has empty or null token_ids");
        }
        checkLength(choice.tokenCount(), at + ".token_ids", model);
        for (int i = 0; i < choice.tokenCount(); i++) {
            checkToken(choice.tokenIds()[i], at + ".token_ids[" + i + "]", model);
        }
    }

    private static void checkLength(long count, String param, ServedModel model) {
        OptionalInt most = model.maxLength();
        if (most.isPresent() && count > most.getAsInt()) {
            throw new InvalidRequestException(
                    param, param + " has " + count + " tokens, and max_model_len is " + most.getAsInt() + ".");
        }
    }

    private static void checkToken(int token, String param, ServedModel model) {
        if (token >= model.vocabularySize()) {
            throw new InvalidRequestException(
                    param,
                    "Token ID " + token + " is out of vocabulary: model '" + model.name() + "' has " + model.vocabularySize()
                            + " token IDs.");
        }
    }

    private static void checkPrompt(int[] prompt, ServedModel model) {
        checkLength(prompt.length, "prompt_token_ids", model);
        for (int i = 0; i < prompt.length; i++) {
            checkToken(prompt[i], "prompt_token_ids[" + i + "]", model);
        }
    }

    /** A whole answer of whole answers. */
    private byte[] whole(Kind kind, DerenderBody body, ServedModel model) {
        Reading reading = reading(kind, body, model);
        List<Said> all = body.responses();
        JsonOut out = new JsonOut(4096);
        try {
            switch (reading) {
                case Reading.OfChat chat -> {
                    Said said = all.getFirst();
                    Answer answer = scan(said, model, true);
                    boolean parsed = model.isParsed();
                    ChatForm form = new ChatForm(head(answer, model), chat.request(), null, parsed, false);
                    write(form, told(reading, answer, said, model, true), model, answer, form.head(), out);
                }
                case Reading.OfCompletion completion -> completions(completion, all, model, out);
            }
        } catch (MalformedJsonException e) {
            throw DerenderBody.unreadable(all.getFirst().path(), e);
        }
        return out.toByteArray();
    }

    private void write(AnswerForm form, Translation translation, ServedModel model, Answer answer, Head head, JsonOut out)
            throws MalformedJsonException {
        try {
            translation.accept(answer);
            form.open(translation).whole(answer, out);
        } finally {
            report.send(head.id(), model, Meters.DERENDER, translation);
        }
    }

    private static String requestId(Answer answer) throws MalformedJsonException {
        String id = answer.requestId();
        return id == null ? Plan.newId() : id;
    }

    private void completions(
            Reading.OfCompletion reading, List<Said> all, ServedModel model, JsonOut out) throws MalformedJsonException {
        List<Answer> answers = all.stream().map(said -> scan(said, model, true)).toList();
        Head head = head(answers.getFirst(), model);
        int[] tokens = new int[2];
        int first = 0;
        head.begin(CompletionForm.OBJECT, out);
        out.name("choices").beginArray();
        for (int i = 0; i < answers.size(); i++) {
            Answer answer = answers.get(i);
            CompletionForm form = new CompletionForm(head, reading.request(), "", OptionalInt.of(first), usage -> {
                tokens[0] += usage.promptTokens();
                tokens[1] += usage.completionTokens();
            });
            write(form, told(reading, answer, all.get(i), model, true), model, answer, head, out);
            first += answer.choiceCount();
        }
        out.endArray();
        boolean one = answers.size() == 1;
        CompletionForm.tail(
                head,
                new Usage(tokens[0], tokens[1]),
                Map.of(),
                one ? answers.getFirst().shownTransferParams() : null,
                one ? answers.getFirst().encoderTransferParams() : null,
                one ? answers.getFirst().metrics() : null,
                out);
    }

    /** The choices of an output that the client has got by itself. */
    private Translation told(Reading reading, Answer answer, Said said, ServedModel model, boolean whole)
            throws MalformedJsonException {
        int[] shown = answer.promptTokenIds();
        int[] prompt = said.promptTokenIds() != null ? said.promptTokenIds() : shown == null ? new int[0] : shown;
        int choices = 1;
        Set<String> stops = new HashSet<>();
        for (int i = 0; i < answer.choiceCount(); i++) {
            choices = Math.max(choices, answer.choice(i).index() + 1);
            if (whole && answer.choice(i).stopReason() instanceof String stop && !stop.isEmpty()) {
                stops.add(stop);
            }
        }
        return told(reading, prompt, choices, stops, said.promptTokens().orElse(0), shown, model, whole);
    }

    private Translation told(
            Reading reading,
            int[] prompt,
            int choices,
            Set<String> stops,
            int promptTokens,
            int @Nullable [] shown,
            ServedModel model,
            boolean whole) {
        return switch (reading) {
            case Reading.OfChat chat -> {
                GenerateBody made = chat.request().generated("", model.name(), prompt, choices, stops, Rendering.rules(model));
                yield Translation.told(
                        made,
                        model,
                        Set.of(Need.MESSAGE),
                        report.recordedTokens(),
                        new Translation.Told(promptTokens, shown, whole, chat.request().stopTokens()));
            }
            case Reading.OfCompletion completion -> {
                GenerateBody made = completion.request().generated("", model.name(), prompt, choices, stops, Rendering.rules(model));
                yield Translation.told(
                        made,
                        model,
                        Set.of(Need.TEXT),
                        report.recordedTokens(),
                        new Translation.Told(promptTokens, shown, whole, completion.request().stopTokens()));
            }
        };
    }

    /** One chunk of a stream, and the state behind it. */
    private byte[] chunk(Kind kind, DerenderBody body, ServedModel model, int size, Client client) {
        Said said = body.chunkOnly();
        Answer chunk = scan(said, model, false);
        if (chunk.choiceCount() > 1) {
            throw new InvalidRequestException(
                    said.path() + ".choices",
                    "A chunk holds at most one choice (got " + chunk.choiceCount() + "): each choice is a stream of its own.");
        }
        Optional<StreamState> brought = body.state();
        StateSeal.State state = brought.orElse(null) instanceof StreamState.Own own ? opened(own, kind, chunk, model) : null;
        JsonOut out = new JsonOut(size + 1024);
        out.beginObject().name("chunk");
        try {
            Head head = head(chunk, model);
            Usage usage = usage(chunk, said);
            if (chunk.choiceCount() == 0 || (state != null && state.ended())) {
                writeWithoutChoice(kind, body, model, head, chunk, usage, out);
                return out.endObject().toByteArray();
            }
            DerenderedStream stream = stream(kind, body, model, chunk, brought.orElse(null), state, size, client);
            checkLength((long) stream.tokens() + chunk.tokenCount(), "stream_state", model);
            try {
                stream.next(head, chunk, usage, out);
            } catch (PluginFailedException e) {
                stream.report(report, model, head);
                throw e;
            }
            if (stream.ended()) {
                stream.report(report, model, head);
            }
            stream.writeState(seal, out.name("stream_state"));
            if (!stream.ended()) {
                sessions.put(stream.id(), stream);
            }
        } catch (MalformedJsonException e) {
            throw DerenderBody.unreadable(said.path(), e);
        }
        return out.endObject().toByteArray();
    }

    private static @Nullable Usage usage(Answer chunk, Said said) throws MalformedJsonException {
        Usage usage = chunk.usage();
        return usage == null
                ? null
                : new Usage(said.promptTokens().orElse(usage.promptTokens()), usage.completionTokens());
    }

    private static int owner(Kind kind, ServedModel model, int index) {
        return Objects.hash(kind.request(), model.name(), index);
    }

    private StateSeal.State opened(StreamState.Own brought, Kind kind, Answer chunk, ServedModel model) {
        StateSeal.State state = seal.open(brought.seal());
        if (chunk.choiceCount() > 0 && state.owner() != owner(kind, model, chunk.choice(0).index())) {
            throw new RefusedStateException("it belongs to another door, model or choice: each choice has a stream of its own");
        }
        return state;
    }

    /** A chunk that tells of no choice, or of one that has ended, changes nothing: its client carries on what it carried. */
    private void writeWithoutChoice(
            Kind kind, DerenderBody body, ServedModel model, Head head, Answer chunk, @Nullable Usage usage, JsonOut out)
            throws MalformedJsonException {
        for (int i = 0; i < chunk.choiceCount(); i++) {
            chunk.choice(i).edit().drop();
        }
        Reading reading = reading(kind, body, model);
        Translation nothing = told(reading, new int[0], 1, Set.of(), 0, null, model, false);
        writer(reading, nothing, true).write(head, chunk, usage, out);
        body.writeState(out.name("stream_state"));
    }

    private static ChunkWriter writer(Reading reading, Translation translation, boolean roleSaid) {
        return switch (reading) {
            case Reading.OfChat chat -> new ChunkWriter.Chat(translation, chat.request(), roleSaid);
            case Reading.OfCompletion completion -> new ChunkWriter.Completion(translation, completion.request());
        };
    }

    /** The stream that a chunk goes on with: as it waits here, or made again of what the client carries. */
    private DerenderedStream stream(
            Kind kind,
            DerenderBody body,
            ServedModel model,
            Answer chunk,
            @Nullable StreamState brought,
            StateSeal.@Nullable State state,
            int size,
            Client client) {
        if (brought instanceof StreamState.Own own && state != null) {
            DerenderedStream waiting = sessions.take(state.stream());
            if (waiting != null && waiting.isAt(state, own, body.fingerprint())) {
                return waiting;
            }
            meters.derenderReplay(waiting == null ? "gone" : "changed");
        } else if (brought instanceof StreamState.Foreign foreign && !foreign.isFirst()) {
            meters.derenderReplay("foreign");
        }
        return prompts.work(size, client, () -> begun(kind, body, model, chunk, brought, state));
    }

    private DerenderedStream begun(
            Kind kind,
            DerenderBody body,
            ServedModel model,
            Answer chunk,
            @Nullable StreamState brought,
            StateSeal.@Nullable State state) {
        Reading reading = reading(kind, body, model);
        int[] given = body.chunk().promptTokenIds();
        if (given != null) {
            checkPrompt(given, model);
        } else if (kind == Kind.CHAT && model.isParsed()) {
            throw new InvalidRequestException(
                    "prompt_token_ids",
                    "prompt_token_ids is required, because the output of model '" + model.name() + "' is parsed and its prompt decides"
                            + " how it begins: send token_ids of the rendered request.");
        }
        int[] shown = chunk.promptTokenIds();
        int[] prompt = given != null ? given : shown == null ? new int[0] : shown;
        int index = chunk.choice(0).index();
        Before before = before(brought, state, model);
        checkLength((long) prompt.length + before.tokens.ids().length, "stream_state", model);
        int[] context = before.context == 0 ? prompt : Arrays.copyOf(before.tokens.ids(), before.context);
        Translation translation = told(reading, context, index + 1, Set.of(), 0, null, model, false);
        DerenderedStream stream = new DerenderedStream(
                new Origin(
                        state == null ? UUID.randomUUID() : state.stream(),
                        owner(kind, model, index),
                        index,
                        body.fingerprint(),
                        prompt.length,
                        before.context,
                        body.requestBytes()),
                translation,
                writer(reading, translation, before.roleSaid),
                state == null ? 0 : state.step(),
                before.roleSaid);
        try {
            stream.replay(before.tokens, before.latest, before.logprobLength);
        } catch (MalformedJsonException e) {
            throw new IllegalStateException("the choice was made room for", e);
        }
        return stream;
    }

    /**
     * What a client has got of a stream.
     *
     * @param tokens its tokens
     * @param context how many of them gave their text before this proxy saw the stream
     * @param latest what logprobs go on behind
     * @param logprobLength how long the tokens were that logprobs told of
     * @param roleSaid whether the role was told
     */
    private record Before(History.Tokens tokens, int context, int[] latest, int logprobLength, boolean roleSaid) {}

    private static Before before(
            @Nullable StreamState brought, StateSeal.@Nullable State state, ServedModel model) {
        if (brought instanceof StreamState.Own own && state != null) {
            History.Tokens tokens = History.read(own.history(), state.history());
            if (tokens == null) {
                throw new RefusedStateException("its history is not the one that was signed: send it back as it came");
            }
            return new Before(tokens, state.context(), tokens.ids(), state.logprobLength(), state.roleSaid());
        }
        if (!(brought instanceof StreamState.Foreign foreign)) {
            return new Before(History.Tokens.NONE, 0, new int[0], 0, false);
        }
        for (int token : foreign.tokens()) {
            checkToken(token, "stream_state.output_token_ids", model);
        }
        for (int token : foreign.context()) {
            checkToken(token, "stream_state.logprob_context_token_ids", model);
        }
        if (foreign.tokens().length > 0) {
            return new Before(
                    new History.Tokens(foreign.tokens(), foreign.lengths()),
                    0,
                    foreign.context(),
                    foreign.textOffset(),
                    foreign.roleSaid());
        }
        return new Before(
                window(foreign, Objects.requireNonNull(model.tokenizer())),
                foreign.read(),
                foreign.context(),
                foreign.textOffset(),
                foreign.roleSaid());
    }

    /** The tokens of a window: those that have given their text, then those that have not. */
    private static History.Tokens window(StreamState.Foreign foreign, Tokenizer tokenizer) {
        int[] ids = new int[foreign.window().size()];
        for (int i = 0; i < ids.length; i++) {
            String token = foreign.window().get(i);
            ids[i] = tokenizer.tokenId(token).orElseThrow(() ->
                    new RefusedStateException("its prev_tokens hold '" + token + "', which is no token of this model"));
        }
        int rest = ids.length - foreign.read();
        int[] lengths = foreign.read() == 0 || rest == 0
                ? ids.length == 0 ? new int[0] : new int[] {ids.length}
                : new int[] {foreign.read(), rest};
        return new History.Tokens(ids, lengths);
    }
}
