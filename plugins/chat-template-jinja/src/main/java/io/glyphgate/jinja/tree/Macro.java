package io.glyphgate.jinja.tree;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Arguments;
import io.glyphgate.jinja.value.Attributed;
import io.glyphgate.jinja.value.Dict;
import io.glyphgate.jinja.value.Function;
import io.glyphgate.jinja.value.None;
import io.glyphgate.jinja.value.Tuple;
import io.glyphgate.jinja.value.Undefined;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A macro, or what stands in a call block, together with the frame that it was defined in.
 *
 * @param code what it does
 * @param definedIn the frame
 */
record Macro(Code code, Frame definedIn) implements Function, Attributed {
    /**
     * What all runs of a macro share.
     *
     * @param name its name; empty for a call block
     * @param parameters its parameters
     * @param caller where to put what a call block passes, if the macro asks for it without naming it as a parameter
     * @param asksForCaller whether it asks for that at all
     * @param keywords where to put the keywords that are no parameters
     * @param rest where to put the positional arguments that are no parameters
     * @param layout its slots
     * @param entry what happens before its parameters are set
     * @param body what it does
     */
    record Code(
            String name,
            List<ParameterSlot> parameters,
            OptionalInt caller,
            boolean asksForCaller,
            OptionalInt keywords,
            OptionalInt rest,
            Layout layout,
            Action entry,
            Action body) {}

    /**
     * A parameter.
     *
     * @param name its name
     * @param slot where its value goes
     * @param preset its value if the call gives none
     */
    record ParameterSlot(String name, int slot, Optional<Evaluation> preset) {}

    private static final String CALLER = "caller";

    @Override
    public Object call(Arguments arguments, Budget budget) {
        Frame frame = definedIn.inner(code.layout());
        Output out = new Output(budget);
        code.entry().run(frame, out);
        pass(arguments, frame);
        for (ParameterSlot parameter : code.parameters()) {
            if (frame.slot(parameter.slot()) == null) {
                Object preset = parameter.preset().isPresent()
                        ? parameter.preset().get().in(frame)
                        : Undefined.because("parameter '" + parameter.name() + "' was not provided");
                frame.set(parameter.slot(), preset);
            }
        }
        code.body().run(frame, out);
        return out.text();
    }

    private void pass(Arguments arguments, Frame frame) {
        List<Object> positional = arguments.positional();
        Map<String, Object> keywords = new LinkedHashMap<>(arguments.keywords());
        List<ParameterSlot> parameters = code.parameters();
        for (int i = 0; i < parameters.size(); i++) {
            ParameterSlot parameter = parameters.get(i);
            frame.set(parameter.slot(), i < positional.size()
                    ? positional.get(i)
                    : keywords.remove(parameter.name()));
        }
        if (code.caller().isPresent()) {
            Object caller = keywords.remove(CALLER);
            boolean none = caller == null || caller == None.NONE;
            frame.set(code.caller().getAsInt(), none ? Undefined.because("No caller defined") : caller);
        }
        if (code.keywords().isPresent()) {
            Dict rest = new Dict();
            keywords.forEach(rest::put);
            frame.set(code.keywords().getAsInt(), rest);
        } else if (!keywords.isEmpty()) {
            throw new TemplateException(keywords.containsKey(CALLER) && code.asksForCaller()
                    ? "macro '" + code.name() + "' was invoked with two values for the special caller argument."
                            + " This is most likely a bug."
                    : "macro '" + code.name() + "' takes no keyword argument '" + keywords.keySet().iterator().next()
                            + "'");
        }
        if (code.rest().isPresent()) {
            int taken = Math.min(parameters.size(), positional.size());
            frame.set(code.rest().getAsInt(), new Tuple(positional.subList(taken, positional.size())));
        } else if (positional.size() > parameters.size()) {
            throw new TemplateException("macro '" + code.name() + "' takes not more than " + parameters.size()
                    + " argument(s)");
        }
    }

    @Override
    public @Nullable Object attribute(String name) {
        return switch (name) {
            case "name" -> code.name().isEmpty() ? None.NONE : code.name();
            case "arguments" -> new Tuple(code.parameters().stream().map(p -> (Object) p.name()).toList());
            case "caller" -> code.asksForCaller();
            case "catch_kwargs" -> code.keywords().isPresent();
            case "catch_varargs" -> code.rest().isPresent();
            default -> null;
        };
    }

    @Override
    public String type() {
        return "jinja2.runtime.Macro";
    }

    @Override
    public String toString() {
        return "<Macro " + (code.name().isEmpty() ? "anonymous" : "'" + code.name() + "'") + ">";
    }
}
