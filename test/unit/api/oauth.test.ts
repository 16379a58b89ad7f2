import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { IdentityProvider } from '../../../src/accounts/identities/identity-provider.ts';
import { OpenIdProvider } from '../../../src/accounts/identities/openid-provider.ts';
import type { SignIns } from '../../../src/accounts/identities/sign-ins.ts';
import { AttemptLimits } from '../../../src/accounts/passwords/attempt-limits.ts';
import type { Principal } from '../../../src/api/auth/principal.ts';
import { oauthRoutes } from '../../../src/api/rest/oauth.ts';
import type { Clock } from '../../../src/base/time.ts';
import { listRows } from '../../../src/store/database/rows.ts';
import { insertAccount } from '../../../src/store/people/accounts.ts';
import type { Store } from '../../../src/store/store.ts';
import { CookieBrowser } from '../../support/browser-cookies.ts';
import { IdentityProviderPeer, type KnownPerson } from '../../support/identity-provider.ts';
import { NOW, seedSession, temporaryStore } from '../store/temporary.ts';
import { served } from './served.ts';

const ANN: KnownPerson = { subject: 'ann-1', email: 'Ann@Example.com', emailVerified: true, name: 'Ann' };
const SESSION_COOKIE = 'svc_session';

let store: Store;
let peer: IdentityProviderPeer;
let url: string;
let mayRegister: boolean;
let failures: unknown[];
/** How far the gateway's clock is ahead. */
let laterMs: number;

const clock: Clock = {
  nowIso: () => new Date(Date.now() + laterMs).toISOString(),
  monotonicMs: () => performance.now() + laterMs,
  after: () => () => undefined,
};

/** A session is represented by its account id; real sessions are tested elsewhere. */
function sessionOf(cookies: string): Principal | null {
  const accountId = new RegExp(`${SESSION_COOKIE}=([^;]+)`).exec(cookies)?.[1];
  return accountId
    ? { kind: 'session', accountId, credentialId: `ses_${accountId}`, agentIds: [], platforms: null }
    : null;
}

beforeEach(async () => {
  store = await temporaryStore();
  [mayRegister, failures, laterMs] = [true, [], 0];
  const providers = new Map<string, IdentityProvider>();
  const signIns: SignIns = {
    store,
    clock,
    limits: new AttemptLimits(clock, 100),
    providers,
    get mayRegister() {
      return mayRegister;
    },
    onProviderFailed: (provider, error) => failures.push([provider, error]),
  };
  const server = {
    signIns,
    publicUrl: () => url,
    sessionOf,
    openSession: async (accountId: string) => {
      await seedSession(store, accountId);
      return `${SESSION_COOKIE}=${accountId}; Path=/; HttpOnly`;
    },
  };
  ({ url } = await served(oauthRoutes(server), {
    authenticate: (credential) => sessionOf(`${SESSION_COOKIE}=${credential ?? ''}`),
  }));
  peer = await IdentityProviderPeer.start();
  peer.allow(`${url}/auth/oauth/acme/callback`);
  onTestFinished(() => peer.stop());
  peer.person = ANN;
  const client = {
    clientId: IdentityProviderPeer.clientId,
    clientSecret: IdentityProviderPeer.clientSecret,
  };
  providers.set('acme', new OpenIdProvider({ name: 'acme', issuer: peer.issuer, ...client }));
  providers.set('gone', new OpenIdProvider({ name: 'gone', issuer: 'http://127.0.0.1:9', ...client }));
});

const startUrl = () => `${url}/auth/oauth/acme/start`;
const isCallback = (at: URL) => at.pathname === '/auth/oauth/acme/callback';

/** Signs in at the provider; returns the address that it redirects the browser to. */
function callbackOf(browser: CookieBrowser): Promise<URL> {
  return browser.goUntil(startUrl(), isCallback);
}

async function signIn(browser: CookieBrowser): Promise<Response> {
  return await browser.get(await callbackOf(browser));
}

/** The account that a finished sign-in opened. */
function accountOf(browser: CookieBrowser): string | null {
  return browser.cookie(SESSION_COOKIE);
}

async function expectRefusal(answer: Response, status: number, words: string): Promise<void> {
  expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(words)]);
  expect(answer.headers.get('set-cookie')).toBeNull();
}

const accounts = () => store.db.selectFrom('accounts').selectAll().execute();

