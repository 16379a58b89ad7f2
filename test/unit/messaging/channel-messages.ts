import type { Address, LoginRef } from '../../../src/base/address.ts';
import { hashToken } from '../../../src/base/ids.ts';
import { isoAfter } from '../../../src/base/time.ts';
import type { InboundMessage } from '../../../src/connectors/contract/messenger.ts';
import { readConversation, takeSnapshot } from '../../../src/messaging/inbox/inbox.ts';
import { putRow } from '../../../src/store/database/rows.ts';
import { type World, written } from './messaging-world.ts';

export const SHARED: LoginRef = { kind: 'shared' };
export const PAGE = { limit: 50, offset: 0 };

/** A person's place in a channel. */
export function channelAddress(
  login: LoginRef,
  id: string,
  person: string,
  thread: string | null = null,
): Address {
  return { login, space: { kind: 'channel', id }, thread, person };
}

let serial = 0;

/** A message that a person writes in the channel `#<id>`. */
export function said(from: Address, fields: Partial<InboundMessage> = {}): InboundMessage {
  serial++;
  const names = { remoteName: `#${from.space.id}`, senderName: `Name of ${from.person}` };
  return { ...written(null, '0', { platformMessageId: `c${serial}`, ...names }), from, ...fields };
}

export async function say(world: World, id: string, person: string, fields: Partial<InboundMessage> = {}) {
  return await world.intake.received(said(channelAddress(ownLogin(world), id, person), fields));
}

export function ownLogin({ botId }: World): LoginRef {
  return { kind: 'bot_token', id: botId };
}

/** All conversations of the world's agent, by the id of their person or channel and thread. */
export async function shown({ reading, scope }: World) {
  const { previews } = await takeSnapshot(reading, scope, { status: null, ...PAGE });
  const histories = await Promise.all(
    previews.map(({ conversation: { id } }) => readConversation(reading, scope, id, PAGE)),
  );
  return histories.map(({ conversation: { kind, thread, peer }, messages }) => ({
    place: [kind, peer.remoteId, thread],
    name: peer.remoteName,
    messages: messages.map(({ text, sender }) => [text, sender?.id ?? null, sender?.name ?? null]),
  }));
}

export async function invite({ store, clock }: World, accountId: string, token: string): Promise<void> {
  const createdAt = clock.nowIso();
  const link = { accountId, tokenHash: hashToken(token), createdAt, expiresAt: isoAfter(createdAt, 900_000) };
  await putRow(store.db, 'inviteLinks', link, { key: ['accountId'] });
}

export const invites = ({ store }: World) => store.db.selectFrom('inviteLinks').select('accountId').execute();

/** Binds a channel to an account, by a person who writes its token there. */
export async function bindChannel(
  world: World,
  accountId: string,
  channel: Pick<Address, 'person'> & { readonly id: string },
): Promise<boolean> {
  const token = `token of ${accountId} for ${channel.id}`;
  await invite(world, accountId, token);
  return await world.intake.bind(channelAddress(SHARED, channel.id, channel.person ?? ''), null, token);
}
