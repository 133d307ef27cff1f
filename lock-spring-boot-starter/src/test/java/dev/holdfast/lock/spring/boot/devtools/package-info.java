/** An application that Boot's devtools restart. */
package dev.holdfast.lock.spring.boot.devtools;
