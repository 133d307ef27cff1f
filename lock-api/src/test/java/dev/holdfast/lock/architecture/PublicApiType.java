package dev.holdfast.lock.architecture;

import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One type as its users see it. */
final class PublicApiType {

    private PublicApiType() {}

    /** The kind of the type, its supertypes, and its permitted subtypes. */
    static String header(Class<?> type) {
        String permitted = Signature.clause(
                "permits",
                type.isSealed()
                        ? Stream.of(type.getPermittedSubclasses())
                                .map(Signature::name)
                                .sorted()
                                .toList()
                        : List.of());
        boolean plain = type.isInterface() || type.isEnum() || type.isRecord();
        int selfEvident = plain ? Modifier.ABSTRACT | Modifier.STATIC | Modifier.FINAL : 0;
        AnnotatedType above = type.getAnnotatedSuperclass();
        boolean extending = !plain && type.getSuperclass() != Object.class;
        List<String> interfaces =
                Stream.of(type.getAnnotatedInterfaces()).map(Signature::of).toList();
        return Signature.annotations(type)
                + Signature.modifiers(type.getModifiers() & ~selfEvident)
                + (type.isSealed() ? "sealed " : "")
                + kind(type)
                + Signature.variables(type)
                + components(type)
                + Signature.clause("extends", extending ? List.of(Signature.of(above)) : List.of())
                + Signature.clause(type.isInterface() ? "extends" : "implements", interfaces)
                + permitted;
    }

    private static String kind(Class<?> type) {
        if (type.isAnnotation()) {
            return "annotation";
        } else if (type.isInterface()) {
            return "interface";
        } else if (type.isEnum()) {
            return "enum";
        }
        return type.isRecord() ? "record" : "class";
    }

    private static String components(Class<?> type) {
        return type.isRecord()
                ? Stream.of(type.getRecordComponents())
                        .map(each -> Signature.of(each.getAnnotatedType()) + " " + each.getName())
                        .collect(Collectors.joining(", ", "(", ")"))
                : "";
    }

    /** The members, without those that every type of its kind has. */
    static Set<String> members(Class<?> type) {
        Set<String> members = new TreeSet<>();
        for (Class<?> each : withInvisibleAncestors(type)) {
            Stream.of(each.getDeclaredFields())
                    .filter(field -> PublicApi.isVisible(field.getModifiers()) && !field.isSynthetic())
                    .forEach(field -> members.add(field(field)));
            Stream.of(each.getDeclaredMethods())
                    .filter(method -> PublicApi.isVisible(method.getModifiers()) && !method.isSynthetic())
                    .filter(method -> each == type || !each.isInterface() || !Modifier.isStatic(method.getModifiers()))
                    .filter(method -> !isSelfEvident(method, type))
                    .forEach(method -> members.add(method(method)));
        }
        Stream.of(type.getDeclaredConstructors())
                .filter(constructor -> PublicApi.isVisible(constructor.getModifiers()) && !constructor.isSynthetic())
                .filter(constructor -> !isCanonical(constructor, type))
                .forEach(constructor -> members.add(constructor(constructor, type)));
        return members;
    }

    /** Members inherited from a type that users cannot name count as declared. */
    private static List<Class<?>> withInvisibleAncestors(Class<?> type) {
        List<Class<?>> all = new ArrayList<>(List.of(type));
        for (int at = 0; at < all.size(); at++) {
            Class<?> each = all.get(at);
            Stream.concat(Stream.ofNullable(each.getSuperclass()), Stream.of(each.getInterfaces()))
                    .filter(ancestor -> !PublicApi.isVisible(ancestor))
                    .forEach(all::add);
        }
        return all;
    }

    private static boolean isSelfEvident(Method method, Class<?> type) {
        Class<?>[] parameters = method.getParameterTypes();
        boolean ofObject = switch (method.getName()) {
            case "toString", "hashCode" -> parameters.length == 0;
            case "equals" -> Arrays.equals(parameters, new Class<?>[] {Object.class});
            default -> false;
        };
        boolean ofEnum = type.isEnum() && Set.of("values", "valueOf").contains(method.getName());
        boolean ofRecord = type.isRecord()
                && parameters.length == 0
                && Stream.of(type.getRecordComponents())
                        .anyMatch(each -> each.getName().equals(method.getName()));
        return ofObject || ofEnum || ofRecord;
    }

    private static boolean isCanonical(Constructor<?> constructor, Class<?> type) {
        return type.isRecord()
                && Modifier.isPublic(constructor.getModifiers())
                && Arrays.equals(
                        constructor.getParameterTypes(),
                        Stream.of(type.getRecordComponents())
                                .map(RecordComponent::getType)
                                .toArray());
    }

    private static String field(Field field) {
        String declared = field.isEnumConstant()
                ? ""
                : Signature.modifiers(field.getModifiers()) + Signature.of(field.getAnnotatedType()) + " ";
        return Signature.annotations(field) + declared + field.getName() + value(field);
    }

    /** The value of a constant, which compilers copy; the ordinal of an enum constant, as users see the order. */
    @SuppressWarnings("EnumOrdinal") // to be told when it changes
    private static String value(Field field) {
        boolean copied = field.getType().isPrimitive() || field.getType() == String.class;
        boolean constant = Modifier.isStatic(field.getModifiers()) && Modifier.isFinal(field.getModifiers());
        if (field.isEnumConstant()) {
            return " = " + ((Enum<?>) valueOf(field)).ordinal();
        }
        return copied && constant ? " = " + valueOf(field) : "";
    }

    private static Object valueOf(Field field) {
        try {
            field.setAccessible(true); // of a type that is not public itself
            return field.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String method(Method method) {
        String variables = Signature.variables(method);
        return Signature.annotations(method)
                + Signature.modifiers(method.getModifiers())
                + (method.isDefault() ? "default " : "")
                + (variables.isEmpty() ? "" : variables + " ")
                + Signature.of(method.getAnnotatedReturnType()) + " " + method.getName() + parameters(method);
    }

    private static String constructor(Constructor<?> constructor, Class<?> type) {
        return Signature.annotations(constructor)
                + Signature.modifiers(constructor.getModifiers())
                + type.getSimpleName()
                + parameters(constructor);
    }

    private static String parameters(Executable executable) {
        List<String> parameters = Stream.of(executable.getAnnotatedParameterTypes())
                .map(Signature::of)
                .collect(Collectors.toCollection(ArrayList::new));
        if (executable.isVarArgs()) {
            int last = parameters.size() - 1;
            parameters.set(last, parameters.get(last).replaceAll("\\[]$", "..."));
        }
        List<String> thrown = Stream.of(executable.getAnnotatedExceptionTypes())
                .map(Signature::of)
                .toList();
        return "(" + String.join(", ", parameters) + ")" + Signature.clause("throws", thrown);
    }
}
