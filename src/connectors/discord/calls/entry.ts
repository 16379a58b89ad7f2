import { type Capability, PLATFORM_TRAITS } from '../../../base/platform.ts';
import type { Termination } from '../../../base/termination.ts';
import type { Clock } from '../../../base/time.ts';
import type { Bridges } from '../../../media/transport.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { VoiceRest, VoiceSignaling } from '../gateway/voice-signaling.ts';
import {
  accessOf,
  type ChannelAccess,
  type ChannelAddress,
  capabilitiesOf,
  readVoiceChannel,
  type VoiceChannelFacts,
  whyNot,
} from './channel-access.ts';
import { PERMISSION } from './permissions.ts';
import type { ChatRules } from './voice-chat.ts';

/** Reason of a call whose bot Discord does not let in. */
export const NO_ANSWER = 'Discord did not let the bot into the channel';
/** Why a bot cannot enter: Discord lets it be in one channel of each server. */
export const PLACE_TAKEN = 'The bot is already in a voice channel of this server';

/** What a call consists of before it begins. */
export interface DiscordCall {
  readonly signaling: VoiceSignaling;
  readonly bridges: Bridges;
  readonly clock: Clock;
  readonly accountId: string;
  readonly address: ChannelAddress;
  /** Who must be allowed to enter besides the bot: one of these people. Null: nobody. */
  readonly people: (() => Promise<readonly string[]>) | null;
  /** Takes the bot's place in the server, until the leg is released. False: another call has it. */
  readonly claim: () => boolean;
  readonly chat: ChatRules;
}

/** Longest wait for what Discord says about the channel. The bot may get in without it. */
const LOOKUP_MS = 4_000;
/** People of an account who are looked up, one request each. */
const MAX_PEOPLE = 10;

const NOBODY = 'The shared bot enters only channels that somebody who is linked to this account may enter';

/** A channel that the bot may enter, as far as Discord tells. */
export interface Entry {
  readonly capabilities: readonly Capability[];
  /** In bit/s; null: not known. */
  readonly bitrateBps: number | null;
  /** Says more about a call that nobody answered. */
  explain(termination: Termination): Termination;
}

/** Finds out whether the bot may enter a voice channel. `refusal`: why it may not. */
export async function enterable(
  { signaling, address, people }: DiscordCall,
  outer: AbortSignal,
): Promise<Entry | { readonly refusal: string }> {
  const { rest, botUserId } = signaling;
  const signal = AbortSignal.any([outer, AbortSignal.timeout(LOOKUP_MS)]);
  try {
    const channel = await readVoiceChannel(rest, address, signal);
    if (people !== null && !(await mayAnyEnter(rest, channel, await people(), signal)))
      return { refusal: NOBODY };
    const access = await accessOf(rest, channel, botUserId, signal);
    const refusal = whyNot(access);
    return refusal === null ? entryTo(access) : { refusal };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    // Strangers are not told whether a channel exists.
    if (people !== null) return { refusal: error.kind === 'refused' ? NOBODY : error.message };
    // Discord itself decides when the bot asks to enter.
    return error.kind === 'refused' ? { refusal: error.message } : UNKNOWN;
  }
}

/**
 * A shared bot enters only channels that the account's own people may enter. Otherwise everybody could listen wherever
 * the bot is installed.
 */
async function mayAnyEnter(
  rest: VoiceRest,
  channel: VoiceChannelFacts,
  people: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const userId of people.slice(0, MAX_PEOPLE)) {
    const access = await accessOf(rest, channel, userId, signal).catch(nullIfRefused);
    if (access !== null && whyNot(access) === null) return true;
  }
  return false;
}

/** Such as for somebody who is not a member. */
function nullIfRefused(error: unknown): null {
  if (error instanceof PlatformFailure && error.kind === 'refused') return null;
  throw error;
}

const UNKNOWN: Entry = {
  capabilities: PLATFORM_TRAITS.discord.capabilities,
  bitrateBps: null,
  explain: (termination) => termination,
};

/** Discord gives no answer at all to a bot that it does not let in. */
function entryTo(access: ChannelAccess): Entry {
  const { userLimit, bitrateBps, permissions } = access;
  const mayBeFull = userLimit > 0 && !(permissions & PERMISSION.moveMembers);
  return {
    capabilities: capabilitiesOf(access),
    bitrateBps,
    explain: (termination) =>
      mayBeFull && termination.reason === NO_ANSWER
        ? {
            result: 'busy',
            reason: `${NO_ANSWER}. The channel has room for ${userLimit} and is probably full`,
          }
        : termination,
  };
}
