package io.glyphgate.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Locale;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * A server that answers like a vLLM 0.33 without a tokenizer, with so little work that it is never the slowest part: one thread,
 * one selector, each token one event, one chunk and one write. A request's {@code seed} is the pace, in microseconds between
 * tokens; 0 is as fast as the peer reads. A request that has {@code prefill_us} under {@code kv_transfer_params} is answered as a
 * prefill server would.
 */
final class Mock implements AutoCloseable {
    private static final byte[] HEAD_END = Ascii.bytes("\r\n\r\n");
    private static final byte[] LENGTH = Ascii.bytes("content-length:");
    private static final byte[] CHUNKED = Ascii.bytes("transfer-encoding: chunked");
    private static final byte[] LAST_CHUNK = Ascii.bytes("0\r\n\r\n");
    private static final byte[] EXPECTS = Ascii.bytes("expect: 100-continue");
    private static final byte[] CONTINUE = Ascii.bytes("HTTP/1.1 100 Continue\r\n\r\n");
    private static final byte[] MODEL = Ascii.bytes("\"model\"");
    private static final byte[] MAX_TOKENS = Ascii.bytes("\"max_tokens\"");
    private static final byte[] SEED = Ascii.bytes("\"seed\"");
    private static final byte[] LOGPROBS = Ascii.bytes("\"logprobs\"");
    private static final byte[] STREAMS = Ascii.bytes("\"stream\":true");
    private static final byte[] PREFILLS = Ascii.bytes("\"do_remote_decode\":true");
    private static final byte[] STREAM_HEAD = Ascii.bytes(String.join(
            "\r\n", "HTTP/1.1 200 OK", "content-type: text/event-stream; charset=utf-8", "transfer-encoding: chunked", "", ""));
    private static final byte[] STREAM_END = Ascii.bytes("e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n");
    private static final byte[] BEFORE_ID = Ascii.bytes("data: {\"request_id\":\"");
    private static final byte[] BEFORE_REASON =
            Ascii.bytes("\",\"usage\":null,\"output_mode\":\"tokens\",\"choices\":[{\"index\":0,\"finish_reason\":");
    private static final byte[] NO_REASON = Ascii.bytes("null");
    private static final byte[] REASON = Ascii.bytes("\"length\"");
    private static final byte[] BEFORE_TOKEN = Ascii.bytes(",\"stop_reason\":null,\"token_ids\":[");
    private static final byte[] BEHIND_TOKEN =
            Ascii.bytes("],\"routed_experts\":null,\"sampling_mask\":null,\"weight_versions\":null,\"logprobs\":");
    private static final byte[] EVENT_END = Ascii.bytes("}]}\n\n");
    private static final byte[] NO_CONTENT = Ascii.bytes("null");
    private static final String PREFILL_PARAMS = "{\"do_remote_prefill\":true,\"do_remote_decode\":false,"
            + "\"remote_block_ids\":[[1,2]],\"remote_engine_id\":\"mock\",\"remote_request_id\":\"mock\","
            + "\"remote_host\":\"127.0.0.1\",\"remote_port\":5600,\"tp_size\":1}";

    private final Scripts scripts;
    private final Selector selector;
    private final ServerSocketChannel door;
    private final Thread thread;
    private final PriorityQueue<Peer> paced = new PriorityQueue<>((a, b) -> Long.compare(a.due, b.due));
    private final ArrayDeque<Peer> flat = new ArrayDeque<>();
    private final byte[] event = new byte[1 << 16];
    private final byte[] size = new byte[16];
    private volatile boolean closed;
    private int requests;

