/** Characters to replace in the plain ASCII name. */
const PLAIN = /[^\w !#$&+.^`|~()[\]{}@,=-]/g;
/** Characters that encodeURIComponent leaves but RFC 8187 requires to be encoded. */
const UNENCODED = /['()*]/g;

/**
 * The `Content-Disposition` header that makes browsers save a file and never display it: an ASCII name for old clients,
 * then the real name (RFC 6266, appendix D). Returns one line of ASCII.
 */
export function attachmentDisposition(name: string): string {
  const plain = name.replace(PLAIN, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    UNENCODED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
