import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import * as z from 'zod';
import type { FakeChannel } from '../world/channel.ts';
import type { AllowedMentions } from '../world/mentions.ts';
import type { FakeMessage } from '../world/message.ts';
import { edit, remove, shownTo, showTyping } from '../world/posting.ts';
import { isBefore, madeAtMs } from '../world/snowflakes.ts';
import { write } from '../world/threads.ts';
import { checkWritable, foundMessage, may, seenChannel } from './channel-access.ts';
import { invalidField, REFUSALS } from './discord-error.ts';
import { EditedMessage, MessagePage, NewMessage } from './message-schema.ts';
import type { Nonces } from './nonces.ts';
import { type RestCall, type Route, route } from './route.ts';
import { storeUploads } from './uploads.ts';

type Call = RestCall<unknown, unknown>;

/** Flags that a bot may set: SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS, IS_VOICE_MESSAGE, IS_COMPONENTS_V2. */
const SETTABLE_FLAGS = (1 << 2) | (1 << 12) | (1 << 13) | (1 << 15);

/** https://docs.discord.com/developers/resources/message */
export function messageRoutes(nonces: Nonces): readonly Route[] {
  return [
    route({
      name: 'createMessage',
      method: 'POST',
      path: '/channels/:/messages',
      body: NewMessage,
      handle: (call) => createMessage(call, nonces),
    }),
    route({
      name: 'getMessages',
      method: 'GET',
      path: '/channels/:/messages',
      query: MessagePage,
      handle: getMessages,
    }),
    route({
      name: 'getMessage',
      method: 'GET',
      path: '/channels/:/messages/:',
      handle: (call) => {
        const { channel, message } = named(call);
        if (!may(call.world, call.bot, channel, P.ReadMessageHistory)) throw REFUSALS.missingPermissions();
        return shown(call, message);
      },
    }),
    route({
      name: 'editMessage',
      method: 'PATCH',
      path: '/channels/:/messages/:',
      body: EditedMessage,
      handle: editMessage,
    }),
    route({
      name: 'deleteMessage',
      method: 'DELETE',
      path: '/channels/:/messages/:',
      handle: deleteMessage,
    }),
    route({
      name: 'addReaction',
      method: 'PUT',
      path: '/channels/:/messages/:/reactions/*/@me',
      handle: (call) => {
        named(call).message.reactions.add(decodeURIComponent(call.ids[2]!));
        return null;
      },
    }),
    route({
      name: 'removeReaction',
      method: 'DELETE',
      path: '/channels/:/messages/:/reactions/*/@me',
      handle: (call) => {
        named(call).message.reactions.delete(decodeURIComponent(call.ids[2]!));
        return null;
      },
    }),
    route({
      name: 'answerInteraction',
      method: 'POST',
      path: '/interactions/:/*/callback',
      body: z.strictObject({ type: z.literal(6) }),
      handle: ({ world, ids: [id = '', token] }) => {
        if (world.interactions.get(id) !== token) throw REFUSALS.unknownInteraction();
        world.interactions.delete(id);
        return null;
      },
    }),
    route({
      name: 'triggerTyping',
      method: 'POST',
      path: '/channels/:/typing',
      handle: ({ world, bot, ids }) => {
        const channel = seenChannel(world, bot, ids[0]);
        checkWritable(world, bot, channel);
        showTyping(world, channel, bot.user);
        return null;
      },
    }),
  ];
}

function createMessage(call: RestCall<NewMessage, unknown>, nonces: Nonces): object {
  const { world, bot, body, files } = call;
  const channel = seenChannel(world, bot, call.ids[0]);
  checkWritable(world, bot, channel);
  const allowedMentions = checkedMentions(body.allowed_mentions);
  checkFlags(body.flags);
  const content = body.content?.trim() ?? '';
  const hasMore = files.size > 0 || (body.embeds?.length ?? 0) > 0 || (body.components?.length ?? 0) > 0;
  if (content === '' && !hasMore) throw REFUSALS.empty();
  if (files.size > 0 && !may(world, bot, channel, P.AttachFiles)) throw REFUSALS.missingPermissions();
  const repeated =
    body.enforce_nonce && body.nonce !== undefined ? nonces.find(bot.id, body.nonce, world.nowMs()) : null;
  if (repeated) return shown(call, repeated);
  const answers = answeredMessage(call, channel, body);
  checkSlowMode(call, channel);
  const message = write(world, channel, bot.user, {
    content,
    files: storeUploads({ world, bot, channel, files, described: body.attachments }),
    embeds: body.embeds ?? [],
    components: checkedComponents(body.components),
    flags: body.flags ?? 0,
    ...(answers ? { answers } : {}),
    ...(body.nonce === undefined ? {} : { nonce: body.nonce }),
    ...(allowedMentions ? { allowedMentions } : {}),
  });
  nonces.keep(message, world.nowMs());
  return shown(call, message);
}

function getMessages(call: RestCall<unknown, MessagePage>): object {
  const { world, bot, query } = call;
  const channel = seenChannel(world, bot, call.ids[0]);
  if (!may(world, bot, channel, P.ReadMessageHistory)) return [];
  return pageOf(channel.messages, query).map((message) => shown(call, message));
}

