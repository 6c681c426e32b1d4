package io.glyphgate.proxy.config;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** The configuration cannot be used. The message has a line for each problem. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final List<Problem> problems;

    /**
     * A refusal.
     *
     * @param problems at least one
     */
    public ConfigException(List<Problem> problems) {
        this.problems = problems.stream().sorted(Comparator.comparing(Problem::place)).toList();
        if (problems.isEmpty()) {
            throw new IllegalArgumentException("a configuration without problems must not be refused");
        }
    }

    /** The problems, in the order of the file. */
    public List<Problem> problems() {
        return problems;
    }

    @Override
    public String getMessage() {
        return problems.stream().map(Problem::toString).collect(Collectors.joining("\n"));
    }
}
