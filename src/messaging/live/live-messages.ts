import { keyOfLogin } from '../../base/address.ts';
import { FairShare } from '../../base/fair-share.ts';
import type { Clock } from '../../base/time.ts';
import type { ShowsWriting } from '../../connectors/contract/live-message.ts';
import { changeRows, deleteRows, findRow, insertNewRow } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { addressOf, type SendingDeps } from '../outbox/stored-message.ts';
import { LiveLine } from './live-line.ts';
import { LiveText } from './live-text.ts';

/** Messages that people see while they are written, of all accounts; one has half. */
const MOST_LIVE = 2_000;
const REMOVE_MS = 10_000;

export interface LiveDeps extends Pick<SendingDeps, 'store' | 'messengers'> {
  readonly clock: Clock;
  /** Called when the answer to a conversation waits for its turn. */
  readonly onWaiting: (conversationId: string) => void;
  /** Called when a message is not shown while it is written, because of a limit. */
  readonly onSkipped: () => void;
}

/**
 * Messages that people see while they are being written. What is shown has a row from before its first request until the
 * whole message is stored, so that the next process completes it or takes it away.
 */
export class LiveMessages {
  readonly #deps: LiveDeps;
  /** One per login: limits of platforms are those of their logins. */
  readonly #lines = new Map<string, LiveLine>();
  readonly #places: FairShare;

  constructor(deps: LiveDeps) {
    this.#deps = deps;
    const { clock } = deps;
    this.#places = new FairShare({
      clock,
      total: MOST_LIVE,
      each: MOST_LIVE,
      keepsRoom: true,
      mostWaiting: 0,
    });
  }

  /** Messages that are being written. */
  get shown(): number {
    return this.#places.taken;
  }

  /**
   * Begins a message, or goes on with the one that an earlier process has begun. Null: its platform shows none, or too many
   * are being written.
   */
  async begin(conversation: Conversation, key: string): Promise<LiveText | null> {
    const { clock, store, messengers } = this.#deps;
    const { db } = store;
    const { live, checkText } = messengers.get(conversation.platform) ?? {};
    const to = live && (await addressOf(db, conversation));
    if (!to || !live.shows(to)) return null;
    const known = await findRow(db, 'liveMessages', { key });
    // What an earlier process has begun is ended in any case.
    const { accountId } = conversation;
    const line = this.#lineOf(`${conversation.platform} ${keyOfLogin(to.login)}`, live);
    const release = known ? this.#places.hold(accountId) : this.#places.takeNow(accountId);
    const leave = known ? line.hold(accountId) : release && line.place(accountId);
    if (release === null || leave === null) {
      release?.();
      this.#deps.onSkipped();
      return null;
    }
    return new LiveText({
      clock,
      platform: live,
      accountId,
      to,
      key,
      shownId: known?.shownId ?? null,
      unclearSince: known?.shownId === null ? known.begunAt : null,
      line,
      checkText: (text) => checkText!(text, false),
      begun: async () => {
        if (live.kind === 'draft') return;
        const row = { key, conversationId: conversation.id, shownId: null, begunAt: clock.nowIso() };
        await insertNewRow(db, 'liveMessages', row);
      },
      appeared: async (shownId) => void (await changeRows(db, 'liveMessages', { key }, { shownId })),
      leave: (wasShown) => {
        release();
        leave(wasShown);
      },
      waiting: () => this.#deps.onWaiting(conversation.id),
    });
  }

  /** Takes away what is shown of a message that will not be whole. Never rejects. */
  async discard(key: string): Promise<void> {
    const { store, messengers, clock } = this.#deps;
    const live = await findRow(store.db, 'liveMessages', { key });
    if (live === undefined) return;
    await deleteRows(store.db, 'liveMessages', { key });
    const conversation = await findRow(store.db, 'conversations', { id: live.conversationId });
    const platform = conversation && messengers.get(conversation.platform)?.live;
    const to = conversation && (await addressOf(store.db, conversation));
    if (!platform || !to || live.shownId === null) return;
    const limit = new AbortController();
    const stop = clock.after(REMOVE_MS, () => limit.abort());
    await platform.remove(to, live.shownId, limit.signal);
    stop();
  }

  close(): void {
    for (const line of this.#lines.values()) line.close();
  }

  #lineOf(name: string, { pace }: ShowsWriting): LiveLine {
    const known = this.#lines.get(name);
    if (known) return known;
    const line = new LiveLine(this.#deps.clock, pace);
    this.#lines.set(name, line);
    return line;
  }
}