async function seedPerson(id: string, email: string | null, isVerified: boolean): Promise<void> {
  const emailVerifiedAt = isVerified ? NOW : null;
  const proof = { emailVerifiedAt, ownerProvenAt: emailVerifiedAt };
  await insertAccount(store.db, { id, name: id, createdAt: NOW, email, ...proof });
  await seedSession(store, id);
}

describe('signing in with another provider', () => {
  it('creates an account the first time, and opens it the next', async () => {
    const first = new CookieBrowser();
    const answer = await signIn(first);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const [account] = await accounts();
    expect(account).toMatchObject({ name: 'Ann', email: 'ann@example.com', passwordHash: null });
    expect(account!.emailVerifiedAt).not.toBeNull();
    expect(accountOf(first)).toBe(account!.id);

    const second = new CookieBrowser();
    await signIn(second);
    expect(accountOf(second)).toBe(account!.id);
    expect(await accounts()).toHaveLength(1);
    expect(
      await listRows(store.db, 'identities', { accountId: account!.id }, ['createdAt', 'id']),
    ).toMatchObject([{ provider: 'acme', subject: 'ann-1', email: 'ann@example.com' }]);
  });

  it('sends the provider a challenge and a nonce, and keeps its own half sealed', async () => {
    const browser = new CookieBrowser();
    const answer = await browser.get(startUrl());
    const asked = new URL(answer.headers.get('location')!).searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
    expect(asked.get('state')).toBe(browser.cookie('svc_sign_in'));
    expect(answer.headers.get('set-cookie')).toMatch(
      /Path=\/auth\/oauth; Max-Age=600; HttpOnly; SameSite=Lax/,
    );
    const row = JSON.stringify(await store.db.selectFrom('signIns').selectAll().execute());
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(asked.get(name)).toMatch(/^[\w-]{43}$/);
      expect(row).not.toContain(asked.get(name));
    }
  });

  it('refuses a state that it did not issue', async () => {
    const browser = new CookieBrowser();
    const callback = await callbackOf(browser);
    const altered = new URL(callback);
    altered.searchParams.set('state', `${callback.searchParams.get('state')}x`);
    await expectRefusal(await browser.get(altered), 400, 'started in another browser');
    altered.searchParams.delete('state');
    await expectRefusal(await browser.get(altered), 400, 'started in another browser');
    expect((await browser.get(callback)).status).toBe(200);
  });

  it('refuses an answer in a browser that did not start the sign-in', async () => {
    const callback = await callbackOf(new CookieBrowser());
    const other = new CookieBrowser();
    await expectRefusal(await other.get(callback), 400, 'started in another browser');
    await other.get(startUrl());
    await expectRefusal(await other.get(callback), 400, 'started in another browser');
    expect(await accounts()).toEqual([]);
  });

  it('refuses a second use of the same answer', async () => {
    const browser = new CookieBrowser();
    const callback = await callbackOf(browser);
    expect((await browser.get(callback)).status).toBe(200);
    await expectRefusal(await browser.get(callback), 400, 'started in another browser');
  });

  it('refuses an answer with another nonce', async () => {
    const browser = new CookieBrowser();
    const toProvider = new URL((await browser.get(startUrl())).headers.get('location')!);
    toProvider.searchParams.set('nonce', 'somebody-elses');
    const callback = await browser.goUntil(toProvider, isCallback);
    await expectRefusal(await browser.get(callback), 400, 'did not confirm');
    expect(await accounts()).toEqual([]);
  });

  it('refuses an answer without a nonce', async () => {
    const browser = new CookieBrowser();
    const toProvider = new URL((await browser.get(startUrl())).headers.get('location')!);
    toProvider.searchParams.delete('nonce');
    const callback = await browser.goUntil(toProvider, isCallback);
    await expectRefusal(await browser.get(callback), 400, 'did not confirm');
  });

  it('refuses a used code, and one of another sign-in', async () => {
    const first = new CookieBrowser();
    const used = await callbackOf(first);
    expect((await first.get(used)).status).toBe(200);
    const unused = await callbackOf(new CookieBrowser());
    for (const code of [used, unused].map((callback) => callback.searchParams.get('code')!)) {
      const browser = new CookieBrowser();
      const callback = await callbackOf(browser);
      callback.searchParams.set('code', code);
      await expectRefusal(await browser.get(callback), 400, 'did not confirm');
    }
  });

  it('refuses an expired token', async () => {
    const browser = new CookieBrowser();
    const callback = await callbackOf(browser);
    peer.tokensMadeEarlierMs = 7_200_000;
    await expectRefusal(await browser.get(callback), 400, 'did not confirm');
    expect(await accounts()).toEqual([]);
  });

  it('accepts a token only from the provider that was asked', async () => {
    const browser = new CookieBrowser();
    const callback = await callbackOf(browser);
    callback.searchParams.set('iss', 'https://accounts.example.com');
    await expectRefusal(await browser.get(callback), 400, 'did not confirm');
  });

  it('expires after ten minutes', async () => {
    const browser = new CookieBrowser();
    const callback = await callbackOf(browser);
    laterMs = 600_001;
    await expectRefusal(await browser.get(callback), 400, 'started in another browser');
  });

  it('reports a refusal by the provider', async () => {
    peer.refuses = true;
    await expectRefusal(await signIn(new CookieBrowser()), 400, 'did not confirm');
  });

  it('knows only the configured providers, and reports one that does not answer', async () => {
    const browser = new CookieBrowser();
    const start = (name: string) => browser.get(`${url}/auth/oauth/${name}/start`);
    await expectRefusal(await start('nobody'), 404, 'Identity provider not found');
    await expectRefusal(await start('gone'), 502, 'did not answer as expected');
    expect(failures).toMatchObject([['gone', expect.any(Error)]]);
    await expectRefusal(await browser.get(`${url}/auth/oauth/nobody/callback`), 404, 'not found');
  });

  it('creates no account where sign-up is closed', async () => {
    mayRegister = false;
    await expectRefusal(await signIn(new CookieBrowser()), 403, 'Sign-up is closed');
    expect(await accounts()).toEqual([]);
  });
});

