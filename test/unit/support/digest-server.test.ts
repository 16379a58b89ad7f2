import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type DigestAlgorithm, DigestServer } from '../../support/digest-server.ts';

const REQUEST = { method: 'REGISTER', uri: 'sip:registrar.test' };

/** A client that follows RFC 7616 section 3.4.1 literally. */
function credentials(challenge: Record<string, string>, password: string, count: number, changes = {}) {
  const hash = (text: string) =>
    createHash(challenge.algorithm === 'MD5' ? 'md5' : 'sha256')
      .update(text)
      .digest('hex');
  const plain = (name: string) => (challenge[name] ?? '').replaceAll('"', '');
  const nc = count.toString(16).padStart(8, '0');
  const ha1 = hash(`alice:${plain('realm')}:${password}`);
  const ha2 = hash(`${REQUEST.method}:${REQUEST.uri}`);
  const response = hash(`${ha1}:${plain('nonce')}:${nc}:c0ffee:auth:${ha2}`);
  const { realm = '', nonce = '', opaque = '', algorithm = '' } = challenge;
  const quoted = {
    username: '"alice"',
    uri: `"${REQUEST.uri}"`,
    response: `"${response}"`,
    cnonce: '"c0ffee"',
  };
  return [{ scheme: 'Digest', realm, nonce, opaque, algorithm, nc, qop: 'auth', ...quoted, ...changes }];
}

function challengeOf(server: DigestServer, algorithm: DigestAlgorithm): Record<string, string> {
  const challenge = server.challenges(false).find((offered) => offered.algorithm === algorithm);
  if (challenge === undefined) throw new Error('not offered');
  return challenge;
}

const open = (nonceUses = 9) =>
  new DigestServer({ realm: 'registrar.test', algorithms: ['SHA-256', 'MD5'], nonceUses });
const passwordOf = (name: string) => (name === 'alice' ? 'secret' : null);

describe('DigestServer', () => {
  it.each(['MD5', 'SHA-256'] as const)('accepts the right password by %s', (algorithm) => {
    const server = open();
    const challenge = challengeOf(server, algorithm);
    const verdict = server.verify(credentials(challenge, 'secret', 1), REQUEST, passwordOf);
    expect(verdict).toEqual({ accepted: true, algorithm });
  });

  it.each([
    ['wrong response', {}, 'wrong'],
    ['qop auth-int was not offered', { qop: 'auth-int' }, 'secret'],
    ['no cnonce', { cnonce: '""' }, 'secret'],
    ['opaque was not returned', { opaque: '"other"' }, 'secret'],
    ['unknown user bob', { username: '"bob"' }, 'secret'],
    ['nc 1 is not eight hex digits', { nc: '1' }, 'secret'],
  ])('refuses: %s', (why, changes, password) => {
    const server = open();
    const given = credentials(challengeOf(server, 'MD5'), password, 1, changes);
    expect(server.verify(given, REQUEST, passwordOf)).toEqual({
      accepted: false,
      stale: false,
      why,
    });
  });

  it('refuses a replay and takes the next count', () => {
    const server = open();
    const challenge = challengeOf(server, 'SHA-256');
    expect(server.verify(credentials(challenge, 'secret', 1), REQUEST, passwordOf).accepted).toBe(true);
    expect(server.verify(credentials(challenge, 'secret', 1), REQUEST, passwordOf).accepted).toBe(false);
    expect(server.verify(credentials(challenge, 'secret', 2), REQUEST, passwordOf).accepted).toBe(true);
  });

  it('reports a used-up nonce as stale', () => {
    const server = open(1);
    const challenge = challengeOf(server, 'MD5');
    expect(server.verify(credentials(challenge, 'secret', 1), REQUEST, passwordOf).accepted).toBe(true);
    const verdict = server.verify(credentials(challenge, 'secret', 2), REQUEST, passwordOf);
    expect(verdict).toMatchObject({ accepted: false, stale: true });
  });
});
