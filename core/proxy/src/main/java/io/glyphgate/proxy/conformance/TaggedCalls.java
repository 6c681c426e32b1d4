package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.spi.Tool;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Reads families that write calls with tags. */
final class TaggedCalls {
    private static final Pattern SPACE = Space.pattern("\\s*");
    /** A name in quotes, or up to a space or a quote, and what stands behind it. */
    private static final Pattern ATTRIBUTES = Space.pattern(
            "(?s)\\s*(?:\"(?<quoted>[^\"]*)\"|'(?<single>[^']*)'|[\"']?(?<bare>[^\"' ]*))(?<rest>.*)");
    /** A name and its attributes as vLLM's parsers expect them. */
    private static final Pattern PLAIN_KEY =
            Space.pattern("\"[^\"<>\\s](?:[^\"<>]*[^\"<>\\s])?\"(?: string=\"(?:true|false)\")?|[^\"'<>\\s]+");
    private static final Pattern WRAPPER =
            Pattern.compile("(?s)\\{\"(?<key>arguments|input)\": (?<value>\\{.*})}");
    private static final Set<String> SCALARS = Set.of("integer", "number", "boolean");
    private static final AllowedTypes ANY_JSON =
            new AllowedTypes(Set.of("null", "number", "boolean", "object", "array", "string"));
    private static final Pattern JSON_ATTRIBUTE = Space.pattern("\\bstring\\s*=\\s*[\"']?false\\b");

    private final Tags tags;
    private final List<Tool> tools;
    private final String text;
    private final Pattern opener;
    private final Pattern breaks;
    private final Pattern callEnd;
    private final Pattern groupEnd;
    private final Pattern key;
    private final Pattern keyOpen;
    private final Pattern afterCall;
    private final Pattern afterValue;
    private final Pattern valueTags;

    private final List<String> pieces = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final StringBuilder piece = new StringBuilder();
    private int depth;
    private boolean owed;
    private boolean cutOff;
    private boolean irregular;
    private int at;

    private TaggedCalls(Tags tags, List<Tool> tools, String text) {
        this.tags = tags;
        this.tools = tools;
        this.text = text;
        opener = Space.pattern(openerText());
        String openings = Stream.concat(tags.groups().stream(), Stream.of(tags.call()))
                .map(tags::inside)
                .collect(Collectors.joining("|"));
        breaks = Space.pattern(tags.inside(tags.groupEnd()) + "|" + groupsText() + tags.inside(tags.call()));
        callEnd = Space.pattern(tags.callEnd());
        groupEnd = Space.pattern(tags.groupEnd());
        key = Space.pattern(tags.keyOpen() + tags.key());
        keyOpen = Space.pattern(tags.keyOpen());
        String call = "\\s*(?:" + tags.inside(tags.groupEnd()) + "|" + openings + ")";
        afterCall = Space.pattern(call);
        afterValue = Space.pattern("\\s*(?:" + tags.keyOpen() + "|" + tags.callEnd() + ")|" + call);
        valueTags = Space.pattern("(?<own>" + tags.valueClose() + ")|(?<call>" + tags.callEnd() + ")|(?<key>"
                + (tags.valueOpen().isEmpty() ? tags.keyOpen() : "(?!)") + ")");
    }

    private String openerText() {
        String names = tools.stream().map(Tool::name).map(Pattern::quote).collect(Collectors.joining("|"));
        // Without functions nothing is a name.
        return groupsText() + tags.call() + tags.header().replace("NAMES", names.isEmpty() ? "(?!)" : names);
    }

    /** The markers of groups that may stand in front of a call, each as a group of the pattern. */
    private String groupsText() {
        return tags.groups().stream().map(group -> "(" + group + "\\s*)?").collect(Collectors.joining());
    }

    /** Where the first marker stands that the start of a call follows, as it counts in reasoning; -1 if there is none. */
    static int opener(GoldenCase golden, String text) {
        TaggedCalls calls = of(golden, text);
        List<String> groups = calls.tags.groups();
        Pattern start = groups.isEmpty()
                ? calls.certain()
                : Space.pattern(IntStream.range(0, groups.size())
                        .mapToObj(i -> groups.get(i) + "\\s*(?:"
                                + String.join("|", groups.subList(i + 1, groups.size()))
                                + (i + 1 < groups.size() ? "|" : "")
                                + calls.tags.call() + ")")
                        .collect(Collectors.joining("|")));
        Matcher opener = start.matcher(text);
        return opener.find() ? opener.start() : -1;
    }

    /** A call of an offered function up to what ends its name for certain. */
    private Pattern certain() {
        String names = tools.stream().map(Tool::name).map(Pattern::quote).collect(Collectors.joining("|"));
        String ends = "\\n|" + tags.keyOpen() + "|" + tags.callEnd();
        return Space.pattern(tags.call() + "\\s*(?:" + (names.isEmpty() ? "(?!)" : names) + ")(?:" + ends + ")");
    }

