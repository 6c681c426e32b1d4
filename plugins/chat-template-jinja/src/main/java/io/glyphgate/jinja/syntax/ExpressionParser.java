package io.glyphgate.jinja.syntax;

import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.syntax.Expression.Comparator;
import io.glyphgate.jinja.value.Arithmetic;
import io.glyphgate.jinja.value.None;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Reads expressions, with Jinja's precedence: or, and, not, comparisons, + -, ~, * / // %, **, signs, postfix. */
final class ExpressionParser {
    /** How deep expressions may be nested. */
    private static final int MAX_DEPTH = 150;

    private static final Map<String, Object> CONSTANTS = Map.of(
            "true", true, "True", true, "false", false, "False", false, "none", None.NONE, "None", None.NONE);

    private final Tokens tokens;
    private int depth;

    ExpressionParser(Tokens tokens) {
        this.tokens = tokens;
    }

    Expression expression() {
        return expression(true);
    }

    /** An expression; a conditional only if that is allowed, since {@code for} and {@code if} have an if of their own. */
    private Expression expression(boolean conditional) {
        if (++depth > MAX_DEPTH) {
            throw tokens.failure("the expression is nested more than " + MAX_DEPTH + " levels deep");
        }
        Expression expression = conditional ? conditional() : or();
        depth--;
        return expression;
    }

    /** One expression, or a tuple without parentheses. */
    Expression tuple(boolean conditional, String... endNames) {
        return tuple(conditional, false, endNames);
    }

    private Expression tuple(boolean conditional, boolean parentheses, String... endNames) {
        Token first = tokens.current();
        List<Expression> items = new ArrayList<>();
        boolean comma = false;
        while (!endsTuple(endNames)) {
            items.add(expression(conditional));
            if (!tokens.skip(TokenType.COMMA)) {
                break;
            }
            comma = true;
        }
        if (!comma && items.size() == 1) {
            return items.getFirst();
        }
        if (items.isEmpty() && !parentheses) {
            throw tokens.failure("Expected an expression, got '" + tokens.current().description() + "'");
        }
        return new Expression.TupleLiteral(items, tokens.since(first));
    }

    private boolean endsTuple(String... endNames) {
        for (String name : endNames) {
            if (tokens.isName(name)) {
                return true;
            }
        }
        return tokens.is(TokenType.VARIABLE_END)
                || tokens.is(TokenType.BLOCK_END)
                || tokens.is(TokenType.CLOSE_PARENTHESIS);
    }

    private Expression conditional() {
        Token first = tokens.current();
        Expression value = or();
        while (tokens.skipName("if")) {
            Expression test = or();
            Optional<Expression> otherwise =
                    tokens.skipName("else") ? Optional.of(expression()) : Optional.empty();
            value = new Expression.Conditional(test, value, otherwise, tokens.since(first));
        }
        return value;
    }

    private Expression or() {
        Token first = tokens.current();
        Expression left = and();
        while (tokens.skipName("or")) {
            left = new Expression.Logical(false, left, and(), tokens.since(first));
        }
        return left;
    }

    private Expression and() {
        Token first = tokens.current();
        Expression left = not();
        while (tokens.skipName("and")) {
            left = new Expression.Logical(true, left, not(), tokens.since(first));
        }
        return left;
    }

    private Expression not() {
        Token first = tokens.current();
        int negations = 0;
        while (tokens.skipName("not")) {
            negations++;
        }
        Expression operand = comparison();
        for (int i = 0; i < Math.min(negations, 2 - negations % 2); i++) {
            operand = new Expression.Not(operand, tokens.since(first));
        }
        return operand;
    }

    private Expression comparison() {
        Token first = tokens.current();
        List<Expression> operands = new ArrayList<>(List.of(sum()));
        List<Comparator> comparators = new ArrayList<>();
        for (Optional<Comparator> found = comparator(); found.isPresent(); found = comparator()) {
            comparators.add(found.get());
            operands.add(sum());
        }
        return comparators.isEmpty()
                ? operands.getFirst()
                : new Expression.Comparison(comparators, operands, tokens.since(first));
    }

