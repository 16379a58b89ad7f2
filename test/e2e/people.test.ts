import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import { startWithMailbox } from '../support/gateway-with-mailbox.ts';
import { linkIn } from '../support/mailbox.ts';
import { Person } from '../support/person.ts';
import { waitFor } from '../support/wait-for.ts';

it('people sign up by mail, set a new password by mail, and stay signed in over a restart', async () => {
  const { mailbox, gateway } = await startWithMailbox();
  const person = new Person(gateway.baseUrl, 'ada@example.com');
  const secrets: string[] = ['mail-secret'];
  try {
    expect((await person.signUp()).status).toBe(200);
    const welcome = await mailbox.take(person.email, 'Confirm your email address');
    expect(welcome.from).toBe('gateway@example.com');
    const link = linkIn(welcome);
    expect(link).toMatch(new RegExp(`^${gateway.baseUrl}/auth/verify\\?token=[\\w-]{43}$`));
    expect((await fetch(link, { method: 'POST' })).status).toBe(200);
    expect((await person.signIn()).body.email_verified).toBe(true);
    expect((await person.request('GET', '/api/calls')).body).toEqual({ calls: [] });
    expect((await person.request('GET', '/api/sip/dids')).body).toEqual({ dids: [] });

    const former = person.cookie!;
    await person.request('POST', '/auth/forgot-password', { email: person.email });
    const reset = linkIn(await mailbox.take(person.email, 'Set a new password'));
    expect(await (await fetch(reset)).text()).toContain('New password');
    secrets.push(person.password, former.split('=')[1]!);
    person.password = 'another password';
    const [verifyToken, token] = [link, reset].map((url) => new URL(url).searchParams.get('token')!);
    const done = await person.request('POST', '/auth/reset-password', { token, password: person.password });
    expect(done.status).toBe(200);
    expect((await person.request('GET', '/api/calls')).status).toBe(401);
    expect((await person.signIn()).status).toBe(200);
    secrets.push(verifyToken!, token!, person.password, person.cookie!.split('=')[1]!);
    const files = ['gateway.db', 'gateway.db-wal'].map((name) =>
      readFileSync(join(gateway.dataFolder, name), 'latin1'),
    );
    for (const secret of secrets)
      for (const text of [...files, gateway.output]) expect(text.includes(secret)).toBe(false);

    await gateway.restart();
    expect((await person.request('GET', '/api/calls')).status).toBe(200);
    person.cookie = former;
    expect((await person.request('GET', '/api/calls')).status).toBe(401);
  } finally {
    await gateway.stop();
    await mailbox.close();
  }
});

it('people find their mails in the outbox and the log where there is no mail server', async () => {
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
      gateway.output.split('\n').find((text) => text.includes('mail written to disk instead of being sent')),
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
