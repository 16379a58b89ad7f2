import { describe, expect, it } from 'vitest';
import { authenticator } from '../../../src/api/auth/authenticator.ts';
import { emailAddressRoutes } from '../../../src/api/rest/email-address.ts';
import { signInRoutes } from '../../../src/api/rest/sign-in.ts';
import { findAccountByEmail } from '../../../src/store/people/accounts.ts';
import { EMAIL, mailTo, PASSWORD, testPeople, tokenIn } from '../accounts/test-people.ts';
import { served } from './served.ts';

async function site() {
  const tested = await testPeople();
  const { people } = tested;
  const { url, failures } = await served([...signInRoutes(people), ...emailAddressRoutes(people)], {
    authenticate: authenticator({ use: () => null }, people.sessions, { use: () => null }),
  });
  const post = async (path: string, body?: unknown, cookie = '') => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { Cookie: cookie, 'User-Agent': 'test' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const setCookie = answer.headers.get('set-cookie');
    const said = (await answer.json()) as { detail?: unknown };
    return { status: answer.status, headers: answer.headers, body: said, setCookie };
  };
  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await fetch(`${url}${path}`, { method, headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  /** Signs up and in; returns the cookie as a browser would send it. */
  const enter = async (email = EMAIL) => {
    await post('/auth/signup', { email, password: PASSWORD });
    const [welcome] = await tested.mails();
    const { setCookie } = await post('/auth/login', { email, password: PASSWORD });
    return { cookie: setCookie!.split(';')[0]!, welcome };
  };
  const isVerified = async (email = EMAIL) => {
    const account = await findAccountByEmail(people.db, email);
    return account !== undefined && account.emailVerifiedAt !== null;
  };
  return { ...tested, failures, post, get, enter, isVerified, url };
}

describe('people over HTTP', () => {
  it('can sign up, verify their address, sign in and out', async () => {
    const { post, get, enter } = await site();
    const { cookie, welcome } = await enter('Ada@Example.COM');
    expect(cookie).toMatch(/^svc_session=[\w-]{43}$/);
    const page = await get(`/auth/verify?token=${tokenIn(welcome)}`, { Cookie: cookie });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('Address confirmed');
    const again = await post('/auth/login', { email: EMAIL, password: PASSWORD }, cookie);
    expect(again.body).toEqual({
      account_id: expect.stringMatching(/^acc_/),
      name: EMAIL,
      email: EMAIL,
      email_verified: true,
    });
    expect((await post('/auth/logout', undefined, cookie)).status).toBe(401);
    const next = again.setCookie!.split(';')[0]!;
    const out = await post('/auth/logout', undefined, next);
    expect([out.status, out.body]).toEqual([200, { status: 'ok' }]);
    expect(out.setCookie).toMatch(/^svc_session=; .*Max-Age=0/);
    expect((await post('/auth/logout', undefined, next)).status).toBe(401);
  });

  it('get the same answers whether an address is known or not', async () => {
    const { post, enter } = await site();
    await enter();
    const password = 'another password';
    const shown = async (path: string, body: object) => {
      const { status, body: said, headers } = await post(path, body);
      return [status, said, headers.get('set-cookie'), headers.get('content-length')];
    };
    for (const [path, fields] of [
      ['/auth/login', { password }],
      ['/auth/forgot-password', {}],
      ['/auth/signup', { password }],
    ] as const) {
      const known = await shown(path, { email: EMAIL, ...fields });
      expect([path, await shown(path, { email: 'bob@example.com', ...fields })]).toEqual([path, known]);
    }
    const login = await post('/auth/login', { email: EMAIL, password });
    expect([login.status, login.body]).toEqual([
      401,
      { detail: 'Invalid email or password', code: 'invalid_login' },
    ]);
  });

  it('get 200 for a forgotten password, however often they ask', async () => {
    const { post } = await site();
    const answers = new Set<string>();
    for (let i = 0; i < 105; i++) {
      const { status, body } = await post('/auth/forgot-password', { email: `${i % 2}@example.com` });
      answers.add(JSON.stringify([status, body]));
    }
    expect([...answers]).toEqual(['[200,{"status":"ok"}]']);
  });

  it('can set a new password through a link, and change it', async () => {
    const { post, mails, enter } = await site();
    const { cookie } = await enter();
    await post('/auth/forgot-password', { email: EMAIL });
    const token = tokenIn((await mails())[0]);
    const reset = await post('/auth/reset-password', { token, password: 'a new password' });
    expect([reset.status, reset.body]).toEqual([200, { status: 'ok' }]);
    expect((await post('/auth/logout', undefined, cookie)).status).toBe(401);
    const used = await post('/auth/reset-password', { token, password: 'a new password' });
    expect([used.status, used.body]).toEqual([
      400,
      { detail: 'Invalid or expired token', code: 'invalid_mail_token' },
    ]);

    const { setCookie } = await post('/auth/login', { email: EMAIL, password: 'a new password' });
    const session = setCookie!.split(';')[0]!;
    const wrong = { current_password: PASSWORD, new_password: 'a third password' };
    const refused = await post('/api/change-password', wrong, session);
    expect([refused.status, refused.body]).toEqual([
      400,
      { detail: 'Current password is wrong', code: 'wrong_password' },
    ]);
    const right = { current_password: 'a new password', new_password: 'a third password' };
    const changed = await post('/api/change-password', right, session);
    expect([changed.status, changed.setCookie]).toEqual([
      200,
      expect.stringMatching(/^svc_session=[\w-]{43};/),
    ]);
    expect((await post('/api/change-password', right, session)).status).toBe(401);
  });

  it('can change their address', async () => {
    const { post, get, mails, enter } = await site();
    const { cookie } = await enter();
    const wanted = { new_email: 'bob@example.com', password: PASSWORD };
    expect((await post('/api/change-email', wanted, cookie)).status).toBe(200);
    const token = tokenIn(mailTo('bob@example.com', await mails()));
    const link = `/api/verify-email-change?token=${token}`;
    expect((await get(link, { Cookie: cookie })).text).toContain('Address changed');
    expect((await post('/auth/login', { email: 'bob@example.com', password: PASSWORD })).status).toBe(200);
    const unknown = await get('/api/verify-email-change?token=made-up');
    expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining('does not work')]);
  });

  it('get a Retry-After', async () => {
    const { post, enter } = await site();
    await enter();
    const wrong = { email: EMAIL, password: 'wrong password' };
    const startMs = performance.now();
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await post('/auth/login', wrong)).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    const refused = await post('/auth/login', { email: EMAIL, password: PASSWORD });
    expect([refused.status, refused.body]).toEqual([
      429,
      { detail: 'Too many attempts', code: 'too_many_attempts' },
    ]);
    const waitS = Number(refused.headers.get('retry-after'));
    expect(waitS).toBeLessThanOrEqual(90);
    expect(waitS).toBeGreaterThanOrEqual(90 - (performance.now() - startMs) / 1_000);
  });

  it.each([
    ['/auth/signup', { email: EMAIL, password: 'short12' }, ['body', 'password'], 'string_too_short'],
    ['/auth/signup', { email: EMAIL, password: 'x'.repeat(129) }, ['body', 'password'], 'string_too_long'],
    ['/auth/signup', { password: PASSWORD }, ['body', 'email'], 'missing'],
    ['/auth/login', { email: EMAIL }, ['body', 'password'], 'missing'],
    ['/auth/reset-password', { password: PASSWORD }, ['body', 'token'], 'missing'],
  ])('get the faults of a request to %s (%#)', async (path, body, loc, type) => {
    const { post } = await site();
    const answer = await post(path, body);
    expect([answer.status, answer.body.detail]).toEqual([422, [{ loc, type, msg: expect.any(String) }]]);
  });

  it.each(['ada', 'ada@', 'ada@example.com, bob@example.com', 'ada@example.com\r\nBcc: x@example.com'])(
    'get no mail at %j',
    async (email) => {
      const { post, mails } = await site();
      expect((await post('/auth/forgot-password', { email })).status).toBe(422);
      expect((await post('/auth/signup', { email, password: PASSWORD })).status).toBe(422);
      expect(await mails()).toEqual([]);
    },
  );
});

