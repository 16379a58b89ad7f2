import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Janus } from '../support/janus.ts';
import { requirePeer } from '../support/require-peer.ts';
import { ROOM_RATE_HZ, TalkCall } from '../support/talk-call.ts';
import { TalkRoom } from '../support/talk-room.ts';
import { toneLevelDb } from '../support/tone-analysis.ts';
import { waitFor } from '../support/wait-for.ts';
import { REJOINING } from '../unit/bridge/test-transport.ts';

const KILLS = 200;
const ANNA_HZ = 440;
const AGENT_HZ = 1_300;
const AUDIBLE_DB = -30;
const HEARD_WITHIN_MS = 5_000;
const WORKER = new URL('../unit/connectors/nctalk/voice/test.worker.ts', import.meta.url);
const nobody = { signal: () => {}, lost: () => {} };

describe.skipIf(requirePeer('janus'))('a call of Nextcloud Talk whose bridge thread dies', () => {
  let janus: Janus;
  let call: TalkCall;
  let room: TalkRoom;

  beforeAll(async () => {
    [janus, call] = await Promise.all([Janus.start(), TalkCall.open(AGENT_HZ, WORKER)]);
    room = await TalkRoom.open(janus);
    await room.enter('anna', ANNA_HZ);
  });

  afterAll(async () => {
    await room?.close();
    await call?.close();
    await janus?.stop();
  });

  /** Returns how long it took to hear Anna. A busy machine may lose the new thread as well; then it begins again. */
  async function hearAgain(): Promise<number> {
    const beganMs = performance.now();
    const lostBefore = room.lost.length;
    try {
      await room.openTransport(call.bridges, call.rings);
      await Promise.all([room.publish(), room.subscribe('anna')]);
    } catch (error) {
      if (room.lost.length === lostBefore) throw error;
      return await hearAgain();
    }
    await waitFor('Anna to be heard', async () => {
      const heard = await call.hear(room.streamOf('anna'), 0.1);
      return toneLevelDb(heard, ROOM_RATE_HZ, ANNA_HZ) > AUDIBLE_DB;
    });
    return performance.now() - beganMs;
  }

  it(`is heard again after each of ${KILLS} deaths`, { timeout: KILLS * HEARD_WITHIN_MS }, async () => {
    const tookMs: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      tookMs.push(await hearAgain());
      const lostBefore = room.lost.length;
      const sick = await call.bridges.open(REJOINING, {}, nobody);
      sick.command('run', kill % 2 === 0 ? 'exit' : 'throw').catch(() => {});
      await waitFor('the loss of the transport', () => room.lost.length > lostBefore);
    }
    tookMs.sort((a, b) => a - b);
    expect(tookMs[Math.floor(KILLS * 0.95)]).toBeLessThan(HEARD_WITHIN_MS);
  });

  it('is told that Janus is gone', { timeout: 60_000 }, async () => {
    await room.transport?.close();
    await hearAgain();
    await janus.restart();
    await waitFor('both connections to fail', () => {
      const failed = room.signals.filter(({ type }) => type === 'failed');
      return failed.length === 2;
    });
    expect(room.signals.at(-1)).toMatchObject({ reason: 'the other side does not answer any more' });
  });
});
