import type { Address } from '../../../src/base/address.ts';
import type {
  HasWindow,
  Messenger,
  OutboundMessage,
  SendOutcome,
} from '../../../src/connectors/contract/messenger.ts';

export const WINDOW_MS = 24 * 3_600_000;

/** A platform with a window and one person, on a clock of its own. */
export class WindowedPlatform implements Messenger, HasWindow {
  readonly platform = 'whatsapp';
  readonly windowMs = WINDOW_MS;
  readonly maxText = null;
  readonly window: HasWindow = this;
  /** Texts in order of arrival, and previews of templates. */
  readonly arrived: string[] = [];
  readonly templates: string[] = [];
  /** In milliseconds; null: never, or the platform has reasons of its own to report a closed window. */
  lastWroteMs: number | null = null;
  /** What happens to the next message instead of its arrival. */
  next: 'later' | 'refused' | 'lost' | null = null;
  refusesTemplates = false;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get isOpen(): boolean {
    return this.lastWroteMs !== null && this.#nowMs() < this.lastWroteMs + WINDOW_MS;
  }

  onMessages(): void {}

  checkText(): void {}

  async send({ messageId, text }: Pick<OutboundMessage, 'messageId' | 'text'>): Promise<SendOutcome> {
    const { next } = this;
    this.next = null;
    if (next === 'later') return { kind: 'later', reason: 'too fast', afterMs: 6_000 };
    if (next === 'refused') return { kind: 'refused', reason: 'not this', isAddressGone: false };
    if (next !== 'lost' && !this.isOpen) return { kind: 'window_closed' };
    // A lost message is accepted, and refused by a status later on.
    if (next !== 'lost') this.arrived.push(text);
    return { kind: 'sent', platformMessageIds: [`wamid.${messageId}.${this.arrived.length}`] };
  }

  async askToReply(_to: Address, text: string): Promise<SendOutcome> {
    if (this.refusesTemplates) return { kind: 'refused', reason: 'not approved', isAddressGone: false };
    this.templates.push(text);
    return { kind: 'sent', platformMessageIds: [`wamid.template.${this.templates.length}`] };
  }
}
