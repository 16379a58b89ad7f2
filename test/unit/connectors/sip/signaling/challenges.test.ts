import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SipRequest } from '../../../../support/sip-message.ts';
import { waitFor } from '../../../../support/wait-for.ts';
import { PhoneScene } from './phone-scene.ts';
import { sdp } from './scripted-peer.ts';

function www(realm: string, nonce: string, more = ''): string {
  return `WWW-Authenticate: Digest realm="${realm}", nonce="${nonce}", qop="auth", algorithm=MD5${more}`;
}

function proxy(realm: string, nonce: string, more = ''): string {
  return www(realm, nonce, more).replace('WWW', 'Proxy');
}

describe('challenges on the way of a request', () => {
  let scene: PhoneScene;

  beforeEach(async () => {
    scene = await PhoneScene.open();
  });

  afterEach(() => scene.close());

  /** Realm and nonce of all credentials in the request, in both headers. */
  function credentialsOf(request: SipRequest): string[] {
    const { text } = scene.peer.received.find(({ message }) => message === request)!;
    return text.split('\r\n').flatMap((line) => {
      const found = /^(Proxy-)?Authorization: Digest .*realm="(.*?)", nonce="(.*?)"/.exec(line);
      return found === null ? [] : [`${found[1] === undefined ? 'www' : 'proxy'} ${found[2]} ${found[3]}`];
    });
  }

  async function challenge(status: number, ...headers: string[]): Promise<SipRequest> {
    const last = scene.peer.requests('INVITE').at(-1)!;
    const count = scene.peer.requests('INVITE').length;
    scene.peer.answer(last, status, { headers });
    return waitFor('the next INVITE', () => scene.peer.requests('INVITE')[count]);
  }

  it.each<[string, readonly (readonly [number, ...string[]])[], readonly string[]]>([
    [
      'one after another',
      [
        [407, proxy('a', '1')],
        [407, proxy('b', '2')],
        [401, www('c', '3')],
      ],
      ['proxy a 1', 'proxy b 2', 'www c 3'],
    ],
    [
      'at a time',
      [[401, www('a', '1'), proxy('b', '2'), proxy('c', '3')]],
      ['www a 1', 'proxy b 2', 'proxy c 3'],
    ],
    [
      'one of which is stale afterwards',
      [
        [407, proxy('a', '1')],
        [407, proxy('b', '2')],
        [407, proxy('a', '9', ', stale=true')],
      ],
      ['proxy a 9', 'proxy b 2'],
    ],
    [
      'one of which is stale in other words',
      [
        [401, www('a', '1')],
        [401, www('a', '2', ', stale="TRUE"')],
      ],
      ['www a 2'],
    ],
    [
      'of one realm by a proxy and by the server',
      [
        [407, proxy('a', '1')],
        [401, www('a', '2')],
      ],
      ['proxy a 1', 'www a 2'],
    ],
  ])('%s are answered together', async (_, rounds, expected) => {
    scene.dial();
    await scene.peer.request('INVITE');
    for (const [status, ...headers] of rounds) await challenge(status, ...headers);
    const last = scene.peer.requests('INVITE').at(-1)!;
    expect(credentialsOf(last).toSorted()).toEqual([...expected].toSorted());
    scene.peer.answer(last, 200, { body: sdp() });
    await scene.notes.waitFor('answered');
    const ack = await waitFor('ACK of the answer', () =>
      scene.peer.requests('ACK').find((each) => each.headers.cseq.seq === last.headers.cseq.seq),
    );
    expect(credentialsOf(ack).toSorted()).toEqual([...expected].toSorted());
  });

  it.each<[string, readonly string[]]>([
    ['at once', [proxy('a', '1'), proxy('a', '2')]],
    ['after another one', [proxy('a', '1'), proxy('b', '2'), proxy('a', '3')]],
  ])('of a realm that refuses end the attempt, %s', async (_, rounds) => {
    scene.dial();
    await scene.peer.request('INVITE');
    for (const round of rounds.slice(0, -1)) await challenge(407, round);
    scene.peer.answer(scene.peer.requests('INVITE').at(-1)!, 407, { headers: [rounds.at(-1)!] });
    await scene.notes.waitFor('ended remote');
    expect(scene.notes.termination).toEqual({ result: 'failed', reason: '407 Scripted' });
    expect(scene.peer.requests('INVITE')).toHaveLength(rounds.length);
  });

  it.each([401, 407])('without a challenge end the attempt with their own status: %i', async (status) => {
    scene.dial();
    scene.peer.answer(await scene.peer.request('INVITE'), status);
    await scene.notes.waitFor('ended remote');
    expect(scene.notes.termination).toEqual({ result: 'failed', reason: `${status} Scripted` });
  });

  it('of a BYE are answered as well', async () => {
    const { leg } = await scene.answered();
    leg.hangUp();
    scene.peer.answer(await scene.peer.request('BYE'), 407, { headers: [proxy('a', '1')] });
    const again = await scene.peer.request('BYE');
    expect(credentialsOf(again)).toEqual(['proxy a 1']);
    scene.peer.answer(again, 200);
    await leg.released;
  });
});