    /** Starts one on a free port. */
    Mock(Scripts scripts) throws IOException {
        this.scripts = scripts;
        selector = Selector.open();
        door = ServerSocketChannel.open();
        door.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4096);
        door.configureBlocking(false);
        door.register(selector, SelectionKey.OP_ACCEPT);
        thread = new Thread(this::run, "mock");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return door.socket().getLocalPort();
    }

    /** The CPU time that it took so far, in nanoseconds. */
    long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.threadId());
    }

    @Override
    public void close() throws IOException {
        closed = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
    }

    private void run() {
        try {
            while (!closed) {
                long now = System.nanoTime();
                for (Peer next = paced.peek(); next != null && next.due <= now; next = paced.peek()) {
                    paced.remove();
                    next.step();
                }
                for (int left = flat.size(); left > 0; left--) {
                    flat.remove().step();
                }
                select();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void select() throws IOException {
        Peer next = paced.peek();
        if (!flat.isEmpty()) {
            selector.selectNow();
        } else if (next == null) {
            selector.select();
        } else {
            long nanos = next.due - System.nanoTime();
            if (nanos > 0) {
                selector.select(Math.max(1, nanos / 1_000_000));
            } else {
                selector.selectNow();
            }
        }
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.isAcceptable()) {
                accept();
            } else {
                ((Peer) key.attachment()).ready(key);
            }
        }
        selector.selectedKeys().clear();
    }

    private void accept() throws IOException {
        for (SocketChannel channel = door.accept(); channel != null; channel = door.accept()) {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.register(selector, SelectionKey.OP_READ, new Peer(channel));
        }
    }

    /** One connection, and the answer that is on its way. */
    private final class Peer {
        private final SocketChannel channel;
        private byte[] in = new byte[4096];
        private int filled;
        private ByteBuffer out = ByteBuffer.allocateDirect(8192);
        private int @Nullable [] tokens;
        private byte[] requestId = {};
        private int at;
        private int logprobs;
        private long pace;
        private long due;
        private boolean blocked;

        Peer(SocketChannel channel) {
            this.channel = channel;
        }

        void ready(SelectionKey key) throws IOException {
            try {
                if (key.isValid() && key.isWritable()) {
                    unblock(key);
                }
                if (key.isValid() && key.isReadable()) {
                    read();
                }
            } catch (IOException e) {
                gone(); // a peer that hangs up is no fault of the mock's
            }
        }

        private void gone() throws IOException {
            tokens = null;
            channel.close();
        }

        private void read() throws IOException {
            if (filled == in.length) {
                in = Arrays.copyOf(in, 2 * filled);
            }
            int count = channel.read(ByteBuffer.wrap(in, filled, in.length - filled));
            if (count < 0) {
                gone();
                return;
            }
            filled += count;
            while (tokens == null && takesRequest()) {
                // the next one may be here, too
            }
        }

        /** Takes one whole request and answers it; false if it is not here yet. */
        private boolean takesRequest() throws IOException {
            int headEnd = Ascii.find(in, 0, filled, HEAD_END);
            if (headEnd < 0) {
                return false;
            }
            int body = headEnd + HEAD_END.length;
            byte[] head = new String(in, 0, body, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT)
                    .getBytes(StandardCharsets.ISO_8859_1);
            int end;
            if (Ascii.find(head, 0, body, CHUNKED) >= 0) {
                if (Ascii.find(head, 0, body, EXPECTS) >= 0 && filled == body) {
                    put(CONTINUE);
                    flush();
                }
                int last = Ascii.find(in, body, filled, LAST_CHUNK);
                if (last < 0) {
                    return false;
                }
                end = last + LAST_CHUNK.length;
            } else {
                end = body + Ascii.number(head, 0, body, LENGTH, 0);
                if (filled < end) {
                    return false;
                }
            }
            answer(new String(head, 0, Ascii.find(head, 0, body, new byte[] {'\r'}), StandardCharsets.ISO_8859_1), body, end);
            System.arraycopy(in, end, in, 0, filled - end);
            filled -= end;
            return true;
        }

        private void answer(String line, int from, int to) throws IOException {
            if (line.startsWith("post") && (line.contains("/generate") || line.contains("/completions"))) {
                String model = model(from, to);
                int count = Ascii.number(in, from, to, MAX_TOKENS, 16);
                requestId = Ascii.bytes(String.format("mock-%08x-0123456789abcdef01234567", ++requests));
                if (Ascii.find(in, from, to, PREFILLS) >= 0) {
                    json(batch(scripts.tokens(model, 1), PREFILL_PARAMS));
                } else if (Ascii.find(in, from, to, STREAMS) >= 0) {
                    tokens = scripts.tokens(model, count);
                    at = 0;
                    logprobs = Ascii.number(in, from, to, LOGPROBS, 0);
                    pace = Ascii.number(in, from, to, SEED, 0) * 1000L;
                    due = System.nanoTime();
                    put(STREAM_HEAD);
                    if (flush()) {
                        goOn();
                    }
                } else {
                    json(batch(scripts.tokens(model, count), "null"));
                }
            } else if (line.contains("/models")) {
                StringBuilder models = new StringBuilder("{\"object\":\"list\",\"data\":[");
                for (String name : Scripts.FAMILIES.keySet()) {
                    models.append("{\"id\":\"").append(name).append("\",\"object\":\"model\",\"created\":1,\"owned_by\":\"vllm\",\"root\":\"")
                            .append(name).append("\",\"max_model_len\":40960},");
                }
                models.setLength(models.length() - 1);
                json(models.append("]}").toString());
            } else if (line.contains("/version")) {
                json("{\"version\":\"0.33.0\"}");
            } else if (line.contains("tokenize")) {
                put(Ascii.bytes("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")); // it has no tokenizer
                flush();
            } else {
                json("{\"status\":\"ok\",\"model_path\":\"hermes\",\"served_model_name\":\"hermes\",\"is_generation\":true}");
            }
        }

        private String model(int from, int to) {
            int name = Ascii.find(in, from, to, MODEL);
            if (name < 0) {
                return "";
            }
            int i = name + MODEL.length;
            while (i < to && in[i] != '"') {
                i++;
            }
            int end = i + 1;
            while (end < to && in[end] != '"') {
                end++;
            }
            return new String(in, i + 1, Math.max(0, end - i - 1), StandardCharsets.UTF_8);
        }

        private String batch(int[] ids, String kvParams) {
            StringBuilder body = new StringBuilder(512 + 8 * ids.length);
            body.append("{\"request_id\":\"").append(new String(requestId, StandardCharsets.UTF_8))
                    .append("\",\"model\":\"m\",\"created\":1764450000,\"usage\":{\"prompt_tokens\":9,\"total_tokens\":")
                    .append(9 + ids.length).append(",\"completion_tokens\":").append(ids.length)
                    .append(",\"prompt_tokens_details\":null},\"prompt_logprobs\":null,\"prompt_token_ids\":null,")
                    .append("\"kv_transfer_params\":").append(kvParams)
                    .append(",\"output_mode\":\"tokens\",\"choices\":[{\"index\":0,\"finish_reason\":\"length\",\"stop_reason\":null,")
                    .append("\"routed_experts\":null,\"sampling_mask\":null,\"weight_versions\":null,\"logprobs\":null,\"token_ids\":[");
            for (int i = 0; i < ids.length; i++) {
                body.append(i == 0 ? "" : ",").append(ids[i]);
            }
            return body.append("]}]}").toString();
        }

        private void json(String body) throws IOException {
            byte[] bytes = Ascii.bytes(body);
            put(Ascii.bytes("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: " + bytes.length + "\r\n\r\n"));
            put(bytes);
            flush();
        }

        /** Sends the next token. */
        void step() throws IOException {
            int[] ids = tokens;
            if (ids == null || !channel.isOpen()) {
                return;
            }
            try {
                putEvent(ids);
                if (++at == ids.length) {
                    put(STREAM_END);
                    tokens = null;
                }
                due += pace;
                if (flush() && tokens != null) {
                    goOn();
                }
                if (tokens == null && filled > 0) {
                    takesRequest();
                }
            } catch (IOException e) {
                gone();
            }
        }

        private void goOn() {
            if (pace == 0) {
                flat.add(this);
            } else {
                paced.add(this);
            }
        }

        private void putEvent(int[] ids) {
            int end = copy(BEFORE_ID, 0);
            end = copy(requestId, end);
            end = copy(BEFORE_REASON, end);
            end = copy(at + 1 == ids.length ? REASON : NO_REASON, end);
            end = copy(BEFORE_TOKEN, end);
            end = Ascii.digits(event, end, ids[at], 10);
            end = copy(BEHIND_TOKEN, end);
            end = logprobs == 0 ? copy(NO_CONTENT, end) : copy(Ascii.bytes(logprobs(ids)), end);
            end = copy(EVENT_END, end);
            int digits = Ascii.digits(size, 0, end, 16);
            size[digits] = '\r';
            size[digits + 1] = '\n';
            room(digits + 4 + end).put(size, 0, digits + 2).put(event, 0, end).put((byte) '\r').put((byte) '\n');
        }

        private String logprobs(int[] ids) {
            StringBuilder json = new StringBuilder(64 * logprobs);
            json.append("{\"content\":[{\"token\":\"token_id:").append(ids[at])
                    .append("\",\"logprob\":-0.3125,\"bytes\":null,\"top_logprobs\":[");
            for (int i = 0; i < logprobs; i++) {
                json.append(i == 0 ? "" : ",").append("{\"token\":\"token_id:").append(ids[(at * 7 + i * 13) % ids.length])
                        .append("\",\"logprob\":-").append(i).append(".4375,\"bytes\":null}");
            }
            return json.append("]}]}").toString();
        }

        private int copy(byte[] from, int to) {
            System.arraycopy(from, 0, event, to, from.length);
            return to + from.length;
        }

        private void put(byte[] bytes) {
            room(bytes.length).put(bytes);
        }

        private ByteBuffer room(int bytes) {
            if (out.remaining() < bytes) {
                ByteBuffer larger = ByteBuffer.allocateDirect(2 * (out.position() + bytes));
                out = larger.put(out.flip());
            }
            return out;
        }

        /** Writes what it can; false if the peer does not take all, and the rest goes when it does. */
        private boolean flush() throws IOException {
            out.flip();
            channel.write(out);
            boolean all = !out.hasRemaining();
            out.compact();
            if (!all && !blocked) {
                blocked = true;
                channel.keyFor(selector).interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            }
            return all;
        }

        private void unblock(SelectionKey key) throws IOException {
            if (flush() && blocked) {
                blocked = false;
                key.interestOps(SelectionKey.OP_READ);
                if (tokens != null) {
                    goOn();
                } else if (filled > 0) {
                    takesRequest();
                }
            }
        }
    }
}
