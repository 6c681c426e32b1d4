package io.glyphgate.jinja.tree;

import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.syntax.CallArguments;
import io.glyphgate.jinja.value.Arguments;
import io.glyphgate.jinja.value.Dict;
import io.glyphgate.jinja.value.Iterating;
import io.glyphgate.jinja.value.Text;
import io.glyphgate.jinja.value.Tuple;
import io.glyphgate.jinja.value.Types;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Compiled arguments of a call. */
final class ArgumentsCompiler {
    private static final String CALLER = "caller";

    private final Evaluation[] positional;
    private final String[] names;
    private final Evaluation[] keywords;
    private final Optional<Evaluation> spread;
    private final Optional<Evaluation> spreadKeywords;
    private final Optional<Evaluation> caller;

    ArgumentsCompiler(
            ExpressionCompiler compiler,
            CallArguments arguments,
            Scope scope,
            boolean lenient,
            Optional<Evaluation> caller) {
        positional = arguments.positional().stream()
                .map(e -> compiler.compile(e, scope, lenient))
                .toArray(Evaluation[]::new);
        names = arguments.keywords().stream().map(CallArguments.Keyword::name).toArray(String[]::new);
        keywords = arguments.keywords().stream()
                .map(keyword -> compiler.compile(keyword.value(), scope, lenient))
                .toArray(Evaluation[]::new);
        spread = arguments.spread().map(e -> compiler.compile(e, scope, lenient));
        spreadKeywords = arguments.spreadKeywords().map(e -> compiler.compile(e, scope, lenient));
        this.caller = caller;
    }

    /** The arguments, after some that are already known. */
    Arguments in(Frame frame, Object... first) {
        boolean none = positional.length + names.length == 0 && spread.isEmpty() && spreadKeywords.isEmpty();
        if (none && caller.isEmpty()) {
            return first.length == 0 ? Arguments.NONE : new Arguments(List.of(first), Map.of());
        }
        List<Object> values = new ArrayList<>(first.length + positional.length);
        values.addAll(List.of(first));
        for (Evaluation value : positional) {
            values.add(value.in(frame));
        }
        Map<String, Object> named = names.length == 0 ? Map.of() : new LinkedHashMap<>();
        for (int i = 0; i < names.length; i++) {
            named.put(names[i], keywords[i].in(frame));
        }
        if (spread.isPresent()) {
            values.addAll(Iterating.list(spread.get().in(frame), frame.budget()));
        }
        if (spreadKeywords.isPresent() || caller.isPresent()) {
            named = new LinkedHashMap<>(named);
            addSpread(named, frame);
        }
        return new Arguments(values, named);
    }

    private void addSpread(Map<String, Object> named, Frame frame) {
        if (caller.isPresent()) {
            named.put(CALLER, caller.get().in(frame));
        }
        if (spreadKeywords.isEmpty()) {
            return;
        }
        Object mapping = spreadKeywords.get().in(frame);
        if (!(mapping instanceof Dict dict)) {
            throw new TemplateException("argument after ** must be a mapping, not " + Types.name(mapping));
        }
        dict.items().forEachRemaining(entry -> {
            Object key = ((Tuple) entry).items().get(0);
            if (!Types.isText(key)) {
                throw new TemplateException("keywords must be strings");
            }
            if (named.put(Text.of(key), ((Tuple) entry).items().get(1)) != null) {
                throw new TemplateException("got multiple values for keyword argument '" + Text.of(key) + "'");
            }
        });
    }
}
