import { isoAfter } from '../../../src/base/time.ts';
import { WINDOW_MS, type WindowedPlatform } from './windowed-platform.ts';

const KEPT_MS = 7 * 86_400_000;

interface Modelled {
  readonly text: string;
  status: string;
  expiresAt: string | null;
}

/** The specified answer to a request to send. */
export type Answer = 'delivered' | 'failed' | { readonly templateSent: boolean; readonly position: number };

/**
 * The specification's table of the WhatsApp queue in its simplest form: no database, no time that passes while
 * something happens. `platform` is only asked what it would do.
 */
export class QueueModel {
  readonly messages: Modelled[] = [];
  readonly arrived: string[] = [];
  readonly templates: string[] = [];
  readonly events: [string, ...string[]][] = [];
  /** Null: the person has written since, or the window has only expired by itself. */
  #closure: 'closed' | 'asked' | null = null;
  #lastInboundAt: string | null = null;

  get pending(): Modelled[] {
    return this.messages.filter(({ status }) => status === 'pending');
  }

  isOpen(nowIso: string): boolean {
    if (this.#closure !== null || this.#lastInboundAt === null) return false;
    return nowIso < isoAfter(this.#lastInboundAt, WINDOW_MS);
  }

  /** `fate`: how the platform handles it when asked, apart from its window. */
  send(text: string, nowIso: string, platform: WindowedPlatform): Answer {
    const message: Modelled = { text, status: 'sending', expiresAt: null };
    this.messages.push(message);
    if (!this.isOpen(nowIso)) return this.#queue(message, nowIso, platform);
    if (platform.next === 'refused') {
      message.status = 'failed';
      return 'failed';
    }
    if (platform.next === 'lost') {
      message.status = 'delivered';
      return 'delivered';
    }
    if (!platform.isOpen) {
      this.#closure = 'closed';
      return this.#queue(message, nowIso, platform);
    }
    this.#arrive(message);
    return 'delivered';
  }

  /** The platform reports that the window of the newest message, which it accepted, was closed. */
  comesBack(nowIso: string, platform: WindowedPlatform): Answer {
    const message = this.messages.at(-1)!;
    this.#closure = 'closed';
    return this.#queue(message, nowIso, platform);
  }

  /** The person writes; pending messages are sent first. */
  reply(text: string, nowIso: string, sentAt: string, platform: WindowedPlatform): void {
    this.#closure = null;
    this.#lastInboundAt = sentAt;
    this.#dropExpired(nowIso);
    if (this.isOpen(nowIso)) this.#flush(platform);
    this.events.push(['dm_chat', text]);
  }

  /** Time has passed, or the wall time was moved. */
  look(nowIso: string, platform: WindowedPlatform): void {
    this.#dropExpired(nowIso);
    if (this.isOpen(nowIso)) this.#flush(platform);
  }

  #queue(message: Modelled, nowIso: string, platform: WindowedPlatform): Answer {
    message.status = 'pending';
    message.expiresAt = isoAfter(nowIso, KEPT_MS);
    return { templateSent: this.#ask(message, platform), position: this.pending.indexOf(message) + 1 };
  }

  #ask({ text }: Modelled, platform: WindowedPlatform): boolean {
    if (this.#closure === 'asked') return false;
    this.#closure = platform.refusesTemplates ? 'closed' : 'asked';
    if (!platform.refusesTemplates) this.templates.push(text);
    return !platform.refusesTemplates;
  }

  #flush(platform: WindowedPlatform): void {
    let isRefused = platform.next === 'refused';
    const delivered: string[] = [];
    for (const message of this.pending) {
      if (isRefused) {
        message.status = 'failed';
        isRefused = false;
      } else if (platform.isOpen) {
        this.#arrive(message);
        delivered.push(message.text);
      } else {
        this.#closure = 'closed';
        this.#ask(message, platform);
        break;
      }
    }
    if (delivered.length > 0) this.events.push(['dm_delivered', ...delivered]);
  }

  #arrive(message: Modelled): void {
    message.status = 'delivered';
    this.arrived.push(message.text);
  }

  #dropExpired(nowIso: string): void {
    for (const message of this.pending) if (message.expiresAt! <= nowIso) message.status = 'dropped';
  }
}
