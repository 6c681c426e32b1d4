package io.glyphgate.toolkit;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Describes how a family writes tool calls.
 *
 * <p>A call opens with the marker of one of {@link #calls}, alone or inside a group that one of {@link #groups} opens.
 * Then comes its name, unless the arguments hold it; then the arguments; then one of {@link #callEnds}. A marker counts
 * only where what must follow it does follow.
 *
 * <p>Until the name of a call is known its text is held; it becomes content if it turns out to be no call. White
 * space before the first text or between calls is dropped; after text, the kind of the call decides. Where nothing
 * closes a call, an output that ends by itself does.
 *
 * @param groups markers that open a group of calls; they count where one of the call markers follows, or a group that is
 *     named later, which may stand inside
 * @param groupEnds markers that close it
 * @param calls the kinds of calls; one marker may open several
 * @param callEnds markers that close a call
 * @param ungrouped whether a call may stand outside a group; it counts there only if it names a function that is
 *     offered
 * @param offered whether every call must name a function that is offered, else it is text
 * @param onlyFirst whether a call opens only where the output starts; it has no opener then that is certain
 * @param thoughtOpen what opens text in which no call counts, for a model whose reasoning may come without a parser of
 *     its own; empty if there is none
 * @param thoughtClose what closes it; alone, what ends a thought in which calls count too
 * @param ids which IDs calls have that the model wrote none for
 * @param demanded how calls are written that the request demands
 * @param visible the markers that must reach the parser as text; those of groups, calls, names and arguments if it is not
 *     given
 * @param endsReasoning how a call opens that ends reasoning which was never closed; as {@link #openers()} derives it if it
 *     is not given
 * @param constraint how a server holds a model to calls in this notation; empty if it cannot, or the calls are plain JSON then
 */
public record CallFormat(
        List<String> groups,
        List<String> groupEnds,
        List<CallKind> calls,
        List<String> callEnds,
        boolean ungrouped,
        boolean offered,
        boolean onlyFirst,
        String thoughtOpen,
        String thoughtClose,
        Ids ids,
        Demanded demanded,
        Optional<Set<String>> visible,
        Optional<List<ToolOpener>> endsReasoning,
        Optional<CallConstraint> constraint) {
    private static final String ALPHANUMERIC = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    private static final Arguments.JsonCalls ARRAY = new Arguments.JsonCalls(ForcedCalls.CALL);

    /** How calls are written that {@code tool_choice} demands, as the constraints of the server make them. */
    public enum Demanded {
        /** As all calls. */
        NATIVE,
        /**
         * Where any call is demanded, as a JSON array of objects of {@code name} and {@code parameters}, though the
         * family's own way counts too; where a function is named, all output is its arguments.
         */
        JSON,
        /**
         * As all calls; those that are JSON objects may also stand without their marker, an array of them or one alone.
         */
        UNMARKED,
        /**
         * As plain JSON: the arguments alone where the request names the function, else an array of objects with
         * {@code name} and {@code parameters}. Output that does not start like that is read as all calls are.
         */
        JSON_FROM_START
    }

    /** How the name of a call is written. */
    public enum Names {
        /** It stands alone. The core gives the call an ID. */
        PLAIN,
        /**
         * With the number of the call behind it, {@code functions.name:0}; the prefix may be missing. All of it is the
         * ID of the call. Text without a number is no call.
         */
        NUMBERED,
        /**
         * It stands alone, one word of letters, digits and {@code _}, and behind its first character {@code -}, {@code
         * .}, {@code :} and {@code /}. A marker in prose opens no call, since no word with one of the ends of a name
         * follows it.
         */
        WORD
    }

    /** Which ID a call has that the model wrote none for. */
    public enum Ids {
        /** One of the core's own. */
        RANDOM,
        /** Nine random letters and digits. */
        ALPHANUMERIC_9
    }

    /** What becomes of white space between text and a call that follows it. */
    public enum WhiteSpace {
        /** It is content. */
        KEPT,
        /** It is dropped. */
        DROPPED
    }

    /** Copies the lists and checks that they belong together. */
    public CallFormat {
        groups = List.copyOf(groups);
        groupEnds = List.copyOf(groupEnds);
        calls = List.copyOf(calls);
        callEnds = List.copyOf(callEnds);
        visible = visible.map(Set::copyOf);
        endsReasoning = endsReasoning.map(List::copyOf);
        if (calls.isEmpty()) {
            throw new IllegalArgumentException("a call format needs a marker that opens a call");
        }
        if (calls.stream().allMatch(CallKind::first)) {
            throw new IllegalArgumentException(
                    "every kind of call opens only first; let one open anywhere, or let the whole format open only first");
        }
        Set<String> unguarded = new HashSet<>();
        for (CallKind kind : calls) {
            if (kind.opener().followedBy().isEmpty() && !unguarded.add(kind.marker())) {
                throw new IllegalArgumentException("two kinds of calls open with " + kind.marker()
                        + ", but for neither of them something must follow that tells them apart");
            }
        }
    }

    /**
     * Starts a description.
     *
     * @param arguments how the arguments are written
     * @return a builder without markers, for which white space is {@link WhiteSpace#DROPPED}
     */
    public static Builder of(Arguments arguments) {
        return new Builder(arguments);
    }

    /**
     * The markers that must reach the parser as text.
     *
     * @return {@link #visible}, or those of groups, calls, names and tags
     */
    public Set<String> markers() {
        if (visible.isPresent()) {
            return visible.get();
        }
        Set<String> markers = new LinkedHashSet<>(groups);
        markers.addAll(groupEnds);
        calls.forEach(kind -> markers.addAll(kind.markers()));
        markers.addAll(callEnds);
        return markers;
    }

    /**
     * How a call opens in the eyes of a reasoning parser.
     *
     * @return {@link #endsReasoning}, or the groups, or the calls where there are no groups; empty if a call opens only at
     *     the start of the output
     */
    public List<ToolOpener> openers() {
        if (endsReasoning.isPresent()) {
            return endsReasoning.get();
        }
        if (onlyFirst) {
            return List.of();
        }
        return groups.isEmpty() ? anywhere().map(CallKind::opener).toList() : groupOpeners();
    }

    /**
     * How a call of one request opens in the eyes of a reasoning parser: where a call must name an offered function
     * right behind its marker, or starts a Python call, or nothing else tells the marker from one in prose, the name must
     * follow.
     *
     * @param tools the functions that are offered
     * @return the openers
     */
    public List<ToolOpener> openers(List<Tool> tools) {
        return endsReasoning.isPresent() || onlyFirst || !groups.isEmpty()
                ? openers()
                : anywhere()
                        .flatMap(kind -> kind.opener(offered, tools).stream())
                        .toList();
    }

    /**
     * Makes the ID of a call.
     *
     * @return empty if the core makes it
     */
    public Optional<String> newCallId() {
        return switch (ids) {
            case RANDOM -> Optional.empty();
            case ALPHANUMERIC_9 -> Optional.of(ThreadLocalRandom.current()
                    .ints(9, 0, ALPHANUMERIC.length())
                    .mapToObj(i -> ALPHANUMERIC.substring(i, i + 1))
                    .collect(Collectors.joining()));
        };
    }

    private List<ToolOpener> groupOpeners() {
        List<ToolOpener> openers = new ArrayList<>();
        for (int i = 0; i < groups.size(); i++) {
            List<String> inside = new ArrayList<>(groups.subList(i + 1, groups.size()));
            inside.addAll(callMarkers());
            openers.add(new ToolOpener(groups.get(i), inside));
        }
        return openers;
    }

    /** How calls of this format are written where any of them is demanded. */
    private CallFormat demandedFormat() {
        List<CallKind> kinds = new ArrayList<>();
        CallKind usual = anywhere().findFirst().orElseThrow();
        boolean listed = usual.arguments() instanceof Arguments.JsonCalls;
        if (demanded == Demanded.UNMARKED || listed) {
            kinds.addAll(anywhere().toList());
        }
        if (demanded == Demanded.UNMARKED) {
            // Without their markers, two kinds of JSON objects could not be told apart.
            calls.stream()
                    .map(CallKind::unmarked)
                    .filter(unmarked -> !unmarked.isEmpty())
                    .findFirst()
                    .ifPresent(kinds::addAll);
        } else {
            kinds.add(new CallKind(
                    new ToolOpener("[", List.of("{")),
                    CallName.NONE,
                    listed ? usual.arguments() : ARRAY,
                    usual.whiteSpace(),
                    false,
                    false));
        }
        boolean own = kinds.contains(usual);
        return new CallFormat(
                own ? groups : List.of(),
                own ? groupEnds : List.of(),
                kinds,
                own ? callEnds : List.of(),
                own && ungrouped,
                own && offered,
                own && onlyFirst,
                thoughtOpen,
                thoughtClose,
                ids,
                Demanded.NATIVE,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** How the JSON objects are written that calls may be; empty if they are none. */
    Optional<Arguments.JsonCall> listed() {
        return calls.stream()
                .map(CallKind::arguments)
                .flatMap(arguments -> arguments instanceof Arguments.JsonCalls several ? Stream.of(several.call()) : Stream.of())
                .findFirst();
    }

    List<String> callMarkers() {
        return anywhere().map(CallKind::marker).distinct().toList();
    }

    /** The kinds of calls that open not only where nothing stands before them. */
    private Stream<CallKind> anywhere() {
        return calls.stream().filter(kind -> !kind.first());
    }

    /**
     * Makes the description ready: does once the work that all its choices share.
     *
     * @return what starts parsers
     * @throws AmbiguousMarkerException if one marker would mean two things in the same place
     */
    public Compiled compile() {
        return new Compiled(this);
    }

    List<Mark> openMarks(boolean withCalls) {
        List<Mark> marks = new ArrayList<>();
        groupOpeners()
                .forEach(group -> marks.add(Mark.guarded(group.marker(), Mark.Role.GROUP_OPEN, group.followedBy())));
        if (withCalls) {
            marks.addAll(openMarks(anywhere()));
        }
        return marks;
    }

    /** What opens calls only where nothing visible has come. */
    List<Mark> firstMarks() {
        return openMarks(calls.stream().filter(CallKind::first));
    }

    private static List<Mark> openMarks(Stream<CallKind> kinds) {
        Map<String, Mark> opening = new LinkedHashMap<>();
        kinds.forEach(kind -> opening.merge(
                kind.marker(),
                Mark.guarded(kind.marker(), Mark.Role.CALL_OPEN, kind.opener().followedBy()),
                Mark::either));
        return List.copyOf(opening.values());
    }

    static List<Mark> marks(List<String> texts, Mark.Role role) {
        return texts.stream().map(text -> Mark.of(text, role)).toList();
    }

    /** A description made ready. Immutable; used by many threads at once. */
    public static final class Compiled {
        private final CallFormat format;
        private final CallLiterals literals;
        private final @Nullable Compiled demanded;

        private Compiled(CallFormat format) {
            this.format = format;
            this.literals = new CallLiterals(format);
            this.demanded = switch (format.demanded) {
                case JSON, UNMARKED -> new Compiled(format.demandedFormat());
                case NATIVE, JSON_FROM_START -> null;
            };
        }

        /**
         * Starts the parser of one choice.
         *
         * @param context tells the functions that are offered
         * @return a new parser in its first state
         */
        public ToolParser parser(ParseContext context) {
            ToolChoice choice = context.toolChoice();
            return switch (choice.mode()) {
                case REQUIRED, NAMED -> demandedParser(choice, context);
                case AUTO, NONE -> stage(context);
            };
        }

        private ToolParser demandedParser(ToolChoice choice, ParseContext context) {
            boolean named = choice.mode() == ToolChoice.Mode.NAMED;
            if (demanded != null) {
                return named && format.demanded() == Demanded.JSON
                        ? new NamedCall(choice.function())
                        : demanded.stage(context);
            }
            return format.demanded() == Demanded.JSON_FROM_START
                    ? new ForcedCalls(choice, stage(context))
                    : stage(context);
        }

        private CallStage stage(ParseContext context) {
            return new CallStage(format, literals, context.tools());
        }
    }

    /** Builds a description; its methods are named after the fields. */
    public static final class Builder {
        private final Arguments arguments;
        private final List<String> groups = new ArrayList<>();
        private final List<String> groupEnds = new ArrayList<>();
        private final List<Supplier<CallKind>> calls = new ArrayList<>();
        private final List<String> callEnds = new ArrayList<>();
        private final List<String> nameEnds = new ArrayList<>();
        private final List<String> nameStops = new ArrayList<>();
        private String idMark = "";
        private boolean ungrouped;
        private boolean offered;
        private Names names = Names.PLAIN;
        private WhiteSpace whiteSpace = WhiteSpace.DROPPED;
        private boolean onlyFirst;
        private String thoughtOpen = "";
        private String thoughtClose = "";
        private Ids ids = Ids.RANDOM;
        private Demanded demanded = Demanded.NATIVE;
        private Optional<Set<String>> visible = Optional.empty();
        private Optional<List<ToolOpener>> endsReasoning = Optional.empty();
        private Optional<CallConstraint> constraint = Optional.empty();

        private Builder(Arguments arguments) {
            this.arguments = arguments;
        }

        /**
         * Adds a kind of group, which may stand inside those added before.
         *
         * @param open the marker that opens it
         * @param close the marker that closes it
         * @return this
         */
        public Builder group(String open, String close) {
            groups.add(open);
            groupEnds.add(close);
            return this;
        }

        /**
         * Adds a kind of call.
         *
         * @param open the marker that opens it
         * @param followedBy what must follow; empty if the marker counts alone
         * @param close the marker that closes it
         * @return this
         */
        public Builder call(String open, List<String> followedBy, String close) {
            kind(open, followedBy, true, false);
            if (!callEnds.contains(close)) {
                callEnds.add(close);
            }
            return this;
        }

        /**
         * Adds a kind of call that nothing closes.
         *
         * @param open the marker that opens it
         * @param followedBy what must follow; empty if the marker counts alone
         * @return this
         */
        public Builder call(String open, List<String> followedBy) {
            return kind(open, followedBy, false, false);
        }

        /**
         * Adds a kind of call that nothing closes, and that opens only where nothing visible stands before it, or
         * nothing behind what closes a thought.
         *
         * @param open the marker that opens it
         * @param followedBy what must follow; empty if the marker counts alone
         * @return this
         */
        public Builder first(String open, List<String> followedBy) {
            return kind(open, followedBy, false, true);
        }

        private Builder kind(String open, List<String> followedBy, boolean closed, boolean first) {
            ToolOpener opener = new ToolOpener(open, followedBy);
            calls.add(() -> new CallKind(
                    opener, new CallName(nameEnds, nameStops, idMark, names), arguments, whiteSpace, closed, first));
            return this;
        }

        /**
         * Adds a kind of call with a name, arguments and white space of its own.
         *
         * @param kind the kind
         * @return this
         */
        public Builder call(CallKind kind) {
            calls.add(() -> kind);
            return this;
        }

        /**
         * Allows calls of offered functions outside a group.
         *
         * @return this
         */
        public Builder ungrouped() {
            ungrouped = true;
            return this;
        }

        /**
         * Adds what ends the name of a call.
         *
         * @param text the literal
         * @return this
         */
        public Builder nameEnd(String text) {
            nameEnds.add(text);
            return this;
        }

        /**
         * Adds what ends the name of a call, but belongs to what follows.
         *
         * @param text the literal
         * @return this
         */
        public Builder nameStop(String text) {
            nameStops.add(text);
            return this;
        }

        /**
         * Sets what stands between the name of a call and an ID that the model writes.
         *
         * @param text the literal
         * @return this
         */
        public Builder idMark(String text) {
            idMark = text;
            return this;
        }

        /**
         * Adds another marker that closes a group.
         *
         * @param text the literal
         * @return this
         */
        public Builder groupEnd(String text) {
            groupEnds.add(text);
            return this;
        }

        /**
         * Allows calls of offered functions only; others are text.
         *
         * @return this
         */
        public Builder offered() {
            offered = true;
            return this;
        }

        /**
         * Adds another marker that closes a call.
         *
         * @param text the literal
         * @return this
         */
        public Builder callEnd(String text) {
            callEnds.add(text);
            return this;
        }

        /**
         * Sets how the name is written.
         *
         * @param value the rule; {@link Names#PLAIN} if it is not set
         * @return this
         */
        public Builder names(Names value) {
            names = value;
            return this;
        }

        /**
         * Sets what becomes of white space between text and a call.
         *
         * @param value the rule
         * @return this
         */
        public Builder whiteSpace(WhiteSpace value) {
            whiteSpace = value;
            return this;
        }

        /**
         * Lets a call open only where the output starts.
         *
         * @return this
         */
        public Builder onlyFirst() {
            onlyFirst = true;
            return this;
        }

        /**
         * Sets what stands around text in which no call counts.
         *
         * @param open what opens it
         * @param close what closes it
         * @return this
         */
        public Builder thought(String open, String close) {
            thoughtOpen = open;
            thoughtClose = close;
            return this;
        }

        /**
         * Sets what ends a thought in which calls count too.
         *
         * @param close what closes it
         * @return this
         */
        public Builder thoughtClose(String close) {
            thoughtClose = close;
            return this;
        }

        /**
         * Sets which IDs calls have that the model wrote none for.
         *
         * @param value the rule; {@link Ids#RANDOM} if it is not set
         * @return this
         */
        public Builder ids(Ids value) {
            ids = value;
            return this;
        }

        /**
         * Sets how demanded calls are written.
         *
         * @param value the rule; {@link Demanded#NATIVE} if it is not set
         * @return this
         */
        public Builder demanded(Demanded value) {
            demanded = value;
            return this;
        }

        /**
         * Sets the markers that must reach the parser as text, where they are not simply all of them.
         *
         * @param markers the markers
         * @return this
         */
        public Builder visible(String... markers) {
            visible = Optional.of(Set.of(markers));
            return this;
        }

        /**
         * Sets how a call opens that ends reasoning which was never closed, where not every call does.
         *
         * @param openers the openers
         * @return this
         */
        public Builder endsReasoning(ToolOpener... openers) {
            endsReasoning = Optional.of(List.of(openers));
            return this;
        }

        /**
         * Sets how a server holds a model to calls.
         *
         * @param value the constraint
         * @return this
         */
        public Builder constraint(CallConstraint value) {
            constraint = Optional.of(value);
            return this;
        }

        /**
         * Makes the description.
         *
         * @return the description
         */
        public CallFormat build() {
            return new CallFormat(
                    groups,
                    groupEnds,
                    calls.stream().map(Supplier::get).toList(),
                    callEnds,
                    ungrouped,
                    offered,
                    onlyFirst,
                    thoughtOpen,
                    thoughtClose,
                    ids,
                    demanded,
                    visible,
                    endsReasoning,
                    constraint);
        }
    }
}