describe('an address from the provider', () => {
  it('opens the account whose owner also verified it', async () => {
    await seedPerson('acc_ann', 'ann@example.com', true);
    mayRegister = false;
    const browser = new CookieBrowser();
    await signIn(browser);
    expect(accountOf(browser)).toBe('acc_ann');
    expect(
      await listRows(store.db, 'identities', { accountId: 'acc_ann' }, ['createdAt', 'id']),
    ).toHaveLength(1);
  });

  it('opens nothing when the provider did not verify it', async () => {
    await seedPerson('acc_ann', 'ann@example.com', true);
    for (const emailVerified of [false, undefined]) {
      peer.person = {
        subject: `mallory-${emailVerified}`,
        email: ANN.email!,
        ...(emailVerified === false && { emailVerified }),
      };
      const browser = new CookieBrowser();
      await signIn(browser);
      expect(accountOf(browser)).not.toBe('acc_ann');
      const made = (await accounts()).find(({ id }) => id === accountOf(browser));
      expect(made).toMatchObject({ email: null, emailVerifiedAt: null });
    }
    expect(await listRows(store.db, 'identities', { accountId: 'acc_ann' }, ['createdAt', 'id'])).toEqual([]);
  });

  it('opens nothing when the person who signed up with it did not verify it', async () => {
    await seedPerson('acc_mallory', 'ann@example.com', false);
    await expectRefusal(await signIn(new CookieBrowser()), 409, 'An account with this address exists');
    expect(await accounts()).toHaveLength(1);
    expect(await listRows(store.db, 'identities', { accountId: 'acc_mallory' }, ['createdAt', 'id'])).toEqual(
      [],
    );
  });

  it('opens nothing when its owner may not be the one who knows the password', async () => {
    await seedPerson('acc_mallory', 'ann@example.com', true);
    await store.db.updateTable('accounts').set({ ownerProvenAt: null }).execute();
    await expectRefusal(await signIn(new CookieBrowser()), 409, 'An account with this address exists');
    expect(await listRows(store.db, 'identities', { accountId: 'acc_mallory' }, ['createdAt', 'id'])).toEqual(
      [],
    );
  });
});

