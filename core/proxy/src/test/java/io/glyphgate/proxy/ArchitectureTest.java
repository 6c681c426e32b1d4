package io.glyphgate.proxy;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rooms of the proxy, and which of them may know which. */
class ArchitectureTest {
    private static final String BASE = "io.glyphgate.proxy";

    private static final JavaClasses CLASSES =
            new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()).importPackages(BASE);

    /** In the order of the house: a room knows none to its left, and of those to its right only the ones named here. */
    private enum Room {
        BOOT,
        CONFORMANCE,
        SOAK,
        SIMULATOR,
        HTTP,
        ANTHROPIC,
        OPENAI,
        TOKENIZE,
        GENERATE,
        ROUTE,
        RENDER,
        CHOICE,
        UPSTREAM,
        POOL,
        PLUGIN,
        FORMAT,
        WIRE,
        SECURE,
        LOOP,
        OBSERVE,
        CONFIG;

        Set<Room> mayKnow() {
            return switch (this) {
                case BOOT -> EnumSet.range(CONFORMANCE, CONFIG);
                case CONFORMANCE, SIMULATOR -> EnumSet.of(CHOICE, PLUGIN, WIRE);
                case HTTP -> EnumSet.of(ANTHROPIC, OPENAI, TOKENIZE, GENERATE, POOL, PLUGIN, WIRE, SECURE, LOOP, OBSERVE, CONFIG);
                case ANTHROPIC -> EnumSet.of(OPENAI, TOKENIZE, GENERATE, ROUTE, CHOICE, WIRE);
                case OPENAI -> EnumSet.of(TOKENIZE, GENERATE, ROUTE, CHOICE, PLUGIN, WIRE, OBSERVE);
                case TOKENIZE -> EnumSet.of(GENERATE, ROUTE, RENDER, UPSTREAM, POOL, WIRE, OBSERVE);
                case GENERATE -> EnumSet.range(ROUTE, CONFIG);
                case ROUTE -> EnumSet.of(RENDER, CHOICE, POOL, PLUGIN, WIRE, CONFIG);
                case RENDER -> EnumSet.of(WIRE);
                case CHOICE -> EnumSet.of(PLUGIN, WIRE);
                case UPSTREAM -> EnumSet.of(POOL, WIRE, SECURE, LOOP, OBSERVE, CONFIG);
                case POOL -> EnumSet.of(PLUGIN, SECURE, OBSERVE, CONFIG);
                case PLUGIN -> EnumSet.of(FORMAT, CONFIG);
                case FORMAT -> EnumSet.of(CONFIG);
                case SECURE -> EnumSet.of(OBSERVE, CONFIG);
                case SOAK, WIRE, LOOP, OBSERVE, CONFIG -> EnumSet.noneOf(Room.class);
            };
        }

        String packageName() {
            return BASE + "." + name().toLowerCase(Locale.ROOT);
        }

        String subtree() {
            return packageName() + "..";
        }

        static String[] subtrees(Collection<Room> rooms) {
            return rooms.stream().map(Room::subtree).toArray(String[]::new);
        }
    }

    @Test
    void theRoomsAreThesePackages() {
        Set<String> packages = new TreeSet<>();
        CLASSES.forEach(type -> packages.add(type.getPackageName()));

        assertThat(packages).isSubsetOf(Arrays.stream(Room.values()).map(Room::packageName).toList());
    }

    @ParameterizedTest
    @EnumSource
    void knowsOnlyRoomsToItsRight(Room room) {
        assertThat(room.mayKnow()).doesNotContainAnyElementsOf(EnumSet.range(Room.BOOT, room));
    }

    @ParameterizedTest
    @EnumSource
    void knowsOnlyTheRoomsThatItMay(Room room) {
        List<Room> others = new ArrayList<>(EnumSet.complementOf(EnumSet.of(room)));
        others.removeAll(room.mayKnow());

        noClasses()
                .that(resideInAnyPackage(room.subtree()))
                .should()
                .dependOnClassesThat(resideInAnyPackage(Room.subtrees(others)))
                .check(CLASSES);
    }

    @Test
    void noRoomsGoRound() {
        slices().matching(BASE + ".(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void librariesStayInTheirRooms() {
        only(EnumSet.of(Room.WIRE, Room.FORMAT, Room.CONFORMANCE, Room.SOAK, Room.SIMULATOR), "com.fasterxml.jackson..");
        only(EnumSet.of(Room.HTTP, Room.BOOT), "io.helidon.webserver..");
        only(EnumSet.of(Room.UPSTREAM), "io.helidon.webclient..");
        only(EnumSet.of(Room.CONFIG), "org.yaml..");
        only(EnumSet.of(Room.OBSERVE), "io.micrometer..");
        only(EnumSet.of(Room.BOOT), "picocli..");
        only(EnumSet.noneOf(Room.class), "ai.djl..");
    }

    @Test
    void thePluginsAreKnownByTheirInterfacesOnly() {
        only(EnumSet.noneOf(Room.class), "io.glyphgate.plugin..", "io.glyphgate.testkit..");
        only(EnumSet.of(Room.FORMAT), "io.glyphgate.toolkit..");
    }

    private static void only(Set<Room> rooms, String... libraries) {
        noClasses()
                .that(resideOutsideOfPackages(Room.subtrees(rooms)))
                .should()
                .dependOnClassesThat(resideInAnyPackage(libraries))
                .check(CLASSES);
    }
}
