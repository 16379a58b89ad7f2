import { setTimeout as elapse } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';
import { dialogOf } from '../unit/connectors/sip/signaling/phone-scene.ts';
import { ScriptedPeer, sdp } from '../unit/connectors/sip/signaling/scripted-peer.ts';
import { RtpPeer } from '../unit/rtp/rtp-peer.ts';

/** For how long phones are silent: several times every limit, or as many minutes as are asked for. */
const SILENCE_MS = Number(process.env.SILENCE_MINUTES ?? 2) * 60_000;
const REPORT_MS = 5_000;
/** A receiver report without blocks: nothing was heard, and somebody is there. */
const EMPTY_REPORT = Buffer.from('80c90001abcd0001', 'hex');

interface Silent {
  readonly callId: string;
  readonly phone: RtpPeer;
  readonly rtpPort: number;
  readonly beganMs: number;
}

let gateway: Gateway;
let peer: ScriptedPeer;
const phones: RtpPeer[] = [];

beforeAll(async () => {
  gateway = await Gateway.start();
  peer = await ScriptedPeer.start();
  peer.facing(gateway.sipPort);
});

afterAll(async () => {
  for (const phone of phones) phone.close();
  peer?.stop();
  await gateway?.stop();
});

/** A call to a phone that answers and sends nothing by itself. */
async function answered(trunk: Record<string, unknown>, headers: readonly string[] = []): Promise<Silent> {
  await gateway.putTrunk({ host: '127.0.0.1', port: peer.port, ...trunk });
  const phone = await RtpPeer.start();
  phones.push(phone);
  const { call_id: callId } = await gateway.placeCall('sip:+33123456789@127.0.0.1');
  const invite = await peer.request('INVITE');
  peer.answer(invite, 200, { tag: callId, body: sdp(phone.port), headers });
  await gateway.waitForState(callId, 'active');
  expect(dialogOf(invite, callId).contact).toContain('sip:');
  const rtpPort = Number(/m=audio (?<port>\d+)/.exec(invite.content)!.groups!.port);
  return { callId, phone, rtpPort, beganMs: performance.now() };
}

const shown = async ({ callId }: Silent) => (await gateway.agentApi.get(`/api/call/${callId}`)).body;

/** Waits for the end of a call; returns its reason, and after how many seconds it came. */
async function endOf(call: Silent): Promise<{ reason: string; seconds: number }> {
  const over = await waitFor(
    'the end',
    async () => {
      const body = await shown(call);
      return body.termination && body;
    },
    120_000,
  );
  return { reason: over.termination.reason, seconds: (performance.now() - call.beganMs) / 1_000 };
}

it(
  `phones that are silent for ${SILENCE_MS / 60_000} minutes are lost only if nothing shows that they are there`,
  async () => {
    const reporting = await answered({});
    const unheard = await answered({ media_timeout_s: 20 });
    const unlimited = await answered({ media_timeout_s: 0 });
    const timed = await answered({ media_timeout_s: 0 }, ['Session-Expires: 90;refresher=uas']);
    const [lost, expired, alive] = await Promise.all([endOf(unheard), endOf(timed), stayAlive()]);
    expect(lost.reason).toMatch(/no RTP/);
    expect(lost.seconds).toBeGreaterThan(19);
    expect(lost.seconds).toBeLessThan(25);
    expect(expired.reason).toBe('the session was not refreshed');
    expect(expired.seconds).toBeLessThan(90);
    console.log(
      `silent phones: without RTCP lost after ${lost.seconds.toFixed(1)} s ("${lost.reason}"), by the session timer after ${expired.seconds.toFixed(1)} s; after ${alive.toFixed(0)} s alive: with RTCP only, and with media_timeout_s 0 and nothing at all`,
    );

    /** Resolves with the seconds after which both calls still live. */
    async function stayAlive(): Promise<number> {
      const { beganMs } = unlimited;
      while (performance.now() - beganMs < SILENCE_MS) {
        await reporting.phone.sendReport(EMPTY_REPORT, reporting.rtpPort + 1);
        await elapse(REPORT_MS);
      }
      for (const call of [reporting, unlimited]) expect(await shown(call)).toMatchObject({ state: 'active' });
      return (performance.now() - beganMs) / 1_000;
    }
  },
  SILENCE_MS + 120_000,
);
