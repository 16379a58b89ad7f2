import type { Announcements } from '../events/announcements.ts';
import type { Installation } from '../world/fake-app.ts';
import type { FakeChannel } from '../world/fake-channel.ts';
import type { Arguments, Shape } from './arguments.ts';
import { SlackError } from './slack-error.ts';
import type { UploadSlots } from './upload-slots.ts';

/** A call with a bot's token. */
export interface BotCall {
  readonly installation: Installation;
  readonly args: Arguments;
  readonly announcements: Announcements;
  readonly uploads: UploadSlots;
}

type Answer = Readonly<Record<string, unknown>>;

/** A method of the Web API that bots call. */
export interface BotMethod {
  readonly arguments: Shape;
  /** Whether the arguments may come as JSON, as the method's page says. */
  readonly takesJson: boolean;
  /** The scopes of which one is needed; none: every token may. */
  readonly scopes: readonly string[];
  run(call: BotCall): Answer;
}

/** The scope that a channel's kind needs for a method. */
export function requireScope({ scopes }: Installation, needed: string): void {
  if (scopes.has(needed)) return;
  throw new SlackError('missing_scope', { needed, provided: [...scopes].join(',') });
}

/** A channel that the bot can see; a private one only as a member. */
export function channelOf(
  { installation: { workspace, bot }, args }: BotCall,
  name = 'channel',
): FakeChannel {
  const channel = workspace.channels.get(args.text(name));
  if (!channel || (channel.kind !== 'channel' && !channel.members.has(bot)))
    throw new SlackError('channel_not_found');
  return channel;
}
