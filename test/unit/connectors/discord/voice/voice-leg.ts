import { expect } from 'vitest';
import { openVoiceTransport } from '../../../../../src/connectors/discord/voice/voice-transport.ts';
import { MEDIA_MEMORY_BYTES, type MediaLeg } from '../../../../../src/media/media-leg.ts';
import { newPacketRings } from '../../../../../src/rings/bridge-rings.ts';
import { packetLegsWith, voiceCodecsFor } from '../../../../../src/rtp/open-rtp-leg.ts';
import type { PacketConfig } from '../../../../../src/rtp/rtp-protocol.ts';
import { waitFor } from '../../../../support/wait-for.ts';
import { RATE_HZ } from './ring-engine.ts';
import type { VoiceWorld } from './voice-world.ts';

export const OPUS: PacketConfig = {
  codec: 'opus',
  payloadType: 120,
  opus: { maxBitrateBps: null, inbandFec: true },
  sending: true,
  receiving: true,
};

/** A bot in the channel: its voice transport and the engine's media leg, both on this thread. */
export async function openVoiceLeg(world: VoiceWorld): Promise<{ leg: MediaLeg; close: () => void }> {
  const rings = newPacketRings();
  let isOpen = false;
  const transport = await openVoiceTransport(
    { accountId: 'acc_1', access: world.access(), rings },
    new SharedArrayBuffer(0),
    {
      emit: ({ type }) => {
        isOpen ||= type === 'opened';
        return true;
      },
      fail: (error) => expect.unreachable(String(error)),
      turn: async () => () => undefined,
    },
  );
  await waitFor('the session', () => isOpen);
  // The native codec has one user per thread, which may be a phone's leg.
  const open = packetLegsWith(voiceCodecsFor('portable'));
  const host = { emit: () => undefined, fail: (error: unknown) => expect.unreachable(String(error)) };
  const memory = new SharedArrayBuffer(MEDIA_MEMORY_BYTES);
  const leg = await open({ rings, sampleRateHz: RATE_HZ, speakers: 'ssrc' }, memory, host);
  leg.configure(OPUS);
  const close = () => {
    leg.close();
    void transport.close();
  };
  return { leg, close };
}
