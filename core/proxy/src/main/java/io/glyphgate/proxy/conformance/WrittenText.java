package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The output of a case as it was written, with the special tokens that vLLM left out of the recorded text. The proxy
 * keeps those that are markers of its parsers, so what is played must hold them.
 */
final class WrittenText {
    private static final char REPLACEMENT = '\ufffd';
    private static final Pattern SPECIAL = Pattern.compile("<\\|[a-z_]+\\|>");

    private final StringBuilder text = new StringBuilder();
    /** Per character: whether it belongs to a marker that the recorded text leaves out. */
    private final List<Boolean> hidden = new ArrayList<>();

    /** Whether the vocabulary decodes bytes that are no text one by one, so that each becomes U+FFFD. */
    private final boolean bytewise;

    private int at;
    /** Tokens so far whose text had not come with them. */
    private int late;

    private WrittenText(GoldenCase golden, Set<String> markers) {
        bytewise = golden.tokenizer().startsWith("llama2");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (JsonNode segment : golden.json().path("segments")) {
            if (segment.has("bytes")) {
                bytes.writeBytes(HexFormat.of().parseHex(segment.path("bytes").asText()));
                continue;
            }
            flush(bytes);
            if (segment.isTextual()) {
                addMarked(segment.asText(), markers);
            } else {
                segment.path("pieces").forEach(piece -> add(piece.asText(), false));
            }
        }
        flush(bytes);
    }

