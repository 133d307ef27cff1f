package dev.holdfast.lock.spring.boot.slices;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application whose slices are tested. */
@SpringBootApplication
class Shop {}
