const FILES = '/api/files/';
/** The format that `newFileToken` generates. */
const TOKEN = /^[\w-]{32}$/;

/** Returns the URL that serves a file to anyone who has its token. `publicUrl` has no trailing slash. */
export function fileUrl(publicUrl: string, token: string): string {
  return `${publicUrl}${FILES}${token}`;
}

/** Returns the token in a file URL. Null: the URL is not one of ours. */
export function tokenIn(publicUrl: string, url: string): string | null {
  const start = `${publicUrl}${FILES}`;
  const token = url.startsWith(start) ? url.slice(start.length) : '';
  return TOKEN.test(token) ? token : null;
}
