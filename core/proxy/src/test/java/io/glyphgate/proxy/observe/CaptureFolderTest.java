package io.glyphgate.proxy.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.proxy.observe.CaptureFolder.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureFolderTest {
    @TempDir
    private Path folder;

    @Test
    void keepsTheNewestFiles() throws IOException {
        CaptureFolder captures = CaptureFolder.open(folder, 3, 1000);
        try (captures) {
            IntStream.range(0, 10).forEach(i -> captures.offer("r" + i, 0, 1, () -> bytes("content " + i)));
        }
        assertThat(contents()).containsExactly("content 7", "content 8", "content 9");
        assertThat(captures.count(Result.WRITTEN)).isEqualTo(10);

        try (CaptureFolder again = CaptureFolder.open(folder, 3, 1000)) {
            again.offer("r", 0, 1, () -> bytes("after a restart"));
        }
        assertThat(contents()).containsExactly("content 8", "content 9", "after a restart");
    }

    @Test
    void keepsAsManyBytesAsItMay() throws IOException {
        CaptureFolder captures = CaptureFolder.open(folder, 100, 25);
        try (captures) {
            captures.offer("r", 0, 1, () -> bytes("a".repeat(10)));
            captures.offer("r", 0, 1, () -> bytes("b".repeat(10)));
            captures.offer("r", 0, 1, () -> bytes("c".repeat(26)));
            captures.offer("r", 0, 1, () -> bytes("d".repeat(10)));
        }
        assertThat(contents()).containsExactly("b".repeat(10), "d".repeat(10));
        assertThat(captures.count(Result.DROPPED)).isEqualTo(1);
    }

    @Test
    void leavesOtherFilesAlone() throws IOException {
        Path other = Files.writeString(folder.resolve("notes.json"), "mine");
        try (CaptureFolder captures = CaptureFolder.open(folder, 1, 10)) {
            IntStream.range(0, 3).forEach(i -> captures.offer("r", 0, 1, () -> bytes("c" + i)));
        }
        assertThat(other).hasContent("mine");
        assertThat(contents()).containsExactlyInAnyOrder("mine", "c2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../../etc/passwd", "a/b\\c:d\0e", "", ".", "\uD800", "<script>"})
    void noRequestDecidesTheNameOfAFile(String requestId) throws IOException {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        try (CaptureFolder captures = CaptureFolder.open(inner, 10, 1000)) {
            captures.offer(requestId, 7, 1, () -> bytes("x"));
        }
        try (Stream<Path> all = Files.walk(folder)) {
            List<Path> files = all.filter(Files::isRegularFile).toList();
            assertThat(files).singleElement().satisfies(file -> {
                assertThat(file.getParent()).isEqualTo(inner);
                assertThat(file.getFileName().toString()).matches("[0-9]{8}T[0-9]{9}Z-000001-[0-9a-f]{16}-7\\.json");
            });
        }
    }

    @Test
    void theNameHoldsTheHashOfTheRequestsId() throws IOException {
        try (CaptureFolder captures = CaptureFolder.open(folder, 10, 1000)) {
            captures.offer("abc", 0, 1, () -> bytes("x"));
        }
        assertThat(folder).isDirectoryContaining("glob:**-ba7816bf8f01cfea-0.json"); // sha256 of "abc"
    }

    @Test
    void onlyTheOwnerReadsAFile() throws IOException {
        try (CaptureFolder captures = CaptureFolder.open(folder, 10, 1000)) {
            captures.offer("abc", 0, 1, () -> bytes("x"));
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).singleElement().satisfies(file ->
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------"));
        }
    }

    @Test
    void aFolderThatCannotBeUsedIsAnErrorAtOnce() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> CaptureFolder.open(folder.resolve("nowhere"), 1, 1)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> CaptureFolder.open(file, 1, 1)).isInstanceOf(FileSystemException.class);
    }

    @Test
    void aFolderThatVanishesIsCountedAndTakenUpWhenItIsBack() throws IOException {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        CountDownLatch gone = new CountDownLatch(1);
        CountDownLatch back = new CountDownLatch(1);
        CaptureFolder captures = CaptureFolder.open(inner, 10, 1000);
        try (captures) {
            captures.offer("r", 0, 1, () -> bytes("before"));
            captures.offer("r", 0, 1, () -> after(gone, "while it is gone"));
            captures.offer("r", 0, 1, () -> after(back, "after"));
            eventually(() -> captures.count(Result.WRITTEN) == 1);
            empty(inner);
            Files.delete(inner);
            gone.countDown();
            eventually(() -> captures.count(Result.FAILED) == 1);
            Files.createDirectory(inner);
            back.countDown();
        }
        assertThat(captures.count(Result.WRITTEN)).isEqualTo(2);
        assertThat(inner).isDirectoryContaining("glob:**.json");
    }

    @Test
    void contentThatCannotBeMadeIsCounted() throws IOException {
        CaptureFolder captures = CaptureFolder.open(folder, 10, 1000);
        try (captures) {
            captures.offer("r", 0, 1, () -> {
                throw new IllegalStateException("no content");
            });
            captures.offer("r", 0, 1, () -> bytes("x"));
        }
        assertThat(captures.count(Result.FAILED)).isEqualTo(1);
        assertThat(captures.count(Result.WRITTEN)).isEqualTo(1);
    }

    @Test
    void whatIsTooMuchAtOnceIsDroppedAndNobodyWaits() throws IOException {
        CountDownLatch disk = new CountDownLatch(1);
        CaptureFolder captures = CaptureFolder.open(folder, 10, 1000);
        try (captures) {
            IntStream.range(0, 3).forEach(i -> captures.offer("r", 0, 30L << 20, () -> after(disk, "heavy")));
            assertThat(captures.count(Result.DROPPED)).as("more than 64 MiB").isEqualTo(1);
            IntStream.range(0, 1000).forEach(i -> captures.offer("r", 0, 1, () -> after(disk, "light")));
            assertThat(captures.count(Result.DROPPED)).as("more than 256 files").isGreaterThan(700);
            disk.countDown();
        }
        assertThat(captures.count(Result.WRITTEN) + captures.count(Result.DROPPED)).isEqualTo(1003);
        captures.offer("r", 0, 1, () -> bytes("too late"));
        assertThat(captures.count(Result.WRITTEN) + captures.count(Result.DROPPED)).isEqualTo(1004);
    }

    private static byte[] after(CountDownLatch latch, String text) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return bytes(text);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void eventually(BooleanSupplier condition) {
        long end = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("20 s are over").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private static void empty(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }

    private List<String> contents() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().map(file -> {
                try {
                    return Files.readString(file);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }).toList();
        }
    }
}
