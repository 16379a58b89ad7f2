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

  it(`is heard again after each of ${KILLS} deaths`, { timeout: KILLS * HEARD_WITHIN_MS }, async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const beganMs = performance.now();
      await room.openTransport(call.bridges, call.rings);
      await Promise.all([room.publish(), room.subscribe('anna')]);
      const heard = await call.hear(room.streamOf('anna'), 0.3);
      expect(toneLevelDb(heard, ROOM_RATE_HZ, ANNA_HZ), `after ${kill} deaths`).toBeGreaterThan(AUDIBLE_DB);
      expect(performance.now() - beganMs, `after ${kill} deaths`).toBeLessThan(HEARD_WITHIN_MS);
      const sick = await call.bridges.open(REJOINING, {}, nobody);
      sick.command('run', kill % 2 === 0 ? 'exit' : 'throw').catch(() => {});
      await waitFor('the loss of the transport', () => room.lost.length === kill + 1);
    }
    expect(call.faults.filter((fault) => !/on purpose|thread/i.test(fault))).toEqual([]);
  });
});
