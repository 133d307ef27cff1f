package dev.holdfast.lock.architecture;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.GenericDeclaration;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.TypeVariable;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Types, modifiers and annotations as text that is the same on every JDK. Types of java.lang go without their package. */
final class Signature {

    private Signature() {}

    /** The type with its arguments, its bounds, and the annotations of each part, nullness included. */
    static String of(AnnotatedType type) {
        if (type instanceof AnnotatedArrayType array) {
            String own = annotations(type);
            return of(array.getAnnotatedGenericComponentType()) + (own.isEmpty() ? "" : " " + own) + "[]";
        } else if (type instanceof AnnotatedParameterizedType parameterized) {
            Class<?> raw = (Class<?>) ((ParameterizedType) type.getType()).getRawType();
            return annotations(type) + name(raw) + "<" + all(parameterized.getAnnotatedActualTypeArguments(), ", ")
                    + ">";
        } else if (type instanceof AnnotatedWildcardType wildcard) {
            AnnotatedType[] lower = wildcard.getAnnotatedLowerBounds();
            return annotations(type) + "?"
                    + (lower.length > 0 ? " super " + all(lower, " & ") : bounds(wildcard.getAnnotatedUpperBounds()));
        } else if (type.getType() instanceof Class<?> plain) {
            return annotations(type) + name(plain);
        }
        return annotations(type) + type.getType().getTypeName(); // a variable
    }

    static String all(AnnotatedType[] types, String between) {
        return Stream.of(types).map(Signature::of).collect(Collectors.joining(between));
    }

    private static String bounds(AnnotatedType[] upper) {
        String bounds = all(upper, " & ");
        return bounds.isEmpty() || bounds.equals("Object") ? "" : " extends " + bounds;
    }

    /** {@code <T extends …>}, or an empty text. */
    static String variables(GenericDeclaration declaration) {
        TypeVariable<?>[] variables = declaration.getTypeParameters();
        return variables.length == 0
                ? ""
                : Stream.of(variables)
                        .map(each -> each.getName() + bounds(each.getAnnotatedBounds()))
                        .collect(Collectors.joining(", ", "<", ">"));
    }

    static String name(Class<?> type) {
        String name = type.getCanonicalName();
        String home = "java.lang.";
        return name.startsWith(home) && name.indexOf('.', home.length()) < 0 ? name.substring(home.length()) : name;
    }

    /** The runtime annotations, each followed by a space. */
    static String annotations(AnnotatedElement element) {
        return Stream.of(element.getDeclaredAnnotations())
                .map(Annotation::annotationType)
                .map(each -> "@" + each.getSimpleName() + " ")
                .sorted(Comparator.naturalOrder())
                .collect(Collectors.joining());
    }

    /** The modifiers that matter to users, each followed by a space; without {@code protected} an element is public. */
    static String modifiers(int modifiers) {
        int ours = modifiers & (Modifier.PROTECTED | Modifier.STATIC | Modifier.ABSTRACT | Modifier.FINAL);
        String text = Modifier.toString(ours);
        return text.isEmpty() ? "" : text + " ";
    }

    /** {@code word one, another} with a space before it, or an empty text. */
    static String clause(String word, List<String> types) {
        return types.isEmpty() ? "" : " " + word + " " + String.join(", ", types);
    }
}