    static Pattern marker(Tags tags) {
        List<String> markers = new ArrayList<>(tags.groups());
        markers.addAll(List.of(tags.groupEnd(), tags.call(), tags.callEnd()));
        return Space.pattern(String.join("|", markers));
    }

    static CallParts read(GoldenCase golden, String rest) {
        return of(golden, rest).read();
    }

    private static TaggedCalls of(GoldenCase golden, String text) {
        return new TaggedCalls(
                Tags.of(golden).orElseThrow(), golden.parseRequest().tools(), text);
    }

    private CallParts read() {
        while (at < text.length()) {
            Matcher open = look(opener);
            Matcher end = look(callEnd);
            Matcher group = look(groupEnd);
            if (open.lookingAt() && counts(open)) {
                endPiece();
                call(open);
            } else if (owed && end.lookingAt()) {
                end(end, 0);
            } else if (depth > 0 && group.lookingAt()) {
                end(group, 1);
            } else if (!calls.isEmpty() && Space.blank(piece.toString()) && endCut()) {
                at = text.length();
            } else {
                piece.append(text.charAt(at));
                at++;
            }
        }
        pieces.add(piece.toString());
        return new CallParts(pieces, calls, cutOff, irregular);
    }

    private Matcher look(Pattern pattern) {
        return pattern.matcher(text).region(at, text.length());
    }

    /** How many groups open in front of a call. */
    private int opened(Matcher open) {
        int opened = 0;
        for (int i = 1; i <= tags.groups().size(); i++) {
            opened += open.group(i) == null ? 0 : 1;
        }
        return opened;
    }

    private boolean counts(Matcher open) {
        boolean grouped = depth > 0 || opened(open) > 0 || tags.groups().isEmpty();
        boolean offered = tools.stream().anyMatch(tool -> tool.name().equals(open.group("name")));
        return (grouped || tags.ungrouped()) && (offered || (grouped && !tags.offered()));
    }

    private void endPiece() {
        pieces.add(tags.keepsSpace() ? piece.toString() : Space.stripTrailing(piece.toString()));
        piece.setLength(0);
    }

    private void end(Matcher end, int groups) {
        endPiece();
        at = end.end();
        depth -= groups;
        owed = false;
    }

    /** Whether the rest of the text is the beginning of what closes a call or a group. */
    private boolean endCut() {
        String rest = text.substring(at);
        return !Space.blank(rest)
                && rest.startsWith("<")
                && ((owed && cut(callEnd, at)) || ((owed || depth > 0) && cut(groupEnd, at)));
    }

    /** Whether the text ends in what a pattern matches. */
    private boolean cut(Pattern pattern, int from) {
        Matcher matcher = pattern.matcher(text).region(from, text.length());
        return !matcher.lookingAt() && matcher.hitEnd();
    }

    private void call(Matcher open) {
        depth = Math.min(depth + opened(open), tags.groups().size());
        at = open.end();
        // The name ends where a marker stands that does not belong there, or holds its own.
        irregular |= open.group("name").endsWith(">")
                || (text.charAt(at - 1) != '>'
                        && text.charAt(at - 1) != '\n'
                        && !look(key).lookingAt()
                        && !look(callEnd).lookingAt());
        StringBuilder json = new StringBuilder("{");
        boolean ended = false;
        boolean valued = true;
        owed = true;
        while (!ended && valued && at < text.length()) {
            Matcher parameter = look(key);
            Matcher end = look(callEnd);
            if (parameter.lookingAt()) {
                valued = parameter(parameter, open.group("name"), json);
            } else if (look(keyOpen).lookingAt()) {
                // What would name the parameter has no end.
                irregular = true;
                at = text.length();
            } else if (end.lookingAt()) {
                at = end.end();
                owed = false;
                ended = true;
            } else if (look(breaks).lookingAt()) {
                irregular = true;
                ended = true;
            } else {
                irregular |= !Space.is(text.charAt(at));
                at++;
            }
        }
        cutOff |= !ended;
        String arguments = valued ? json + "}" : json.toString();
        calls.add(new Call("", Space.strip(open.group("name")), tags.wrapped() ? unwrapped(arguments, open) : arguments));
    }

    /** The arguments in an object of arguments that the function does not have under that name. */
    private String unwrapped(String arguments, Matcher open) {
        Matcher wrapper = WRAPPER.matcher(arguments);
        Object schema = AllowedTypes.parameters(tools, Space.strip(open.group("name")));
        if (!wrapper.matches() || AllowedTypes.property(schema, wrapper.group("key")) != null) {
            return arguments;
        }
        return new Call("", "", wrapper.group("value"))
                .value()
                .filter(value -> value.isObject() && !value.isEmpty())
                .filter(value -> value.properties().stream()
                        .allMatch(member -> AllowedTypes.property(schema, member.getKey()) != null))
                .map(value -> wrapper.group("value"))
                .orElse(arguments);
    }

