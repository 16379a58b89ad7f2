import { addressPlace } from './list-header.ts';

/**
 * A parsed SIP, SIPS or TEL URI (RFC 3261 section 19.1, RFC 3966). For `tel:`, `user` is the number and `host` is
 * empty.
 */
export interface SipUri {
  readonly scheme: 'sip' | 'sips' | 'tel';
  readonly user: string;
  /** Everything after the first `;` of the user part, undecoded (RFC 3261 section 19.1.6); empty for `tel:`. */
  readonly userParameters: string;
  /** Whether the user part has a password, which nothing here uses. */
  readonly hasPassword: boolean;
  readonly host: string;
  readonly port: number | null;
  /** Everything after the first `;` of the host part. */
  readonly parameters: string;
  /** Everything after the `?`: headers of the request, which are not followed. */
  readonly headers: string;
}

const HOST_PART = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::(\d{1,5}))?(?:;([^?]*))?(?:\?(.*))?$/i;

/** Parses a bare URI; null when it has another scheme or is malformed. */
export function parseSipUri(text: string): SipUri | null {
  const scheme = /^(sips?|tel):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || /[\s<>"]/.test(text)) return null;
  const rest = text.slice(scheme.length + 1);
  return scheme === 'tel' ? parseTel(rest) : parseHostUri(scheme === 'sips' ? 'sips' : 'sip', rest);
}

function parseTel(rest: string): SipUri | null {
  const [number = '', ...parameters] = rest.split(';');
  if (!/^\+?[0-9a-f*#().-]+$/i.test(number)) return null;
  return {
    scheme: 'tel',
    user: number,
    userParameters: '',
    hasPassword: false,
    host: '',
    port: null,
    parameters: parameters.join(';'),
    headers: '',
  };
}

function parseHostUri(scheme: 'sip' | 'sips', rest: string): SipUri | null {
  const at = rest.lastIndexOf('@');
  const match = HOST_PART.exec(rest.slice(at + 1));
  if (match === null) return null;
  const port = match[2] === undefined ? null : Number(match[2]);
  if (port !== null && (port === 0 || port > 65_535)) return null;
  const userInfo = rest.slice(0, Math.max(at, 0));
  const parametersAt = userInfo.indexOf(';');
  return {
    scheme,
    user: userOf(userInfo),
    userParameters: parametersAt < 0 ? '' : userInfo.slice(parametersAt + 1),
    hasPassword: userInfo.split(';', 1)[0]!.includes(':'),
    host: match[1]!,
    port,
    parameters: match[3] ?? '',
    headers: match[4] ?? '',
  };
}

/** Drops a password (`user:secret`) and telephone-subscriber parameters (`+33;phone-context=…`). */
function userOf(userInfo: string): string {
  const user = userInfo.split(/[:;]/, 1)[0]!;
  try {
    return decodeURIComponent(user);
  } catch {
    return user;
  }
}

/** Returns the URI in a From, To, Contact, Route or Diversion value, with or without angle brackets. */
export function uriInHeader(value: string): string {
  const { start, end } = addressPlace(value);
  return value.slice(start, end).trim();
}

/** Patterns of the header parameters in use, compiled once because compiling takes longer than matching. */
const PARAMETERS = {
  tag: parameterPattern('tag'),
  expires: parameterPattern('expires'),
  q: parameterPattern('q'),
  party: parameterPattern('party'),
  privacy: parameterPattern('privacy'),
} as const;

function parameterPattern(name: string): RegExp {
  return new RegExp(`;\\s*${name}\\s*(?:=\\s*([^;,\\s]+))?(?=[;,\\s]|$)`, 'i');
}

/** Returns a parameter after the URI of a header value, such as From's tag; null when absent. */
export function headerParameter(value: string, name: keyof typeof PARAMETERS): string | null {
  const match = PARAMETERS[name].exec(value.slice(addressPlace(value).parametersAt));
  return match ? (match[1] ?? '') : null;
}

/** Puts an IPv6 address in brackets, as URIs and Via require. */
export function hostInUri(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
