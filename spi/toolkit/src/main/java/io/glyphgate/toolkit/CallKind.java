package io.glyphgate.toolkit;

import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolOpener;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One way in which a family writes a call. Several kinds may share a marker; what follows it then tells them apart.
 *
 * @param opener the marker that opens it, and what must follow
 * @param name how the name stands behind the marker; {@link CallName#NONE} if the arguments hold it
 * @param arguments how the arguments are written
 * @param whiteSpace what becomes of white space between text and the call
 * @param closed whether one of the format's markers closes it
 * @param first whether it opens only where nothing visible stands before it, or nothing behind what closes a thought;
 *     its opener is not certain then
 */
public record CallKind(
        ToolOpener opener,
        CallName name,
        Arguments arguments,
        CallFormat.WhiteSpace whiteSpace,
        boolean closed,
        boolean first) {
    /** Checks that the name is given once. */
    public CallKind {
        if (name.ends().isEmpty() != arguments.named()) {
            throw new IllegalArgumentException("the name of a call ends at " + name.ends()
                    + ", but the arguments are " + arguments + ": exactly one of them must give the name");
        }
    }

    /**
     * A kind that opens anywhere, and that a marker closes if the format has one.
     *
     * @param opener the marker that opens it, and what must follow
     * @param name how the name stands behind the marker
     * @param arguments how the arguments are written
     * @param whiteSpace what becomes of white space between text and the call
     */
    public CallKind(ToolOpener opener, CallName name, Arguments arguments, CallFormat.WhiteSpace whiteSpace) {
        this(opener, name, arguments, whiteSpace, true, false);
    }

    String marker() {
        return opener.marker();
    }

    /** The markers that must reach the parser as text. */
    Set<String> markers() {
        Set<String> markers = new LinkedHashSet<>();
        markers.add(marker());
        markers.addAll(name.ends());
        if (!name.idMark().isEmpty()) {
            markers.add(name.idMark());
        }
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
     * How a call of one request opens: where its name stands right behind the marker and nothing else tells the marker
     * from one in prose, or starts a Python call, the name of an offered function must follow.
     *
     * @param offered whether all calls must name an offered function
     * @return nothing if no function is offered that could follow
     */
    Optional<ToolOpener> opener(boolean offered, List<Tool> tools) {
        boolean python = arguments instanceof Arguments.PythonCalls;
        boolean byName = !arguments.named() && (offered || name.names() == CallFormat.Names.WORD);
        if (!byName && !python) {
            return Optional.of(opener);
        }
        List<String> followers = python ? List.of("(") : name.followers();
        List<String> names = tools.stream()
                .flatMap(tool -> followers.stream().map(end -> tool.name() + end))
                .toList();
        return names.isEmpty() ? Optional.empty() : Optional.of(new ToolOpener(marker(), names));
    }

    /** The same call without its marker: the JSON begins it. Nothing for calls that are no JSON objects. */
    List<CallKind> unmarked() {
        if (!(arguments instanceof Arguments.JsonCalls calls)) {
            return List.of();
        }
        List<String> keys = Stream.concat(
                        Stream.of(calls.call().nameKey()), calls.call().argumentKeys().stream())
                .map(key -> "\"" + key + "\"")
                .toList();
        return List.of(
                new CallKind(new ToolOpener("[", List.of("{")), name, arguments, whiteSpace, closed, false),
                new CallKind(new ToolOpener("{", keys), name, arguments, whiteSpace, closed, false));
    }
}
