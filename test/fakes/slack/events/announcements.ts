import { newTs } from '../slack-ids.ts';
import type { FakeApp, Installation } from '../world/fake-app.ts';
import type { FakeChannel } from '../world/fake-channel.ts';
import { type FakeMessage, wireMessage } from '../world/fake-message.ts';
import type { FakeUser } from '../world/fake-user.ts';
import type { Delivery } from './event-delivery.ts';

const CHANNEL_TYPES = { channel: 'channel', group: 'group', im: 'im' } as const;
const HISTORY_SCOPES = { channel: 'channels:history', group: 'groups:history', im: 'im:history' } as const;

type Event = Readonly<Record<string, unknown>>;

/** Tells apps what happens in the channels of their bots. */
export class Announcements {
  readonly #apps: () => Iterable<FakeApp>;

  constructor(apps: () => Iterable<FakeApp>) {
    this.#apps = apps;
  }

  /** A message was written. Mentions come as a second event, with an id of its own. */
  posted(channel: FakeChannel, message: FakeMessage): Delivery[] {
    const event = {
      ...wireMessage(message, channel.teamId),
      channel: channel.id,
      channel_type: CHANNEL_TYPES[channel.kind],
      event_ts: message.ts,
    };
    return this.#readers(channel).flatMap((installation) => {
      const first = this.#tell(installation, channel, event);
      const isMention = channel.kind !== 'im' && message.text.includes(`<@${installation.bot.id}>`);
      if (!isMention || !installation.scopes.has('app_mentions:read')) return [first];
      const { channel_type: _type, subtype: _subtype, ...mention } = { subtype: undefined, ...event };
      return [first, this.#tell(installation, channel, { ...mention, type: 'app_mention' })];
    });
  }

  edited(channel: FakeChannel, message: FakeMessage, previous: FakeMessage): Delivery[] {
    return this.#about(channel, {
      subtype: 'message_changed',
      message: { ...wireMessage(message, channel.teamId), source_team: message.user.teamId },
      previous_message: wireMessage(previous, channel.teamId),
    });
  }

  deleted(channel: FakeChannel, previous: FakeMessage): Delivery[] {
    return this.#about(channel, {
      subtype: 'message_deleted',
      deleted_ts: previous.ts,
      previous_message: wireMessage(previous, channel.teamId),
    });
  }

  /** A person or bot has joined or left a channel. Bots hear of others only while they are members. */
  moved(channel: FakeChannel, user: FakeUser, type: 'member_joined_channel' | 'member_left_channel'): void {
    const event = {
      type,
      user: user.id,
      channel: channel.id,
      channel_type: 'C',
      team: channel.teamId,
      event_ts: newTs(),
    };
    for (const installation of this.#installations(channel.teamId))
      if (installation.bot === user || channel.members.has(installation.bot))
        this.#tell(installation, channel, event);
  }

  /** Somebody has reacted to a message, or taken that back. */
  reacted(
    channel: FakeChannel,
    user: FakeUser,
    { ts, name, isAdded }: { readonly ts: string; readonly name: string; readonly isAdded: boolean },
  ): Delivery[] {
    const event = {
      type: isAdded ? 'reaction_added' : 'reaction_removed',
      user: user.id,
      reaction: name,
      item: { type: 'message', channel: channel.id, ts },
      event_ts: newTs(),
    };
    return this.#readers(channel)
      .filter(({ scopes }) => scopes.has('reactions:read'))
      .map((installation) => this.#tell(installation, channel, event));
  }

  /** The app was removed from the workspace, or its tokens are revoked. */
  ended({ app, workspace }: Installation, event: Event): Delivery {
    const installation = app.installations.find((each) => each.workspace === workspace)!;
    return app.delivery.deliver(workspace.id, app.envelope(installation, event));
  }

  #about(channel: FakeChannel, change: Event): Delivery[] {
    const ts = newTs();
    const event = {
      type: 'message',
      ...change,
      channel: channel.id,
      hidden: true,
      ts,
      event_ts: ts,
      channel_type: CHANNEL_TYPES[channel.kind],
    };
    return this.#readers(channel).map((installation) => this.#tell(installation, channel, event));
  }

  #readers(channel: FakeChannel): Installation[] {
    const scope = HISTORY_SCOPES[channel.kind];
    return this.#installations(channel.teamId).filter(
      ({ bot, scopes }) => channel.members.has(bot) && scopes.has(scope),
    );
  }

  #installations(teamId: string): Installation[] {
    return [...this.#apps()].flatMap(({ installations }) =>
      installations.filter(({ workspace, deadAs }) => workspace.id === teamId && deadAs === null),
    );
  }

  #tell(installation: Installation, channel: FakeChannel, event: Event): Delivery {
    const { app } = installation;
    return app.delivery.deliver(channel.id, app.envelope(installation, event));
  }
}
