package io.glyphgate.jinja.tree;

import io.glyphgate.jinja.Budget;

/** Text that is being written: that of the template, of a macro, or of a block. */
final class Output {
    private final StringBuilder text = new StringBuilder();
    private final Budget budget;

    Output(Budget budget) {
        this.budget = budget;
    }

    void append(String part) {
        budget.text(part.length());
        budget.growing(text.length() + part.length());
        text.append(part);
    }

    String text() {
        return text.toString();
    }
}
