import { afterEach, describe, expect, it } from 'vitest';
import { FakeCrc } from '../fakes/zoom/fake-crc.ts';
import { Baresip } from '../support/baresip.ts';
import type { PhoneCodec } from '../support/baresip-config.ts';
import { requirePeer } from '../support/require-peer.ts';
import { Sipp } from '../support/sipp.ts';
import { placeAndHold } from '../support/sipp-scenarios.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { analyzeTone } from '../support/tone-analysis.ts';
import { waitFor } from '../support/wait-for.ts';

const USER = '81234567890.123456';
/** Phones show no name unless somebody has set one. */
const NAMELESS = 'INVITE: no display name';
const TALK_PACKETS = 150;

let crc: FakeCrc | null = null;
let phone: Baresip | null = null;
afterEach(async () => {
  await phone?.stop();
  await crc?.stop();
  phone = crc = null;
});

async function dial(user: string, transport: 'tls' | 'tcp' | 'udp', codec: PhoneCodec, toneHz = 440) {
  crc = await FakeCrc.start({ names: ['127.0.0.1'] });
  phone = await Baresip.start({ user: 'room', transport, codecs: [codec], source: { toneHz } });
  const port = transport === 'tls' ? crc.tlsPort : crc.port;
  // It adds its own transport.
  await phone.dial(`sip:${user}@127.0.0.1:${port}`);
  const call = await crc.caller(user);
  return { phone, call };
}

describe.skipIf(requirePeer('baresip'))('a room system that others wrote', { retry: retryAudio() }, () => {
  it.each([
    ['tls', 'G722', 5_000, 21],
    ['tls', 'opus', 440, 30],
    ['tcp', 'PCMU', 440, 30],
    ['udp', 'PCMA', 440, 30],
  ] as const)('hears itself in a meeting over %s with %s', async (transport, codec, toneHz, leastSnrDb) => {
    const { phone, call } = await dial(USER, transport, codec, toneHz);
    await phone.waitFor('CALL_ESTABLISHED');
    await call.reaches('meeting');
    await waitFor('some talk', () => call.heard >= TALK_PACKETS);
    await phone.hangUp();
    await call.reaches('over');
    expect([call.format?.codec, call.protocol]).toEqual([codec, transport.toUpperCase()]);
    expect([call.faults, [...new Set(crc!.violations)]]).toEqual([[], [NAMELESS]]);
    const { samples, sampleRateHz } = phone.recordings().at(-1)!;
    expect(analyzeTone(samples, sampleRateHz, toneHz).snrDb).toBeGreaterThan(leastSnrDb);
  });

  it('presses the passcode, and is hung up on after three wrong ones', async () => {
    const { phone, call } = await dial('81234567890', 'tls', 'PCMU');
    await phone.waitFor('CALL_ESTABLISHED');
    await phone.sendDtmf('1#2#3#');
    await phone.waitFor('CALL_CLOSED');
    expect([call.place, call.faults]).toEqual(['over', []]);
  });

  it('is refused a meeting that does not exist', async () => {
    const { phone } = await dial('89999999999', 'tls', 'PCMU');
    expect((await phone.waitFor('CALL_CLOSED')).param).toContain('404');
  });
});

describe.skipIf(requirePeer('sipp'))('fifty room systems at once', () => {
  it('join by the letter of a scenario', async () => {
    crc = await FakeCrc.start({ names: ['127.0.0.1'] });
    const sipp = await Sipp.start({
      scenario: { xml: placeAndHold(500) },
      target: `127.0.0.1:${crc.port}`,
      service: USER,
      calls: 50,
      parallel: 50,
      rate: 50,
      rtpEcho: true,
    });
    try {
      expect(await sipp.finished(30_000)).toMatchObject({ successful: 50, failed: 0 });
    } finally {
      await sipp.stop();
    }
    expect([...new Set(crc.violations)]).toEqual([NAMELESS]);
    expect(crc.calls.every(({ place }) => place === 'over')).toBe(true);
  });
});
