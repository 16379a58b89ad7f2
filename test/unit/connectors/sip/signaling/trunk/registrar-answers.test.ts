import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../../support/manual-clock.ts';
import type { SipAddress, SipRequest } from '../../../../../support/sip-message.ts';
import { waitFor } from '../../../../../support/wait-for.ts';
import { PhoneScene } from '../phone-scene.ts';

/** The lifetime that a REGISTER asks for. */
function expiresOf({ headers }: SipRequest): string | null | undefined {
  return (headers.contact as readonly SipAddress[])[0]?.params.expires;
}

describe('a registrar that answers otherwise', () => {
  let clock: ManualClock;
  let scene: PhoneScene;

  beforeEach(async () => {
    clock = new ManualClock();
    scene = await PhoneScene.open({}, { register: true }, clock);
  });

  afterEach(() => scene.closeAt(clock));

  const registration = () => scene.gateway.connector.registration('acc_1');

  async function grantedS(...headers: string[]): Promise<number> {
    scene.peer.answer(await scene.peer.request('REGISTER'), 200, { contact: null, headers });
    await waitFor('registered', () => registration().state === 'registered');
    return (Date.parse(registration().expiresAt!) - Date.parse(clock.nowIso())) / 1000;
  }

  it.each<[string, number, readonly string[]]>([
    ['a Contact that it has rewritten', 90, ['Contact: <sip:+441632960000@203.0.113.5:5080>;expires=90']],
    [
      'of several rewritten ones the one that ends first',
      60,
      ['Contact: <sip:a@203.0.113.5>;expires=3600', 'Contact: <sip:b@203.0.113.5>;expires=60'],
    ],
    ['the lifetime of all', 120, ['Expires: 120', 'Contact: <sip:a@203.0.113.5>']],
    ['the lifetime without any Contact', 45, ['Expires: 45']],
    ['a lifetime in capitals', 75, ['Contact: <sip:a@203.0.113.5> ; EXPIRES = 75']],
    ['it without brackets', 80, ['Contact: sip:a@203.0.113.5;expires=80']],
    ['neither', 600, []],
    ['one that is no number', 600, ['Contact: <sip:a@203.0.113.5>;expires=soon']],
  ])('may grant %s: %i s', async (_, seconds, headers) => {
    expect(await grantedS(...headers)).toBe(seconds);
  });

  it('may have moved our Contact to where it sees us, among those of others', async () => {
    const request = await scene.peer.request('REGISTER');
    const [own] = request.headers.contact as { uri: string }[];
    const user = own!.uri.split('@')[0];
    const others = '<sip:a@192.168.88.33:51629>;expires=30, <sip:172.18.0.5:37736>;expires=45';
    scene.peer.answer(request, 200, {
      contact: null,
      headers: [`Contact: ${others}, <${user}@203.0.113.5:1024;ob>;expires=300`],
    });
    await waitFor('registered', () => registration().state === 'registered');
    expect((Date.parse(registration().expiresAt!) - Date.parse(clock.nowIso())) / 1000).toBe(300);
  });

  it('is asked for the same lifetime each time, however little it grants', async () => {
    let lifetimeS = 300;
    for (let i = 0; i < 4; i++) {
      const request = await waitFor('a REGISTER', () => scene.peer.requests('REGISTER')[i]);
      expect(expiresOf(request)).toBe('600');
      lifetimeS -= 1;
      scene.peer.answer(request, 200, { contact: null, headers: [`Expires: ${lifetimeS}`] });
      await waitFor('registered', () => {
        const { state, expiresAt } = registration();
        return state === 'registered' && Date.parse(expiresAt!) > Date.parse(clock.nowIso());
      });
      clock.advance(lifetimeS * 1_000);
    }
  });

  it('wants longer ones, with and without a word how long', async () => {
    scene.peer.answer(await scene.peer.request('REGISTER'), 423, { headers: ['Min-Expires: 3600'] });
    const again = await scene.peer.request('REGISTER');
    expect(expiresOf(again)).toBe('3600');
    scene.peer.answer(again, 423);
    await waitFor('failed', () => registration().state === 'failed');
    expect(registration().lastError).toBe('423 Interval Too Brief');
  });

  it('forgets a nonce without calling it stale, which costs one more try', async () => {
    const www = (nonce: string): string => `WWW-Authenticate: Digest realm="fritz.box", nonce="${nonce}"`;
    scene.peer.answer(await scene.peer.request('REGISTER'), 401, { headers: [www('1')] });
    scene.peer.answer(await scene.peer.request('REGISTER'), 200, { contact: null, headers: ['Expires: 60'] });
    await waitFor('registered', () => registration().state === 'registered');
    clock.advance(60_000);
    scene.peer.answer(await scene.peer.request('REGISTER'), 401, { headers: [www('2')] });
    const again = await scene.peer.request('REGISTER');
    expect(scene.peer.received.find(({ message }) => message === again)!.text).toContain('nonce="2"');
    scene.peer.answer(again, 200, { contact: null });
    await waitFor('registered', () => registration().state === 'registered');
  });

  it.each([
    [408, 'Retry-After: 5', 5_000],
    [503, 'Retry-After: 5', 5_000],
    [503, 'Retry-After: 120 (maintenance);duration=10', 120_000],
    [500, 'Retry-After: 7', 7_000],
    [480, 'Retry-After: 0', 1_000],
    [503, 'Retry-After: 99999999', 1_800_000],
  ])('says %i and when to come back: %s', async (status, header, delayMs) => {
    scene.peer.answer(await scene.peer.request('REGISTER'), status, { headers: [header] });
    await waitFor('failed', () => registration().state === 'failed');
    expect(registration().lastError).toBe(`${status} Scripted`);
    clock.advance(delayMs - 1);
    expect(scene.peer.requests('REGISTER')).toHaveLength(1);
    clock.advance(1);
    await waitFor('another REGISTER', () => scene.peer.requests('REGISTER').length === 2);
  });

  it.each([403, 408, 486, 503, 603])('says %i, which is what the state tells', async (status) => {
    scene.peer.answer(await scene.peer.request('REGISTER'), status);
    await waitFor('failed', () => registration().state === 'failed');
    expect(registration().lastError).toBe(`${status} Scripted`);
  });
});
