package dev.holdfast.lock.spring.boot3.slices;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/** A row of the application's table; its id is null until it is saved. */
@Table // beside Spring Data Redis, to which the repository might belong
record Article(@Id Long id, String name) {}
