package dev.holdfast.lock.spring.boot3.slices;

import org.springframework.data.repository.ListCrudRepository;

/** The application's repository. */
interface Articles extends ListCrudRepository<Article, Long> {}
