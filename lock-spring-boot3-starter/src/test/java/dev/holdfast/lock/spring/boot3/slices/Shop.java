package dev.holdfast.lock.spring.boot3.slices;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application whose slices are tested. */
@SpringBootApplication
class Shop {}
