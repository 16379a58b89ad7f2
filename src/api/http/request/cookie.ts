/** The value of a cookie in the `Cookie` header (RFC 6265, section 5.4); empty if absent. */
export function cookieNamed(name: string, cookieHeader: string): string {
  // Searched by name, because a header can hold 32,000 empty cookies.
  for (let at = cookieHeader.indexOf(name); at >= 0; at = cookieHeader.indexOf(name, at + name.length)) {
    if (!beginsCookie(cookieHeader, at)) continue;
    const equals = afterSpaces(cookieHeader, at + name.length);
    if (cookieHeader[equals] !== '=') continue;
    const end = cookieHeader.indexOf(';', equals);
    return cookieHeader.slice(equals + 1, end < 0 ? undefined : end).trim();
  }
  return '';
}

/** Whether only spaces separate `at` from the previous cookie. */
function beginsCookie(text: string, at: number): boolean {
  let before = at - 1;
  while (isSpace(text[before])) before -= 1;
  return before < 0 || text[before] === ';';
}

function afterSpaces(text: string, at: number): number {
  let after = at;
  while (isSpace(text[after])) after += 1;
  return after;
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