/** From the newest to the oldest; behind `after`, those next to it. */
function pageOf(all: readonly FakeMessage[], { limit, before, after, around }: MessagePage): FakeMessage[] {
  if (around !== undefined) {
    const at = all.findIndex(({ id }) => !isBefore(id, around));
    const middle = at < 0 ? all.length : at;
    return all
      .slice(Math.max(0, middle - Math.floor(limit / 2)))
      .slice(0, limit)
      .reverse();
  }
  if (after !== undefined)
    return all
      .filter(({ id }) => isBefore(after, id))
      .slice(0, limit)
      .reverse();
  const older = before === undefined ? all : all.filter(({ id }) => isBefore(id, before));
  return older.slice(-limit).reverse();
}

function editMessage(call: RestCall<EditedMessage, unknown>): object {
  const { world, bot, body, files } = call;
  const { channel, message } = named(call);
  if (message.author !== bot.user) throw REFUSALS.foreignMessage();
  const allowedMentions = checkedMentions(body.allowed_mentions);
  const content = body.content === undefined ? message.content : (body.content ?? '').trim();
  const kept = body.attachments?.filter(({ id }) =>
    message.attachments.some((file) => file.id === String(id)),
  );
  const described = body.attachments?.filter((about) => !kept?.includes(about));
  const stored = storeUploads({ world, bot, channel, files, described });
  const old = kept
    ? message.attachments.filter(({ id }) => kept.some((each) => String(each.id) === id))
    : message.attachments;
  const embeds = body.embeds ?? message.embeds;
  if (content === '' && old.length + stored.length + embeds.length === 0) throw REFUSALS.empty();
  edit(world, channel, message, {
    content,
    files: [...old, ...stored],
    embeds,
    ...(allowedMentions ? { allowedMentions } : {}),
  });
  return shown(call, message);
}

function deleteMessage(call: Call): null {
  const { world, bot } = call;
  const { channel, message } = named(call);
  if (message.author !== bot.user) {
    if (channel.isDm) throw REFUSALS.dmAction();
    if (!may(world, bot, channel, P.ManageMessages)) throw REFUSALS.missingPermissions();
  }
  remove(world, channel, message);
  return null;
}

function named({ world, bot, ids }: Call): { channel: FakeChannel; message: FakeMessage } {
  const channel = seenChannel(world, bot, ids[0]);
  return { channel, message: foundMessage(channel, ids[1]) };
}

/** What a bot reads over REST follows from what the portal grants, not from a session. */
function shown({ world, bot }: Call, message: FakeMessage): object {
  return shownTo(world, message, { bot, intents: bot.grantedIntents });
}

function answeredMessage({ world }: Call, channel: FakeChannel, body: NewMessage): FakeMessage | null {
  const reference = body.message_reference;
  if (!reference) return null;
  const message = world.channels.get(reference.channel_id ?? channel.id)?.message(reference.message_id);
  if (message?.channelId === channel.id) return message;
  if (reference.fail_if_not_exists === false) return null;
  const error = { code: 'REPLIES_UNKNOWN_MESSAGE', message: 'Unknown message' };
  throw invalidField(['message_reference'], error);
}

const Rows = z
  .array(
    z.strictObject({
      type: z.literal(1),
      components: z
        .array(
          z.strictObject({
            type: z.literal(2),
            style: z.int().min(1).max(4),
            label: z.string().min(1).max(80),
            custom_id: z.string().min(1).max(100),
          }),
        )
        .min(1)
        .max(5),
    }),
  )
  .max(5);

function checkedComponents(given: NewMessage['components']): readonly object[] {
  const { data, error } = Rows.safeParse(given ?? []);
  if (!data) throw invalidField(['components'], { code: 'BASE_TYPE_BAD_TYPE', message: error.message });
  return data;
}

function checkedMentions(given: NewMessage['allowed_mentions']): AllowedMentions | null {
  if (!given) return null;
  for (const kind of ['users', 'roles'] as const) {
    if (!given.parse?.includes(kind) || !given[kind]?.length) continue;
    const message = `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`;
    throw invalidField(['allowed_mentions'], { code: 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', message });
  }
  return given;
}

function checkFlags(flags: number | null | undefined): void {
  if (((flags ?? 0) & ~SETTABLE_FLAGS) === 0) return;
  throw invalidField(['flags'], { code: 'INVALID_FLAGS', message: 'Invalid flags' });
}

function checkSlowMode({ world, bot }: Call, channel: FakeChannel): void {
  if (channel.slowModeS === 0 || may(world, bot, channel, P.BypassSlowmode)) return;
  const last = channel.messages.findLast(({ author }) => author === bot.user);
  const sinceS = last ? (world.nowMs() - madeAtMs(last.id)) / 1_000 : Number.POSITIVE_INFINITY;
  if (sinceS < channel.slowModeS) throw REFUSALS.slowMode(channel.slowModeS - sinceS);
}
