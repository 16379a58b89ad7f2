import { setTimeout as wait } from 'node:timers/promises';
import type { Gateway } from './gateway.ts';

/** One life of a gateway, from its start until it is killed. */
export interface Life {
  isOver: boolean;
}

/** Somebody who writes, and is written to. */
export interface TalkingPerson {
  says(text: string): void;
  readonly conversationId: string;
}

export interface KilledTalkOptions {
  readonly gateway: Gateway;
  readonly platform: string;
  readonly people: readonly TalkingPerson[];
  /** In each direction, while the gateway is up. */
  readonly messagesPerSecond: number;
  readonly mostUnanswered: number;
}

/** People and an agent who write to each other while the gateway is killed again and again. */
export class KilledTalk {
  /** What people have written. */
  readonly said: string[] = [];
  /** What the agent has written and the gateway has answered with 200. */
  readonly accepted: string[] = [];
  /** How much the agent has written. */
  sent = 0;
  readonly #options: KilledTalkOptions;

  constructor(options: KilledTalkOptions) {
    this.#options = options;
  }

  /** Both write until the life is over. `name` tells its texts, `in <name>.0` and `out <name>.0`, from those of others. */
  async during(life: Life, name: string): Promise<void> {
    await Promise.all([this.#saying(life, name), this.#answering(life, name)]);
  }

  async #saying(life: Life, name: string): Promise<void> {
    for await (const n of turns(life, this.#options.messagesPerSecond)) {
      const text = `in ${name}.${n}`;
      this.said.push(text);
      this.#person(n).says(text);
    }
  }

  async #answering(life: Life, name: string): Promise<void> {
    const unanswered = new Set<Promise<unknown>>();
    for await (const n of turns(life, this.#options.messagesPerSecond)) {
      if (unanswered.size >= this.#options.mostUnanswered) await Promise.race(unanswered);
      const text = `out ${name}.${n}`;
      this.sent++;
      const sending: Promise<unknown> = this.#send(this.#person(n).conversationId, text)
        .then((status) => status === 200 && this.accepted.push(text))
        .catch(() => {})
        .finally(() => unanswered.delete(sending));
      unanswered.add(sending);
    }
    await Promise.all(unanswered);
  }

  #person(n: number): TalkingPerson {
    const { people } = this.#options;
    return people[n % people.length]!;
  }

  async #send(conversation_id: string, text: string): Promise<number> {
    const { gateway, platform } = this.#options;
    const answer = await fetch(`${gateway.baseUrl}/api/dm/chat`, {
      method: 'POST',
      headers: { 'X-API-Key': gateway.agentKey },
      body: JSON.stringify({ platform, conversation_id, text }),
    });
    await answer.arrayBuffer();
    return answer.status;
  }
}

/** 0, 1, 2, … each when its time has come, until the life is over. */
async function* turns(life: Life, perSecond: number): AsyncGenerator<number> {
  const startMs = performance.now();
  for (let n = 0; !life.isOver; n++) {
    while (!life.isOver && n >= ((performance.now() - startMs) * perSecond) / 1_000) await wait(2);
    yield n;
  }
}