    /** Reads a parameter. Returns false if the text ends in its value. */
    private boolean parameter(Matcher header, String function, StringBuilder to) {
        at = header.end();
        if (!text.startsWith(tags.valueOpen(), at)) {
            irregular = true;
            at = tags.valueOpen().startsWith(text.substring(at)) ? text.length() : at;
            return true;
        }
        at += tags.valueOpen().length();
        Matcher attributes = ATTRIBUTES.matcher(header.group("key"));
        boolean attributed = tags.keyOpen().contains("name=") && attributes.matches();
        String name = Space.strip((attributed ? name(attributes) : header.group("key")));
        irregular |= !PLAIN_KEY.matcher(header.group("key")).matches()
                || text.charAt(header.end("key")) == '\n'
                || header.group("key").contains(name) == name.isEmpty();
        boolean json =
                attributed && JSON_ATTRIBUTE.matcher(attributes.group("rest")).find();
        AllowedTypes types = types(function, name, json);
        switch (tags.space()) {
            case NONE -> {}
            case LINES -> at += text.startsWith("\n", at) ? 1 : 0;
            case ALL -> {
                Matcher space = look(SPACE);
                at = space.lookingAt() ? space.end() : at;
            }
        }
        int start = at;
        Matcher tag = valueTags.matcher(text);
        boolean found = tag.find(at);
        while (found && (!ends(tag, start) || inside(tag, start, types))) {
            irregular = true;
            found = tag.find();
        }
        String member = (to.length() > 1 ? ", " : "") + quoted(name) + ": ";
        if (found) {
            String value = trimmed(start, tag.start());
            to.append(member).append(types.json(value).orElseGet(() -> quoted(value)));
            irregular |= tag.group("own") == null;
            at = tag.group("own") == null ? tag.start() : tag.end();
            return true;
        }
        at = text.length();
        if (start == at && !types.onlyString()) {
            return false;
        }
        String value = trimmed(start, cutTag(start));
        String string = quoted(trimmed(start, at));
        String open = string.substring(0, string.length() - 1);
        to.append(member)
                .append(types.structured(value) ? value : types.json(value).orElse(open));
        return false;
    }

    private static String name(Matcher attributes) {
        if (attributes.group("quoted") != null) {
            return attributes.group("quoted");
        }
        return attributes.group("single") != null ? attributes.group("single") : attributes.group("bare");
    }

    /** Whether a tag in a value ends it: what may follow its end does, or it starts a line where the end is missing. */
    private boolean ends(Matcher tag, int start) {
        boolean startsLine = tag.start() == start || text.charAt(tag.start() - 1) == '\n';
        if (tag.group("own") != null) {
            return follows(afterValue, tag.end());
        }
        return tag.group("call") != null
                ? startsLine && follows(afterCall, tag.end())
                : startsLine || tags.space() != Tags.Space.LINES;
    }

    /** Whether the text ends with a tag in an object or a list that is not whole. */
    private boolean inside(Matcher tag, int start, AllowedTypes types) {
        String value = trimmed(start, tag.start());
        return tag.end() == text.length()
                && types.structured(value)
                && !types.names().contains("string")
                && types.json(value).isEmpty();
    }

    private boolean follows(Pattern pattern, int from) {
        Matcher matcher = pattern.matcher(text).region(from, text.length());
        return matcher.lookingAt() || matcher.hitEnd();
    }

    /** Where the tag starts that the end of the text cut, in a value. */
    private int cutTag(int from) {
        int tag = text.indexOf('<', from);
        while (tag >= 0 && !cut(valueTags, tag)) {
            tag = text.indexOf('<', tag + 1);
        }
        return tag < 0 ? text.length() : tag;
    }

    private String trimmed(int from, int to) {
        String value = text.substring(from, to);
        return switch (tags.space()) {
            case NONE -> value;
            case LINES -> value.endsWith("\n") ? value.substring(0, value.length() - 1) : value;
            case ALL -> Space.stripTrailing(value);
        };
    }

    /** The types that the schema allows a parameter; of an unknown one those that its tag gives it. */
    private AllowedTypes types(String function, String parameter, boolean json) {
        AllowedTypes types =
                AllowedTypes.of(AllowedTypes.property(AllowedTypes.parameters(tools, function), parameter));
        if (tags.scalars() && !(types.names().size() == 1 && SCALARS.containsAll(types.names()))) {
            return new AllowedTypes(Set.of());
        }
        return types.names().isEmpty() && json ? ANY_JSON : types;
    }

    private static String quoted(String text) {
        return JsonNodeFactory.instance.textNode(text).toString();
    }
}
