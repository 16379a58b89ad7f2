/** A Digest challenge as a server puts it (RFC 7616 section 3.3, RFC 8760). */
export interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | null;
  readonly algorithm: DigestAlgorithm;
  /** True: the server offers qop=auth; false: it offers none, in the manner of RFC 2069. */
  readonly qopAuth: boolean;
  readonly stale: boolean;
}

export type DigestAlgorithm = 'MD5' | 'MD5-sess' | 'SHA-256' | 'SHA-256-sess';

/** From weak to strong. */
const STRENGTH: readonly DigestAlgorithm[] = ['MD5', 'MD5-sess', 'SHA-256', 'SHA-256-sess'];

/** Parses one WWW-Authenticate or Proxy-Authenticate value; null when we cannot answer it. */
export function parseChallenge(value: string): DigestChallenge | null {
  const body = /^\s*Digest\s+(.*)$/is.exec(value)?.[1];
  if (body === undefined) return null;
  const fields = parseFields(body);
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

function parseFields(body: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const match of body.matchAll(/([a-z0-9_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi)) {
    fields.set(match[1]!.toLowerCase(), match[2]?.replace(/\\(.)/g, '$1') ?? match[3] ?? '');
  }
  return fields;
}

function algorithmNamed(name: string): DigestAlgorithm | null {
  return STRENGTH.find((each) => each.toLowerCase() === name.toLowerCase()) ?? null;
}

/**
 * The challenge to answer among several: those of `realm` (the trunk's setting) come first when there are any,
 * then the strongest algorithm; the server's order decides between equals.
 */
export function chooseChallenge(values: readonly string[], realm: string | null): DigestChallenge | null {
  const challenges = values.map(parseChallenge).filter((challenge) => challenge !== null);
  const ofRealm = challenges.filter((challenge) => challenge.realm === realm);
  const candidates = ofRealm.length > 0 ? ofRealm : challenges;
  return candidates.reduce<DigestChallenge | null>(
    (best, each) =>
      best === null || STRENGTH.indexOf(each.algorithm) > STRENGTH.indexOf(best.algorithm) ? each : best,
    null,
  );
}
