package io.glyphgate.proxy.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A parser as the configuration describes it: of reasoning, of tool calls, or of both; or of messages, which are both.
 * The keys are the components of the toolkit's descriptions, so that a parser of a plugin can be written out as such an
 * entry.
 */
public record ParserConfig(
        @Doc("Reasoning from the start of the output up to a marker.") Optional<Reasoning> reasoning,
        @Doc("Reasoning that only a marker of its own opens; instead of reasoning.")
                Optional<OpenedReasoning> openedReasoning,
        @Doc("Tool calls.") Optional<Tools> tools,
        @Doc("Messages, each with a header that says whether it is reasoning, content or a call; instead of all "
                        + "the others.")
                Optional<Messages> messages) {

    /** Reasoning from the start of the output up to a marker. */
    public record Reasoning(
            @Doc("The marker that opens the reasoning; the output may leave it out.") @Default("<think>") Literal open,
            @Doc("The marker that ends the reasoning.") @Default("</think>") Literal close,
            @Doc("Whether only the first opening marker is one, and others are text.") @Default("false")
                    boolean opensOnce,
            @Doc("Template arguments that turn reasoning off, so that all output is content; "
                            + "for example enable_thinking: false. One of them is enough.")
                    Map<String, Object> offWhen,
            @Doc("Text that starts or ends a turn in the prompt. A closing marker behind the last of them means "
                            + "that the prompt has closed the reasoning already.")
                    List<Literal> turnStarts,
            @Doc("Template arguments that keep reasoning on, whatever off and off-when say.")
                    Map<String, Object> onWhen,
            @Doc("Whether the opening marker in the output is text of the reasoning.") @Default("false")
                    boolean openKept,
            @Doc("Whether white space at the end of the reasoning is dropped.") @Default("false") boolean trimmed,
            @Doc("Whether the reasoning stays in the content, with open in front of it, for clients that look for the "
                            + "markers themselves.")
                    @Default("false")
                    boolean shown,
            @Doc("What may open the answer behind the reasoning; it and the markers there are dropped then.")
                    Optional<Literal> answerOpen,
            @Doc("What closes the answer; given with answer-open.") Optional<Literal> answerClose,
            @Doc("Whether there is no reasoning unless on-when asks for it.") @Default("false") boolean off,
            @Doc("The special tokens that the parser must see although the request skips special tokens; "
                            + "open and close by default.")
                    Optional<List<Literal>> visible) {}

    /** Reasoning that only a marker of its own opens. */
    public record OpenedReasoning(
            @Doc("The markers that open reasoning, at least one.") List<Literal> opens,
            @Doc("The markers that end it, at least one.") List<Literal> closes,
            @Doc("Whether reasoning can open only where the output starts.") @Default("false") boolean onlyFirst,
            @Doc("Text behind an opening marker that belongs to it, where it stands there.") Optional<Literal> label,
            @Doc("Whether the label alone opens reasoning where the output starts, for models that leave out the marker.")
                    @Default("false")
                    boolean labelOpens,
            @Doc("Markers that are dropped among content.") List<Literal> dropped,
            @Doc("Whether white space at the end of the reasoning is dropped.") @Default("false") boolean trimmed,
            @Doc("Text that starts or ends a turn in the prompt. An opening marker behind the last of them means "
                            + "that the prompt has opened the reasoning already.")
                    List<Literal> turnStarts,
            @Doc("Whether the prompt may have opened reasoning that the output goes on with.") @Default("true")
                    boolean promptOpens,
            @Doc("Whether all behind a call is content, marker or not, so that strings in arguments stay whole.")
                    @Default("false")
                    boolean untilCall,
            @Doc("What ends a call, where markers in a call open no reasoning but markers behind it do.") Optional<Literal> callEnd,
            @Doc("The special tokens that the parser must see although the request skips special tokens; "
                            + "opens, closes and dropped by default.")
                    Optional<List<Literal>> visible) {}

    /** Tool calls. */
    public record Tools(
            @Doc("Markers that open a group of calls, a group that stands inside another behind it.")
                    List<Literal> groups,
            @Doc("Markers that close a group.") List<Literal> groupEnds,
            @Doc("The ways in which calls are written, at least one. Several may share a marker; what follows it "
                            + "then tells them apart.")
                    List<Call> calls,
            @Doc("Markers that close a call.") List<Literal> callEnds,
            @Doc("Whether a call may stand outside a group, if it names a function that is offered.") @Default("false")
                    boolean ungrouped,
            @Doc("Whether every call must name a function that is offered; else it is text.") @Default("false")
                    boolean offered,
            @Doc("Whether calls can open only where the output starts.") @Default("false") boolean onlyFirst,
            @Doc("What opens text in which no call counts, for reasoning that has no parser of its own.")
                    Optional<Literal> thoughtOpen,
            @Doc("What closes it; alone, what ends a thought in which calls count too.") Optional<Literal> thoughtClose,
            @Doc("Which ID a call has that the model wrote none for. random: one of the proxy's. alphanumeric-9: "
                            + "nine letters and digits.")
                    @Default("random")
                    Ids ids,
            @Doc("How calls are written that tool_choice demands. native: as all calls. json: with required as a "
                            + "JSON array of objects of name and parameters, or natively; where a function is named, "
                            + "all output is its arguments. unmarked: as all calls, with or without their marker. "
                            + "json-from-start: as json, but read natively unless the output starts so.")
                    @Default("native")
                    Demanded demanded,
            @Doc("The special tokens that the parser must see although the request skips special tokens; "
                            + "all markers of the description by default.")
                    Optional<List<Literal>> visible,
            @Doc("How a call opens that ends reasoning which was never closed; as groups and calls say by default.")
                    Optional<List<Opener>> endsReasoning,
            @Doc("How a server holds a model to calls in this notation, where calls are demanded or functions are strict. "
                            + "Without it calls cannot be demanded, unless demanded says that they are JSON then.")
                    Optional<Constraint> constraint) {}

    /**
     * How a server holds a model to calls: as structural tags, in xgrammar's notation, with places for what the functions of a
     * request are.
     */
    public record Constraint(
            @Doc("One call, as JSON, or a list of the ways to write one: \"${call}\" in the others.") Literal call,
            @Doc("The format where the model decides, as JSON. An item {\"each-function\": ITEM} of a list stands for ITEM for "
                            + "each function, ${name} for its name, \"${parameters}\" for the schema of a strict one, else any JSON. Without it nothing is "
                            + "demanded then.")
                    Optional<Literal> free,
            @Doc("The format where any call is demanded.") Literal required,
            @Doc("The format where a function is named, which is the only one then; as required, with one call, by default.")
                    Optional<Literal> named,
            @Doc("Whether free holds where no function is strict, too.") @Default("false") boolean always,
            @Doc("What stands around content that must follow a format, \"${content}\"; nothing by default.")
                    Optional<Literal> content) {}

    /** One way in which calls are written; may be written as its opener alone. */
    public record Call(
            @Doc("What opens the call.") @Shorthand Opener opener,
            @Doc("How the name stands behind the opener, where the arguments do not hold it.") Name name,
            @Doc("How the arguments are written.") Arguments arguments,
            @Doc("Whether white space between text and a call is content.") @Default("dropped")
                    WhiteSpace whiteSpace,
            @Doc("Whether one of call-ends closes the call.") @Default("true") boolean closed,
            @Doc("Whether the call opens only where nothing visible stands before it, or nothing behind "
                            + "thought-close.")
                    @Default("false")
                    boolean first) {}

    /** How the name of a call is written. */
    public record Name(
            @Doc("What stands behind the name; none where the arguments hold the name.") List<Literal> ends,
            @Doc("What ends the name too, but is read again as what it is behind the name.") List<Literal> stops,
            @Doc("What stands between the name and an ID that the model writes.") Optional<Literal> idMark,
            @Doc("plain: the name stands alone. numbered: with the number of the call behind it, "
                            + "functions.name:0, which is the ID of the call too. word: the name is one word, and "
                            + "the marker counts only where one with an end follows.")
                    @Default("plain")
                    Names names) {}

    /** A marker that opens something; may be written as the marker alone. */
    public record Opener(
            @Doc("The marker.") @Shorthand Literal marker,
            @Doc("What must follow, after any white space, for the marker to count; one of them is enough.")
                    List<Literal> followedBy) {}

    /** How the name of a call is written. */
    public enum Names {
        PLAIN,
        NUMBERED,
        WORD
    }

    /** Which ID a call has that the model wrote none for. */
    public enum Ids {
        RANDOM,
        ALPHANUMERIC_9
    }

    /** What becomes of white space between text and a call. */
    public enum WhiteSpace {
        KEPT,
        DROPPED
    }

    /** How calls are written that the request demands. */
    public enum Demanded {
        NATIVE,
        JSON,
        UNMARKED,
        JSON_FROM_START
    }

    /** How arguments are written: one of these, the first if none is given. */
    public record Arguments(
            @Doc("The call is a JSON object with its name and its arguments. This is so if no other key is given.")
                    JsonCall jsonCall,
            @Doc("Each argument stands between tags, typed by the schema of the function.") Optional<Tagged> tagged,
            @Doc("The arguments are one JSON value behind the name.") Optional<JsonValue> jsonValue,
            @Doc("The calls are one JSON object, several with semicolons between them, or an array; "
                            + "a call's marker may end with the first bracket or brace.")
                    Optional<JsonCalls> jsonCalls,
            @Doc("The calls are Python calls with keyword arguments.") Optional<PythonCalls> pythonCalls,
            @Doc("The arguments are keys and values without quotes, key:value,key:value, typed by the schema of the "
                            + "function.")
                    Optional<KeyValues> keyValues) {}

    /** A JSON object with the name of the call and its arguments. */
    public record JsonCall(
            @Doc("The member that holds the name.") @Default("name") String nameKey,
            @Doc("The members that may hold the arguments; the first in the text counts.")
                    @Default("arguments, parameters")
                    List<String> argumentKeys,
            @Doc("Whether the arguments may be a JSON string that holds them, or null for none.") @Default("false")
                    boolean quoted) {}

    /** Arguments between tags. */
    public record Tagged(
            @Doc("What stands before the name of a parameter.") Literal keyOpen,
            @Doc("What stands behind the name.") Literal keyClose,
            @Doc("What stands between that and the value, after any white space.") Optional<Literal> valueOpen,
            @Doc("What ends the value.") Literal valueClose,
            @Doc("Whether spaces may stand between the words and signs of a tag.") @Default("false") boolean spaced,
            @Doc("Which white space around a value belongs to its tags: none, one newline on each side, or all.")
                    @Default("lines")
                    Space space,
            @Doc("Whether only numbers and booleans of a single type are no strings.") @Default("false")
                    boolean scalars,
            @Doc("Whether the name may stand in quotes with attributes behind it, of which string=\"true\" makes "
                            + "the value a string and string=\"false\" JSON.")
                    @Default("false")
                    boolean attributes,
            @Doc("Names under which the model may put all the arguments as one object.") List<String> wrappers) {}

    /** Which white space around a value belongs to its tags. */
    public enum Space {
        NONE,
        LINES,
        ALL
    }

    /** One JSON value. It has no options. */
    public record JsonValue() {}

    /** Several JSON objects. */
    public record JsonCalls(@Doc("How each of them is written.") JsonCall call) {}

    /** Python calls. */
    public record PythonCalls(
            @Doc("The character between two calls; white space is enough if there is none.")
                    Optional<Literal> separator) {}

    /** Keys and values. */
    public record KeyValues(@Doc("The marker on both sides of a string.") Literal quote) {}

    /** Messages with a header each. */
    public record Messages(
            @Doc("The marker before the role of a message.") Literal start,
            @Doc("The role of the model, which follows start.") Literal role,
            @Doc("The marker before the channel of a message.") Literal channel,
            @Doc("The marker before the type of a body.") Literal constrain,
            @Doc("The marker that ends a header.") Literal open,
            @Doc("The markers that end a body, at least one.") List<Literal> ends,
            @Doc("What a recipient starts with, in the header.") Literal recipient,
            @Doc("What may stand before the name of a function in the recipient.") Literal functions,
            @Doc("Tools of the server: a recipient that one of them is, or starts with before a dot, is no function.")
                    List<String> own,
            @Doc("The channels of reasoning.") List<String> reasoning,
            @Doc("The channels of content.") List<String> content,
            @Doc("How a server holds a model to calls, and to a content that follows a format.")
                    Optional<Constraint> constraint) {}
}
