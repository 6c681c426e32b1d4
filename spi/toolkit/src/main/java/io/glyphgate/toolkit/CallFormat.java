package io.glyphgate.toolkit;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Describes how a family writes tool calls.
 *
 * <p>A call opens with one of {@link #calls}, alone or inside a group that one of {@link #groups} opens. Then comes
 * its name, up to one of {@link #nameEnds}, unless the arguments hold it; then the arguments; then one of {@link
 * #callEnds}. A marker counts only where what must follow it does follow.
 *
 * <p>Until the name of a call is known its text is held; it becomes content if it turns out to be no call. White
 * space before the first text or between calls is dropped; after text, {@link #whiteSpace} decides.
 *
 * @param groups markers that open a group of calls; they count where one of the call markers follows, or a group that is
 *     named later, which may stand inside
 * @param groupEnds markers that close it
 * @param calls markers that open a call
 * @param callEnds markers that close it
 * @param ungrouped whether a call may stand outside a group; it counts there only if it names a function that is
 *     offered
 * @param offered whether every call must name a function that is offered, else it is text
 * @param nameEnds what ends the name; empty if the arguments hold the name
 * @param nameStops what ends the name too, but belongs to what follows it
 * @param names how the name is written
 * @param arguments how the arguments are written
 * @param whiteSpace what becomes of white space between text and a call
 * @param onlyFirst whether a call opens only where the output starts; it has no opener then that is certain
 * @param thoughtOpen what opens text in which no call counts, for a model whose reasoning may come without a parser of
 *     its own; empty if there is none
 * @param thoughtClose what closes it
 * @param demanded how calls are written that the request demands
 * @param visible the markers that must reach the parser as text; those of groups, calls, names and arguments if it is not
 *     given
 * @param endsReasoning how a call opens that ends reasoning which was never closed; as {@link #openers()} derives it if it
 *     is not given
 */
public record CallFormat(
        List<String> groups,
        List<String> groupEnds,
        List<ToolOpener> calls,
        List<String> callEnds,
        boolean ungrouped,
        boolean offered,
        List<String> nameEnds,
        List<String> nameStops,
        Names names,
        Arguments arguments,
        WhiteSpace whiteSpace,
        boolean onlyFirst,
        String thoughtOpen,
        String thoughtClose,
        Demanded demanded,
        Optional<Set<String>> visible,
        Optional<List<ToolOpener>> endsReasoning) {
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
        NUMBERED
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
        nameEnds = List.copyOf(nameEnds);
        nameStops = List.copyOf(nameStops);
        visible = visible.map(Set::copyOf);
        endsReasoning = endsReasoning.map(List::copyOf);
        if (calls.isEmpty()) {
            throw new IllegalArgumentException("a call format needs a marker that opens a call");
        }
        if (nameEnds.isEmpty() != arguments.named()) {
            throw new IllegalArgumentException("the name of a call ends at " + nameEnds + ", but the arguments are "
                    + arguments + ": exactly one of them must give the name");
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
        calls.forEach(call -> markers.add(call.marker()));
        markers.addAll(callEnds);
        markers.addAll(nameEnds);
        if (arguments instanceof Arguments.Tagged tags) {
            markers.addAll(List.of(tags.keyOpen(), tags.keyClose(), tags.valueClose()));
            if (!tags.valueOpen().isEmpty()) {
                markers.add(tags.valueOpen());
            }
        }
        if (arguments instanceof Arguments.KeyValues values) {
            markers.add(values.quote());
        }
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
        return groups.isEmpty() ? calls : groupOpeners();
    }

    /**
     * How a call of one request opens in the eyes of a reasoning parser: where the name of a call stands right behind its
     * marker and must be that of an offered function, or starts a Python call, such a name must follow.
     *
     * @param tools the functions that are offered
     * @return the openers
     */
    public List<ToolOpener> openers(List<Tool> tools) {
        List<String> ends = endsOfNames();
        if (ends.isEmpty() || endsReasoning.isPresent() || onlyFirst || !groups.isEmpty()) {
            return openers();
        }
        List<String> names = tools.stream()
                .flatMap(tool -> ends.stream().map(end -> tool.name() + end))
                .toList();
        return names.isEmpty()
                ? List.of()
                : calls.stream()
                        .map(call -> new ToolOpener(call.marker(), names))
                        .toList();
    }

    /** What stands behind the name of an offered function that a call must name; empty if it may name any. */
    private List<String> endsOfNames() {
        if (arguments instanceof Arguments.PythonCalls) {
            return List.of("(");
        }
        List<String> ends = new ArrayList<>();
        if (offered) {
            ends.addAll(nameEnds);
            ends.addAll(nameStops);
        }
        return ends;
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

    /** This format, if it can be, and otherwise only, the array of calls that a demand makes. */
    private CallFormat orArray() {
        Builder builder = arguments instanceof Arguments.JsonCalls
                ? new Builder(this)
                : of(ARRAY).whiteSpace(whiteSpace).thought(thoughtOpen, thoughtClose);
        return builder.call("[", List.of("{")).demanded(Demanded.NATIVE).build();
    }

    List<String> callMarkers() {
        return calls.stream().map(ToolOpener::marker).toList();
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
            calls.forEach(call -> marks.add(Mark.guarded(call.marker(), Mark.Role.CALL_OPEN, call.followedBy())));
        }
        return marks;
    }

    static List<Mark> marks(List<String> texts, Mark.Role role) {
        return texts.stream().map(text -> Mark.of(text, role)).toList();
    }

    /** A description made ready. Immutable; used by many threads at once. */
    public static final class Compiled {
        private final CallFormat format;
        private final CallLiterals literals;
        private final @Nullable Compiled required;

        private Compiled(CallFormat format) {
            this.format = format;
            this.literals = new CallLiterals(format);
            this.required = format.demanded == Demanded.JSON ? new Compiled(format.orArray()) : null;
        }

        /**
         * Starts the parser of one choice.
         *
         * @param context tells the functions that are offered
         * @return a new parser in its first state
         */
        public ToolParser parser(ParseContext context) {
            ToolChoice choice = context.toolChoice();
            if (required != null && choice.mode() == ToolChoice.Mode.REQUIRED) {
                return required.parser(context);
            }
            if (required != null && choice.mode() == ToolChoice.Mode.NAMED) {
                return new NamedCall(choice.function());
            }
            CallStage stage = new CallStage(format, literals, context.tools());
            return switch (choice.mode()) {
                case REQUIRED, NAMED ->
                    format.demanded() == Demanded.JSON_FROM_START ? new ForcedCalls(choice, stage) : stage;
                case AUTO, NONE -> stage;
            };
        }
    }

    /** Builds a description; its methods are named after the fields. */
    public static final class Builder {
        private final Arguments arguments;
        private final List<String> groups = new ArrayList<>();
        private final List<String> groupEnds = new ArrayList<>();
        private final List<ToolOpener> calls = new ArrayList<>();
        private final List<String> callEnds = new ArrayList<>();
        private final List<String> nameEnds = new ArrayList<>();
        private final List<String> nameStops = new ArrayList<>();
        private boolean ungrouped;
        private boolean offered;
        private Names names = Names.PLAIN;
        private WhiteSpace whiteSpace = WhiteSpace.DROPPED;
        private boolean onlyFirst;
        private String thoughtOpen = "";
        private String thoughtClose = "";
        private Demanded demanded = Demanded.NATIVE;
        private Optional<Set<String>> visible = Optional.empty();
        private Optional<List<ToolOpener>> endsReasoning = Optional.empty();

        private Builder(Arguments arguments) {
            this.arguments = arguments;
        }

        private Builder(CallFormat format) {
            this(format.arguments);
            groups.addAll(format.groups);
            groupEnds.addAll(format.groupEnds);
            calls.addAll(format.calls);
            callEnds.addAll(format.callEnds);
            nameEnds.addAll(format.nameEnds);
            nameStops.addAll(format.nameStops);
            ungrouped = format.ungrouped;
            offered = format.offered;
            names = format.names;
            whiteSpace = format.whiteSpace;
            onlyFirst = format.onlyFirst;
            thoughtOpen = format.thoughtOpen;
            thoughtClose = format.thoughtClose;
            demanded = format.demanded;
            visible = format.visible;
            endsReasoning = format.endsReasoning;
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
            calls.add(new ToolOpener(open, followedBy));
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
            calls.add(new ToolOpener(open, followedBy));
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
         * Makes the description.
         *
         * @return the description
         */
        public CallFormat build() {
            return new CallFormat(
                    groups,
                    groupEnds,
                    calls,
                    callEnds,
                    ungrouped,
                    offered,
                    nameEnds,
                    nameStops,
                    names,
                    arguments,
                    whiteSpace,
                    onlyFirst,
                    thoughtOpen,
                    thoughtClose,
                    demanded,
                    visible,
                    endsReasoning);
        }
    }
}
