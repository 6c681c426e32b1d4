package io.glyphgate.proxy.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What tells a file, or the files of a folder, from what was there before. A text that means nothing else. */
public final class FileStamp {
    private static final String ABSENT = "absent";

    private FileStamp() {}

    /** What a small file says: its content counts, not where a link leads or when it was written. */
    public static String ofContent(Path file) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
            return HexFormat.of().formatHex(digest);
        } catch (IOException e) {
            return ABSENT + " (" + e + ")";
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    /** What a file is that is too large to be read often: the file that links lead to, its size and its time. */
    public static String of(Path file) {
        try {
            Path real = file.toRealPath();
            BasicFileAttributes attributes = Files.readAttributes(real, BasicFileAttributes.class);
            return real + " " + attributes.size() + " " + attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS) + " " + attributes.fileKey();
        } catch (IOException e) {
            return ABSENT;
        }
    }

    /** What the files of a folder are, those of its own folders not counted. */
    public static String ofFolder(Path folder, Predicate<Path> counted) {
        List<Path> files;
        try (Stream<Path> entries = Files.list(folder)) {
            files = entries.filter(counted).filter(Files::isRegularFile).sorted().toList();
        } catch (IOException e) {
            return ABSENT;
        }
        List<String> stamps = new ArrayList<>();
        files.forEach(file -> stamps.add(file.getFileName() + " " + of(file)));
        return String.join("\n", stamps);
    }
}
