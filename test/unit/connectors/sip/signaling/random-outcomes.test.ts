import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../../support/wait-for.ts';
import { RecordedLeg } from './fake-calls.ts';
import { ScriptedPeer, sdp } from './scripted-peer.ts';
import { ConnectorUnderTest, dialTo, NUMBER, trunkTo } from './start-connector.ts';

/** A small generator, so that a failure can be reproduced by its seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const CALLS = 60;
const STATUSES = [404, 480, 486, 488, 503, 603];

describe('calls with random outcomes', () => {
  let gateway: ConnectorUnderTest;
  let peer: ScriptedPeer;

  beforeEach(async () => {
    gateway = await ConnectorUnderTest.start();
    const { rtpPortMin } = gateway;
    await gateway.stop();
    // There is room for two calls, so the third would fail if an earlier one had kept its port.
    gateway = await ConnectorUnderTest.start({ rtpPortMin, rtpPortMax: rtpPortMin + 3 });
    peer = await ScriptedPeer.start();
    peer.facing(gateway.connector.port!);
    gateway.connector.putTrunk(trunkTo(peer.port));
    gateway.connector.putNumber(NUMBER);
  });

  afterEach(async () => {
    peer.stop();
    await gateway.stop();
  });

  async function placed(index: number, draw: (below: number) => number): Promise<void> {
    const notes = new RecordedLeg();
    const request = dialTo(`sip:${index}@127.0.0.1`, { callId: `o${index}` });
    const leg = gateway.connector.dial(request, notes.media, notes);
    if (draw(8) === 0) leg.hangUp();
    else await place(index, draw, leg, notes);
    await leg.released;
    expect(notes.log.filter((entry) => entry.startsWith('ended'))).toHaveLength(1);
    expect(notes.termination?.reason).not.toContain('all RTP ports');
  }

  async function place(
    index: number,
    draw: (below: number) => number,
    leg: { hangUp(): void },
    notes: RecordedLeg,
  ): Promise<void> {
    const invite = await waitFor('INVITE', () =>
      peer.requests('INVITE').find((each) => each.uri.startsWith(`sip:${index}@`)),
    );
    const callId = invite.headers['call-id'];
    const ended = () => notes.termination !== null;
    if (draw(2) === 0) peer.answer(invite, 180, { body: draw(2) === 0 ? sdp() : '' });
    switch (draw(4)) {
      case 0:
        return peer.answer(invite, STATUSES[draw(STATUSES.length)]!);
      case 1: {
        peer.answer(invite, 180);
        await notes.waitFor('ringing');
        leg.hangUp();
        const cancel = await waitFor('CANCEL', () =>
          peer.requests('CANCEL').find((each) => each.headers['call-id'] === callId),
        );
        peer.answer(cancel, 200);
        if (draw(2) === 0) return peer.answer(invite, 487);
        peer.answer(invite, 200, { body: sdp() });
        return sayGoodbye(callId);
      }
      case 2:
        peer.answer(invite, 200, { body: draw(3) === 0 ? sdp(40_000, { codecs: '9' }) : sdp() });
        await waitFor('an end or an answer', () => ended() || notes.log.includes('answered'));
        if (!ended()) leg.hangUp();
        return sayGoodbye(callId);
      default: {
        peer.answer(invite, 200, { body: sdp() });
        await notes.waitFor('answered');
        const { tag } = invite.headers.from.params;
        const contact = (invite.headers.contact as { uri: string }[])[0]!.uri;
        const call = { callId, cseq: 9, fromTag: 'peer', to: 'sip:gateway@127.0.0.1', toTag: tag! };
        peer.send('BYE', contact, call);
      }
    }
  }

  async function sayGoodbye(callId: string): Promise<void> {
    const bye = await waitFor('BYE', () =>
      peer.requests('BYE').find((each) => each.headers['call-id'] === callId),
    );
    peer.answer(bye, 200);
  }

  it.each([1, 2, 3])(
    'release their RTP ports and end once (seed %i)',
    async (seed) => {
      const draw = random(seed);
      await waitFor('the trunk to be known', () => {
        peer.send('OPTIONS', `sip:x@${gateway.uri}`, {
          callId: `probe${seed}`,
          cseq: 1 + peer.received.length,
        });
        return peer.statuses('OPTIONS').includes(200);
      });
      const lane = async (first: number): Promise<void> => {
        for (let index = first; index < CALLS; index += 2) await placed(index, draw);
      };
      await Promise.all([lane(0), lane(1)]);
      expect(gateway.counted('rtp_ports_exhausted')).toBe(0);
      expect(gateway.counted('core_error')).toBe(0);
    },
    30_000,
  );
});