describe('the reset page', () => {
  it('contains its token as text, and runs no other script', async () => {
    const { get, post, enter, mails } = await site();
    await enter();
    await post('/auth/forgot-password', { email: EMAIL });
    const token = tokenIn((await mails())[0]);
    const { status, text, headers } = await get(`/auth/reset-password?token=${token}`);
    expect(status).toBe(200);
    expect(text).toContain(`name="token" value="${token}"`);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; /);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    // Looking at the page, also with HEAD, does not use the token.
    expect((await get(`/auth/reset-password?token=${token}`, {}, 'HEAD')).status).toBe(200);
    expect((await post('/auth/reset-password', { token, password: 'a new password' })).status).toBe(200);
    expect((await get(`/auth/reset-password?token=${token}`)).status).toBe(400);
  });

  it.each(['abc-123', '"><script>alert(1)</script>', 'x'.repeat(43)])(
    'shows no form for the token %s, which cannot work',
    async (token) => {
      const { get } = await site();
      const { status, text } = await get(`/auth/reset-password?token=${encodeURIComponent(token)}`);
      expect([status, text.includes('<form'), text.includes(token)]).toEqual([400, false, false]);
      expect(text).toContain('This link does not work');
      expect(text).toContain('<a href="reset-password">');
    },
  );

  it('refuses a link of another kind, and an expired one', async () => {
    const { get, post, enter, mails, clock } = await site();
    const { welcome } = await enter();
    expect((await get(`/auth/reset-password?token=${tokenIn(welcome)}`)).status).toBe(400);
    await post('/auth/forgot-password', { email: EMAIL });
    const path = `/auth/reset-password?token=${tokenIn((await mails())[0])}`;
    expect((await get(path)).status).toBe(200);
    clock.advance(61 * 60_000);
    expect((await get(path)).status).toBe(400);
  });

  it('counts what is tried', async () => {
    const { get } = await site();
    const statuses = new Set<number>();
    for (let n = 0; n < 400 && !statuses.has(429); n++)
      statuses.add((await get(`/auth/reset-password?token=${n}`)).status);
    expect([...statuses]).toEqual([400, 429]);
  });

  it('asks for the address without a token', async () => {
    const { get } = await site();
    expect((await get('/auth/reset-password')).text).toContain('type="email"');
  });
});

