import { type Capability, PLATFORM_TRAITS } from '../../../base/platform.ts';
import type { Termination } from '../../../base/termination.ts';
import { DiscordFailure } from '../rest/discord-failure.ts';
import { type ChannelAccess, capabilitiesOf, readChannelAccess, whyNot } from './channel-access.ts';
import type { DiscordCall } from './discord-call.ts';
import { PERMISSION } from './permissions.ts';
import { NO_ANSWER } from './voice-link.ts';

/** Longest wait for what Discord says about the channel. The bot may get in without it. */
const LOOKUP_MS = 4_000;
/** People of an account who are looked up. */
const MAX_PEOPLE = 5;

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
  call: DiscordCall,
  outer: AbortSignal,
): Promise<Entry | { readonly refusal: string }> {
  const { signaling, address } = call;
  const signal = AbortSignal.any([outer, AbortSignal.timeout(LOOKUP_MS)]);
  if (!(await mayAnyEnter(call, signal))) return { refusal: NOBODY };
  try {
    const access = await readChannelAccess(signaling.rest, address, signaling.botUserId, signal);
    const refusal = whyNot(access);
    return refusal === null ? entryTo(access) : { refusal };
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    // Discord itself decides when the bot asks to enter.
    return error.kind === 'refused' ? { refusal: error.message } : UNKNOWN;
  }
}

/**
 * A shared bot enters only channels that the account's own people may enter. Otherwise everybody could listen wherever
 * the bot is installed. What cannot be looked up counts as no.
 */
async function mayAnyEnter(
  { signaling, address, people }: DiscordCall,
  signal: AbortSignal,
): Promise<boolean> {
  if (people === null) return true;
  for (const userId of (await people()).slice(0, MAX_PEOPLE)) {
    const access = await readChannelAccess(signaling.rest, address, userId, signal).catch(() => null);
    if (access !== null && whyNot(access) === null) return true;
  }
  return false;
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
