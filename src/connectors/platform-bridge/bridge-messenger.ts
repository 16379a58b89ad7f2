import * as z from 'zod';
import { type Address, keyOfLogin } from '../../base/address.ts';
import { GatewayError } from '../../base/errors.ts';
import { match } from '../../base/match.ts';
import type { Platform } from '../../base/platform.ts';
import type { MessageIntake, Messenger, SendOutcome } from '../contract/messenger.ts';
import type { BridgeClient, Told } from './bridge-client.ts';

/** How long a bridge has to know the ids of messages that it got. */
const KNOWN_MS = 24 * 3_600_000;
/** The shortest indicator among the platforms is Teams', which lasts three seconds. */
const TYPING_REPEAT_MS = 3_000;

const Delivered = z.discriminatedUnion('status', [
  z.object({ status: z.literal('sent'), platform_message_ids: z.array(z.string()).max(100).default([]) }),
  z.object({ status: z.literal('refused'), reason: z.string(), is_gone: z.boolean().default(false) }),
]);

export interface BridgeMessengerDeps {
  readonly client: BridgeClient;
  /** Opens the bytes of a URL from outside. Rejects with GatewayError `url_blocked` for URLs from inside. */
  readonly openUrl: (url: string, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;
  /** Called when the gateway sets the receiver of people's messages. */
  readonly onIntake: (intake: MessageIntake) => void;
}

/** Direct messages of one platform by the platform bridge. People's messages come by its endpoints, not from here. */
export function bridgeMessenger(platform: Platform, deps: BridgeMessengerDeps): Messenger {
  const { client, openUrl, onIntake } = deps;
  const place = ({ login, space, thread, person }: Address) => {
    return { platform, login: keyOfLogin(login), space, thread, person };
  };
  return {
    typing: {
      typingRepeatMs: TYPING_REPEAT_MS,
      async showTyping(to, signal) {
        await client.tell({ type: 'typing', ...place(to) }, signal);
      },
    },
    files: {
      isInboundOnly: true,
      /** A file's reference is the URL that the bridge gave. */
      async fetchFile(_login, ref, signal) {
        try {
          return await openUrl(ref, signal);
        } catch (error) {
          if (signal.aborted) throw error;
          const isBlocked = error instanceof GatewayError && error.code === 'url_blocked';
          throw new GatewayError(isBlocked ? 'file_gone' : 'platform_failed');
        }
      },
    },
    reactions: {
      async react(to, { platformMessageId, emoji, isAdded }, signal) {
        const action = isAdded ? 'added' : 'removed';
        const reaction = { type: 'reaction', ...place(to), message_id: platformMessageId, emoji, action };
        const outcome = outcomeOf(await client.tell(reaction, signal));
        if (outcome.kind === 'sent') return { kind: 'done' };
        return { kind: 'failed', reason: 'reason' in outcome ? outcome.reason : outcome.kind };
      },
    },
    dropsDuplicatesForMs: KNOWN_MS,
    onMessages: onIntake,
    /** The bridge knows the limits of its platform. */
    maxText: null,
    checkText: () => {},
    async send({ messageId, to, text, attachments }, signal) {
      // Such a message was written before the bridge carried its platform.
      if (attachments.length > 0) return refused('The bridge takes no files');
      const message = { type: 'message', ...place(to), message_id: messageId, text };
      return outcomeOf(await client.insist(message, signal, 'return'));
    },
  };
}

function outcomeOf(told: Told): SendOutcome {
  return match(told, 'kind', {
    answered: (told) => {
      const { data } = Delivered.safeParse(told.answer);
      if (!data) return unknown('The answer of the bridge has another form than documented');
      if (data.status === 'refused') return refused(data.reason, data.is_gone);
      return { kind: 'sent', platformMessageIds: data.platform_message_ids };
    },
    refused: (told) => refused(told.reason),
    later: (told) => told,
    unclear: (told) => unknown(told.reason),
  });
}

function refused(reason: string, isAddressGone = false): SendOutcome {
  return { kind: 'refused', reason, isAddressGone };
}

function unknown(reason: string): SendOutcome {
  return { kind: 'unknown', reason, sentIds: [] };
}
