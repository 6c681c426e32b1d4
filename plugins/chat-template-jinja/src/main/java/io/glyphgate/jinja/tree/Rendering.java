package io.glyphgate.jinja.tree;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.builtin.Globals;
import io.glyphgate.jinja.value.Adoption;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One rendering: what was given to it, and what it has used up. */
public final class Rendering {
    private final Map<String, ? extends @Nullable Object> variables;
    private final LocalDateTime now;
    private final Map<String, Object> adopted = new HashMap<>();
    private final Budget budget = new Budget();

    /**
     * A rendering.
     *
     * @param variables what the template can read
     * @param now what {@code strftime_now} shows
     */
    public Rendering(Map<String, ? extends @Nullable Object> variables, LocalDateTime now) {
        this.variables = variables;
        this.now = now;
    }

    Budget budget() {
        return budget;
    }

    /** What a name stands for that the template does not set: a variable, then a global; null if neither. */
    @Nullable Object resolve(String name) {
        return variables.containsKey(name)
                ? adopted.computeIfAbsent(name, unseen -> Adoption.adopt(variables.get(unseen)))
                : Globals.find(name, now);
    }
}
