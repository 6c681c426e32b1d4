package io.glyphgate.jinja.tree;

import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.syntax.Parameter;
import io.glyphgate.jinja.syntax.Span;
import io.glyphgate.jinja.syntax.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** Compiles macros and call blocks. */
final class MacroCompiler {
    private static final String CALLER = "caller";
    private static final String KEYWORDS = "kwargs";
    private static final String REST = "varargs";

    private final StatementCompiler statements;
    private final ExpressionCompiler expressions;

    MacroCompiler(StatementCompiler statements, ExpressionCompiler expressions) {
        this.statements = statements;
        this.expressions = expressions;
    }

    Macro.Code compile(String name, List<Parameter> parameters, List<Statement> body, Scope outer, Span span) {
        Scope scope = outer.function();
        parameters.forEach(parameter -> scope.give(parameter.name()));
        parameters.forEach(parameter -> parameter.preset().ifPresent(scope::take));
        scope.take(body);
        Set<String> read = Undeclared.among(Set.of(CALLER, KEYWORDS, REST), body);
        List<String> names = parameters.stream().map(Parameter::name).toList();
        boolean callerIsParameter = names.contains(CALLER);
        if (read.contains(CALLER)
                && callerIsParameter
                && parameters.get(names.indexOf(CALLER)).preset().isEmpty()) {
            throw new TemplateException(
                    "When defining macros or call blocks the special \"caller\" argument must be omitted or be given"
                            + " a default.",
                    span.line(),
                    "");
        }
        OptionalInt caller = special(CALLER, read, names, scope);
        OptionalInt keywords = special(KEYWORDS, read, names, scope);
        OptionalInt rest = special(REST, read, names, scope);
        List<Macro.ParameterSlot> slots = new ArrayList<>();
        for (Parameter parameter : parameters) {
            slots.add(new Macro.ParameterSlot(
                    parameter.name(),
                    scope.slot(parameter.name()).index(),
                    parameter.preset().map(preset -> expressions.compile(preset, scope, false))));
        }
        Action code = statements.compile(body, scope, false);
        return new Macro.Code(
                name, slots, caller, read.contains(CALLER), keywords, rest, scope.layout(), scope.entry(), code);
    }

    private static OptionalInt special(String name, Set<String> read, List<String> parameters, Scope scope) {
        if (!read.contains(name) || parameters.contains(name)) {
            return OptionalInt.empty();
        }
        scope.give(name);
        return OptionalInt.of(scope.slot(name).index());
    }
}
