package io.glyphgate.jinja.syntax;

import io.glyphgate.jinja.TemplateException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads the statements of a template. */
public final class TemplateParser {
    private static final int MAX_TREE_HEIGHT = 1000;
    private static final int MAX_OPEN_TAGS = 100;
    private static final Set<String> CONSTANTS = Set.of("true", "True", "false", "False", "none", "None");

    private final Tokens tokens;
    private final ExpressionParser expressions;
    private final Deque<String> openTags = new ArrayDeque<>();
    private final Deque<List<String>> endTags = new ArrayDeque<>();

    private int openParentheses;

    /** How many loops are open that a {@code break} would leave. */
    private int loops;

    private TemplateParser(Source source) {
        tokens = new Tokens(Lexer.tokens(source));
        expressions = new ExpressionParser(tokens);
    }

    /** The statements of a source. */
    public static List<Statement> parse(Source source) {
        TemplateParser parser = new TemplateParser(source);
        List<Statement> statements = parser.statements(List.of());
        statements.forEach(statement -> checkHeight(statement, MAX_TREE_HEIGHT));
        return statements;
    }

    private static void checkHeight(Node node, int left) {
        if (left == 0) {
            throw new TemplateException("the template is nested more than " + MAX_TREE_HEIGHT + " levels deep");
        }
        node.children().forEach(child -> checkHeight(child, left - 1));
    }

    /** Statements up to one of the end tags, which is then the current token, or to the end. */
    private List<Statement> statements(List<String> ends) {
        List<Statement> statements = new ArrayList<>();
        while (!tokens.is(TokenType.END)) {
            if (tokens.is(TokenType.DATA)) {
                statements.add(new Statement.Text((String) tokens.next().value()));
            } else if (tokens.skip(TokenType.VARIABLE_BEGIN)) {
                statements.add(new Statement.Print(expressions.tuple(true)));
                tokens.expect(TokenType.VARIABLE_END);
            } else {
                tokens.expect(TokenType.BLOCK_BEGIN);
                if (tokens.is(TokenType.NAME) && ends.contains(tokens.current().value())) {
                    return statements;
                }
                statements.addAll(statement());
                tokens.expect(TokenType.BLOCK_END);
            }
        }
        return statements;
    }

    /** What stands between a tag and its end tag, one of several; the end tag is taken, all but what follows its name. */
    private Body body(String... ends) {
        tokens.skip(TokenType.COLON);
        tokens.expect(TokenType.BLOCK_END);
        List<String> names = List.of(ends);
        endTags.push(names);
        List<Statement> statements = statements(names);
        if (tokens.is(TokenType.END)) {
            throw tokens.failure("Unexpected end of template." + lookingFor(""));
        }
        endTags.pop();
        return new Body(statements, (String) tokens.next().value());
    }

    private record Body(List<Statement> statements, String end) {}

    private List<Statement> statement() {
        Token tag = tokens.current();
        if (tag.type() != TokenType.NAME) {
            throw tokens.failure("tag name expected");
        }
        String name = (String) tag.value();
        openTags.push(name);
        if (openTags.size() > MAX_OPEN_TAGS) {
            throw tokens.failure("more than " + MAX_OPEN_TAGS + " tags are open");
        }
        List<Statement> statements =
                switch (name) {
                    case "print" -> print();
                    case "for" -> List.of(loop());
                    case "if" -> List.of(condition());
                    case "set" -> List.of(assignment());
                    case "macro" -> List.of(macro());
                    case "call" -> List.of(callBlock());
                    case "filter" -> List.of(filterBlock());
                    case "with" -> List.of(with());
                    case "generation" -> List.of(generation());
                    case "block" -> List.of(block());
                    case "break" -> List.of(jump(new Statement.Break()));
                    case "continue" -> List.of(jump(new Statement.Continue()));
                    case "include" -> List.of(include());
                    case "import" -> List.of(imported());
                    case "from" -> List.of(importedNames());
                    case "extends" -> List.of(extended());
                    case "autoescape" -> List.of(autoescape());
                    default -> {
                        openTags.pop();
                        throw tokens.failure("Encountered unknown tag '" + name + "'." + lookingFor(name));
                    }
                };
        openTags.pop();
        return statements;
    }

    /** What an error about a tag adds. */
    private String lookingFor(String found) {
        StringBuilder text = new StringBuilder();
        if (!endTags.isEmpty()) {
            String wanted = endTags.getFirst().stream().map(name -> "'" + name + "'").collect(Collectors.joining(" or "));
            boolean nested = endTags.stream().anyMatch(names -> names.contains(found));
            text.append(nested
                    ? " You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for "
                            + wanted + "."
                    : " Jinja was looking for the following tags: " + wanted + ".");
        }
        if (!openTags.isEmpty()) {
            text.append(" The innermost block that needs to be closed is '").append(openTags.getFirst()).append("'.");
        }
        return text.toString();
    }