describe('linking an identity', () => {
  async function signedIn(accountId: string): Promise<CookieBrowser> {
    await seedPerson(accountId, `${accountId}@example.org`, true);
    const browser = new CookieBrowser();
    browser.setCookie(url, `${SESSION_COOKIE}=${accountId}; Path=/`);
    return browser;
  }

  const identitiesOf = async (accountId: string) =>
    (await fetch(`${url}/auth/identities`, { headers: { 'X-API-Key': accountId } })).json();

  it('adds it to the signed-in account, whatever the addresses, and writes it to the audit log', async () => {
    const browser = await signedIn('acc_bob');
    const answer = await signIn(browser);
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null]);
    const { identities } = (await identitiesOf('acc_bob')) as { identities: unknown[] };
    expect(identities).toMatchObject([{ provider: 'acme', email: 'ann@example.com' }]);
    expect(await store.db.selectFrom('auditLog').selectAll().execute()).toMatchObject([
      {
        accountId: 'acc_bob',
        action: 'identity.link',
        credentialKind: 'session',
        credentialId: 'ses_acc_bob',
      },
    ]);
    const later = new CookieBrowser();
    await signIn(later);
    expect(accountOf(later)).toBe('acc_bob');
  });

  it('requires a verified address', async () => {
    const browser = await signedIn('acc_bob');
    const prove = (emailVerifiedAt: string | null) =>
      store.db.updateTable('accounts').set({ emailVerifiedAt }).execute();
    await prove(null);
    await expectRefusal(await browser.get(startUrl()), 403, 'Email address is not verified');
    await prove(NOW);
    const callback = await callbackOf(browser);
    await prove(null);
    await expectRefusal(await browser.get(callback), 403, 'Email address is not verified');
    expect(await listRows(store.db, 'identities', { accountId: 'acc_bob' }, ['createdAt', 'id'])).toEqual([]);
  });

  it('ends with the session in which it began, even at the provider', async () => {
    const browser = await signedIn('acc_bob');
    const callback = await callbackOf(browser);
    await store.db.deleteFrom('sessions').execute();
    await expectRefusal(await browser.get(callback), 400, 'started in another browser');
    expect(await listRows(store.db, 'identities', { accountId: 'acc_bob' }, ['createdAt', 'id'])).toEqual([]);
  });

  it('refuses an identity of another account', async () => {
    await signIn(await signedIn('acc_bob'));
    await expectRefusal(await signIn(await signedIn('acc_carl')), 409, 'linked to another account');
    expect(await listRows(store.db, 'identities', { accountId: 'acc_carl' }, ['createdAt', 'id'])).toEqual(
      [],
    );
  });

  it('fails when the browser is signed in to another account meanwhile, or signed out', async () => {
    for (const [id, meanwhile] of [
      ['acc_bob', 'acc_other'],
      ['acc_carl', ''],
    ] as const) {
      const browser = await signedIn(id);
      const callback = await callbackOf(browser);
      browser.setCookie(url, `${SESSION_COOKIE}=${meanwhile}; Path=/`);
      await expectRefusal(await browser.get(callback), 400, 'started in another browser');
    }
    expect(await store.db.selectFrom('identities').selectAll().execute()).toEqual([]);
  });

  it('cannot be started by another site', async () => {
    const browser = await signedIn('acc_bob');
    for (const site of ['cross-site', 'same-site']) {
      const answer = await browser.get(startUrl(), { 'sec-fetch-site': site });
      await expectRefusal(answer, 403, 'from a page of the gateway');
    }
    expect((await browser.get(startUrl(), { 'sec-fetch-site': 'same-origin' })).status).toBe(302);
  });

  it('can be undone, but not when it is the only way to sign in', async () => {
    const browser = await signedIn('acc_bob');
    await signIn(browser);
    const [identity] = await listRows(store.db, 'identities', { accountId: 'acc_bob' }, ['createdAt', 'id']);
    const unlink = (account: string) =>
      fetch(`${url}/auth/identities/${identity!.id}`, {
        method: 'DELETE',
        headers: { 'X-API-Key': account },
      });
    await expectRefusal(await unlink('acc_carl'), 404, 'Identity not found');
    await expectRefusal(await unlink('acc_bob'), 409, 'the only way to sign in');
    expect(
      await listRows(store.db, 'identities', { accountId: 'acc_bob' }, ['createdAt', 'id']),
    ).toHaveLength(1);
    await store.db.updateTable('accounts').set({ passwordHash: 'a hash' }).execute();
    expect((await unlink('acc_bob')).status).toBe(200);
    expect(await listRows(store.db, 'identities', { accountId: 'acc_bob' }, ['createdAt', 'id'])).toEqual([]);
    await expectRefusal(await unlink('acc_bob'), 404, 'Identity not found');
  });
});
