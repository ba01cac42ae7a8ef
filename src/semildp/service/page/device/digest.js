/** The name of a message: SHA-256 of its bytes. */

/**
 * Return SHA-256 of bytes, in lower-case hexadecimal.
 * @param {Uint8Array} bytes
 */
export async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return text as bytes in UTF-8. */
export function utf8(text) {
  return new TextEncoder().encode(text);
}
