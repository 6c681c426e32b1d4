package io.glyphgate.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Clients, all of them on the calling thread: each connection sends its request again and again until all requests of its group
 * are answered. Answers are checked: the status, the end mark, and how many events there are.
 */
final class Load {
    private static final byte[] HEAD_END = Ascii.bytes("\r\n\r\n");
    private static final byte[] LENGTH = Ascii.bytes("content-length:");
    private static final byte[] CHUNKED = Ascii.bytes("transfer-encoding: chunked");
    private static final byte[] CLOSES = Ascii.bytes("connection: close");
    private static final byte[] DONE = Ascii.bytes("[DONE]");
    private static final int MOST_ERRORS = 20;

    /**
     * Clients that ask the same.
     *
     * @param port where the server is, on this machine
     * @param request the whole request
     * @param connections how many ask at a time
     * @param requests how many are asked in all
     * @param leastEvents how many events each answer must have; 0 for one that is no stream
     */
    record Group(int port, byte[] request, int connections, int requests, int leastEvents) {}

    /**
     * What clients saw.
     *
     * @param requests how many were answered well
     * @param errors how many were not
     * @param error what was wrong with the first of them; empty if nothing was
     * @param events how many events came
     * @param bytes how many bytes the bodies had, without the framing
     * @param wallNanos from the first request to the last answer
     * @param firstToken from a request to the first event of its answer
     * @param gaps between two reads that brought an event
     */
    record Seen(
            int requests, int errors, String error, long events, long bytes, long wallNanos, Samples firstToken, Samples gaps) {}

