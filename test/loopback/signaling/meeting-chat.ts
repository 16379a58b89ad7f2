import type { ChatOutcome, OutboundChat, SendsChat } from '../../../src/connectors/contract/call-leg.ts';
import { type LoopbackApi, LoopbackRefusal } from './loopback-api.ts';
import { checkText } from './text-limit.ts';
import { uploadFiles } from './vendor-files.ts';
import { SentMessage } from './vendor-messages.ts';

/** Writes in a meeting's chat. */
export class MeetingChat implements SendsChat {
  readonly checkText = checkText;
  readonly #api: LoopbackApi;
  readonly #sessionId: () => string;

  /** `sessionId`: throws `platform_not_connected` while there is no session. */
  constructor(api: LoopbackApi, sessionId: () => string) {
    this.#api = api;
    this.#sessionId = sessionId;
  }

  async send({ text, files }: OutboundChat, signal: AbortSignal): Promise<ChatOutcome> {
    const path = `sessions/${this.#sessionId()}/chat`;
    try {
      const body = { text, files: await uploadFiles(this.#api, files, signal) };
      await this.#api.call({ method: 'POST', path, body }, SentMessage, signal);
      return { kind: 'sent' };
    } catch (error) {
      const reason = (error as Error).message;
      return { kind: error instanceof LoopbackRefusal ? 'refused' : 'unknown', reason };
    }
  }
}
