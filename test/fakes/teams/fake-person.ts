import type { ActivitySource, Happening } from './delivery/activities.ts';
import {
  deleteActivity,
  editActivity,
  installationActivity,
  invokeActivity,
  membershipActivity,
  messageActivity,
  reactionActivity,
} from './delivery/activities.ts';
import type { ActivityDelivery, Delivery } from './delivery/activity-delivery.ts';
import type { FileHost } from './file-host.ts';
import type { FakeChat, FakeMessage, WireAttachment } from './world/fake-chat.ts';
import type { FakeUser } from './world/fake-user.ts';
import type { FakeWorld } from './world/fake-world.ts';
import { newGuid } from './world/teams-ids.ts';

/** What a person has written, with its delivery. */
export interface Written {
  readonly happening: Happening;
  readonly message: FakeMessage;
  readonly delivery: Delivery;
  readonly mentions: boolean;
}

export interface FileToSend {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Buffer;
}

export interface PersonDeps {
  readonly world: FakeWorld;
  readonly delivery: ActivityDelivery;
  readonly files: FileHost;
  readonly source: () => ActivitySource;
}

/** A person of a tenant, played by a test. */
export class FakePerson {
  readonly user: FakeUser;
  readonly #deps: PersonDeps;

  constructor(user: FakeUser, deps: PersonDeps) {
    this.user = user;
    this.#deps = deps;
  }

  /** The id under which the gateway knows the person. */
  get remoteId(): string {
    return `${this.user.tenantId}:${this.user.objectId}`;
  }

  get chat(): FakeChat {
    return this.#deps.world.directChat(this.user);
  }

  /** What the bot has written to the person, in order. */
  received(): FakeMessage[] {
    return this.chat.messages.filter(({ from }) => from === null);
  }

  /** Writes to the bot; whoever writes has the app. */
  says(text: string, attachments: readonly WireAttachment[] = []): Written {
    this.#deps.world.installed.add(this.user);
    return this.#post({ chat: this.chat, user: this.user }, { text, attachments }, false);
  }

  /** Mentions the bot in a channel or group chat. `root`: the thread, in a channel. */
  mentions(chat: FakeChat, text: string, root: string | null = null): Written {
    return this.#post({ chat, user: this.user, root }, { text, attachments: [] }, true);
  }

  /** Sends a file to the bot. Teams puts it into the person's OneDrive. */
  sends({ name, mime, bytes }: FileToSend, text = ''): Written {
    const content = {
      downloadUrl: this.#deps.files.share(bytes, mime),
      uniqueId: newGuid(),
      fileType: name.split('.').at(-1),
    };
    const contentType = 'application/vnd.microsoft.teams.file.download.info';
    return this.says(text, [
      { contentType, contentUrl: `https://contoso.sharepoint.com/${name}`, name, content },
    ]);
  }

  /** Pastes an image into a message. */
  pastes(image: { readonly mime: string; readonly bytes: Buffer }, text = ''): Written {
    const contentUrl = this.#deps.files.inline(image.bytes, image.mime);
    return this.says(text, [
      { contentType: image.mime.startsWith('image/') ? 'image/*' : image.mime, contentUrl },
    ]);
  }

  /** Answers a message of the chat. */
  quotes(quotes: FakeMessage, text: string): Written {
    this.#deps.world.installed.add(this.user);
    return this.#post({ chat: this.chat, user: this.user }, { text, attachments: [], quotes }, false);
  }

  /** Presses a button of the bot's card. */
  presses(card: FakeMessage, title: string): Written {
    const { buttons } = card.attachments[0]!.content as { buttons: { title: string; value: unknown }[] };
    const button = buttons.find((each) => each.title === title);
    if (!button) throw new Error(`there is no button ${title}`);
    const press = { value: button.value, replyToId: card.id };
    return this.#post({ chat: this.chat, user: this.user }, { text: title, attachments: [], press }, false);
  }

  reacts(messageId: string, type: string, isAdded: boolean): Delivery {
    const happening = { chat: this.chat, user: this.user };
    return this.#tell(happening, reactionActivity(this.#source, happening, messageId, { type, isAdded }));
  }

  edits({ happening, message, mentions }: Written, text: string): Delivery {
    message.text = text;
    return this.#tell(happening, editActivity(this.#source, happening, message, mentions));
  }

  deletes({ happening, message }: Written): Delivery {
    happening.chat.remove(message.id);
    return this.#tell(happening, deleteActivity(this.#source, happening, message));
  }

  /** Teams delivers the message once more. */
  repeats({ happening, message, mentions }: Written): Delivery {
    return this.#tell(happening, messageActivity(this.#source, happening, message, mentions));
  }

  /** The person blocks the bot: Teams only tells so when the bot writes. */
  blocks(isBlocked = true): void {
    this.chat.isBlocked = isBlocked;
  }

  /** Installs the app, or removes it. */
  installs(isInstalled = true): Delivery {
    const { world } = this.#deps;
    if (isInstalled) world.installed.add(this.user);
    else world.installed.delete(this.user);
    this.chat.hasBot = isInstalled;
    const happening = { chat: this.chat, user: this.user };
    return this.#tell(
      happening,
      installationActivity(this.#source, happening, isInstalled ? 'add' : 'remove'),
    );
  }

  /** Brings the bot into a group chat or channel, or takes it out. */
  brings(chat: FakeChat, isBrought = true): Delivery {
    chat.hasBot = isBrought;
    const happening = { chat, user: this.user };
    return this.#tell(happening, membershipActivity(this.#source, happening, isBrought));
  }

  /** Accepts or declines the file that a card of the bot offers. `change` makes it a forgery. */
  answersCard(
    card: FakeMessage,
    isAccepted: boolean,
    change: (value: object) => object = (value) => value,
  ): Delivery {
    const [attachment] = card.attachments;
    const content = attachment!.content as { acceptContext: unknown; declineContext: unknown };
    const session = this.#deps.files.openSession();
    const uploadInfo = {
      contentUrl: `https://contoso.sharepoint.com/${attachment!.name}`,
      name: attachment!.name,
      uploadUrl: session.url,
      uniqueId: newGuid(),
      fileType: 'pdf',
    };
    const value = isAccepted
      ? { type: 'fileUpload', action: 'accept', context: content.acceptContext, uploadInfo }
      : { type: 'fileUpload', action: 'decline', context: content.declineContext };
    return this.invokes('fileConsent/invoke', change(value));
  }

  invokes(name: string, value: unknown): Delivery {
    const happening = { chat: this.chat, user: this.user };
    return this.#tell(happening, invokeActivity(this.#source, happening, name, value));
  }

  get #source(): ActivitySource {
    return this.#deps.source();
  }

  #post(
    happening: Happening,
    content: Pick<FakeMessage, 'text' | 'attachments' | 'quotes' | 'press'>,
    mentions: boolean,
  ): Written {
    const { chat, root = null } = happening;
    const message = chat.post({ from: this.user, ...content, root });
    const inThread = { ...happening, root: message.root };
    const activity = messageActivity(this.#source, inThread, message, mentions);
    return { happening: inThread, message, mentions, delivery: this.#tell(inThread, activity) };
  }

  #tell({ chat }: Happening, activity: object): Delivery {
    return this.#deps.delivery.deliver(chat.id, activity);
  }
}
