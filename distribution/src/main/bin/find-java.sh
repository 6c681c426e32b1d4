# Sourced by the launchers: finds a Java that is new enough.

# Prints the major version of the Java installation in folder $1; 0 if it cannot be told.
java_version() {
    version=
    if [ -r "$1/release" ]; then
        version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release")
    elif [ -x "$1/bin/java" ]; then
        version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
    fi
    printf '%s\n' "${version:-0}"
}

# Prints the folder of the first Java of version 21 or newer that has the program $1 (java, or javac to build):
# $JAVA_HOME, the one on the PATH, then the newest in the folders where systems and SDKMAN put them. Fails, saying why,
# if there is none.
find_java() {
    on_path=$(command -v "$1") && on_path=$(dirname -- "$(dirname -- "$(readlink -f -- "$on_path")")")
    for folder in "${JAVA_HOME:-}" "$on_path"; do
        if [ -n "$folder" ] && [ -x "$folder/bin/$1" ] && [ "$(java_version "$folder")" -ge 21 ]; then
            printf '%s\n' "$folder"
            return
        fi
    done
    newest=
    newest_version=20
    for folder in /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* "${HOME:-}"/.jdks/* \
        "${HOME:-}"/.sdkman/candidates/java/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
        if [ -x "$folder/bin/$1" ]; then
            version=$(java_version "$folder")
            if [ "$version" -gt "$newest_version" ]; then
                newest=$folder
                newest_version=$version
            fi
        fi
    done
    if [ -z "$newest" ]; then
        printf 'glyphgate: no Java 21 or newer with the program %s. %s\n' "$1" \
            'Install a JDK (25 is recommended, for example Eclipse Temurin), or point JAVA_HOME to one.' >&2
        return 1
    fi
    printf '%s\n' "$newest"
}
