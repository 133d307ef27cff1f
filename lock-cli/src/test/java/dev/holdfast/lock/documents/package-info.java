/** Documents tell the truth: their links, code, settings and names are checked against the product. Nothing else is tested here. */
package dev.holdfast.lock.documents;
