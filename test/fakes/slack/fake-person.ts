import type { Announcements } from './events/announcements.ts';
import type { Delivery } from './events/event-delivery.ts';
import { newTs } from './slack-ids.ts';
import type { Installation } from './world/fake-app.ts';
import type { FakeChannel } from './world/fake-channel.ts';
import type { FakeFile } from './world/fake-file.ts';
import type { FakeMessage } from './world/fake-message.ts';
import type { FakeUser } from './world/fake-user.ts';
import type { FakeWorkspace } from './world/fake-workspace.ts';

/** What a person has written, with the events about it. */
export interface Written {
  readonly channel: FakeChannel;
  readonly message: FakeMessage;
  readonly deliveries: Delivery[];
}

/** A person of a workspace, played by a test. */
export class FakePerson {
  readonly user: FakeUser;
  readonly #workspace: FakeWorkspace;
  readonly #announcements: Announcements;

  constructor(user: FakeUser, workspace: FakeWorkspace, announcements: Announcements) {
    this.user = user;
    this.#workspace = workspace;
    this.#announcements = announcements;
  }

  directMessages({ bot }: Installation): FakeChannel {
    return this.#workspace.directMessages(this.user, bot);
  }

  /** What the bot has written to the person, in order. */
  received(installation: Installation): FakeMessage[] {
    const { bot } = installation;
    return this.directMessages(installation).messages.filter(({ user }) => user === bot);
  }

  /** People type `&`, `<` and `>`; Slack stores them escaped. */
  says(channel: FakeChannel, text: string, threadTs: string | null = null): Written {
    return this.writesMarkup(channel, escaped(text), threadTs);
  }

  /** Writes what Slack's editor makes of mentions and links. */
  writesMarkup(channel: FakeChannel, text: string, threadTs: string | null = null): Written {
    return this.#post(channel, { text, threadTs });
  }

  sends(
    channel: FakeChannel,
    file: { readonly name: string; readonly mime: string; readonly bytes: Buffer },
    text = '',
    change: (file: FakeFile) => void = () => undefined,
  ): Written {
    const stored = this.#workspace.addFile({ ...file, owner: this.user });
    change(stored);
    return this.#post(channel, { text: escaped(text), files: [stored] });
  }

  edits({ channel, message }: Pick<Written, 'channel' | 'message'>, text: string): Delivery[] {
    const previous = { ...message };
    message.text = escaped(text);
    message.editedTs = message.ts;
    return this.#announcements.edited(channel, message, previous);
  }

  reacts(channel: FakeChannel, ts: string, name: string, isAdded: boolean): Delivery[] {
    return this.#announcements.reacted(channel, this.user, { ts, name, isAdded });
  }

  /** Presses a button of the bot's: Slack posts a form to the app. */
  async presses(
    { app, workspace }: Installation,
    channel: FakeChannel,
    message: FakeMessage,
    label: string,
  ): Promise<void> {
    const blocks = message.blocks as { elements?: { action_id: string; value: string }[] }[];
    const button = blocks.flatMap(({ elements = [] }) => elements).find(({ value }) => value === label);
    if (!button) throw new Error(`there is no button ${label}`);
    const payload = {
      type: 'block_actions',
      team: { id: workspace.id, domain: 'test' },
      user: { id: this.user.id, name: this.user.realName, team_id: this.user.teamId },
      channel: { id: channel.id, name: 'directmessage' },
      message: { type: 'message', ts: message.ts, text: message.text },
      actions: [{ ...button, type: 'button', action_ts: newTs() }],
    };
    const { body, headers } = app.delivery.signed(`payload=${encodeURIComponent(JSON.stringify(payload))}`);
    const form = { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status } = await fetch(app.delivery.url, { method: 'POST', headers: form, body });
    if (status !== 200) throw new Error(`a press was answered with ${status}`);
  }

  deletes({ channel, message }: Pick<Written, 'channel' | 'message'>): Delivery[] {
    channel.remove(message);
    return this.#announcements.deleted(channel, message);
  }

  /** Slack delivers the message once more, as a new event. */
  repeats({ channel, message }: Pick<Written, 'channel' | 'message'>): Delivery[] {
    return this.#announcements.posted(channel, message);
  }

  /** Brings a bot into a channel, or takes it out. */
  invites({ bot }: Installation, channel: FakeChannel): void {
    channel.members.add(bot);
    this.#announcements.moved(channel, bot, 'member_joined_channel');
  }

  removes({ bot }: Installation, channel: FakeChannel): void {
    channel.members.delete(bot);
    this.#announcements.moved(channel, bot, 'member_left_channel');
  }

  #post(
    channel: FakeChannel,
    more: { readonly text: string; readonly threadTs?: string | null; readonly files?: readonly FakeFile[] },
  ): Written {
    if (this.user.isDeleted) throw new Error(`${this.user.name} is deactivated`);
    const message = channel.post({ user: this.user, ...more });
    return { channel, message, deliveries: this.#announcements.posted(channel, message) };
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
