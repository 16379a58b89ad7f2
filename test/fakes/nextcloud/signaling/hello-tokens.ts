import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { FakeNcUser } from '../world/fake-nc-user.ts';
import { newWord } from '../world/nc-ids.ts';

const LIFETIME_S = 60;

/** What clients show to the signaling server: tickets that it asks Nextcloud about, and tokens that it checks with a key. */
export class HelloTokens {
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly #secrets = new Map<string, string>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
    this.#keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  }

  /** PEM, as capabilities publish it. */
  get publicKey(): string {
    return this.#keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  }

  /** Of version 1.0. */
  ticket({ uid }: FakeNcUser): string {
    const data = `${newWord(16)}:${this.#now()}:${uid}`;
    return `${data}:${this.#hash(data, uid)}`;
  }

  isTicket(ticket: string, uid: string): boolean {
    const data = ticket.slice(0, ticket.lastIndexOf(':'));
    return data.endsWith(`:${uid}`) && ticket === `${data}:${this.#hash(data, uid)}`;
  }

  /** Of version 2.0. */
  async token({ uid, displayName }: FakeNcUser, issuer: string): Promise<string> {
    const now = this.#now();
    return await new SignJWT({ userdata: { displayname: displayName } })
      .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
      .setIssuer(issuer)
      .setSubject(uid)
      .setIssuedAt(now)
      .setExpirationTime(now + LIFETIME_S)
      .sign(this.#keys.privateKey);
  }

  #hash(data: string, uid: string): string {
    const secret = this.#secrets.get(uid) ?? newWord(255);
    this.#secrets.set(uid, secret);
    return createHmac('sha256', secret).update(data).digest('hex');
  }
}
