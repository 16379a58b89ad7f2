import { expect } from 'vitest';
import { Agent } from '../../support/agent.ts';
import type { AnyJson } from '../../support/any-json.ts';
import { type EndedCall, endedCall } from '../../support/ended-call.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { AccountUnderTest, CallsUnderTest, FarEnd, OfferedCall } from './calls-under-test.ts';

/** A call as the agent of an account sees it. */
export class AgentCall {
  /** As it was in the first answer. */
  readonly created: AnyJson;
  readonly account: AccountUnderTest;
  readonly #subject: CallsUnderTest;

  private constructor(subject: CallsUnderTest, account: AccountUnderTest, created: AnyJson) {
    this.#subject = subject;
    this.account = account;
    this.created = created;
  }

  /** Places a call. Resolves when the far end is offered it. */
  static async placed(
    subject: CallsUnderTest,
    account = subject.account,
  ): Promise<{ call: AgentCall; offer: OfferedCall }> {
    const meeting_url = account.newMeeting();
    const { platform } = subject.connector;
    const { status, body } = await account.api.post('/api/call', { platform, meeting_url });
    expect([status, body.state]).toEqual([200, 'connecting']);
    const offer = await account.offered(meeting_url, subject.patienceMs);
    return { call: new AgentCall(subject, account, body), offer };
  }

  /** A placed call that the far end has answered. */
  static async active(
    subject: CallsUnderTest,
    account = subject.account,
  ): Promise<{ call: AgentCall; far: FarEnd }> {
    const { call, offer } = await AgentCall.placed(subject, account);
    const far = await offer.answer();
    await call.becomes('active');
    return { call, far };
  }

  /** The only call that rings. */
  static async ringing(subject: CallsUnderTest): Promise<AgentCall> {
    const { account, patienceMs } = subject;
    const ringing = async (): Promise<AnyJson> => {
      const { calls } = (await account.api.get('/api/calls')).body;
      return calls.find(({ state }: AnyJson) => state === 'ringing');
    };
    return new AgentCall(subject, account, await waitFor('a ringing call', ringing, patienceMs));
  }

  get path(): string {
    return `/api/call/${this.created.call_id}`;
  }

  async state(): Promise<string> {
    const { status, body } = await this.account.api.get(this.path);
    return status === 404 ? 'gone' : body.state;
  }

  async becomes(state: string): Promise<void> {
    let seen = '';
    await waitFor(
      `the call to be ${state}`,
      async () => {
        seen = await this.state();
        return seen === state;
      },
      this.#subject.patienceMs,
    ).catch((error: Error) => {
      throw new Error(`${error.message} (it was ${seen})`);
    });
  }

  async join(): Promise<Agent> {
    const { stream_url: url } = this.created.audio;
    return await Agent.join(url, this.account.agentKey, { sampleRateHz: this.created.audio.sample_rate });
  }

  async hangUp(): Promise<void> {
    const { status, body } = await this.account.api.delete(this.path);
    expect([status, body.state]).toEqual([202, 'ended']);
  }

  /** What is recorded of it once it is over. */
  async record(): Promise<EndedCall> {
    return await endedCall(this.#subject.gateway, this.created.call_id, this.#subject.patienceMs);
  }

  async waitFor<T>(what: string, condition: () => T | Promise<T>): Promise<void> {
    await waitFor(what, condition, this.#subject.patienceMs);
  }
}
