import { quotedEnd } from '../message/list-header.ts';

/** A server's Digest challenge (RFC 7616 section 3.3, RFC 8760). */
export interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | null;
  readonly algorithm: DigestAlgorithm;
  /** True when the server offers qop=auth, false when it offers no qop (RFC 2069). */
  readonly qopAuth: boolean;
  readonly stale: boolean;
}

export type DigestAlgorithm = 'MD5' | 'MD5-sess' | 'SHA-256' | 'SHA-256-sess';

/** Requests repeat realm, nonce and opaque and must fit into a datagram. */
const MAX_CHALLENGE_CHARACTERS = 4_096;

const BETWEEN_FIELDS = ' \t,';

/** From weakest to strongest. */
const STRENGTH: readonly DigestAlgorithm[] = ['MD5', 'MD5-sess', 'SHA-256', 'SHA-256-sess'];

/** Parses one WWW-Authenticate or Proxy-Authenticate value; null when we cannot answer it. */
export function parseChallenge(value: string): DigestChallenge | null {
  const scheme = /^\s*Digest\s/i.exec(value);
  if (scheme === null || value.length > MAX_CHALLENGE_CHARACTERS) return null;
  const fields = parseFields(value.slice(scheme[0].length));
  const algorithm = algorithmNamed(fields.get('algorithm') ?? 'MD5');
  const realm = fields.get('realm');
  const nonce = fields.get('nonce');
  if (algorithm === null || realm === undefined || nonce === undefined) return null;
  const qops = fields
    .get('qop')
    ?.split(',')
    .map((qop) => qop.trim().toLowerCase());
  if (qops !== undefined && !qops.includes('auth')) return null;
  return {
    realm,
    nonce,
    opaque: fields.get('opaque') ?? null,
    algorithm,
    qopAuth: qops !== undefined,
    stale: fields.get('stale')?.toLowerCase() === 'true',
  };
}

/** Parses `name=value` and `name="value"` fields up to the first text that is neither. */
function parseFields(body: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = skip(body, 0, BETWEEN_FIELDS); at < body.length; ) {
    const equals = body.indexOf('=', at);
    if (equals < 0) break;
    const valueAt = skip(body, equals + 1, ' \t');
    const isQuoted = body[valueAt] === '"';
    const end = isQuoted ? quotedEnd(body, valueAt) : plainEnd(body, valueAt);
    if (end < 0) break;
    const text = isQuoted ? unquoted(body.slice(valueAt, end)) : body.slice(valueAt, end);
    fields.set(lastWord(body.slice(at, equals)).toLowerCase(), text);
    at = skip(body, end, BETWEEN_FIELDS);
  }
  return fields;
}

function skip(text: string, from: number, characters: string): number {
  let at = from;
  while (at < text.length && characters.includes(text[at]!)) at++;
  return at;
}

function plainEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !' \t,"'.includes(text[at]!)) at++;
  return at;
}

/** Returns the field name, which words without a value may precede. */
function lastWord(text: string): string {
  return text.trim().split(/[\s,]/).at(-1)!;
}

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, '$1');
}

function algorithmNamed(name: string): DigestAlgorithm | null {
  return STRENGTH.find((each) => each.toLowerCase() === name.toLowerCase()) ?? null;
}

/**
 * Chooses the challenges to answer: of each realm the strongest, then the server's first. That of `realm` (a trunk setting)
 * comes first.
 */
export function chooseChallenges(values: readonly string[], realm: string | null): DigestChallenge[] {
  const strongest = new Map<string, DigestChallenge>();
  for (const challenge of values.map(parseChallenge)) {
    const best = challenge === null ? undefined : strongest.get(challenge.realm);
    if (challenge !== null && (best === undefined || isStronger(challenge, best)))
      strongest.set(challenge.realm, challenge);
  }
  const rank = (challenge: DigestChallenge): number => (challenge.realm === realm ? 0 : 1);
  return [...strongest.values()].toSorted((one, other) => rank(one) - rank(other));
}

function isStronger(one: DigestChallenge, other: DigestChallenge): boolean {
  return STRENGTH.indexOf(one.algorithm) > STRENGTH.indexOf(other.algorithm);
}
