package io.glyphgate.jinja.template;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.jinja.TemplateException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same text as the real Jinja, byte by byte; where that fails, a failure. */
class GoldenTest {
    @ParameterizedTest
    @CsvSource({"probes, 121", "own-probes, 1600"})
    void smallTemplates(String file, int atLeast) {
        List<Goldens.Golden> goldens = Goldens.read(file);
        assertThat(goldens).hasSizeGreaterThanOrEqualTo(atLeast);
        assertThat(differences(goldens, new HashMap<>())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"templates, 100", "conversations, 600"})
    void realTemplates(String file, int atLeast) {
        List<Goldens.Golden> goldens = Goldens.read(file);
        assertThat(goldens).hasSizeGreaterThanOrEqualTo(atLeast);
        Map<String, Template> compiled = new HashMap<>();
        for (Goldens.Golden golden : goldens) {
            compiled.computeIfAbsent(golden.template(), name -> Template.compile(Goldens.templateFile(name)));
        }
        assertThat(differences(goldens, compiled)).isEmpty();
    }

    @Test
    void failuresSayWhatPythonSays() {
        List<String> differences = new ArrayList<>();
        for (Goldens.Golden golden : Goldens.read("probes")) {
            if (golden.fails() && render(golden, Map.of()) instanceof TemplateException failure
                    && !failure.reason().equals(golden.expect().path("message").asText())) {
                differences.add(golden.id() + ": " + failure.reason());
            }
        }
        assertThat(differences).isEmpty();
    }

    private static List<String> differences(List<Goldens.Golden> goldens, Map<String, Template> compiled) {
        List<String> differences = new ArrayList<>();
        for (Goldens.Golden golden : goldens) {
            Object rendered = render(golden, compiled);
            boolean same = golden.fails()
                    ? rendered instanceof TemplateException
                    : rendered.equals(golden.text());
            if (!same) {
                differences.add(golden.id() + " " + golden.template() + "\n  wanted " + golden.expect() + "\n  but got "
                        + rendered);
            }
        }
        return differences;
    }

    private static Object render(Goldens.Golden golden, Map<String, Template> compiled) {
        try {
            Template known = compiled.get(golden.template());
            Template template = known == null ? Template.compile(golden.template()) : known;
            return template.render(golden.variables(), golden.now());
        } catch (TemplateException e) {
            return e;
        }
    }
}