    private Optional<Comparator> comparator() {
        Optional<Comparator> found =
                switch (tokens.current().type()) {
                    case EQUAL -> Optional.of(Comparator.EQUAL);
                    case NOT_EQUAL -> Optional.of(Comparator.NOT_EQUAL);
                    case LESS -> Optional.of(Comparator.LESS);
                    case LESS_OR_EQUAL -> Optional.of(Comparator.LESS_OR_EQUAL);
                    case GREATER -> Optional.of(Comparator.GREATER);
                    case GREATER_OR_EQUAL -> Optional.of(Comparator.GREATER_OR_EQUAL);
                    case NAME -> tokens.isName("in") ? Optional.of(Comparator.IN) : notIn();
                    default -> Optional.empty();
                };
        if (found.isPresent()) {
            tokens.next();
        }
        return found;
    }

    private Optional<Comparator> notIn() {
        if (tokens.isName("not") && tokens.following().isName("in")) {
            tokens.next();
            return Optional.of(Comparator.NOT_IN);
        }
        return Optional.empty();
    }

    private Expression sum() {
        return binary(this::concatenation, Map.of(
                TokenType.ADD, Arithmetic.Operator.ADD, TokenType.SUBTRACT, Arithmetic.Operator.SUBTRACT));
    }

    private Expression concatenation() {
        Token first = tokens.current();
        List<Expression> parts = new ArrayList<>(List.of(product()));
        while (tokens.skip(TokenType.TILDE)) {
            parts.add(product());
        }
        return parts.size() == 1 ? parts.getFirst() : new Expression.Concatenation(parts, tokens.since(first));
    }

    private Expression product() {
        return binary(this::power, Map.of(
                TokenType.MULTIPLY, Arithmetic.Operator.MULTIPLY,
                TokenType.DIVIDE, Arithmetic.Operator.DIVIDE,
                TokenType.FLOOR_DIVIDE, Arithmetic.Operator.FLOOR_DIVIDE,
                TokenType.MODULO, Arithmetic.Operator.MODULO));
    }

    private Expression power() {
        return binary(this::signed, Map.of(TokenType.POW, Arithmetic.Operator.POWER));
    }

    private Expression binary(Supplier<Expression> operand, Map<TokenType, Arithmetic.Operator> operators) {
        Token first = tokens.current();
        Expression left = operand.get();
        for (Arithmetic.Operator operator = operators.get(tokens.current().type());
                operator != null;
                operator = operators.get(tokens.current().type())) {
            tokens.next();
            left = new Expression.Binary(operator, left, operand.get(), tokens.since(first));
        }
        return left;
    }

    private Expression signed() {
        Token first = tokens.current();
        return filters(withoutFilters(), first);
    }

    private Expression withoutFilters() {
        Token first = tokens.current();
        if (first.type() != TokenType.SUBTRACT && first.type() != TokenType.ADD) {
            return postfix(primary(), first);
        }
        if (++depth > MAX_DEPTH) {
            throw tokens.failure("the expression is nested more than " + MAX_DEPTH + " levels deep");
        }
        tokens.next();
        Expression operand = withoutFilters();
        depth--;
        boolean negative = first.type() == TokenType.SUBTRACT;
        return postfix(new Expression.Sign(negative, operand, tokens.since(first)), first);
    }

    private Expression primary() {
        Token token = tokens.next();
        return switch (token.type()) {
            case NAME -> {
                Object constant = CONSTANTS.get(token.value());
                yield constant == null
                        ? new Expression.Name((String) token.value(), tokens.since(token))
                        : new Expression.Literal(constant, tokens.since(token));
            }
            case STRING -> {
                StringBuilder text = new StringBuilder((String) token.value());
                while (tokens.is(TokenType.STRING)) {
                    text.append(tokens.next().value());
                }
                yield new Expression.Literal(text.toString(), tokens.since(token));
            }
            case INTEGER, FLOAT -> new Expression.Literal(token.value(), tokens.since(token));
            case OPEN_PARENTHESIS -> {
                Expression inside = tuple(true, true);
                tokens.expect(TokenType.CLOSE_PARENTHESIS);
                yield inside;
            }
            case OPEN_BRACKET -> new Expression.ListLiteral(listItems(), tokens.since(token));
            case OPEN_BRACE -> dict(token);
            default -> throw new TemplateException("unexpected '" + token.description() + "'", token.line(), "");
        };
    }