const FORM = '<form method="post"><button>';
/** Requests of programs that scan mails, and of browsers that are not signed in. */
const SCANNERS: readonly Record<string, string>[] = [
  {},
  { Accept: '*/*' },
  { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' },
  { Accept: 'text/html, application/json' },
  { Cookie: 'svc_session=made-up' },
];

describe('a link in a mail', () => {
  it('does nothing for a program that follows it, or for HEAD', async () => {
    const { get, post, mails, enter, isVerified } = await site();
    const { cookie, welcome } = await enter();
    const verify = `/auth/verify?token=${tokenIn(welcome)}`;
    const other = await enter('mallory@example.com');
    for (const headers of [...SCANNERS, { Cookie: other.cookie }]) {
      const page = await get(verify, headers);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(FORM)]);
      expect(page.headers.get('referrer-policy')).toBe('same-origin');
      expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
    }
    for (const headers of [...SCANNERS, { Cookie: cookie }, { Accept: 'application/json' }])
      expect((await get(verify, headers, 'HEAD')).status).toBe(200);
    expect(await isVerified()).toBe(false);

    await post('/api/change-email', { new_email: 'bob@example.com', password: PASSWORD }, cookie);
    const change = `/api/verify-email-change?token=${tokenIn(mailTo('bob@example.com', await mails()))}`;
    for (const headers of [...SCANNERS, { Cookie: other.cookie }])
      expect((await get(change, headers)).text).toContain(FORM);
    for (const headers of [{ Cookie: cookie }, { Accept: 'application/json' }])
      await get(change, headers, 'HEAD');
    expect(await isVerified('bob@example.com')).toBe(false);
  });

  it('acts on the button of its page, but not on a page of another site', async () => {
    const { get, enter, isVerified, url } = await site();
    const { welcome } = await enter();
    const verify = `/auth/verify?token=${tokenIn(welcome)}`;
    const foreign = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
    ];
    for (const headers of foreign) expect((await get(verify, headers, 'POST')).status).toBe(403);
    expect(await isVerified()).toBe(false);
    // Browsers send the origin of a form in one header or, on plain http, in the other.
    expect((await get(verify, { Origin: url }, 'POST')).status).toBe(200);
    const pressed = await get(verify, { 'Sec-Fetch-Site': 'same-origin' }, 'POST');
    expect([pressed.status, pressed.text]).toEqual([200, expect.stringContaining('Address confirmed')]);
    expect(await isVerified()).toBe(true);
    const again = await get(verify, {}, 'POST');
    expect([again.status, again.text]).toEqual([200, expect.stringContaining('Address confirmed')]);
  });

  it('acts for a program that asks for JSON, and answers with JSON', async () => {
    const { get, enter, isVerified } = await site();
    const { welcome } = await enter();
    const json = { Accept: 'application/json' };
    const done = await get(`/auth/verify?token=${tokenIn(welcome)}`, json);
    expect([done.status, JSON.parse(done.text)]).toEqual([200, { status: 'ok' }]);
    expect(await isVerified()).toBe(true);
    for (const method of ['GET', 'POST']) {
      const refused = await get('/api/verify-email-change?token=made-up', json, method);
      expect([refused.status, JSON.parse(refused.text)]).toEqual([
        400,
        { detail: 'Invalid or expired token', code: 'invalid_mail_token' },
      ]);
    }
  });

  it('reports an invalid token, with any method', async () => {
    const { get } = await site();
    for (const path of ['/auth/verify?token=x', '/api/verify-email-change?token=x'])
      for (const method of ['GET', 'POST']) {
        const page = await get(path, {}, method);
        expect([page.status, page.text]).toEqual([400, expect.stringContaining('does not work')]);
      }
  });
});
