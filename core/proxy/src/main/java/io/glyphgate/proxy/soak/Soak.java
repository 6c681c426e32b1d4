package io.glyphgate.proxy.soak;

import io.glyphgate.proxy.soak.Judge.Outcome;
import io.glyphgate.proxy.soak.Judge.Verdict;
import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Many clients that ask a proxy at random, in front of servers that go wrong at random, for long. Every answer is judged, and at
 * the end nothing may be left open.
 */
public final class Soak {
    private static final Duration SETTLING = Duration.ofSeconds(60);
    /** What a process may hold more at the end than after the warm-up. */
    private static final long HEAP_SLACK = 24L << 20;
    private static final int COUNT_SLACK = 12;

    private final URI proxy;
    private final Tokenizer tokenizer;
    private final Judge judge;
    private final Visit.Offer offer;
    private final int clients;
    private final Duration patience;
    private final long seed;
    private final Supplier<Map<String, Long>> open;

    /**
     * A soak.
     *
     * @param proxy what is asked
     * @param tokenizer that of the model
     * @param pools the pools to ask for; empty to leave it to the proxy
     * @param pairs those of them that have prefill servers
     * @param clients how many ask at the same time
     * @param patience how long a client waits for bytes; longer than any limit of the proxy
     * @param seed decides what they do
     * @param open what is open inside of the proxy and its servers, by its name; all of it must come to 0
     */
    public Soak(
            URI proxy,
            Tokenizer tokenizer,
            List<String> pools,
            List<String> pairs,
            int clients,
            Duration patience,
            long seed,
            Supplier<Map<String, Long>> open) {
        this.proxy = proxy;
        this.tokenizer = tokenizer;
        judge = new Judge(tokenizer.endOfSequence().orElseThrow());
        offer = new Visit.Offer(pools, pairs);
        this.clients = clients;
        this.patience = patience;
        this.seed = seed;
        this.open = open;
    }

    /**
     * What came of it.
     *
     * @param requests how many requests were sent
     * @param table what came of them, in Markdown
     * @param problems what is wrong, a line each; empty if all is well
     * @param before what the process held after the warm-up
     * @param after what it held at the end
     */
    public record Result(long requests, String table, List<String> problems, Footprint before, Footprint after) {}

    /**
     * Runs it.
     *
     * @param time how long
     */
    public Result run(Duration time) throws InterruptedException {
        List<String> problems = new ArrayList<>();
        run(time.dividedBy(5), seed - 1); // what is made once is there from now on
        settle(problems);
        Footprint before = Footprint.measure();
        Tally tally = run(time, seed);
        settle(problems);
        Footprint after = Footprint.measure();
        problems.addAll(0, tally.wrongs());
        if (tally.wrong() > tally.wrongs().size()) {
            problems.add(tally.wrong() + " answers were wrong in all");
        }
        grown("bytes of heap", before.heap(), after.heap(), HEAP_SLACK, problems);
        grown("open files", before.files(), after.files(), COUNT_SLACK, problems);
        grown("platform threads", before.platformThreads(), after.platformThreads(), COUNT_SLACK, problems);
        grown("virtual threads", before.virtualThreads(), after.virtualThreads(), COUNT_SLACK, problems);
        return new Result(tally.requests(), tally.table(), problems, before, after);
    }

    private static void grown(String what, long before, long after, long slack, List<String> problems) {
        if (after > before + slack) {
            problems.add(what + " grew from " + before + " to " + after);
        }
    }

    /** Waits until nothing is open. */
    private void settle(List<String> problems) throws InterruptedException {
        long end = System.nanoTime() + SETTLING.toNanos();
        Map<String, Long> left = open.get();
        while (left.values().stream().anyMatch(count -> count != 0) && System.nanoTime() < end) {
            Thread.sleep(50);
            left = open.get();
        }
        left.forEach((what, count) -> {
            if (count != 0) {
                problems.add(count + " " + what + " left open");
            }
        });
    }

    private Tally run(Duration time, long start) throws InterruptedException {
        Tally tally = new Tally();
        AtomicBoolean over = new AtomicBoolean();
        SplittableRandom random = new SplittableRandom(start);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            SplittableRandom own = random.split();
            threads.add(Thread.ofVirtual().name("soak-client").start(() -> {
                while (!over.get()) {
                    Visit visit = Visit.random(own, offer, Utterance.random(own, tokenizer));
                    pay(visit, tally);
                }
            }));
        }
        Thread.sleep(time);
        over.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        return tally;
    }

    private void pay(Visit visit, Tally tally) {
        try (BareClient client = new BareClient(proxy, patience)) {
            byte[] request = visit.request();
            switch (visit.manner()) {
                case WAITS -> tally.add(visit, judge.judge(visit, client.send(request).answer()));
                case DAWDLES -> {
                    client.send(request);
                    client.dawdle(Duration.ofMillis(visit.patience()));
                    tally.add(visit, judge.judge(visit, client.answer()));
                }
                case PIPELINES -> {
                    client.send(request).send(request);
                    Verdict first = judge.judge(visit, client.answer());
                    tally.add(visit, first);
                    if (first.outcome() != Outcome.WRONG) {
                        tally.add(visit, judge.judge(visit, client.answer()));
                    }
                }
                case LEAVES -> left(visit, tally, () -> client.send(request).dawdle(Duration.ofMillis(visit.patience())));
                case LEAVES_LATER -> left(visit, tally, () -> client.send(request).reads("\r\n\r\n"));
                case RESETS -> left(visit, tally, () -> {
                    client.send(request).dawdle(Duration.ofMillis(visit.patience()));
                    client.reset();
                });
                case HALF_CLOSES -> left(visit, tally, () -> {
                    client.send(request).halfClose();
                    client.ends();
                });
                case BREAKS_OFF -> left(visit, tally, () -> client.send(request, 0, request.length * visit.patience() / 100));
                case STOPS_SHORT -> {
                    BareClient.Answer answer = client.send(request, 0, 1 + request.length * visit.patience() / 101).answer();
                    boolean right = answer.status() == 408 || (answer.status() >= 400 && answer.status() < 500);
                    tally.add(visit, right
                            ? Verdict.of(Outcome.LEFT)
                            : new Verdict(Outcome.WRONG, "no 408 for half a request: " + visit + ": " + answer));
                }
                case RAVES -> left(visit, tally, () -> {
                    byte[] raving = request.clone();
                    new SplittableRandom(visit.patience()).nextBytes(raving);
                    client.send(raving).send("\r\n\r\n".getBytes(StandardCharsets.US_ASCII)).ends();
                });
            }
        } catch (IOException e) {
            tally.add(visit, new Verdict(Outcome.WRONG, "no connection to the proxy, or it was cut while the request was sent (" + e + "): " + visit));
        }
    }

    /** Something that a client does that waits for no answer. */
    private interface Leaving {
        void run() throws IOException;
    }

    private static void left(Visit visit, Tally tally, Leaving leaving) {
        try {
            leaving.run();
        } catch (IOException e) {
            // the proxy may be first to close the connection: nobody waits for an answer on it
        } finally {
            tally.add(visit, Verdict.of(Outcome.LEFT));
        }
    }
}
