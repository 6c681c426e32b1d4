package io.glyphgate.jinja.template;

import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.syntax.ContentParts;
import io.glyphgate.jinja.syntax.Source;
import io.glyphgate.jinja.syntax.Statement;
import io.glyphgate.jinja.syntax.TemplateParser;
import io.glyphgate.jinja.tree.Program;
import io.glyphgate.jinja.tree.Rendering;
import io.glyphgate.jinja.tree.StatementCompiler;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A compiled chat template. It never changes, so many threads may render it at once.
 *
 * <pre>{@code
 * Template template = Template.compile("{{ messages[0].content | trim }}");
 * String text = template.render(Map.of("messages", List.of(Map.of("content", " Hi "))), LocalDateTime.now());
 * }</pre>
 */
public final class Template {
    private final Program program;
    private final boolean walksContentParts;

    private Template(Program program, boolean walksContentParts) {
        this.program = program;
        this.walksContentParts = walksContentParts;
    }

    /**
     * Compiles a template.
     *
     * @param text the template as its file holds it
     * @throws TemplateException if it is no valid template
     */
    public static Template compile(String text) {
        Source source = Source.of(text);
        List<Statement> statements = TemplateParser.parse(source);
        return new Template(StatementCompiler.compile(statements, source), ContentParts.areWalkedBy(statements));
    }

    /** Whether the template loops over the parts of a message's content, so wants them as they were sent. */
    public boolean walksContentParts() {
        return walksContentParts;
    }

    /**
     * Renders the template.
     *
     * @param variables what it can read, by name: String, Boolean, Integer, Long, BigInteger, Double, null, List, and Map
     *     from String in its own order; nothing is changed
     * @param now the wall-clock time that {@code strftime_now} shows
     * @return the text
     * @throws TemplateException if the template fails on these variables, refuses them, or takes more than it may
     * @throws IllegalArgumentException if the template reads a variable that holds a value of another type
     */
    public String render(Map<String, ? extends @Nullable Object> variables, LocalDateTime now) {
        return program.run(new Rendering(variables, now));
    }
}
