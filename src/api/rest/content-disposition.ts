/** What stands in a quoted string as it is. */
const PLAIN = /[^\w !#$&+.^`|~()[\]{}@,=-]/g;
/** What encodeURIComponent leaves and RFC 8187 wants encoded. */
const UNENCODED = /['()*]/g;

/**
 * `Content-Disposition` of a file that is to be saved, never shown, whatever its name: an ASCII name for old clients,
 * then the real one (RFC 6266, appendix D). One line, in ASCII.
 */
export function attachmentDisposition(name: string): string {
  const plain = name.replace(PLAIN, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    UNENCODED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
