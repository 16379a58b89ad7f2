import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import type { AnyJson } from '../../support/any-json.ts';
import { readGatewayRows } from '../../support/gateway-database.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { MessengerUnderTest } from './messenger-under-test.ts';
import { Talk } from './talk.ts';

const PEOPLE = 20;
/** More are pending only when the gateway is slower than their arrival. */
const MOST_UNANSWERED = 100;
/** Most lives are short and end while the gateway is still recovering; in the long ones it runs at full speed. */
const LONGEST_LIFE_MS = 3_000;
const SHORTEST_LIFE_MS = 50;
/** So many in a row have one of each length, from short to long. */
const LENGTHS = 4;
/** Of the platform's session nothing is left after each tenth kill, the third being the first of them. */
const FORGETS_EACH = 10;
const FIRST_FORGOTTEN = 2;
const SETTLES_WITHIN_MS = 120_000;
/** Few enough that the agent has to page. */
const PAGE = 50;
const MESSAGES_PER_READING = 10;

/** One life of a gateway, from its start until it is killed. */
interface Life {
  isOver: boolean;
}

interface Conversation {
  readonly id: string;
  readonly talk: Talk;
  /** What the person has written. */
  readonly said: string[];
  /** What of it the agent has read. */
  readonly heard: string[];
}

/** People and an agent who write to each other while the gateway is killed again and again. */
export class KilledTalk {
  readonly #subject: MessengerUnderTest;
  readonly #messagesPerSecond: number;
  readonly #conversations: readonly Conversation[];
  /** What the agent has written and the gateway has answered with 200. */
  readonly #accepted: string[] = [];
  #sent = 0;
  #kills = 0;
  /** Where the agent reads on. */
  #cursor: string;

  private constructor(
    subject: MessengerUnderTest,
    messagesPerSecond: number,
    conversations: readonly Conversation[],
    cursor: string,
  ) {
    this.#subject = subject;
    this.#messagesPerSecond = messagesPerSecond;
    this.#conversations = conversations;
    this.#cursor = cursor;
  }

  /** `messagesPerSecond`: in each direction, while the gateway is up. */
  static async with(subject: MessengerUnderTest, messagesPerSecond: number): Promise<KilledTalk> {
    const conversations: Conversation[] = [];
    while (conversations.length < PEOPLE) {
      const talk = await Talk.begun(subject);
      const { conversation_id: id } = await talk.conversation();
      conversations.push({ id, talk, said: [], heard: [] });
    }
    const { body } = await subject.gateway.agentApi.get('/api/inbox');
    return new KilledTalk(subject, messagesPerSecond, conversations, body.cursor);
  }