    /**
     * The text of each token, those of the given markers included.
     *
     * @param golden a case of parsers
     * @param recorded the text of each token without special tokens
     * @param markers the special tokens that are text
     */
    static List<String> of(GoldenCase golden, List<String> recorded, Set<String> markers) {
        if (golden.garbled()) {
            return spread(golden.text(), recorded.size(), golden.endedByToken());
        }
        WrittenText written = new WrittenText(golden, markers);
        boolean allShown = !golden.json().path("adjusted").path("skip_special_tokens").asBoolean();
        if ((allShown && !golden.tokenizer().startsWith("tekken"))
                || written.shown(golden.recordedText(), markers)) {
            return recorded;
        }
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < recorded.size(); i++) {
            boolean stopToken = golden.endedByToken() && i == golden.tokenIds().length - 1;
            texts.add(stopToken && recorded.get(i).isEmpty() ? "" : written.next(recorded.get(i), markers));
        }
        String stop = golden.json().path("detok").path("stop_reason").asText("");
        if (!texts.isEmpty() && !stop.isEmpty()) {
            texts.add(texts.removeLast() + written.markersBefore(stop, markers));
        } else if (!texts.isEmpty() && !golden.endedByToken()) {
            texts.add(texts.removeLast() + written.lateMarkers());
        }
        return texts;
    }

    /**
     * The whole text, the given markers included.
     *
     * @param golden a case of parsers
     * @param markers the special tokens that are text
     */
    static String of(GoldenCase golden, Set<String> markers) {
        List<String> recorded = new ArrayList<>();
        golden.json().path("detok").path("deltas").forEach(delta -> recorded.add(delta.asText()));
        return String.join("", of(golden, recorded, markers));
    }

    /** The whole output as it was written, whatever the end cut off. */
    static String uncut(GoldenCase golden) {
        return new WrittenText(golden, Set.of()).text.toString();
    }

    /**
     * The output as it was written, up to where vLLM's text of it ends if it was cut, and without half a character at
     * its end, which never comes.
     */
    static String whole(GoldenCase golden) {
        String all = uncut(golden);
        if (!golden.endedByToken()) {
            String recorded = golden.json().path("detok").path("text").asText();
            Matcher same = Pattern.compile(Stream.of(recorded.split("\ufffd+", -1))
                            .map(Pattern::quote)
                            .collect(Collectors.joining("[^\\p{ASCII}]+")))
                    .matcher(all);
            return same.lookingAt() ? same.group() : recorded;
        }
        return all.substring(0, visibleEnd(all));
    }

    private static int visibleEnd(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == '\ufffd') {
            end--;
        }
        return end;
    }

    /** A text in so many pieces that are about as long as each other; the last stays empty if it stands for the end. */
    private static List<String> spread(String text, int count, boolean endStands) {
        int pieces = Math.max(1, endStands ? count - 1 : count);
        List<String> spread = new ArrayList<>();
        for (int i = 0; i < pieces; i++) {
            spread.add(text.substring(text.length() * i / pieces, text.length() * (i + 1) / pieces));
        }
        if (endStands) {
            spread.add("");
        }
        return spread;
    }

    private void flush(ByteArrayOutputStream bytes) {
        String decoded = bytes.toString(StandardCharsets.UTF_8);
        boolean broken = bytewise && decoded.indexOf(REPLACEMENT) >= 0;
        add(broken ? String.valueOf(REPLACEMENT).repeat(bytes.size()) : decoded, false);
        bytes.reset();
    }

    private void addMarked(String segment, Set<String> markers) {
        int from = 0;
        while (from < segment.length()) {
            String marker = markerAt(segment, from, markers);
            add(marker.isEmpty() ? segment.substring(from, from + 1) : marker, !marker.isEmpty());
            from += Math.max(1, marker.length());
        }
    }

    private static String markerAt(CharSequence text, int from, Set<String> markers) {
        for (String marker : markers) {
            if (marker.contentEquals(text.subSequence(from, Math.min(text.length(), from + marker.length())))) {
                return marker;
            }
        }
        return "";
    }

    private void add(String more, boolean left) {
        text.append(more);
        for (int i = 0; i < more.length(); i++) {
            hidden.add(left);
        }
    }

    /**
     * Whether a recorded text holds the markers. It may hold one for another reason: two halves of its text meet where
     * a marker between them was left out.
     */
    private boolean shown(String recorded, Set<String> markers) {
        int first = hidden.indexOf(true);
        if (first >= 0 && first < recorded.length() && text.indexOf(recorded) == 0) {
            // It holds the first one, or the start of it that the end left.
            return true;
        }
        return markers.stream().anyMatch(recorded::contains)
                && (first < 0 || recorded.startsWith(markerAt(text, first, markers), first));
    }

    /** The text of the next token: a marker if it stands here and nothing was recorded, else what was recorded. */
    private String next(String recorded, Set<String> markers) {
        StringBuilder out = new StringBuilder();
        if (recorded.isEmpty() && at < text.length() && hidden.get(at)) {
            String marker = markerAt(text, at, markers);
            at += marker.length();
            return marker;
        }
        late += recorded.isEmpty() ? 1 : 0;
        for (int i = 0; i < recorded.length(); i++) {
            // A token's text can come late, with markers before it; a space may be one that the detokenizer put in.
            char c = recorded.charAt(i);
            skipSpecial(c);
            while (at < text.length() && hidden.get(at) && (late > 0 || c != ' ')) {
                out.append(text.charAt(at++));
                skipSpecial(c);
            }
            out.append(c);
            advance(c);
        }
        return out.toString();
    }

    /** The markers that stand here before a stop string, which no text came with. */
    private String markersBefore(String stop, Set<String> markers) {
        int end = at;
        while (end < text.length() && hidden.get(end)) {
            end += markerAt(text, end, markers).length();
        }
        return text.substring(end).startsWith(stop) ? text.substring(at, end) : "";
    }

    /** Moves on over special tokens that are no markers, so that they are nowhere. */
    private void skipSpecial(char recorded) {
        Matcher special = SPECIAL.matcher(text).region(at, text.length());
        while (at < text.length() && !hidden.get(at) && text.charAt(at) != recorded && special.lookingAt()) {
            at = special.end();
            special.region(at, text.length());
        }
    }

    /** The markers at the end of the output, where text that came late has hidden them. */
    private String lateMarkers() {
        boolean onlyMarkers = late > 0 && !hidden.subList(at, hidden.size()).contains(false);
        return onlyMarkers ? text.substring(at) : "";
    }

    /** Moves on over a recorded character, which the detokenizer may have put in, or for which it may have left some out. */
    private void advance(char recorded) {
        while (at < text.length() && text.charAt(at) == REPLACEMENT && recorded != REPLACEMENT && !hidden.get(at)) {
            at++;
        }
        boolean putIn = recorded == ' ' || recorded == REPLACEMENT;
        if (at < text.length() && (text.charAt(at) == recorded || !putIn)) {
            at++;
        }
    }
}
