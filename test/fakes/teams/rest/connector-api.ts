import type { FakeChat } from '../world/fake-chat.ts';
import type { FakeUser } from '../world/fake-user.ts';
import type { FakeWorld } from '../world/fake-world.ts';
import {
  NewConversation,
  type OutboundActivity,
  readActivity,
  type StreamInfo,
  streamInfoOf,
} from './activity-schema.ts';
import { offence, TeamsError } from './teams-error.ts';

/** A request below the service URL, by a bot that has shown its token. */
export interface ConnectorCall {
  readonly method: string;
  /** Path segments after `v3`, decoded. */
  readonly path: readonly string[];
  readonly body: unknown;
}

export interface ConnectorAnswer {
  readonly status: number;
  readonly body: unknown;
}

const OF_THREAD = /^(.+);messageid=(\d+)$/;

/** The Bot Connector's REST API (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference). */
export class ConnectorApi {
  readonly #world: FakeWorld;

  constructor(world: FakeWorld) {
    this.#world = world;
  }

  run({ method, path, body }: ConnectorCall): ConnectorAnswer {
    const [area, id = '', what, ...rest] = path;
    const route = `${method} ${area} ${what ?? ''}`.trim();
    switch (route) {
      case 'POST conversations':
        return this.#create(body);
      case 'POST conversations activities':
        return this.#post(id, body);
      case 'PUT conversations activities':
        if (rest[1] === 'reactions') return this.#react(id, rest, true);
        return this.#edit(id, rest[0] ?? '', body);
      case 'DELETE conversations activities':
        if (rest[1] === 'reactions') return this.#react(id, rest, false);
        this.#chat(id).chat.remove(rest[0] ?? '');
        this.#chat(id).chat.streams.forget(rest[0] ?? '');
        return { status: 200, body: {} };
      case 'GET conversations members':
        return { status: 200, body: this.#member(id, rest[0] ?? '') };
      case 'GET teams conversations':
        return { status: 200, body: { conversations: this.#channels(id) } };
      case 'GET teams':
        return { status: 200, body: { id, name: this.#team(id).name } };
      default:
        throw new TeamsError(404, 'NotFound', `There is no ${route}`, true);
    }
  }

  #create(body: unknown): ConnectorAnswer {
    const { data, error } = NewConversation.safeParse(body);
    if (!data) throw offence(`Conversation is invalid: ${error.message}`);
    const tenantId = data.tenantId ?? data.channelData?.tenant.id;
    if (tenantId === undefined) throw offence('Tenant id is missing.', 'BadArgument');
    const wanted = data.members[0]!.id;
    const user = this.#user(wanted);
    if (!user || user.tenantId !== tenantId)
      throw new TeamsError(404, 'ConversationNotFound', 'Conversation not found.');
    if (!this.#world.installed.has(user))
      throw new TeamsError(
        403,
        'ForbiddenOperationException',
        'The bot is not installed in user’s personal scope',
      );
    return { status: 201, body: { id: this.#world.directChat(user).id } };
  }

  #post(id: string, body: unknown): ConnectorAnswer {
    const { chat, root } = this.#chat(id);
    const activity = readActivity(body);
    const info = streamInfoOf(activity);
    if (info) return this.#stream(chat, activity, info);
    if (activity.type === 'typing') {
      chat.typing += 1;
      return { status: 202, body: {} };
    }
    const { text = '', attachments = [] } = activity;
    return { status: 201, body: { id: chat.post({ from: null, text, attachments, root }).id } };
  }

  #stream(chat: FakeChat, { type, text = '' }: OutboundActivity, info: StreamInfo): ConnectorAnswer {
    if ((type === 'message') !== (info.streamType === 'final'))
      throw offence('A stream ends with a message, and with nothing else', 'BadRequest');
    if (info.streamType !== 'final') {
      const id = chat.streams.part(info, text);
      return id === null ? { status: 202, body: {} } : { status: 201, body: { id } };
    }
    if (info.streamId === undefined || info.streamSequence !== undefined)
      throw offence('The end of a stream has an id and no sequence', 'BadRequest');
    chat.streams.end(info.streamId, text);
    return { status: 202, body: {} };
  }

  /** https://github.com/microsoft/teams.py/blob/main/examples/reactions/README.md */
  #react(id: string, [messageId = '', , type = '']: readonly string[], isAdded: boolean): ConnectorAnswer {
    const message = this.#chat(id).chat.find(messageId);
    if (!message) throw new TeamsError(404, 'ActivityNotFoundInConversation', 'Unknown activity');
    if (!/^(?:like|heart|laugh|surprised|sad|angry|plusOne|[0-9a-f]{4,6}_\w+)$/.test(type))
      throw new TeamsError(400, 'BadArgument', 'Unknown reaction type');
    if (isAdded) message.reactions!.add(type);
    else message.reactions!.delete(type);
    return { status: 200, body: {} };
  }

  #edit(id: string, messageId: string, body: unknown): ConnectorAnswer {
    const { chat } = this.#chat(id);
    const message = chat.find(messageId);
    if (chat.streams.isOpen(messageId))
      throw new TeamsError(403, 'BadRequest', 'The message is still being streamed');
    if (message?.from !== null)
      throw new TeamsError(404, 'ActivityNotFoundInConversation', 'Unknown activity');
    message.text = readActivity(body).text ?? '';
    return { status: 200, body: { id: messageId } };
  }

  #member(id: string, memberId: string): object {
    const user = this.#user(memberId);
    if (!user || !this.#chat(id).chat.members.has(user))
      throw new TeamsError(404, 'MemberNotFoundInConversation', 'Member not found in conversation.');
    const { id: userId, name, objectId, tenantId, role } = user;
    return { id: userId, name, aadObjectId: objectId, objectId, tenantId, userRole: role };
  }

  #channels(teamId: string): object[] {
    const { channels } = this.#team(teamId);
    return [{ id: teamId }, ...channels.map(({ id, name }) => ({ id, name }))];
  }

  #team(id: string) {
    const team = this.#world.teams.get(id);
    if (!team) throw new TeamsError(404, 'TeamNotFound', 'The team was not found.');
    return team;
  }

  #chat(id: string): { readonly chat: FakeChat; readonly root: string | null } {
    const [, channelId, root] = OF_THREAD.exec(id) ?? [];
    const chat = this.#world.chats.get(channelId ?? id);
    if (!chat) throw new TeamsError(404, 'ConversationNotFound', 'Conversation not found.');
    if (chat.isBlocked) throw new TeamsError(403, 'MessageWritesBlocked', 'Message writes are blocked');
    if (!chat.hasBot)
      throw new TeamsError(
        403,
        'BotNotInConversationRoster',
        'The bot is not part of the conversation roster.',
      );
    if (root !== undefined && !chat.find(root))
      throw new TeamsError(404, 'ActivityNotFoundInConversation', 'The thread was not found.');
    return { chat, root: root ?? null };
  }

  #user(id: string): FakeUser | undefined {
    return this.#world.users.find((each) => each.id === id || each.objectId === id);
  }
}
