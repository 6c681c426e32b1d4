package io.glyphgate.proxy.simulator;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Server-sent events as vLLM writes them, or as the faults make of them. */
final class EventStream {
    private final Reply reply;
    private int events;
    private boolean failed;
    private boolean ended;

    /** Starts a stream. */
    EventStream(Reply reply) throws IOException {
        this.reply = reply;
        reply.startStream("text/event-stream; charset=utf-8");
    }

    /**
     * Sends an event.
     *
     * @param json its data, in one line
     * @return false if the stream has failed, so that nothing more must be sent but its end
     */
    boolean send(String json) throws IOException {
        ended = comesNow(Fault.Kind.END);
        if (ended || comesNow(Fault.Kind.EARLY_DONE)) {
            return false;
        }
        if (comesNow(Fault.Kind.GARBAGE_EVENT)) {
            write("data: {\"choices\": [{\"index\": \u0000 this is not JSON\n\n");
        }
        Fault error = reply.fault(Fault.Kind.ERROR_EVENT);
        if (error != null && error.after() == events) {
            String said = error.refuses()
                    ? Refusal.error((int) error.value(), "BadRequestError", "A fault was asked for", null)
                    : Refusal.error(500, "InternalServerError", "Internal server error", null);
            write("data: " + said + "\n\n");
            failed = true;
        } else {
            write("data: " + (reply.fault(Fault.Kind.MULTILINE) == null ? json : overLines(json)) + "\n\n");
        }
        events++;
        return !failed;
    }

    /** Ends the stream. */
    void end() throws IOException {
        if (!ended && reply.fault(Fault.Kind.NO_DONE) == null) {
            write("data: [DONE]\n\n");
        }
        reply.endStream();
    }

    private boolean comesNow(Fault.Kind kind) {
        Fault fault = reply.fault(kind);
        return fault != null && fault.after() == events;
    }

    private void write(String event) throws IOException {
        String text = reply.fault(Fault.Kind.COMMENTS) == null ? event : ": a comment\n" + event;
        if (reply.fault(Fault.Kind.CRLF) != null) {
            text = text.replace("\n", "\r\n");
        }
        reply.chunk(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Breaks a line of JSON after commas, where a line break means nothing. */
    private static String overLines(String json) {
        StringBuilder lines = new StringBuilder();
        boolean string = false;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            lines.append(c);
            if (c == '"') {
                string = !string;
            } else if (c == '\\') {
                lines.append(json.charAt(++i));
            } else if (c == ',' && !string) {
                lines.append("\ndata: ");
            }
        }
        return lines.toString();
    }
}