    private List<Expression> listItems() {
        List<Expression> items = new ArrayList<>();
        while (!tokens.skip(TokenType.CLOSE_BRACKET)) {
            if (!items.isEmpty()) {
                tokens.expect(TokenType.COMMA);
                if (tokens.skip(TokenType.CLOSE_BRACKET)) {
                    break;
                }
            }
            items.add(expression());
        }
        return items;
    }

    private Expression dict(Token first) {
        List<Expression> keys = new ArrayList<>();
        List<Expression> values = new ArrayList<>();
        while (!tokens.skip(TokenType.CLOSE_BRACE)) {
            if (!keys.isEmpty()) {
                tokens.expect(TokenType.COMMA);
                if (tokens.skip(TokenType.CLOSE_BRACE)) {
                    break;
                }
            }
            keys.add(expression());
            tokens.expect(TokenType.COLON);
            values.add(expression());
        }
        return new Expression.DictLiteral(keys, values, tokens.since(first));
    }

    private Expression postfix(Expression start, Token first) {
        Expression value = start;
        while (true) {
            switch (tokens.current().type()) {
                case DOT -> value = attribute(value, first);
                case OPEN_BRACKET -> value = subscript(value, first);
                case OPEN_PARENTHESIS -> value = call(value, first);
                default -> {
                    return value;
                }
            }
        }
    }

    private Expression attribute(Expression object, Token first) {
        tokens.next();
        Token name = tokens.next();
        return switch (name.type()) {
            case NAME -> new Expression.Attribute(object, (String) name.value(), tokens.since(first));
            case INTEGER -> new Expression.Item(
                    object, new Expression.Literal(name.value(), tokens.since(name)), tokens.since(first));
            default -> throw new TemplateException("expected name or number", name.line(), "");
        };
    }

    private Expression subscript(Expression object, Token first) {
        Token bracket = tokens.next();
        List<Expression> keys = new ArrayList<>();
        while (!tokens.skip(TokenType.CLOSE_BRACKET)) {
            if (!keys.isEmpty()) {
                tokens.expect(TokenType.COMMA);
            }
            if (keys.isEmpty() && tokens.is(TokenType.COLON)) {
                return slice(object, none(), first);
            }
            keys.add(expression());
            if (tokens.is(TokenType.COLON)) {
                if (keys.size() > 1) {
                    throw tokens.failure("a slice cannot stand among several subscripts");
                }
                return slice(object, keys.getFirst(), first);
            }
        }
        Expression key = keys.size() == 1
                ? keys.getFirst()
                : new Expression.TupleLiteral(keys, tokens.since(bracket));
        return new Expression.Item(object, key, tokens.since(first));
    }

    private Expression slice(Expression object, Expression start, Token first) {
        tokens.expect(TokenType.COLON);
        Expression stop = bound();
        Expression step = tokens.skip(TokenType.COLON) ? bound() : none();
        tokens.expect(TokenType.CLOSE_BRACKET);
        return new Expression.Slice(object, start, stop, step, tokens.since(first));
    }

    private Expression bound() {
        return tokens.is(TokenType.COLON) || tokens.is(TokenType.CLOSE_BRACKET) ? none() : expression();
    }

    private Expression none() {
        Token here = tokens.current();
        return new Expression.Literal(None.NONE, new Span(here.line(), here.start(), here.start()));
    }

    private Expression call(Expression callee, Token first) {
        CallArguments arguments = arguments();
        return new Expression.Call(callee, arguments, tokens.since(first));
    }

