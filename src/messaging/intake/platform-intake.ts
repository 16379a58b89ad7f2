import type { Address } from '../../base/address.ts';
import type { InboundMessage, MessageIntake } from '../../connectors/contract/messenger.ts';
import { followSent } from '../outbox/message-outcome.ts';
import { bindRemote } from './bind-remote.ts';
import { BotExchanges } from './bot-exchanges.ts';
import { EarlyEdits, type Edit } from './early-edits.ts';
import { DELETED_TEXT, editMessage, followReachability, followRename } from './follow-remote.ts';
import type { IntakeDomain } from './intake-domain.ts';
import { receiveMessage } from './receive-message.ts';
import { receiveReaction } from './receive-reaction.ts';
import { receiversOf } from './receivers.ts';

/** Applies what one platform reports about messages. */
export function platformIntake(domain: IntakeDomain): MessageIntake {
  const early = new EarlyEdits();
  const bots = new BotExchanges(domain.clock);
  const admits = (from: Address, sentAt = domain.clock.nowIso()): boolean => {
    const does = domain.arrivals.admitsChat(from, sentAt);
    if (!does) domain.onFlooded(domain.platform);
    return does;
  };
  return {
    received: async (message) => {
      const { from, platformMessageId, sentAt } = message;
      if (!admits(from, sentAt)) return 'flooded';
      const before = early.find(from, platformMessageId);
      const taken = await receiveMessage(domain, bots, before ? edited(message, before) : message);
      // It may have come while the message was being stored.
      const now = early.find(from, platformMessageId);
      if (now && now !== before) await editMessage(domain, from, platformMessageId, now.text);
      return taken;
    },
    edited: async (from, ...edit) => {
      if (!admits(from)) return;
      if (!(await editMessage(domain, from, ...edit))) early.note(from, ...edit);
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

/** Of a message that was deleted, nothing is stored but that it was. */
function edited(message: InboundMessage, { text }: Edit): InboundMessage {
  return text === null ? { ...message, text: DELETED_TEXT, files: [] } : { ...message, text };
}
