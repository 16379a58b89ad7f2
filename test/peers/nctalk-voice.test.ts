import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Janus } from '../support/janus.ts';
import { requirePeer } from '../support/require-peer.ts';
import { ROOM_RATE_HZ, TalkCall } from '../support/talk-call.ts';
import { TalkRoom } from '../support/talk-room.ts';
import { analyzeTone, toneLevelDb } from '../support/tone-analysis.ts';
import { HEARD_RATE_HZ } from '../support/webrtc-people.ts';

const ANNA_HZ = 440;
const BEN_HZ = 700;
const AGENT_HZ = 1_300;
const CLEAR_DB = 20;
const APART_DB = 40;
const SECONDS = 1.5;

describe.skipIf(requirePeer('janus'))('a call of Nextcloud Talk with a real Janus and libwebrtc', () => {
  let janus: Janus;
  let call: TalkCall;
  let room: TalkRoom;

  beforeAll(async () => {
    [janus, call] = await Promise.all([Janus.start(), TalkCall.open(AGENT_HZ)]);
    room = await TalkRoom.open(janus);
    await Promise.all([room.enter('anna', ANNA_HZ), room.enter('ben', BEN_HZ)]);
    await room.openTransport(call.bridges, call.rings);
    await room.publish();
    await Promise.all([room.subscribe('anna'), room.subscribe('ben'), room.listen('listener')]);
  });

  afterAll(async () => {
    await room?.close();
    await call?.close();
    await janus?.stop();
  });

  it.each([
    ['anna', ANNA_HZ, BEN_HZ],
    ['ben', BEN_HZ, ANNA_HZ],
  ])('hears %s apart from everybody else', async (name, ownHz, othersHz) => {
    const heard = await call.hear(room.streamOf(name), SECONDS);
    expect(analyzeTone(heard, ROOM_RATE_HZ, ownHz).snrDb).toBeGreaterThan(CLEAR_DB);
    const [own, others] = [ownHz, othersHz].map((hz) => toneLevelDb(heard, ROOM_RATE_HZ, hz));
    expect(others).toBeLessThan(own! - APART_DB);
  });

  it('is heard by people', async () => {
    const heard = await room.people.hear('listener', SECONDS * 1_000);
    expect(analyzeTone(heard, HEARD_RATE_HZ, AGENT_HZ).snrDb).toBeGreaterThan(CLEAR_DB);
  });

  it('keeps the voice of somebody whose connection is made again', async () => {
    const before = room.streamOf('anna');
    room.signals.length = 0;
    await room.subscribe('anna');
    expect(room.streamOf('anna')).toBe(before);
    const heard = await call.hear(before, SECONDS);
    expect(analyzeTone(heard, ROOM_RATE_HZ, ANNA_HZ).snrDb).toBeGreaterThan(CLEAR_DB);
  });

  it('says what is wrong with an offer, and goes on', async () => {
    const offer = ['v=0', 'm=video 9 UDP/TLS/RTP/SAVPF 96', 'a=rtpmap:96 VP8/90000', ''].join('\r\n');
    await expect(room.transport!.command('subscribe', 'carl', offer)).rejects.toThrow('has no Opus');
    await expect(room.transport!.command('subscribe', 'carl', 'nonsense')).rejects.toThrow('has no Opus');
    expect(call.faults).toEqual([]);
  });
});