  /** Lets them talk through so many lives, each of which ends by SIGKILL. */
  async kill(count: number): Promise<void> {
    const { gateway } = this.#subject;
    for (const end = this.#kills + count; this.#kills < end; this.#kills++) {
      const life: Life = { isOver: false };
      const talking = Promise.all([this.#saying(life), this.#answering(life), this.#hearing(life)]);
      await wait(lengthMs(this.#kills));
      await this.#whileDuplicatesAreDropped(life);
      await gateway.killHard();
      life.isOver = true;
      await talking;
      if (this.#kills % FORGETS_EACH === FIRST_FORGOTTEN) this.#subject.forgetsSession?.();
      await gateway.restart();
    }
  }

  /**
   * Throws unless each message has arrived once: those of a person in their order, those of the agent or they are told to be
   * in doubt, where nobody can know.
   */
  async check(): Promise<void> {
    await this.#checkInbound();
    await this.#checkOutbound();
  }

  /** What there was of what. */
  get summary(): string {
    const said = this.#conversations.flatMap((each) => each.said);
    const unknown = [...this.#statuses().values()].filter((status) => status === 'unknown');
    return (
      `${this.#kills} kills: ${said.length} said, ${this.#sent} sent, ${this.#accepted.length} answered 200, ` +
      `${this.#received().length} received, ${unknown.length} unknown`
    );
  }

  async #checkInbound(): Promise<void> {
    const isAllHeard = () => this.#conversations.every(({ said, heard }) => heard.length >= said.length);
    await waitFor(
      'all that was said',
      async () => {
        while (await this.#hear());
        return isAllHeard();
      },
      SETTLES_WITHIN_MS,
    );
    for (const { said, heard } of this.#conversations) expect(heard).toEqual(said);
  }

  async #checkOutbound(): Promise<void> {
    await waitFor('nothing to be on its way', () => this.#oldestUnderWayMs() === 0, SETTLES_WITHIN_MS);
    const received = this.#received();
    const receivedOnce = new Set(received);
    expect(receivedOnce.size).toBe(received.length);
    const statuses = this.#statuses();
    expect(this.#accepted.filter((text) => statuses.get(text) !== 'delivered')).toEqual([]);
    expect(received.filter((text) => !statuses.has(text))).toEqual([]);
    // Where the platform drops duplicates, what was being sent is sent again, and nothing is in doubt.
    const inDoubt = this.#dropsDuplicatesForMs > 0 ? 'delivered' : 'unknown';
    const wrong = [...statuses].filter(([text, status]) =>
      receivedOnce.has(text) ? status !== 'delivered' && status !== inDoubt : status !== 'unknown',
    );
    expect(wrong).toEqual([]);
  }

  async #saying(life: Life): Promise<void> {
    for await (const n of turns(life, this.#messagesPerSecond)) {
      const { said, talk } = this.#conversation(n);
      const text = `in ${this.#kills}.${n}`;
      said.push(text);
      talk.person.writes(text);
    }
  }

  async #answering(life: Life): Promise<void> {
    const unanswered = new Set<Promise<unknown>>();
    for await (const n of turns(life, this.#messagesPerSecond)) {
      if (unanswered.size >= MOST_UNANSWERED) await Promise.race(unanswered);
      const text = `out ${this.#kills}.${n}`;
      this.#sent++;
      const sending: Promise<unknown> = this.#send(this.#conversation(n).id, text)
        .then((status) => status === 200 && this.#accepted.push(text))
        .catch(() => {})
        .finally(() => unanswered.delete(sending));
      unanswered.add(sending);
    }
    await Promise.all(unanswered);
  }

  async #hearing(life: Life): Promise<void> {
    const perSecond = this.#messagesPerSecond / MESSAGES_PER_READING;
    for await (const _ of turns(life, perSecond)) await this.#hear().catch(() => {});
  }

  async #send(conversation_id: string, text: string): Promise<number> {
    const { gateway, connector } = this.#subject;
    const request = { platform: connector.platform, conversation_id, text };
    return (await gateway.agentApi.post('/api/dm/chat', request)).status;
  }

  /** Reads a page from the cursor on, as an agent does. Returns whether there was anything. */
  async #hear(): Promise<boolean> {
    const query = new URLSearchParams({ limit: `${PAGE}`, last_message_cursor: this.#cursor });
    const { status, body } = await this.#subject.gateway.agentApi.get(`/api/inbox?${query}`);
    if (status !== 200) throw new Error(`GET inbox: ${status} ${JSON.stringify(body)}`);
    for (const { conversation_id, messages } of body.conversations) {
      const { heard } = this.#conversations.find(({ id }) => id === conversation_id)!;
      heard.push(...messages.filter(isInbound).map(({ text }: AnyJson) => text));
    }
    const isMore = body.cursor !== this.#cursor;
    this.#cursor = body.cursor;
    return isMore;
  }

  /** After that, what may have arrived would not be sent again, but in doubt. */
  async #whileDuplicatesAreDropped(life: Life): Promise<void> {
    const oldestMs = this.#dropsDuplicatesForMs / 2;
    if (oldestMs === 0 || this.#oldestUnderWayMs() < oldestMs) return;
    life.isOver = true;
    await waitFor(
      'what earlier lives have left',
      () => this.#oldestUnderWayMs() < oldestMs,
      SETTLES_WITHIN_MS,
    );
  }

  get #dropsDuplicatesForMs(): number {
    return this.#subject.connector.provides.messenger?.dropsDuplicatesForMs ?? 0;
  }

  #conversation(n: number): Conversation {
    return this.#conversations[n % PEOPLE]!;
  }

  #received(): string[] {
    const read = this.#conversations.flatMap(({ talk }) => talk.read());
    return read.filter((text) => text.startsWith('out '));
  }

  /** Of what the agent has written, by its text. */
  #statuses(): ReadonlyMap<string, string> {
    const rows = readGatewayRows<{ text: string; status: string }>(
      this.#subject.gateway.dataFolder,
      "select text, status from messages where text like 'out %' order by seq",
    );
    return new Map(rows.map(({ text, status }) => [text, status]));
  }

  /** The age of the oldest message that is being sent; 0: there is none. */
  #oldestUnderWayMs(): number {
    const [oldest] = readGatewayRows<{ createdAt: string }>(
      this.#subject.gateway.dataFolder,
      "select created_at as createdAt from messages where status = 'sending' order by seq limit 1",
    );
    return oldest ? Date.now() - Date.parse(oldest.createdAt) : 0;
  }
}

function lengthMs(life: number): number {
  const length = ((life % LENGTHS) + Math.random()) / LENGTHS;
  return SHORTEST_LIFE_MS + length ** 3 * LONGEST_LIFE_MS;
}

function isInbound({ direction }: AnyJson): boolean {
  return direction === 'inbound';
}

/** 0, 1, 2, … each when its time has come, all that are due at once after a hold-up, until the life is over. */
async function* turns(life: Life, perSecond: number): AsyncGenerator<number> {
  const startMs = performance.now();
  for (let n = 0; !life.isOver; n++) {
    while (!life.isOver && n >= ((performance.now() - startMs) * perSecond) / 1_000) await wait(2);
    yield n;
  }
}
