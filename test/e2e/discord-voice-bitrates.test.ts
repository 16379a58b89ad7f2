import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/discord/fake-bot.ts';
import type { ReceivedPacket } from '../fakes/discord/voice/bot-media.ts';
import { Agent } from '../support/agent.ts';
import { DiscordVoiceWorld } from '../support/discord-voice-world.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { analyzeTone } from '../support/tone-analysis.ts';
import { waitFor } from '../support/wait-for.ts';

const retry = retryAudio();

const NAMES = ['Ada', 'Ben', 'Cleo'];
const RATE_HZ = 48_000;
const AGENT_HZ = 880;
const MIN_SNR_DB = 20;
const FRAMES_PER_S = 50;
/** Of a frame: tag, counter of one or two bytes, size of the trailer, marker. */
const DAVE_BYTES = 12.5;
/** A tone is easy to encode. */
const LEAST_SHARE = 0.7;
const MOST_SHARE = 1.1;

let world: DiscordVoiceWorld;
let bot: FakeBot;

beforeAll(async () => {
  world = await DiscordVoiceWorld.start();
  bot = await world.bot('attendant');
});
afterAll(() => world?.stop());

describe.each([24, 48, 64])('in a channel of %i kbit/s', (kbitPerS) => {
  it('everybody hears the agent', { retry }, async () => {
    const room = world.room(bot);
    world.discord.moderator.setsBitrate(room.channel, kbitPerS * 1_000);
    const people = NAMES.map((name) => room.enter(name));
    const call = await room.call();
    const agent = await Agent.join(call.audio.stream_url, world.gateway.agentKey, { sampleRateHz: RATE_HZ });
    const tone = agent.startTone(AGENT_HZ);
    for (const { client } of people) {
      const isLong = () => client.heard(bot.id).samples.length > RATE_HZ;
      await waitFor('the agent', isLong);
      client.heard(bot.id).clear();
      await waitFor('a second of it', isLong);
      const { snrDb } = analyzeTone(client.heard(bot.id).samples, RATE_HZ, AGENT_HZ);
      expect(snrDb).toBeGreaterThan(MIN_SNR_DB);
      expect(client.heard(bot.id).faults).toEqual([]);
    }
    const sentKbitPerS = kbitPerSOf(room.session!.media.packets.slice(-FRAMES_PER_S));
    expect(sentKbitPerS).toBeGreaterThan(LEAST_SHARE * kbitPerS);
    expect(sentKbitPerS).toBeLessThan(MOST_SHARE * kbitPerS);
    tone.stop();
    await agent.close();
    await world.gateway.agentApi.delete(`/api/call/${call.call_id}`);
  });
});

function kbitPerSOf(packets: readonly ReceivedPacket[]): number {
  const bytes = packets.reduce((sum, packet) => sum + packet.bytes - DAVE_BYTES, 0);
  return (bytes / packets.length) * 8 * (FRAMES_PER_S / 1_000);
}
