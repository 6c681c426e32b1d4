package io.glyphgate.proxy.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The messages of an output in the harmony format, and the text outside of them.
 *
 * @param messages in order
 * @param outside what belongs to no message, a header that was cut off included
 * @param content the text for the user: that of messages and that outside of them
 * @param open whether the last message has no end
 * @param idleEnds whether an end stands where no message is to be ended
 */
record HarmonyMessages(List<Message> messages, String outside, String content, boolean open, boolean idleEnds) {
    private static final String FUNCTIONS = "functions.";
    private static final String ROLE = "assistant";
    private static final Set<String> OWN = Set.of("python", "browser", "container");
    private static final Set<String> CHANNELS = Set.of("analysis", "commentary", "final");

    /** Longer text is no header. */
    private static final int MAX_HEADER = 256;

    private static final List<String> FOLLOWERS = List.of(
            "<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>", ROLE);

    /** An end that counts: a message, another end or the end of the output follows, or what it cut off of them. */
    private static final String END = "<\\|(?:end|call|return)\\|>(?=\\s*(?:" + any(FOLLOWERS.stream()) + "|(?:"
            + any(FOLLOWERS.stream().flatMap(HarmonyMessages::starts)) + ")?\\z))";

    private static final String HEADER = "(?:(?!<\\|start\\|>|<\\|message\\|>|" + END + ").)*+<\\|message\\|>";
    private static final String MARKED = "(?:(?:<\\|start\\|>|<\\|channel\\|>)" + HEADER + "|<\\|message\\|>)";
    private static final Pattern ENDED = Space.pattern("\\s*" + END);
    private static final Pattern FIRST = Space.pattern("(?s)\\s*(?<header>(?:assistant(?=\\s*(?:<\\|channel\\|>|to="
            + "|<\\|message\\|>))|to=)" + HEADER + "|" + MARKED + ")");
    private static final Pattern BEHIND_TEXT = Space.pattern("(?s)(?<header>" + MARKED + ")");
    private static final Pattern TEXT = Space.pattern("(?s)(?:(?!" + END + "|" + MARKED + ").)++");
    private static final Pattern BODY = Space.pattern(
            "(?s)(?<body>(?:(?!" + END + "|<\\|start\\|>(?=\\s*assistant)" + HEADER + ").)*+)(?<end>" + END + ")?");
    private static final Pattern ARGUMENTS = Space.pattern("(?s)(?<body>(?:(?!" + END + ").)*+)(?<end>" + END + ")?");

    private static final Pattern CHANNEL = Space.pattern("<\\|channel\\|>([^\\s<]*)");
    private static final Pattern RECIPIENT = Space.pattern("(?:^|[\\s>])to=([^\\s<]*)");
    private static final Pattern ANY_END = Pattern.compile("<\\|(?:end|call|return)\\|>");

    /**
     * A message.
     *
     * @param header up to the marker of the body
     * @param body the text
     * @param ended whether an end stands behind it
     */
    record Message(String header, String body, boolean ended) {
        String channel() {
            Matcher channel = CHANNEL.matcher(header);
            return channel.find() ? channel.group(1) : "";
        }

        String recipient() {
            Matcher recipient = RECIPIENT.matcher(header);
            return recipient.find() ? recipient.group(1) : "";
        }

        /** The name of the function that is called; empty if none is. */
        String function() {
            String recipient = recipient();
            boolean own = OWN.contains(recipient.replaceFirst("\\..*", "")) || recipient.equals(ROLE);
            return own ? "" : recipient.replaceFirst("^" + Pattern.quote(FUNCTIONS), "");
        }

        boolean call() {
            return !function().isEmpty();
        }

        boolean reasoning() {
            return !call() && channel().equals("analysis");
        }

        boolean content() {
            return recipient().isEmpty() && !reasoning();
        }

        boolean known() {
            return !recipient().isEmpty() || CHANNELS.contains(channel());
        }

        /** Whether it starts with its own marker. */
        boolean started() {
            return header.startsWith("<|start|>");
        }

        boolean holdsEnd() {
            return ANY_END.matcher(body).find();
        }

        /**
         * Whether the header holds no more than the format has: the role, the channel, the recipient and the type of
         * the body.
         *
         * @param first whether the prompt holds its marker and its role
         */
        boolean plain(boolean first) {
            String rest = CHANNEL.matcher(header).replaceFirst("").replace("<|constrain|>", " <|constrain|>");
            String role = first ? "^(?:" + ROLE + "(?!\\S))?" : "^(?:<\\|start\\|>)?" + ROLE + "(?!\\S)";
            boolean marked = header.contains("<|channel|>") == !channel().isEmpty();
            return marked && Space.pattern(role + "\\s*(?:to=[^\\s<]+(?:\\s+\\S+)?)?\\s*").matcher(rest).matches();
        }
    }

    /** Reads an output, markers included. */
    static HarmonyMessages of(String text) {
        List<Message> messages = new ArrayList<>();
        StringBuilder outside = new StringBuilder();
        StringBuilder content = new StringBuilder();
        boolean open = false;
        boolean idleEnds = false;
        boolean first = true;
        int at = 0;
        while (at < text.length()) {
            Matcher header = (first ? FIRST : BEHIND_TEXT).matcher(text).region(at, text.length());
            Matcher ended = ENDED.matcher(text).region(at, text.length());
            if (header.lookingAt() && header.end() - "<|message|>".length() - at > MAX_HEADER) {
                outside.append(text, at, at + MAX_HEADER);
                content.append(text, at, at + MAX_HEADER);
                at += MAX_HEADER;
                open = false;
                first = false;
            } else if (header.lookingAt()) {
                Matcher body = body(header.group("header")).matcher(text).region(header.end(), text.length());
                body.lookingAt();
                open = body.group("end") == null;
                Message message = new Message(
                        header.group("header").replaceFirst("<\\|message\\|>$", ""), body.group("body"), !open);
                messages.add(message);
                content.append(message.content() ? message.body() : "");
                at = body.end();
                first = true;
            } else if (ended.lookingAt()) {
                at = ended.end();
                idleEnds = true;
                first = true;
            } else {
                Matcher run = TEXT.matcher(text).region(at, text.length());
                run.lookingAt();
                boolean space = first && at > 0 && run.end() == text.length() && Space.blank(run.group());
                outside.append(space ? "" : run.group());
                content.append(space ? "" : run.group());
                at = run.end();
                open = false;
                first = false;
            }
        }
        return new HarmonyMessages(messages, outside.toString(), content.toString(), open, idleEnds);
    }

    private static String any(Stream<String> literals) {
        return literals.map(Pattern::quote).collect(Collectors.joining("|"));
    }

    private static Stream<String> starts(String literal) {
        return IntStream.range(1, literal.length()).mapToObj(end -> literal.substring(0, end));
    }

    private static Pattern body(String header) {
        Message message = new Message(header, "", false);
        return message.recipient().isEmpty() || message.reasoning() ? BODY : ARGUMENTS;
    }
}
