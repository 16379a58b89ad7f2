import * as z from 'zod';
import { type Address, keyOfLogin, type LoginRef } from '../../base/address.ts';
import { unreachable } from '../../base/assert.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Platform } from '../../base/platform.ts';
import type {
  FetchesFiles,
  MessageIntake,
  Messenger,
  OutboundMessage,
  SendOutcome,
  ShowsTyping,
} from '../contract/messenger.ts';
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
export class BridgeMessenger implements Messenger, ShowsTyping, FetchesFiles {
  readonly typing: ShowsTyping = this;
  readonly files: FetchesFiles = this;
  readonly isInboundOnly = true;
  readonly typingRepeatMs = TYPING_REPEAT_MS;
  readonly dropsDuplicatesForMs = KNOWN_MS;
  readonly #platform: Platform;
  readonly #deps: BridgeMessengerDeps;

  constructor(platform: Platform, deps: BridgeMessengerDeps) {
    this.#platform = platform;
    this.#deps = deps;
  }

  onMessages(intake: MessageIntake): void {
    this.#deps.onIntake(intake);
  }

  /** The bridge knows the limits of its platform. */
  checkText(): void {}

  async send(
    { messageId, to, text, attachments }: OutboundMessage,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    // Such a message was written before the bridge carried its platform.
    if (attachments.length > 0) return refused('The bridge takes no files');
    const message = { type: 'message', ...this.#place(to), message_id: messageId, text };
    return outcomeOf(await this.#deps.client.insist(message, signal, 'return'));
  }

  async showTyping(to: Address, signal: AbortSignal): Promise<void> {
    await this.#deps.client.tell({ type: 'typing', ...this.#place(to) }, signal);
  }

  /** A file's reference is the URL that the bridge gave. */
  async fetchFile(_login: LoginRef, ref: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    try {
      return await this.#deps.openUrl(ref, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const isBlocked = error instanceof GatewayError && error.code === 'url_blocked';
      throw new GatewayError(isBlocked ? 'file_gone' : 'platform_failed');
    }
  }

  #place({ login, space, thread, person }: Address) {
    return { platform: this.#platform, login: keyOfLogin(login), space, thread, person };
  }
}

function outcomeOf(told: Told): SendOutcome {
  switch (told.kind) {
    case 'answered': {
      const { data } = Delivered.safeParse(told.answer);
      if (!data) return unknown('The answer of the bridge has another form than documented');
      if (data.status === 'refused') return refused(data.reason, data.is_gone);
      return { kind: 'sent', platformMessageIds: data.platform_message_ids };
    }
    case 'refused':
      return refused(told.reason);
    case 'later':
      return told;
    case 'unclear':
      return unknown(told.reason);
    default:
      return unreachable(told);
  }
}

function refused(reason: string, isAddressGone = false): SendOutcome {
  return { kind: 'refused', reason, isAddressGone };
}

function unknown(reason: string): SendOutcome {
  return { kind: 'unknown', reason, sentIds: [] };
}
