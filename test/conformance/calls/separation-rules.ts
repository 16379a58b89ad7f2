import { expect } from 'vitest';
import { FRAME_MS } from '../../../src/base/frame.ts';
import { Agent } from '../../support/agent.ts';
import { toneLevelDb } from '../../support/tone-analysis.ts';
import { AgentCall } from './agent-call.ts';
import type { CallRule, CallsUnderTest, FarEnd } from './calls-under-test.ts';
import { AGENT_HZ, FAR_HZ, LEAST_SEPARATION_DB } from './placing-rules.ts';

const SETTLING_FRAMES = 25;
const JUDGED_FRAMES = 50;
const HEARD_MS = 400;
/** Tones are sent at about -10 dB. */
const AUDIBLE_DB = -25;

export const SEPARATION_RULES: readonly CallRule[] = [
  {
    title: 'two accounts neither see nor hear each other’s calls',
    async check(subject) {
      const [own, other] = [
        await AgentCall.active(subject),
        await AgentCall.active(subject, subject.otherAccount),
      ];
      for (const [mine, theirs] of [
        [own, other],
        [other, own],
      ] as const) {
        const { api, agentKey } = mine.call.account;
        const { calls } = (await api.get('/api/calls')).body;
        expect(calls).toMatchObject([{ call_id: mine.call.created.call_id }]);
        expect((await api.get(theirs.call.path)).status).toBe(404);
        expect((await api.delete(theirs.call.path)).status).toBe(404);
        expect((await api.post(`${theirs.call.path}/dtmf`, { digits: '1' })).status).toBe(404);
        const stream = Agent.connect(theirs.call.created.audio.stream_url, agentKey, 8_000);
        await expect(stream).rejects.toThrow('404');
      }
      const speaking = [own.far.speak(FAR_HZ), other.far.speak(AGENT_HZ)];
      const agent = await own.call.join();
      await agent.hear(SETTLING_FRAMES);
      const heard = await agent.hear(JUDGED_FRAMES);
      for (const speech of speaking) speech.stop();
      const { sampleRateHz } = agent;
      const othersDb = toneLevelDb(heard, sampleRateHz, AGENT_HZ);
      expect(othersDb).toBeLessThan(toneLevelDb(heard, sampleRateHz, FAR_HZ) - LEAST_SEPARATION_DB);
      await own.call.hangUp();
      await other.call.hangUp();
    },
  },
  {
    title: 'a call survives the end of its engine thread',
    isSlow: true,
    async check(subject) {
      const talk = await Conversation.start(subject);
      subject.killEngineThread();
      await talk.call.waitFor('the call to move', () => hasMoved(subject, talk.call.created.call_id));
      await talk.isHeardBothWays();
      await talk.end();
    },
  },
  {
    title: 'a call survives the end of its bridge thread',
    isSlow: true,
    applies: ({ killBridgeThread }) => killBridgeThread !== undefined,
    async check(subject) {
      const talk = await Conversation.start(subject);
      const before = lostTransports(subject);
      subject.killBridgeThread!();
      await talk.call.waitFor('the transport to be lost', () => lostTransports(subject) > before);
      await talk.isHeardBothWays();
      await talk.end();
    },
  },
];

/** An active call in which both sides speak. */
class Conversation {
  readonly call: AgentCall;
  readonly #subject: CallsUnderTest;
  readonly #far: FarEnd;
  readonly #agent: Agent;
  readonly #speaking: readonly { stop(): void }[];

  private constructor(
    subject: CallsUnderTest,
    call: AgentCall,
    { far, agent }: { readonly far: FarEnd; readonly agent: Agent },
  ) {
    this.#subject = subject;
    this.call = call;
    this.#far = far;
    this.#agent = agent;
    this.#speaking = [far.speak(FAR_HZ), agent.startTone(AGENT_HZ)];
  }

  static async start(subject: CallsUnderTest): Promise<Conversation> {
    const { call, far } = await AgentCall.active(subject);
    const conversation = new Conversation(subject, call, { far, agent: await call.join() });
    await conversation.isHeardBothWays();
    return conversation;
  }

  async isHeardBothWays(): Promise<void> {
    await this.call.waitFor('the far end to be heard', () => this.#isFarEndHeard());
    await this.call.waitFor('the agent to be heard', async () => {
      const heard = await this.#far.hears(HEARD_MS, this.#subject.patienceMs);
      return toneLevelDb(heard, this.#far.sampleRateHz, AGENT_HZ) > AUDIBLE_DB;
    });
    expect(await this.call.state()).toBe('active');
  }

  async end(): Promise<void> {
    for (const speech of this.#speaking) speech.stop();
    await this.call.hangUp();
    await this.call.waitFor('the far end to be told', () => this.#far.isOver);
  }

  async #isFarEndHeard(): Promise<boolean> {
    const heard = await this.#agent.hear(HEARD_MS / FRAME_MS, this.#subject.patienceMs);
    return toneLevelDb(heard, this.#agent.sampleRateHz, FAR_HZ) > AUDIBLE_DB;
  }
}

function lostTransports({ gateway }: CallsUnderTest): number {
  return gateway.output.split('transport lost its bridge thread').length - 1;
}

function hasMoved({ gateway }: CallsUnderTest, callId: string): boolean {
  const lines = gateway.output.split('\n');
  return lines.some((line) => line.includes('call moved to another') && line.includes(callId));
}