    private CallArguments arguments() {
        Token open = tokens.expect(TokenType.OPEN_PARENTHESIS);
        List<Expression> positional = new ArrayList<>();
        List<CallArguments.Keyword> keywords = new ArrayList<>();
        Optional<Expression> spread = Optional.empty();
        Optional<Expression> spreadKeywords = Optional.empty();
        Set<String> names = new HashSet<>();
        boolean first = true;
        while (!tokens.skip(TokenType.CLOSE_PARENTHESIS)) {
            if (!first) {
                tokens.expect(TokenType.COMMA);
                if (tokens.skip(TokenType.CLOSE_PARENTHESIS)) {
                    break;
                }
            }
            first = false;
            boolean allowed = spreadKeywords.isEmpty();
            if (tokens.skip(TokenType.MULTIPLY)) {
                allowed &= spread.isEmpty();
                spread = Optional.of(expression());
            } else if (tokens.skip(TokenType.POW)) {
                spreadKeywords = Optional.of(expression());
            } else if (tokens.is(TokenType.NAME) && tokens.following().type() == TokenType.ASSIGN) {
                String name = (String) tokens.next().value();
                tokens.next();
                allowed &= names.add(name);
                keywords.add(new CallArguments.Keyword(name, expression()));
            } else {
                allowed &= spread.isEmpty() && keywords.isEmpty();
                positional.add(expression());
            }
            if (!allowed) {
                throw new TemplateException("invalid syntax for function call expression", open.line(), "");
            }
        }
        return new CallArguments(positional, keywords, spread, spreadKeywords);
    }

    private Expression filters(Expression subject, Token first) {
        Expression value = subject;
        while (true) {
            if (tokens.is(TokenType.PIPE)) {
                tokens.next();
                value = filter(Optional.of(value), first);
            } else if (tokens.isName("is")) {
                value = test(value, first);
            } else if (tokens.is(TokenType.OPEN_PARENTHESIS)) {
                value = call(value, first);
            } else {
                return value;
            }
        }
    }

    /** One filter and those that follow it, on the text of a block. */
    Expression.Filter filters() {
        Token first = tokens.current();
        Expression.Filter filter = filter(Optional.empty(), first);
        while (tokens.skip(TokenType.PIPE)) {
            filter = filter(Optional.of(filter), first);
        }
        return filter;
    }

    private Expression.Filter filter(Optional<Expression> subject, Token first) {
        String name = dottedName();
        CallArguments arguments =
                tokens.is(TokenType.OPEN_PARENTHESIS) ? arguments() : CallArguments.NONE;
        return new Expression.Filter(subject, name, arguments, tokens.since(first));
    }

    private String dottedName() {
        StringBuilder name = new StringBuilder((String) tokens.expect(TokenType.NAME).value());
        while (tokens.skip(TokenType.DOT)) {
            name.append('.').append(tokens.expect(TokenType.NAME).value());
        }
        return name.toString();
    }

    private Expression test(Expression subject, Token first) {
        tokens.next();
        boolean negated = tokens.skipName("not");
        String name = dottedName();
        CallArguments arguments = CallArguments.NONE;
        if (tokens.is(TokenType.OPEN_PARENTHESIS)) {
            arguments = arguments();
        } else if (startsArgument()) {
            if (tokens.isName("is")) {
                throw tokens.failure("You cannot chain multiple tests with is");
            }
            Token start = tokens.current();
            Expression argument = postfix(primary(), start);
            arguments = new CallArguments(List.of(argument), List.of(), Optional.empty(), Optional.empty());
        }
        Expression test = new Expression.Test(subject, name, arguments, tokens.since(first));
        return negated ? new Expression.Not(test, tokens.since(first)) : test;
    }

    private boolean startsArgument() {
        return switch (tokens.current().type()) {
            case NAME -> !tokens.isName("else") && !tokens.isName("or") && !tokens.isName("and");
            case STRING, INTEGER, FLOAT, OPEN_BRACKET, OPEN_BRACE -> true;
            default -> false;
        };
    }
}
