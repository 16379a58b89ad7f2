import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PhoneScene } from './phone-scene.ts';
import { TOKEN } from './start-connector.ts';

const UUI = '56a390f3d2b7310023a2;encoding=hex;purpose=isdn-uui;content=isdn-uui';
const PAI = '"x" <sip:+441632960000@h>';

describe('the headers that an agent is told', () => {
  let scene: PhoneScene;

  beforeEach(async () => {
    scene = await PhoneScene.open();
  });

  afterEach(() => scene.close());

  async function told(...headers: string[]): Promise<Readonly<Record<string, string>> | undefined> {
    scene.invite(headers);
    return (await scene.gateway.answerer.next()).call.headers;
  }

  it('are those of its call, by names in lower case; several of one name are a list', async () => {
    expect(
      await told(
        `User-to-User: ${UUI}`,
        'Diversion: <sip:+44@h>;reason=no-answer;privacy=off',
        'Diversion: "a, b" <sip:+45@h>',
        'History-Info: <sip:a@h>;index=1, <sip:b@h>;index=1.1',
        `P-Asserted-Identity: ${PAI}`,
        'X-Customer:  42 ',
        'X-ACCOUNT-ID: \t7\t8',
        'Subject: hello',
        'Organization: Example',
        'Proxy-Authorization: Digest username="u"',
      ),
    ).toEqual({
      'user-to-user': UUI,
      diversion: '<sip:+44@h>;reason=no-answer;privacy=off, "a, b" <sip:+45@h>',
      'history-info': '<sip:a@h>;index=1, <sip:b@h>;index=1.1',
      'p-asserted-identity': PAI,
      'x-customer': '42',
      'x-account-id': '7 8',
    });
  });

  it('are none if there are none', async () => {
    expect(await told()).toEqual({});
  });

  it.each([
    'X-Auth',
    'X-API-Key',
    'X-ApiKey',
    'X-Access-Token',
    'X-Password',
    'X-Secret-1',
    'X-Twilio-Signature',
  ])('leave out the secret %s', async (name) => {
    expect(await told(`${name}: s3cret`, 'X-Monkey: 1')).toEqual({ 'x-monkey': '1' });
  });

  it('do not give the token away by which anyone could ring the account', async () => {
    const headers = await told(
      `History-Info: <sip:a@h>;index=1, <sip:${TOKEN}@h>;index=1.1`,
      `X-To: ${TOKEN}`,
    );
    expect(headers).toEqual({
      'history-info': '<sip:a@h>;index=1, <sip:***@h>;index=1.1',
      'x-to': '***',
    });
  });

  it('do not name a caller who is withheld', async () => {
    const headers = await told(
      `P-Asserted-Identity: ${PAI}`,
      'Privacy: id;history',
      'X-Caller: 01632 960000',
      'X-Escaped: sip:%2B441632960000@h',
      'X-From: tel:+33-6-11-11-11-11',
      'History-Info: <sip:c@h>;index=1',
      'Diversion: <sip:+45@h>',
      'X-Queue: sales',
    );
    expect(headers).toEqual({ diversion: '<sip:+45@h>', 'x-queue': 'sales' });
  });

  it('do not name those who ask the same of a diversion', async () => {
    const headers = await told(
      'Diversion: <sip:+44@h>;privacy=full, <sip:+45@h>, <sip:+46@h>;privacy="uri"',
      'History-Info: <sip:a@h?Privacy=history>;index=1, <sip:b@h?Reason=SIP&privacy=none>;index=2',
    );
    expect(headers).toEqual({
      diversion: '<sip:+45@h>',
      'history-info': '<sip:b@h?Reason=SIP&privacy=none>;index=2',
    });
  });

  it('have a bound each and in all, at which no value is cut', async () => {
    const headers = await told(
      `X-Long: ${'a'.repeat(1_025)}`,
      ...Array.from({ length: 60 }, (_, i) => `X-Header-${i}: ${'b'.repeat(i % 2 === 0 ? 10 : 1_024)}`),
      `User-to-User: ${UUI}`,
    );
    const entries = Object.entries(headers!);
    expect(headers).toMatchObject({ 'user-to-user': UUI, 'x-header-1': 'b'.repeat(1_024) });
    expect(headers).not.toHaveProperty('x-long');
    expect(entries.length).toBeLessThanOrEqual(32);
    expect(entries.flat().join('').length).toBeLessThanOrEqual(4_096);
    expect(entries.every(([, value]) => value.length === 10 || value.length === 1_024 || value === UUI)).toBe(
      true,
    );
  });
});
