import { expect, it } from 'vitest';
import { offeredTraits } from '../../../../src/accounts/logins/offered-traits.ts';
import { PLATFORM_TRAITS } from '../../../../src/base/platform.ts';
import type { Provides } from '../../../../src/connectors/contract/connector.ts';

const provides = (what: object) => ({ provides: what as Provides });

it('an account is promised what this installation’s calls and messages offer', () => {
  const traits = offeredTraits(
    PLATFORM_TRAITS,
    new Map([
      // Meetings by phone have no chat, and more than Meet's own API.
      ['meet', provides({ calls: { offers: ['audio_in', 'audio_out'] } })],
      ['discord', provides({ calls: {}, messenger: { typing: {}, files: {} } })],
      // A bot without calls, and calls without a bot.
      ['teams', provides({ messenger: { typing: {} } })],
      ['sip', provides({ calls: {}, inboundCalls: {} })],
    ]),
  );
  expect(traits.meet.capabilities).toEqual(['audio_in', 'audio_out']);
  expect(traits.discord.capabilities).toEqual(PLATFORM_TRAITS.discord.capabilities);
  expect(traits.teams.capabilities).toEqual(['read', 'write', 'typing']);
  expect(traits.sip.capabilities).toEqual(['audio_in', 'audio_out']);
  expect(traits.whatsapp).toEqual({ ...PLATFORM_TRAITS.whatsapp, capabilities: [] });
});
