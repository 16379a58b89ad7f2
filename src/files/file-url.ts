const FILES = '/api/files/';
/** As `newFileToken` makes them. */
const TOKEN = /^[\w-]{32}$/;

/** Where a file is served to whoever knows its token; `publicUrl` has no slash at the end. */
export function fileUrl(publicUrl: string, token: string): string {
  return `${publicUrl}${FILES}${token}`;
}

/** The token in such a URL; null: it is of something else. */
export function tokenIn(publicUrl: string, url: string): string | null {
  const start = `${publicUrl}${FILES}`;
  const token = url.startsWith(start) ? url.slice(start.length) : '';
  return TOKEN.test(token) ? token : null;
}