    private List<Statement> print() {
        tokens.next();
        List<Statement> prints = new ArrayList<>();
        while (!tokens.is(TokenType.BLOCK_END)) {
            if (!prints.isEmpty()) {
                tokens.expect(TokenType.COMMA);
            }
            prints.add(new Statement.Print(expressions.expression()));
        }
        return prints;
    }

    private Statement loop() {
        Token first = tokens.next();
        Target target = target(false, "in");
        refuseLoopVariable(target);
        tokens.expectName("in");
        Expression items = expressions.tuple(false, "recursive");
        Optional<Expression> test =
                tokens.skipName("if") ? Optional.of(expressions.expression()) : Optional.empty();
        boolean recursive = tokens.skipName("recursive");
        Span span = tokens.since(first);
        loops++;
        Body body = body("endfor", "else");
        loops--;
        List<Statement> otherwise =
                body.end().equals("else") ? body("endfor").statements() : List.of();
        return new Statement.For(target, items, test, recursive, body.statements(), otherwise, span);
    }

    private void refuseLoopVariable(Target target) {
        switch (target) {
            case Target.Variable variable -> {
                if (variable.name().equals("loop")) {
                    throw tokens.failure("Can't assign to special loop variable in for-loop target");
                }
            }
            case Target.Several several -> several.targets().forEach(this::refuseLoopVariable);
            case Target.Member member -> {}
        }
    }

    private Statement condition() {
        tokens.next();
        List<Statement.Branch> branches = new ArrayList<>();
        while (true) {
            Expression test = expressions.tuple(false);
            Body body = body("elif", "else", "endif");
            branches.add(new Statement.Branch(test, body.statements()));
            if (body.end().equals("else")) {
                return new Statement.If(branches, body("endif").statements());
            }
            if (body.end().equals("endif")) {
                return new Statement.If(branches, List.of());
            }
        }
    }

    private Statement assignment() {
        Token first = tokens.next();
        Target target = target(true);
        if (loops > 0) {
            refuseLoopVariable(target);
        }
        if (tokens.skip(TokenType.ASSIGN)) {
            Expression value = expressions.tuple(true);
            return new Statement.Assign(target, value, tokens.since(first));
        }
        Optional<Expression.Filter> filter =
                tokens.skip(TokenType.PIPE) ? Optional.of(expressions.filters()) : Optional.empty();
        Span span = tokens.since(first);
        return new Statement.AssignBlock(target, filter, body("endset").statements(), span);
    }

    private Statement macro() {
        Token first = tokens.next();
        String name = name().name();
        List<Parameter> parameters = parameters();
        Span span = tokens.since(first);
        return new Statement.Macro(name, parameters, function("endmacro"), span);
    }

    private Statement callBlock() {
        Token first = tokens.next();
        List<Parameter> parameters = tokens.is(TokenType.OPEN_PARENTHESIS) ? parameters() : List.of();
        Expression call = expressions.expression();
        if (!(call instanceof Expression.Call called)) {
            throw new TemplateException("expected call", first.line(), "");
        }
        Span span = tokens.since(first);
        return new Statement.CallBlock(called, parameters, function("endcall"), span);
    }

    private Statement generation() {
        tokens.next();
        return new Statement.Scoped(function("endgeneration"));
    }

    /** Chat templates write no HTML: nothing is escaped, and no template can ask for it. */
    private Statement autoescape() {
        tokens.next();
        Token first = tokens.current();
        Expression on = expressions.expression();
        if (!(on instanceof Expression.Literal literal && literal.value().equals(false))) {
            throw new TemplateException("autoescape can only be false", first.line(), "");
        }
        return new Statement.Scoped(body("endautoescape").statements());
    }

    /** A body that runs as a function, so that no loop around it can be left from it. */
    private List<Statement> function(String end) {
        int around = loops;
        loops = 0;
        Body body = body(end);
        loops = around;
        return body.statements();
    }

    private List<Parameter> parameters() {
        tokens.expect(TokenType.OPEN_PARENTHESIS);
        List<Parameter> parameters = new ArrayList<>();
        Set<String> names = new HashSet<>();
        while (!tokens.skip(TokenType.CLOSE_PARENTHESIS)) {
            if (!parameters.isEmpty()) {
                tokens.expect(TokenType.COMMA);
            }
            String name = name().name();
            Optional<Expression> preset =
                    tokens.skip(TokenType.ASSIGN) ? Optional.of(expressions.expression()) : Optional.empty();
            boolean afterPreset = !parameters.isEmpty() && parameters.getLast().preset().isPresent();
            if (preset.isEmpty() && afterPreset) {
                throw tokens.failure("non-default argument follows default argument");
            }
            if (!names.add(name)) {
                throw tokens.failure("duplicate argument '" + name + "' in function definition");
            }
            parameters.add(new Parameter(name, preset));
        }
        return parameters;
    }

