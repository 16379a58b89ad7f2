import { describe, expect, it } from 'vitest';
import {
  chooseChallenges,
  parseChallenge,
} from '../../../../../src/connectors/sip/signaling/digest/digest-challenge.ts';
import {
  authorization,
  DigestCredentials,
  digestResponse,
} from '../../../../../src/connectors/sip/signaling/digest/digest-credentials.ts';

/** RFC 7616 section 3.9.1. */
const RFC_7616 = {
  realm: 'http-auth@example.org',
  nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
  opaque: 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS',
  qopAuth: true,
  stale: false,
} as const;

const MUFASA = {
  username: 'Mufasa',
  password: 'Circle of Life',
  method: 'GET',
  uri: '/dir/index.html',
  cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
  nonceCount: 1,
};

describe('digest', () => {
  it.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ] as const)('computes the %s example of RFC 7616', (algorithm, response) => {
    expect(digestResponse({ ...RFC_7616, algorithm }, MUFASA)).toBe(response);
  });

  it('computes the example of RFC 2617, and its variant without qop as in RFC 2069', () => {
    const challenge = {
      realm: 'testrealm@host.com',
      nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093',
      opaque: null,
      algorithm: 'MD5',
      stale: false,
    } as const;
    const request = { ...MUFASA, password: 'Circle Of Life', cnonce: '0a4f113b' };
    expect(digestResponse({ ...challenge, qopAuth: true }, request)).toBe('6629fae49393a05397450978507c4ef1');
    expect(digestResponse({ ...challenge, qopAuth: false }, request)).toBe(
      '670fd8c2df070c60b045671b8b24ff02',
    );
  });

  it('binds the secret to both nonces with -sess', () => {
    const plain = digestResponse({ ...RFC_7616, algorithm: 'SHA-256' }, MUFASA);
    const session = digestResponse({ ...RFC_7616, algorithm: 'SHA-256-sess' }, MUFASA);
    const other = digestResponse({ ...RFC_7616, algorithm: 'SHA-256-sess' }, { ...MUFASA, cnonce: 'x' });
    expect(new Set([plain, session, other]).size).toBe(3);
  });

  it('escapes names in its header and omits fields that were not requested', () => {
    const challenge = {
      ...RFC_7616,
      realm: 'a "b"',
      opaque: null,
      algorithm: 'MD5',
      qopAuth: false,
    } as const;
    const header = authorization(challenge, MUFASA);
    expect(header).toContain('realm="a \\"b\\""');
    expect(header).not.toMatch(/opaque|qop|nc=|cnonce/);
  });

  it('parses challenges as servers write them', () => {
    const text =
      'Digest realm="r, x",nonce="n\\"1", qop="auth-int, auth" , algorithm=sha-256,stale=TRUE,opaque=""';
    expect(parseChallenge(text)).toEqual({
      realm: 'r, x',
      nonce: 'n"1',
      opaque: '',
      algorithm: 'SHA-256',
      qopAuth: true,
      stale: true,
    });
    expect(parseChallenge('Digest realm="r", nonce="n", qop="auth-int"')).toBeNull();
    expect(parseChallenge('Digest realm="r", nonce="n", algorithm=SHA-512-256')).toBeNull();
    expect(parseChallenge('Basic realm="r"')).toBeNull();
  });

  it('uses the strongest challenge of each realm, the trunk’s first', () => {
    const values = [
      'Digest realm="a", nonce="1", algorithm=MD5',
      'Digest realm="b", nonce="2", algorithm=SHA-256',
      'Digest realm="a", nonce="3", algorithm=SHA-256',
      'Digest realm="b", nonce="4", algorithm=MD5',
      'Basic realm="c"',
    ];
    const nonces = (realm: string | null): string[] =>
      chooseChallenges(values, realm).map(({ nonce }) => nonce);
    expect(nonces(null)).toEqual(['3', '2']);
    expect(nonces('b')).toEqual(['2', '3']);
    expect(nonces('elsewhere')).toEqual(['3', '2']);
    expect(chooseChallenges(['Basic x'], null)).toEqual([]);
  });

  function challenge(realm: string, nonce: string, stale = false) {
    const text = `Digest realm="${realm}", nonce="${nonce}", qop="auth", algorithm=MD5, stale=${stale}`;
    return { ...parseChallenge(text)!, answeredIn: 'Proxy-Authorization' as const };
  }

  it('accumulates realms, and counts the uses of each nonce', () => {
    const credentials = new DigestCredentials({ username: 'u', password: 'p' });
    const counts = (): string[] =>
      credentials
        .headersFor({ method: 'INVITE', uri: 'sip:h' })
        .get('Proxy-Authorization')!
        .map((value) => `${/realm="(.)"/.exec(value)?.[1]}${/nc=0+(\d)/.exec(value)?.[1]}`);
    expect(credentials.accept([challenge('a', 'n1')])).toBe(true);
    expect(counts()).toEqual(['a1']);
    expect(credentials.accept([challenge('b', 'n2')])).toBe(true);
    expect(counts()).toEqual(['a2', 'b1']);
    expect(credentials.accept([challenge('a', 'n3', true)])).toBe(true);
    expect(counts()).toEqual(['a1', 'b2']);
  });

  it('gives up when a realm refuses, at a nonce that is always stale, and in a maze of realms', () => {
    const of = (...challenges: ReturnType<typeof challenge>[]): boolean => {
      const credentials = new DigestCredentials({ username: 'u', password: 'p' });
      return challenges.every((each) => credentials.accept([each]));
    };
    expect(of(challenge('a', '1'), challenge('a', '2'))).toBe(false);
    expect(of(challenge('a', '1'), challenge('b', '2'), challenge('a', '3'))).toBe(false);
    const stale = Array.from({ length: 3 }, (_, i) => challenge('a', `s${i}`, true));
    expect(of(challenge('a', '1'), ...stale.slice(1))).toBe(true);
    expect(of(challenge('a', '1'), ...stale)).toBe(false);
    expect(of(...['a', 'b', 'c', 'd', 'e'].map((realm) => challenge(realm, '1')))).toBe(false);
  });
});
