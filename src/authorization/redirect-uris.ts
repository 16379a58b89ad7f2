const MAX_LENGTH = 2_048;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** A private-use scheme, followed by a host or a path (RFC 8252, section 7.1): `a://b`, `a.b.c:/d`. */
const PRIVATE_USE = /^[a-z][a-z0-9+.-]+:\//;

/**
 * Schemes that are never private-use: those that execute or display their content, those internal to browsers, those
 * that start a program of the operating system with an argument, and those of other protocols.
 */
const NEVER: ReadonlySet<string> = new Set(
  `javascript vbscript livescript mocha data blob filesystem file jar view-source view about resource
  chrome chrome-extension chrome-search chrome-untrusted devtools edge brave opera vivaldi moz-extension moz-icon
  safari-extension safari-web-extension webkit ms-browser-extension res mk mhtml ms-its its hcp help help2 shell
  intent android-app content itms itms-apps itms-services market search search-ms
  http ws wss ftp ftps sftp tftp ssh telnet tn3270 rlogin ldap ldaps smb cifs nfs afp dav davs webdav webdavs imap
  imaps pop pop3 nntp news snews gopher wais irc ircs xmpp rtsp rtsps rtmp mms sip sips tel callto sms smsto mailto
  facetime facetime-audio geo maps magnet git svn rsync vnc rdp cid mid urn dict dns feed finger
  applescript prefs app-prefs x-man-page`.split(/\s+/),
);
/** Prefixes of schemes of operating systems and their vendors. Some Windows handlers executed their argument. */
const NEVER_PREFIX = /^(?:ms-|microsoft-|windows-|microsoft\.windows\.|x-apple|com\.apple\.)/;

/**
 * Whether a redirect URI is allowed: https, http to a loopback host, or a private-use scheme (RFC 8252, section 7). It
 * must have no fragment and no credentials, and be in normalized form, so that every parser reads it alike.
 */
export function isRedirectUri(text: string): boolean {
  const url = text.length <= MAX_LENGTH && URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.href !== text && url.href !== `${text}/`)) return false;
  if (url.hash !== '' || text.includes('#') || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || isLoopback(url) || isPrivateUse(url);
}

/** Whether the redirect URI has a private-use scheme. */
export function isPrivateUseRedirect(redirectUri: string): boolean {
  return isPrivateUse(new URL(redirectUri));
}

/** Whether a requested redirect URI matches a registered one: equal, or on loopback equal except for the port. */
export function isSameRedirect(known: string, asked: string): boolean {
  if (known === asked) return true;
  const [one, other] = [new URL(known), new URL(asked)];
  return isLoopback(one) && isLoopback(other) && withoutPort(one) === withoutPort(other);
}

/** Whether the redirect URI leads to a program on the person's own machine. */
export function isLoopbackRedirect(redirectUri: string): boolean {
  return isLoopback(new URL(redirectUri));
}

/** Returns the redirect URI with the answer in its query. Leaves out empty values. */
export function redirectTo(redirectUri: string, answer: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(answer).filter(([, value]) => value !== '')).toString();
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`;
}

function isPrivateUse({ protocol, href }: URL): boolean {
  const scheme = protocol.slice(0, -1);
  return scheme !== 'https' && PRIVATE_USE.test(href) && !NEVER.has(scheme) && !NEVER_PREFIX.test(scheme);
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && LOOPBACK.has(hostname);
}

function withoutPort(url: URL): string {
  const copy = new URL(url);
  copy.port = '';
  return copy.href;
}
