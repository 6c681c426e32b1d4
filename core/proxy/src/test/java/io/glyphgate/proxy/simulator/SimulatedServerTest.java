package io.glyphgate.proxy.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.glyphgate.proxy.simulator.Script.Candidate;
import io.glyphgate.proxy.simulator.Script.Output;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SimulatedServerTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final JsonMapper JSON = new JsonMapper();

    /** 考えて, 不适合, mut and development: four tokens of which the excerpt knows the text. */
    private static final int[] WORDS = {132997, 110334, 6984, 29571};

    private final List<SimulatedServer> servers = new ArrayList<>();

    private SimulatedServer start(SimulatorOptions.Builder options) throws IOException {
        SimulatedServer server = SimulatedServer.start(options.build());
        servers.add(server);
        return server;
    }

    @AfterEach
    void stop() {
        servers.forEach(SimulatedServer::close);
    }

    // Clients that leave, and requests that are aborted

    @Test
    void noticesAClientThatLeavesBeforeTheFirstToken() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder().timeToFirstToken(Duration.ofHours(1)));
        for (String stream : List.of("true", "false")) {
            try (RawClient client = new RawClient(server)) {
                client.generate(request("'request_id':'" + stream + "','stream':" + stream));
                server.await("the request is there", SOON, () -> server.activeRequests() == 1);
            }
            server.await("the connection is gone", SOON, () -> server.openConnections() == 0);
        }

        assertThat(server.abortedRequestIds()).containsExactly("generate-tokens-true", "generate-tokens-false");
        assertThat(server.activeRequests()).isZero();
    }

    @Test
    void noticesAClientThatLeavesBetweenTokens() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder().tokensPerSecond(0.001));
        try (RawClient client = new RawClient(server)) {
            client.generate(request("'request_id':'r','stream':true,'vllm_xargs':{'glyphgate_rate':1000}"));
            client.readUntil("0\r\n\r\n");
            client.generate(request("'request_id':'s','stream':true"));
            client.readUntil("\r\n\r\n");
        }
        server.await("the connection is gone", SOON, () -> server.openConnections() == 0);

        assertThat(server.abortedRequestIds()).containsExactly("generate-tokens-s");
    }

    @Test
    void whoReadsAnAnswerToItsEndHasNotLeft() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder());
        for (int i = 0; i < 50; i++) {
            try (RawClient client = new RawClient(server)) {
                client.generate(request("'stream':true")).readUntil("data: [DONE]\n\n");
                assertThat(server.activeRequests()).isZero();
            }
        }
        server.await("all connections are gone", SOON, () -> server.openConnections() == 0);

        assertThat(server.abortedRequestIds()).isEmpty();
    }

    @Test
    void anAbortedStreamEndsInGoodOrder() throws Exception {
        SimulatedServer server = start(full().timeToFirstToken(Duration.ZERO));
        server.enqueue(Script.tokens(WORDS).failing(Fault.parse("stall@2")));
        try (RawClient client = new RawClient(server)) {
            client.generate(request("'stream':true,'output_mode':'text','request_id':'r',"
                    + "'stream_options':{'include_usage':true}"));
            client.readUntil("110334");
            abort(server, "generate-tokens-other", "generate-tokens-r");
            String rest = client.readUntil("data: [DONE]\n\n");

            // The event at which the answer stalled was made before the abort.
            assertThat(rest)
                    .contains("\"finish_reason\":\"abort\",\"stop_reason\":null,\"token_ids\":[]")
                    .contains("\"weight_versions\":[{\"version\":\"default\",\"start\":0,\"end\":3}]")
                    .contains("\"usage\":{\"prompt_tokens\":2,\"total_tokens\":5,\"completion_tokens\":3}");
        }
        assertThat(server.abortedRequestIds()).containsExactly("generate-tokens-r");
    }

    @Test
    void anAbortedBatchAnswerHoldsWhatHadCome() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder().timeToFirstToken(Duration.ofHours(1)));
        try (RawClient client = new RawClient(server)) {
            client.generate(request("'request_id':'r'"));
            server.await("the request is there", SOON, () -> server.activeRequests() == 1);
            abort(server, "generate-tokens-r");

            assertThat(client.readUntil("\"logprobs\":null}]}"))
                    .contains("\"completion_tokens\":0")
                    .contains("\"finish_reason\":\"abort\",\"stop_reason\":null,\"token_ids\":[]");
        }
    }

    @Test
    void nothingOfAServerOutlivesIt() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder().timeToFirstToken(Duration.ofHours(1)));
        try (RawClient busy = new RawClient(server);
                RawClient idle = new RawClient(server);
                RawClient pipelining = new RawClient(server)) {
            busy.generate(request("'stream':true"));
            pipelining.generate(request("")).get("/health");
            server.await("the requests are there", SOON, () -> server.activeRequests() == 2);

            server.close();

            assertThat(idle.readToEnd()).isEmpty();
            assertThat(server.openConnections()).isZero();
            assertThatThrownBy(() -> new RawClient(server)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void awaitingSaysWhatItWaitedFor() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder());

        assertThatThrownBy(() -> server.await("pigs fly", Duration.ofMillis(1), () -> false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("until pigs fly")
                .hasMessageContaining("0 connections");
    }

    // HTTP

    @Test
    void keepsAConnectionForFurtherRequests() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder());
        try (RawClient client = new RawClient(server)) {
            client.get("/version").readUntil("{\"version\":\"0.33.0\"}");
            client.get("/health").get("/version?x=1", "Connection: close");

            assertThat(client.readToEnd())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("content-length: 0\r\n\r\nHTTP/1.1 200 OK\r\n")
                    .contains("\r\nconnection: close\r\n")
                    .endsWith("{\"version\":\"0.33.0\"}");
        }
        assertThat(server.requests()).extracting(ReceivedRequest::path)
                .containsExactly("/version", "/health", "/version?x=1");
    }

    @Test
    void readsBodiesInChunksAndAfterAskingForThem() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder());
        String body = request("'request_id':'r'");
        try (RawClient client = new RawClient(server)) {
            client.send("POST " + RawClient.GENERATE + " HTTP/1.1\r\nContent-Type: application/json\r\n"
                    + "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n");
            assertThat(client.readUntil("\r\n\r\n")).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            client.send("5\r\n" + body.substring(0, 5) + "\r\n" + Integer.toHexString(body.length() - 5) + ";x=y\r\n"
                    + body.substring(5) + "\r\n0\r\nTrailer: t\r\n\r\n");

            assertThat(client.readUntil("\"logprobs\":null}]}")).startsWith("HTTP/1.1 200 OK")
                    .contains("generate-tokens-r");
        }
        ReceivedRequest received = server.requests().get(0);
        assertThat(received.body()).isEqualTo(body);
        assertThat(received.headers()).containsEntry("EXPECT", "100-continue");
    }

    @Test
    void readsBodiesLargerThanAnyBuffer() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder());
        String prompt = "123456,".repeat(40_000) + "1";

        assertThat(generate(server, "{\"token_ids\":[" + prompt + "],\"sampling_params\":{\"max_tokens\":1}}")
                        .path("usage")
                        .path("prompt_tokens")
                        .asInt())
                .isEqualTo(40_001);
    }

    @Test
    void aProgramCanWaitForItsEnd() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder());
        Thread program = Thread.ofVirtual().start(() -> {
            try {
                server.awaitClosed();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        get(server, "/health");
        assertThat(program.isAlive()).isTrue();

        server.close();

        assertThat(program.join(SOON)).isTrue();
    }

    @Test
    void refusesWhatIsNotHttp() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder());
        for (String bytes : List.of(
                "nonsense\r\n\r\n",
                "GET / HTTP/1.1\r\nno colon\r\n\r\n",
                "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
                "GET /" + "x".repeat(70_000))) {
            try (RawClient client = new RawClient(server)) {
                assertThat(client.send(bytes).readToEnd())
                        .startsWith("HTTP/1.1 400 Bad Request\r\n")
                        .endsWith("Invalid HTTP request received.");
            }
        }
    }

    @Test
    void saysWhyItCannotListen() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder());

        assertThatThrownBy(() -> start(SimulatorOptions.builder().port(server.port())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot listen on 127.0.0.1:" + server.port());
    }

    @Test
    void keepsAsManyRequestsAsItShould() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder().keptRequests(2));
        SimulatedServer forgetful = start(SimulatorOptions.builder().keptRequests(0));
        for (String path : List.of("/a", "/b", "/c")) {
            get(server, path);
            get(forgetful, path);
        }

        assertThat(server.requests()).extracting(ReceivedRequest::path).containsExactly("/b", "/c");
        assertThat(forgetful.requests()).isEmpty();
    }

    // What the model says

    @Test
    void theSameRequestGetsTheSameTokensWhereVllmPromisesIt() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder());
        String greedy = "'temperature':0";

        assertThat(tokens(server, greedy)).isEqualTo(tokens(server, greedy))
                .isEqualTo(tokens(server, greedy + ",'seed':7"));
        assertThat(tokens(server, "'seed':7")).isEqualTo(tokens(server, "'seed':7"))
                .isNotEqualTo(tokens(server, "'seed':8"));
        assertThat(tokens(server, "'temperature':1")).isNotEqualTo(tokens(server, "'temperature':1"));
        JsonNode choices = generate(server, sampling("'seed':7,'n':2")).path("choices");
        assertThat(choices.get(0).path("token_ids")).isNotEqualTo(choices.get(1).path("token_ids"));
    }

    @Test
    void madeUpTokensAreInTheVocabularyAndEndNothing() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder().vocabularySize(3).endOfSequence(1));
        JsonNode choice = generate(server, "{\"token_ids\":[2],\"sampling_params\":{\"max_tokens\":200}}")
                .path("choices")
                .get(0);

        assertThat(choice.path("token_ids")).hasSize(200).allMatch(id -> id.asInt() == 0 || id.asInt() == 2);
    }

    @Test
    void aClientCanSayTheTokens() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder());

        assertThat(choice(server, request("'vllm_xargs':{'glyphgate_tokens':[5,6]}")).path("token_ids").toString())
                .isEqualTo("[5,6,151645]");
        JsonNode both = generate(
                server, "{\"token_ids\":[1],\"sampling_params\":{\"n\":2,\"extra_args\":{\"glyphgate_tokens\":[[5],[6,7]]}}}");
        assertThat(both.path("choices").findValues("token_ids")).hasToString("[[5,151645], [6,7,151645]]");
        assertThat(generate(server, request("'vllm_xargs':{'glyphgate_tokens':'5'}"))
                .path("error").path("message").asText())
                .startsWith("glyphgate_tokens must be a list");
    }

    @Test
    void aClientCanSayTheTextEvenWithoutAskingForText() throws Exception {
        SimulatedServer tokensOnly =
                start(SimulatorOptions.builder().tokenizer(new ExcerptTokenizer()));
        SimulatedServer without = start(SimulatorOptions.builder());
        String forced = "{'token_ids':[1],'sampling_params':{'structured_outputs':{'choice':['mutdevelopment']}}}";

        assertThat(choice(tokensOnly, quoted(forced)).path("token_ids")).hasToString("[6984,29571,151645]");
        assertThat(choice(tokensOnly, quoted(forced)).path("finish_reason").asText()).isEqualTo("stop");
        assertThat(generate(without, quoted(forced)).path("error").path("message").asText())
                .contains("needs a tokenizer");
    }

    @Test
    void aClientCanSayTheEventsAndTheirPace() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder().tokensPerSecond(0.0001));
        String answer = stream(
                server,
                "'vllm_xargs':{'glyphgate_tokens':[1,2,3,4,5,6],'glyphgate_tokens_per_event':'1,2','glyphgate_rate':100000}");

        assertThat(answer.lines().filter(line -> line.contains("token_ids")).map(line -> line.replaceAll(
                        ".*\"token_ids\":(\\[[^]]*]).*", "$1")))
                .containsExactly("[1]", "[2,3]", "[4]", "[5,6]", "[151645]");
        assertThat(stream(server, "'vllm_xargs':{'glyphgate_tokens_per_event':'many'}"))
                .contains("'many' does not say");
    }

    @Test
    void aTestCanSayEverything() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder());
        server.enqueue(
                Script.NONE.saying(new Output(new int[] {5}, null), new Output(new int[] {6}, null)), Script.tokens(7));
        server.direct(request -> Script.tokens(Objects.requireNonNull(request.headers().get("x-say")).length()));

        JsonNode first = generate(server, "{\"token_ids\":[1],\"sampling_params\":{\"n\":2}}");
        assertThat(first.path("choices").findValues("token_ids")).hasToString("[[5,151645], [6,151645]]");
        assertThat(choice(server, request("")).path("token_ids").get(0).asInt()).isEqualTo(7);
        assertThat(choice(server, request("")).path("token_ids").get(0).asInt()).isEqualTo(4);
    }

    @Test
    void theLimitsOfTheRequestHold() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder().maxModelLength(10));
        server.direct(request -> Script.tokens(5, 6, 151645, 8, 9, 10, 11, 12));

        assertThat(ends(server, "'max_tokens':2")).isEqualTo("length null [5,6]");
        assertThat(ends(server, "'stop_token_ids':[6]")).isEqualTo("stop 6 [5,6]");
        assertThat(ends(server, "")).isEqualTo("stop 151645 [5,6,151645]");
        assertThat(ends(server, "'ignore_eos':true")).isEqualTo("length null [5,6,151645,8,9,10,11,12]");
        assertThat(ends(server, "'ignore_eos':true,'max_tokens':100"))
                .isEqualTo("length null [5,6,151645,8,9,10,11,12]");
        assertThat(ends(server, "'min_tokens':3,'stop_token_ids':[6,9]")).isEqualTo("stop 9 [5,6,151645,8,9]");
    }

    @Test
    void logprobsAreMadeUpWhereNoneAreGiven() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder());
        String wish = "{'token_ids':[1,2],'sampling_params':{'temperature':0,'max_tokens':2,'logprobs':%d,'prompt_logprobs':1}}";
        JsonNode answer = generate(server, quoted(wish.formatted(3)));
        JsonNode content = answer.path("choices").get(0).path("logprobs").path("content");

        assertThat(content).hasSize(2).allSatisfy(position -> {
            assertThat(position.path("top_logprobs")).hasSize(3);
            assertThat(position.path("top_logprobs").get(0).path("token_id")).isEqualTo(position.path("token_id"));
            assertThat(position.path("top_logprobs").findValues("rank")).hasToString("[1, 2, 3]");
        });
        assertThat(answer.path("prompt_logprobs")).hasSize(2);
        assertThat(answer.path("prompt_logprobs").get(1).has("2")).isTrue();
        assertThat(generate(server, quoted(wish.formatted(3)))
                        .path("choices")
                        .get(0)
                        .path("logprobs"))
                .isEqualTo(answer.path("choices").get(0).path("logprobs"));
        assertThat(generate(server, quoted(wish.formatted(21))).path("error").path("message").asText())
                .isEqualTo("Requested sample logprobs of 21, which is greater than max allowed: 20"
                        + " (parameter=logprobs, value=21)");
    }

    @Test
    void logprobsThatAreNoNumbersAreClamped() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder());
        server.enqueue(Script.NONE.saying(new Output(
                new int[] {5},
                List.of(List.of(
                        new Candidate(5, Double.NaN, 0), new Candidate(6, Double.NEGATIVE_INFINITY, 2))))));

        assertThat(choice(server, quoted("{'token_ids':[1],'sampling_params':{'max_tokens':1,'logprobs':1}}"))
                        .path("logprobs")
                        .toString())
                .isEqualTo(quoted("{'content':[{'token_id':5,'logprob':-9999.0,'rank':null,'top_logprobs':["
                        + "{'token_id':5,'logprob':-9999.0,'rank':null},{'token_id':6,'logprob':-9999.0,'rank':2}]}]}"));
    }

    // Text and messages

    @Test
    void theTextOfAStopTokenIsLeftOutUnlessAskedFor() throws Exception {
        SimulatedServer server = start(full());
        server.direct(request -> Script.tokens(WORDS));
        String stop = "{'token_ids':[1],'output_mode':'text','sampling_params':{'stop_token_ids':[6984]%s}}";

        assertThat(choice(server, quoted(stop.formatted(""))).path("text").asText()).isEqualTo("考えて不适合");
        assertThat(choice(server, quoted(stop.formatted(",'include_stop_str_in_output':true"))).path("text").asText())
                .isEqualTo("考えて不适合mut");
    }

    @Test
    void specialTokensAreTextOnlyWhenAskedFor() throws Exception {
        SimulatedServer server = start(full());
        server.direct(request -> Script.tokens(6984, 151644, 29571));
        String plain = "{'token_ids':[1],'output_mode':'text','sampling_params':{'skip_special_tokens':%s}}";

        assertThat(choice(server, quoted(plain.formatted("true"))).path("text").asText()).isEqualTo("mutdevelopment");
        assertThat(choice(server, quoted(plain.formatted("false"))).path("text").asText())
                .isEqualTo("mut<|im_start|>development");
    }

    @Test
    void aMessageHidesReasoningAndWhatWouldTellOfIt() throws Exception {
        SimulatedServer server = start(full());
        server.direct(request -> Script.tokens(6984, 151668, 29571));
        String wish = "{'token_ids':[1],'output_mode':'derender','sampling_params':{'logprobs':1},"
                + "'parse_context':{'include_reasoning':%s}}";
        JsonNode shown = choice(server, quoted(wish.formatted("true")));
        JsonNode hidden = choice(server, quoted(wish.formatted("false")));

        assertThat(shown.path("message").path("reasoning").asText()).isEqualTo("mut");
        assertThat(shown.path("message").path("content").asText()).isEqualTo("development");
        assertThat(shown.path("token_ids")).hasSize(4);
        assertThat(hidden.path("message").path("reasoning").isNull()).isTrue();
        assertThat(hidden.path("message").path("content").asText()).isEqualTo("development");
        assertThat(hidden.path("token_ids").isNull()).isTrue();
        assertThat(hidden.path("logprobs").isNull()).isTrue();
    }

    @Test
    void aServerWithATokenizerMustHaveOne() {
        assertThatThrownBy(() -> SimulatorOptions.builder().tokensOnly(false).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs a tokenizer");
    }

    // Errors that are not in the captures

    @Test
    void refusesWhatVllmRefuses() throws Exception {
        SimulatedServer tokensOnly = start(SimulatorOptions.builder());
        SimulatedServer full = start(full());
        String sampling = "{'token_ids':[1],'sampling_params':{%s}}";

        assertThat(refusal(tokensOnly, sampling.formatted("'stop':['x']")))
                .isEqualTo("400 null stop strings are not supported on a --tokens-only server because detokenization is"
                        + " disabled. Check stop strings on the coordinator, or use stop_token_ids.");
        assertThat(refusal(full, sampling.formatted("'min_tokens':4,'max_tokens':1")))
                .isEqualTo("400 null min_tokens must be less than or equal to max_tokens=1, got 4.");
        assertThat(refusal(full, sampling.formatted("'max_tokens':0")))
                .isEqualTo("400 max_tokens max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)");
        assertThat(refusal(full, sampling.formatted("'n':2,'temperature':0")))
                .isEqualTo("400 null n must be 1 when using greedy sampling, got 2.");
        assertThat(refusal(full, sampling.formatted("'stop':'x','detokenize':false")))
                .isEqualTo("400 null stop strings are only supported when detokenize is True."
                        + " Set detokenize=True to use stop.");
        assertThat(refusal(full, sampling.formatted("'stop':['']")))
                .isEqualTo("400 null stop cannot contain an empty string.");
        assertThat(refusal(full, "{'token_ids':[1],'sampling_params':{},'output_mode':'derender','parse_context':{"
                        + "'tool_choice':{'type':'function','function':{'name':'f'}}}}"))
                .isEqualTo("400 tool_choice The tool specified in `tool_choice` does not match any of the specified `tools`"
                        + " (parameter=tool_choice)");
        assertThat(refusal(full, "{'token_ids':'x','sampling_params':{},'model':3}"))
                .isEqualTo("""
                        400 body.token_ids 2 validation errors:
                          {'type': 'list_type', 'loc': 'body.token_ids', 'msg': 'Input should be a valid list', 'input': 'x'}
                          {'type': 'string_type', 'loc': 'body.model', 'msg': 'Input should be a valid string', 'input': '3'}\
                        """);
    }

    // The other servers

    @Test
    void anOldServerDoesNotKnowOutputModes() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder().kind(SimulatorOptions.Kind.OLD_VLLM));
        server.direct(request -> Script.NONE.saying(new Output(new int[] {5}, List.of(List.of(new Candidate(5, -1, 1))))));
        String body = request("'request_id':'r','output_mode':'text','zzz':1").replace("{\"max", "{\"logprobs\":0,\"max");

        assertThat(generate(server, body.replace("\"max_tokens\":8", "\"max_tokens\":1")).toString())
                .isEqualTo(quoted("{'request_id':'generate-tokens-r','choices':[{'index':0,'logprobs':{'content':["
                        + "{'token':'token_id:5','logprob':-1.0,'bytes':null,'top_logprobs':["
                        + "{'token':'token_id:5','logprob':-1.0,'bytes':null}]}]},'finish_reason':'length','token_ids':[5]}],"
                        + "'prompt_logprobs':null,'kv_transfer_params':null}"));
        assertThat(get(server, "/inference/v1/abort_requests").statusCode()).isEqualTo(404);
    }

    @Test
    void theRustFrontendSendsLittleAndRefusesMuch() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder().kind(SimulatorOptions.Kind.RUST_FRONTEND));

        assertThat(stream(server, "'request_id':'r','vllm_xargs':{'glyphgate_tokens':[5,6]}"))
                .isEqualTo("""
                        data: {"request_id":"generate-tokens-r","choices":[{"index":0,"token_ids":[5]}]}

                        data: {"request_id":"generate-tokens-r","choices":[{"index":0,"token_ids":[6]}]}

                        data: {"request_id":"generate-tokens-r","choices":[{"index":0,"token_ids":[151645],"finish_reason":"stop"}]}

                        data: [DONE]

                        """);
        assertThat(refusal(server, "{'token_ids':[1],'sampling_params':{'n':2}}")).startsWith("400 ");
        assertThat(refusal(server, "{'token_ids':[1],'sampling_params':{'stop':'x'}}")).startsWith("400 ");
        assertThat(refusal(server, "{'token_ids':[1],'sampling_params':{},'output_mode':'text'}")).startsWith("400 ");
        assertThat(abort(server, "x").statusCode()).isEqualTo(501);
    }

    @Test
    void aServerWithoutScaleOutRefusesTokens() throws Exception {
        SimulatedServer server = start(full().scaleOut(false));

        assertThat(refusal(server, request("").replace('"', '\'')))
                .isEqualTo("403 null Scale-out endpoints are disabled. Restart vllm serve with --enable-scale-out to enable them.");
        assertThat(abort(server, "x").statusCode()).isEqualTo(403);
        assertThat(get(server, "/health").statusCode()).isEqualTo(200);
    }

    @Test
    void aliasesAreModelsToo() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder().model("m").alias("a").alias("b"));

        assertThat(JSON.readTree(get(server, "/v1/models").body()).path("data").findValuesAsText("id"))
                .contains("m", "a", "b");
        assertThat(generate(server, request("'model':'b'")).path("model").asText()).isEqualTo("m");
        assertThat(refusal(server, request("'model':'c'").replace('"', '\'')))
                .isEqualTo("404 model The model `c` does not exist. Valid aliases: m, a, b.");
    }

    @Test
    void metricsCountRequests() throws Exception {
        SimulatedServer server = start(SimulatorOptions.builder());
        generate(server, request(""));

        assertThat(get(server, "/metrics").body())
                .contains("vllm:num_requests_running{engine=\"0\",model_name=\"tiny\"} 0.0\n")
                .contains("vllm:prompt_tokens_total{engine=\"0\",model_name=\"tiny\"} 2.0\n")
                .contains("vllm:request_success_total{engine=\"0\",model_name=\"tiny\"} 1.0\n");
    }

    private static SimulatorOptions.Builder full() throws IOException {
        return Servers.full(new ExcerptTokenizer());
    }

    private static String quoted(String json) {
        return json.replace('\'', '"');
    }

    /** A request for eight tokens, with further fields. */
    private static String request(String fields) {
        return quoted("{'token_ids':[1,2],'sampling_params':{'max_tokens':8}" + (fields.isEmpty() ? "" : "," + fields) + "}");
    }

    private static String sampling(String fields) {
        return quoted("{'token_ids':[1,2],'sampling_params':{'max_tokens':3" + (fields.isEmpty() ? "" : "," + fields) + "}}");
    }

    private static JsonNode tokens(SimulatedServer server, String fields) throws Exception {
        return choice(server, sampling(fields)).path("token_ids");
    }

    private static String ends(SimulatedServer server, String fields) throws Exception {
        JsonNode choice = choice(server, quoted("{'token_ids':[1,2],'sampling_params':{" + fields + "}}"));
        return choice.path("finish_reason").asText() + ' ' + choice.path("stop_reason").asText() + ' ' + choice.path("token_ids");
    }

    private static String refusal(SimulatedServer server, String request) throws Exception {
        JsonNode error = generate(server, quoted(request)).path("error");
        return error.path("code").asInt() + " " + error.path("param").asText() + ' ' + error.path("message").asText();
    }

    private static JsonNode choice(SimulatedServer server, String body) throws Exception {
        return generate(server, body).path("choices").get(0);
    }

    private static JsonNode generate(SimulatedServer server, String body) throws Exception {
        return JSON.readTree(post(server, RawClient.GENERATE, body).body());
    }

    private static String stream(SimulatedServer server, String fields) throws Exception {
        return post(server, RawClient.GENERATE, request("'stream':true," + fields)).body();
    }

    private static HttpResponse<String> abort(SimulatedServer server, String... ids) throws Exception {
        String list = String.join("\",\"", ids);
        return post(server, "/inference/v1/abort_requests", "{\"request_ids\":[\"" + list + "\"]}");
    }

    private static HttpResponse<String> post(SimulatedServer server, String path, String body) throws Exception {
        return CLIENT.send(
                HttpRequest.newBuilder(server.uri().resolve(path))
                        .header("Content-Type", "application/json")
                        .header("X-Say", "four")
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private static HttpResponse<String> get(SimulatedServer server, String path) throws Exception {
        return CLIENT.send(HttpRequest.newBuilder(server.uri().resolve(path)).build(), BodyHandlers.ofString());
    }
}
