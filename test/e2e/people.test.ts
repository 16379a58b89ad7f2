import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { startWithMailbox } from '../support/gateway-with-mailbox.ts';
import { linkIn, type Mailbox } from '../support/mailbox.ts';
import { Person } from '../support/person.ts';
import { waitFor } from '../support/wait-for.ts';

describe('people with a mail server', () => {
  let mailbox: Mailbox;
  let gateway: Gateway;

  beforeAll(async () => {
    ({ mailbox, gateway } = await startWithMailbox({ SVC_LOGIN_ATTEMPTS: '1000' }));
  });
  afterAll(async () => {
    await gateway?.stop();
    await mailbox?.close();
  });

  const somebody = async (email: string) => {
    const person = new Person(gateway.baseUrl, email);
    expect((await person.signUp()).status).toBe(200);
    const welcome = await mailbox.take(email, 'Confirm your email address');
    expect((await person.signIn()).status).toBe(200);
    return { person, welcome };
  };

  it('sign up, and verify their address by a mailed link', async () => {
    const { person, welcome } = await somebody('ada@example.com');
    expect(welcome.from).toBe('gateway@example.com');
    const link = linkIn(welcome);
    expect(link).toMatch(new RegExp(`^${gateway.baseUrl}/auth/verify\\?token=[\\w-]{43}$`));
    expect((await person.signIn()).body.email_verified).toBe(false);
    const page = await fetch(link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Confirm address')]);
    expect((await person.signIn()).body.email_verified).toBe(false);
    const pressed = await fetch(link, { method: 'POST' });
    expect([pressed.status, await pressed.text()]).toEqual([
      200,
      expect.stringContaining('Address confirmed'),
    ]);
    expect((await person.request('GET', '/api/calls')).status).toBe(401);
    expect((await person.signIn()).body.email_verified).toBe(true);
  });

  it('use calls and settings in a session, and only their own objects', async () => {
    const { person, welcome } = await somebody('bob@example.com');
    expect((await person.visit(linkIn(welcome).slice(gateway.baseUrl.length))).status).toBe(200);
    expect((await person.request('GET', '/api/calls')).body).toEqual({ calls: [] });
    expect((await person.request('GET', '/api/sip/dids')).body).toEqual({ dids: [] });
    const listed = await person.request('POST', '/api/sip/dids', { number: '+33123456789' });
    expect(listed.status).toBe(200);
    const did = `/api/sip/dids/${listed.body.did_id}`;
    const agent = await person.request('POST', '/api/agents', { name: 'Second' });
    expect([agent.status, agent.body.is_default]).toEqual([200, false]);
    expect((await person.request('POST', `/api/agents/${agent.body.id}/set-default`)).status).toBe(200);
    const stranger = (await somebody('carol@example.com')).person;
    expect((await stranger.request('DELETE', did)).status).toBe(404);
    expect((await person.request('POST', '/auth/logout')).status).toBe(200);
    expect(person.cookie).toBeNull();
    expect((await person.request('GET', '/api/calls')).status).toBe(401);
  });

  it('set a new password by a mailed link; former sessions stay invalid after a restart', async () => {
    const { person } = await somebody('dan@example.com');
    const former = person.cookie;
    await person.request('POST', '/auth/forgot-password', { email: person.email });
    const link = linkIn(await mailbox.take(person.email, 'Set a new password'));
    const page = await fetch(link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('New password')]);
    const token = new URL(link).searchParams.get('token');
    person.password = 'another password';
    const reset = await person.request('POST', '/auth/reset-password', { token, password: person.password });
    expect(reset.status).toBe(200);
    expect((await person.request('GET', '/api/calls')).status).toBe(401);
    expect((await person.signIn()).status).toBe(200);
    await gateway.restart();
    expect((await person.request('GET', '/api/calls')).status).toBe(200);
    person.cookie = former;
    expect((await person.request('GET', '/api/calls')).status).toBe(401);
  });

  it('change their address by a mailed link', async () => {
    const { person } = await somebody('eve@example.com');
    const wanted = { new_email: 'eve@example.org', password: person.password };
    expect((await person.request('POST', '/api/change-email', wanted)).status).toBe(200);
    await mailbox.take('eve@example.com', 'A change of your email address was requested');
    const link = linkIn(await mailbox.take('eve@example.org', 'Confirm your new email address'));
    const page = await fetch(link, { method: 'POST' });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Address changed')]);
    await mailbox.take('eve@example.com', 'Your email address was changed');
    await mailbox.take('eve@example.org', 'Your account now uses this address');
    expect((await person.request('GET', '/api/calls')).status).toBe(401);
    expect((await new Person(gateway.baseUrl, 'eve@example.org').signIn()).status).toBe(200);
  });

  it('leave no password and no token in the database or the log', async () => {
    const { person, welcome } = await somebody('frank@example.com');
    const tokens = [new URL(linkIn(welcome)).searchParams.get('token')!, person.cookie!.split('=')[1]!];
    const files = ['gateway.db', 'gateway.db-wal'].map((name) =>
      readFileSync(join(gateway.dataFolder, name), 'latin1'),
    );
    for (const secret of [person.password, ...tokens, 'mail-secret']) {
      for (const text of [...files, gateway.output]) expect(text.includes(secret)).toBe(false);
    }
    const sessions = readGatewayRows<{ user_agent: string; address: string }>(
      gateway.dataFolder,
      'select sessions.* from sessions join accounts on accounts.id = account_id where email = ?',
      person.email,
    );
    expect(sessions).toMatchObject([{ address: '127.0.0.1' }]);
  });
});

describe('people without a mail server', () => {
  it('find their mails in the outbox and the log', async () => {
    const gateway = await Gateway.start({
      env: { SVC_SIGNUP: 'invite', SVC_SIGNUP_CODE: 'let-me-in-please' },
    });
    try {
      const person = new Person(gateway.baseUrl, 'ada@example.com');
      const refused = await person.signUp({ invite_code: 'let-me-in' });
      expect([refused.status, refused.body]).toEqual([
        403,
        { detail: 'Invalid invite code', code: 'invalid_invite_code' },
      ]);
      expect((await person.signUp({ invite_code: 'let-me-in-please' })).status).toBe(200);
      const outbox = join(gateway.dataFolder, 'outbox');
      const line = await waitFor('the log to tell of a mail', () =>
        gateway.output
          .split('\n')
          .find((text) => text.includes('mail written to disk instead of being sent')),
      );
      const link = /http:\S+?token=[\w-]+/.exec(
        readFileSync(join(outbox, readdirSync(outbox)[0]!), 'utf8'),
      )![0];
      expect(JSON.parse(line).personal.text).toContain(link);
      expect((await fetch(link)).status).toBe(200);
      expect(gateway.output).not.toContain(person.password);
    } finally {
      await gateway.stop();
    }
  });

  it('cannot sign up where sign-up is closed', async () => {
    const gateway = await Gateway.start();
    try {
      const refused = await new Person(gateway.baseUrl, 'ada@example.com').signUp({ invite_code: '' });
      expect([refused.status, refused.body]).toEqual([
        403,
        { detail: 'Sign-up is closed', code: 'signup_closed' },
      ]);
    } finally {
      await gateway.stop();
    }
  });
});