    private final Selector selector;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 18);
    private final byte[] bytes = new byte[1 << 18];
    private final ArrayDeque<Client> broken = new ArrayDeque<>();
    /** How many clients wait for the end of an answer. */
    private int asking;

    private Load(Selector selector) {
        this.selector = selector;
    }

    /** One group. */
    static Seen run(Group group, int mostSeconds) throws IOException {
        return run(List.of(group), mostSeconds).getFirst();
    }

    /** Several groups at the same time; what each of them saw. */
    static List<Seen> run(List<Group> groups, int mostSeconds) throws IOException {
        try (Selector selector = Selector.open()) {
            Load load = new Load(selector);
            List<Tally> tallies = new ArrayList<>();
            List<Client> clients = new ArrayList<>();
            for (Group group : groups) {
                Tally tally = new Tally(group);
                tallies.add(tally);
                for (int i = 0; i < group.connections; i++) {
                    Client client = load.new Client(tally);
                    client.connect();
                    clients.add(client);
                }
            }
            load.all(clients, System.nanoTime() + mostSeconds * 1_000_000_000L);
            return tallies.stream().map(Tally::seen).toList();
        }
    }

    private void all(List<Client> clients, long until) throws IOException {
        try {
            for (Client client : clients) {
                client.ask();
            }
            while (asking > 0 && System.nanoTime() < until) {
                turn();
            }
            for (Client client : clients) {
                if (client.asking) {
                    client.tally.fail("an answer did not end in time");
                }
            }
        } finally {
            for (Client client : clients) {
                client.channel.close();
            }
        }
    }

    private void turn() throws IOException {
        selector.select(100);
        for (SelectionKey key : selector.selectedKeys()) {
            Client client = (Client) key.attachment();
            try {
                client.read();
            } catch (IOException e) {
                client.tally.fail(String.valueOf(e.getMessage()));
                broken.add(client);
            }
        }
        selector.selectedKeys().clear();
        for (Client client = broken.poll(); client != null; client = broken.poll()) {
            client.again();
        }
    }

    private static final class Tally {
        private final Group group;
        private final Samples firstToken = new Samples();
        private final Samples gaps = new Samples();
        private final long began = System.nanoTime();
        private long ended = began;
        private int left;
        private int requests;
        private int errors;
        private String error = "";
        private long events;
        private long bytes;

        Tally(Group group) {
            this.group = group;
            left = group.requests;
        }

        void fail(String why) {
            errors++;
            if (error.isEmpty()) {
                error = why;
            }
        }

        Seen seen() {
            return new Seen(requests, errors, error, events, bytes, ended - began, firstToken, gaps);
        }
    }

    /** One connection. */
    private final class Client {
        private final Tally tally;
        private SocketChannel channel;
        private boolean asking;
        private final StringBuilder head = new StringBuilder();
        private boolean inHead;
        private boolean chunked;
        private boolean closes;
        private long left;
        private Part part = Part.SIZE;
        private long chunk;
        private boolean lineEmpty;
        private int events;
        private int doneAt;
        private boolean done;
        private long asked;
        private long lastEvent;

        private enum Part {
            SIZE,
            EXTENSION,
            DATA,
            DATA_END,
            TRAILER
        }

        Client(Tally tally) throws IOException {
            this.tally = tally;
            channel = SocketChannel.open();
        }

        void connect() throws IOException {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), tally.group.port));
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, this);
        }

        /** Goes on with a connection of its own after one that broke. */
        void again() throws IOException {
            channel.close();
            rest();
            if (tally.errors < MOST_ERRORS && tally.left > 0) {
                channel = SocketChannel.open();
                connect();
                ask();
            }
        }

        private void rest() {
            if (asking) {
                asking = false;
                Load.this.asking--;
            }
        }

        void ask() throws IOException {
            rest();
            if (tally.left == 0) {
                return;
            }
            asking = true;
            Load.this.asking++;
            tally.left--;
            head.setLength(0);
            inHead = true;
            part = Part.SIZE;
            chunk = 0;
            lineEmpty = false;
            events = 0;
            doneAt = 0;
            done = false;
            asked = System.nanoTime();
            lastEvent = 0;
            ByteBuffer request = ByteBuffer.wrap(tally.group.request);
            while (request.hasRemaining()) {
                channel.write(request);
            }
        }

        void read() throws IOException {
            buffer.clear();
            int count = channel.read(buffer);
            if (count < 0) {
                if (asking) {
                    throw new IOException("the server closed the connection inside an answer");
                }
                channel.close();
                return;
            }
            buffer.flip().get(bytes, 0, count);
            int from = inHead ? readHead(count) : 0;
            if (inHead) {
                return;
            }
            int before = events;
            boolean ended = chunked ? readChunks(from, count) : readPlain(from, count);
            if (events > before) {
                long now = System.nanoTime();
                if (lastEvent == 0) {
                    tally.firstToken.add(now - asked);
                } else {
                    tally.gaps.add(now - lastEvent);
                }
                lastEvent = now;
            }
            if (ended) {
                end();
            }
        }

        private int readHead(int count) throws IOException {
            int before = head.length();
            head.append(new String(bytes, 0, count, StandardCharsets.ISO_8859_1));
            int end = head.indexOf("\r\n\r\n");
            if (end < 0) {
                return count;
            }
            inHead = false;
            byte[] lower = head.substring(0, end + HEAD_END.length).toLowerCase(Locale.ROOT).getBytes(StandardCharsets.ISO_8859_1);
            if (!head.substring(8).startsWith(" 200")) {
                throw new IOException(head.toString().replaceAll("\\s+", " "));
            }
            chunked = Ascii.find(lower, 0, lower.length, CHUNKED) >= 0;
            closes = Ascii.find(lower, 0, lower.length, CLOSES) >= 0;
            left = Ascii.number(lower, 0, lower.length, LENGTH, 0);
            return end + HEAD_END.length - before;
        }

        private boolean readPlain(int from, int to) {
            body(from, to);
            left -= to - from;
            return left <= 0;
        }

        private boolean readChunks(int from, int to) throws IOException {
            int i = from;
            while (i < to) {
                byte b = bytes[i];
                switch (part) {
                    case SIZE, EXTENSION -> {
                        i++;
                        if (b == '\n') {
                            left = chunk;
                            part = chunk == 0 ? Part.TRAILER : Part.DATA;
                            chunk = 0;
                        } else if (b == ';') {
                            part = Part.EXTENSION;
                        } else if (part == Part.SIZE && b != '\r') {
                            int digit = Character.digit(b, 16);
                            if (digit < 0) {
                                throw new IOException("a chunk has no size");
                            }
                            chunk = 16 * chunk + digit;
                        }
                    }
                    case DATA -> {
                        int count = (int) Math.min(left, to - i);
                        body(i, i + count);
                        i += count;
                        left -= count;
                        if (left == 0) {
                            part = Part.DATA_END;
                        }
                    }
                    case DATA_END -> {
                        i++;
                        if (b == '\n') {
                            part = Part.SIZE;
                        }
                    }
                    case TRAILER -> {
                        i++;
                        if (b == '\n') {
                            return true; // no server here sends trailers
                        }
                    }
                }
            }
            return false;
        }

        /** Counts the events of a part of the body: blank lines; and looks for the end mark. */
        private void body(int from, int to) {
            tally.bytes += to - from;
            for (int i = from; i < to; i++) {
                byte b = bytes[i];
                if (b == '\n') {
                    if (lineEmpty) {
                        events++;
                    }
                    lineEmpty = true;
                } else if (b != '\r') {
                    lineEmpty = false;
                }
                if (b == DONE[doneAt]) {
                    if (++doneAt == DONE.length) {
                        done = true;
                        doneAt = 0;
                    }
                } else {
                    doneAt = b == DONE[0] ? 1 : 0;
                }
            }
        }

        private void end() throws IOException {
            if (tally.group.leastEvents > 0 && (!done || events < tally.group.leastEvents)) {
                tally.fail(events + " events, " + (done ? "" : "no end mark, ") + "wanted " + tally.group.leastEvents);
            } else {
                tally.requests++;
                tally.events += events;
            }
            tally.ended = System.nanoTime();
            if (closes) {
                again();
            } else {
                ask();
            }
        }
    }
}
