package io.glyphgate.bench;

import io.glyphgate.bench.Definitions.Way;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import javax.imageio.ImageIO;

/** Bars of the CPU time a token: the medians of all runs. */
final class Plot {
    private static final List<String> SCENARIOS = List.of("paced-8", "paced-32", "paced-128");
    private static final List<String> TITLES = List.of("8 streams", "32 streams", "128 streams");
    private static final Color OWN = new Color(0x1f, 0x77, 0xb4);
    private static final Color PEER = new Color(0xb0, 0xb0, 0xb0);
    private static final int WIDTH = 1200;
    private static final int LEFT = 190;
    private static final int BAR = 20;
    private static final int GAP = 8;

    private Plot() {}

    /** Draws a panel for each concurrency. */
    static void draw(Results results, List<Way> ways, Path file) throws IOException {
        System.setProperty("java.awt.headless", "true");
        List<Way> shown = new ArrayList<>();
        double most = 0;
        for (Way way : ways) {
            boolean any = false;
            for (String scenario : SCENARIOS) {
                OptionalDouble cpu = results.median(scenario, way.name(), Measured::cpuMicros);
                any |= cpu.isPresent();
                most = Math.max(most, cpu.orElse(0));
            }
            if (any) {
                shown.add(way);
            }
        }
        if (shown.isEmpty()) {
            return;
        }
        int height = 90 + shown.size() * (BAR + GAP);
        BufferedImage image = new BufferedImage(WIDTH, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, WIDTH, height);
        graphics.setColor(Color.BLACK);
        graphics.setFont(new Font(Font.SANS_SERIF, Font.BOLD, 15));
        graphics.drawString("CPU time per token, microseconds: less is better", 20, 24);
        graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 13));
        for (int i = 0; i < shown.size(); i++) {
            Way way = shown.get(i);
            graphics.drawString(way.own() ? "Glyphgate, " + way.name() : way.name(), 20, top(i) + BAR - 5);
        }
        int panel = (WIDTH - LEFT - 20) / SCENARIOS.size();
        for (int i = 0; i < SCENARIOS.size(); i++) {
            panel(graphics, results, shown, i, LEFT + i * panel, panel - 60, most);
        }
        graphics.dispose();
        ImageIO.write(image, "png", file.toFile());
    }

    private static int top(int row) {
        return 65 + row * (BAR + GAP);
    }

    private static void panel(
            Graphics2D graphics, Results results, List<Way> ways, int scenario, int left, int width, double most) {
        graphics.setColor(Color.BLACK);
        graphics.drawString(TITLES.get(scenario), left, 52);
        for (int row = 0; row < ways.size(); row++) {
            Way way = ways.get(row);
            OptionalDouble cpu = results.median(SCENARIOS.get(scenario), way.name(), Measured::cpuMicros);
            if (cpu.isEmpty()) {
                continue;
            }
            int length = (int) Math.round(width * cpu.getAsDouble() / most);
            graphics.setColor(way.own() ? OWN : PEER);
            graphics.fillRect(left, top(row), length, BAR);
            graphics.setColor(Color.BLACK);
            graphics.setStroke(new BasicStroke(1));
            graphics.drawString(String.format(Locale.ROOT, "%.0f", cpu.getAsDouble()), left + length + 5, top(row) + BAR - 5);
        }
    }
}
