import type { ChatOutcome, OutboundChat, SendsChat } from '../../../src/connectors/contract/call-leg.ts';
import { PlatformFailure } from '../../../src/connectors/kit/platform-failure.ts';
import { checkTextLength } from '../../../src/connectors/kit/sending.ts';
import type { LoopbackApi } from '../messages/loopback-api.ts';
import { MAX_TEXT } from '../messages/loopback-chat.ts';
import { SentMessage } from '../messages/vendor-messages.ts';

/** Writes in a meeting's chat. */
export class MeetingChat implements SendsChat {
  readonly #api: LoopbackApi;
  readonly #sessionId: () => string;

  /** `sessionId`: throws `platform_not_connected` while there is no session. */
  constructor(api: LoopbackApi, sessionId: () => string) {
    this.#api = api;
    this.#sessionId = sessionId;
  }

  checkText(text: string): void {
    checkTextLength('the loopback vendor', text.length, MAX_TEXT);
  }

  async send({ text, files }: OutboundChat, signal: AbortSignal): Promise<ChatOutcome> {
    const path = `sessions/${this.#sessionId()}/chat`;
    try {
      const json = { text, files: await this.#api.upload(files, signal) };
      await this.#api.call({ method: 'POST', path, json }, SentMessage, signal);
      return { kind: 'sent' };
    } catch (error) {
      const reason = (error as Error).message;
      const isRefused = error instanceof PlatformFailure && error.status !== 0;
      return { kind: isRefused ? 'refused' : 'unknown', reason };
    }
  }
}
