/** The value of a cookie in a request's `Cookie` header (RFC 6265, section 5.4); empty when there is none. */
export function cookieNamed(name: string, cookieHeader: string): string {
  for (const pair of cookieHeader.split(';')) {
    const equals = pair.indexOf('=');
    if (pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return '';
}