    private Statement filterBlock() {
        Token first = tokens.next();
        Expression.Filter filter = expressions.filters();
        Span span = tokens.since(first);
        return new Statement.FilterBlock(filter, body("endfilter").statements(), span);
    }

    private Statement with() {
        tokens.next();
        List<Target> targets = new ArrayList<>();
        List<Expression> values = new ArrayList<>();
        while (!tokens.is(TokenType.BLOCK_END)) {
            if (!targets.isEmpty()) {
                tokens.expect(TokenType.COMMA);
            }
            targets.add(target(false));
            tokens.expect(TokenType.ASSIGN);
            values.add(expressions.expression());
        }
        return new Statement.With(targets, values, body("endwith").statements());
    }

    private Statement block() {
        Token first = tokens.next();
        String name = (String) tokens.expect(TokenType.NAME).value();
        boolean scoped = tokens.skipName("scoped");
        tokens.skipName("required");
        Span span = tokens.since(first);
        List<Statement> body = function("endblock");
        tokens.skipName(name);
        return new Statement.Block(name, scoped, body, span);
    }

    private Statement jump(Statement jump) {
        if (loops == 0) {
            throw tokens.failure("'" + tokens.current().value() + "' outside loop");
        }
        tokens.next();
        return jump;
    }

    private Statement include() {
        Token first = tokens.next();
        Expression template = expressions.expression();
        if (tokens.skipName("ignore")) {
            tokens.expectName("missing");
        }
        context();
        return new Statement.Load(template, List.of(), tokens.since(first));
    }

    private Statement imported() {
        Token first = tokens.next();
        Expression template = expressions.expression();
        tokens.expectName("as");
        Target.Variable name = name();
        context();
        return new Statement.Load(template, List.of(name), tokens.since(first));
    }

    private Statement importedNames() {
        Token first = tokens.next();
        Expression template = expressions.expression();
        tokens.expectName("import");
        List<Target.Variable> names = new ArrayList<>();
        do {
            Target.Variable name = name();
            names.add(tokens.skipName("as") ? name() : name);
        } while (tokens.skip(TokenType.COMMA));
        context();
        return new Statement.Load(template, names, tokens.since(first));
    }

    private Statement extended() {
        Token first = tokens.next();
        return new Statement.Load(expressions.expression(), List.of(), tokens.since(first));
    }

    private void context() {
        if (tokens.isName("with") || tokens.isName("without")) {
            tokens.next();
            tokens.expectName("context");
        }
    }

    private Target.Variable name() {
        Token token = tokens.expect(TokenType.NAME);
        return variable(token);
    }

    private Target.Variable variable(Token token) {
        String name = (String) token.value();
        if (CONSTANTS.contains(name)) {
            throw new TemplateException("can't assign to '" + name + "'", token.line(), "");
        }
        return new Target.Variable(name, tokens.since(token));
    }

    /** A target, or several between commas. */
    private Target target(boolean members, String... ends) {
        Token first = tokens.current();
        List<Target> targets = new ArrayList<>();
        boolean comma = false;
        while (!endsTargets(ends)) {
            targets.add(oneTarget(members));
            if (!tokens.skip(TokenType.COMMA)) {
                break;
            }
            comma = true;
        }
        if (targets.isEmpty()) {
            throw tokens.failure("Expected an expression, got '" + tokens.current().description() + "'");
        }
        return comma ? new Target.Several(targets, tokens.since(first)) : targets.getFirst();
    }

    private boolean endsTargets(String... ends) {
        for (String end : ends) {
            if (tokens.isName(end)) {
                return true;
            }
        }
        return tokens.is(TokenType.BLOCK_END) || tokens.is(TokenType.CLOSE_PARENTHESIS);
    }

    private Target oneTarget(boolean members) {
        Token token = tokens.current();
        if (tokens.skip(TokenType.OPEN_PARENTHESIS)) {
            if (++openParentheses > MAX_OPEN_TAGS) {
                throw tokens.failure("more than " + MAX_OPEN_TAGS + " parentheses are open");
            }
            Target inside = target(false);
            tokens.expect(TokenType.CLOSE_PARENTHESIS);
            openParentheses--;
            return inside;
        }
        tokens.expect(TokenType.NAME);
        if (members && tokens.skip(TokenType.DOT)) {
            String name = (String) tokens.expect(TokenType.NAME).value();
            return new Target.Member((String) token.value(), name, tokens.since(token));
        }
        return variable(token);
    }
}
