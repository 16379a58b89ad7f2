import type { Address } from '../../base/address.ts';
import type { MessageIntake } from '../../connectors/contract/messenger.ts';
import { followSent } from '../outbox/message-outcome.ts';
import { bindRemote } from './bind-remote.ts';
import { BotExchanges } from './bot-exchanges.ts';
import { editMessage, followReachability, followRename } from './follow-remote.ts';
import type { IntakeDomain } from './intake-domain.ts';
import { receiveMessage } from './receive-message.ts';
import { receiveReaction } from './receive-reaction.ts';
import { receiversOf } from './receivers.ts';

/** Applies what one platform reports about messages. */
export function platformIntake(domain: IntakeDomain): MessageIntake {
  const bots = new BotExchanges(domain.clock);
  const admits = (from: Address, sentAt = domain.clock.nowIso()): boolean => {
    const does = domain.arrivals.admitsChat(from, sentAt);
    if (!does) domain.onFlooded(domain.platform);
    return does;
  };
  domain.notes.onReleased((message) => receiveMessage(domain, bots, message));
  return {
    received: async (message) => {
      if (!admits(message.from, message.sentAt)) return 'flooded';
      return (await domain.notes.hold(message)) ? 'stored' : await receiveMessage(domain, bots, message);
    },
    edited: async (from, ...edit) => {
      if (admits(from)) await editMessage(domain, from, ...edit);
    },
    reacted: async (from, reaction) => {
      if (admits(from)) await receiveReaction(domain, from, reaction);
    },
    reachable: (...change) => followReachability(domain, ...change),
    renamed: (...names) => followRename(domain, ...names),
    followed: (...report) => followSent(domain, ...report),
    bind: async (from, ...invited) => admits(from) && (await bindRemote(domain, from, ...invited)),
    sentFile: (...file) => domain.sentFile(...file),
    awaitReply: async (from, ...limits) => {
      const [receiver] = await receiversOf(domain.store.db, domain.platform, from, null);
      if (!receiver) return null;
      const { accountId } = receiver;
      return await domain.answers.wait(domain.platform, { accountId, from }, ...limits);
    },
  };
}
