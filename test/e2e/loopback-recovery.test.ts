import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LoopbackWorld } from '../loopback/loopback-world.ts';
import { PLATFORM } from '../loopback/platform.ts';
import type { Meeting } from '../loopback/server/meeting.ts';
import type { Session } from '../loopback/server/session.ts';
import { Agent } from '../support/agent.ts';
import { toneLevelDb } from '../support/tone-analysis.ts';
import { waitFor } from '../support/wait-for.ts';

const FAULTS = fileURLToPath(new URL('../support/thread-faults.mjs', import.meta.url));
const SAMPLE_RATE_HZ = 48_000;
const HALF_SECOND_FRAMES = 25;
const ADA_HZ = 300;
const AGENT_HZ = 1_300;
const AUDIBLE_DB = -20;

let world: LoopbackWorld;

beforeAll(async () => {
  world = await LoopbackWorld.start({
    env: { SVC_ENGINE_THREADS: '2', NODE_OPTIONS: `--import=${FAULTS}` },
  });
  await world.bot('Attendant');
});
afterAll(() => world?.stop());

/** A call, with an agent that speaks. */
class Call {
  readonly meeting: Meeting;
  readonly callId: string;
  readonly agent: Agent;
  readonly #tone: { stop(): void };

  static async place(media: 'pcm' | 'packets'): Promise<Call> {
    const { vendor, gateway } = world;
    const meeting = vendor.meeting();
    meeting.enter('Ada', ADA_HZ);
    const meeting_url = vendor.meetingUrl(meeting, media);
    const { body } = await gateway.agentApi.post('/api/call', { platform: PLATFORM, meeting_url });
    await gateway.waitForState(body.call_id, 'active');
    const { stream_url: url } = body.audio;
    const agent = await Agent.join(url, gateway.agentKey, { sampleRateHz: SAMPLE_RATE_HZ });
    const call = new Call(meeting, body.call_id, agent);
    await call.isHeardBothWays();
    return call;
  }

  private constructor(meeting: Meeting, callId: string, agent: Agent) {
    this.meeting = meeting;
    this.callId = callId;
    this.agent = agent;
    this.#tone = agent.startTone(AGENT_HZ);
  }

  /** Waits until both sides hear each other, and nothing else. */
  async isHeardBothWays(): Promise<void> {
    const level = async (samples: Promise<Int16Array>, hz: number) =>
      toneLevelDb(await samples, SAMPLE_RATE_HZ, hz) > AUDIBLE_DB;
    await waitFor('the agent to hear Ada', () => level(this.agent.hear(HALF_SECOND_FRAMES), ADA_HZ));
    await waitFor('Ada to hear the agent', () =>
      level(this.meeting.session.heard.next(SAMPLE_RATE_HZ / 2), AGENT_HZ),
    );
  }

  async stop(): Promise<void> {
    this.#tone.stop();
    await this.agent.close();
    await world.gateway.agentApi.delete(`/api/call/${this.callId}`);
  }
}

it('nonsense in the place of audio ends the transport of its call alone', async () => {
  const calls = await Promise.all([Call.place('pcm'), Call.place('pcm'), Call.place('packets')]);
  const [sick, ...others] = calls;
  for (const { meeting } of others) meeting.session.sendRawMedia('not JSON');
  others[1]!.meeting.session.sendRawMedia(Buffer.alloc(70_000));
  sick!.meeting.session.sendRawMedia(Buffer.alloc(3));
  await waitFor('the call to join again', () => sick!.meeting.sessions.length === 2);
  for (const call of calls) await call.isHeardBothWays();
  for (const { meeting } of others) expect(meeting.sessions).toHaveLength(1);
  for (const call of calls) await call.stop();
});

describe.each(['pcm', 'packets'] as const)('a call by %s', (media) => {
  it('joins its meeting again when its bridge thread is lost, and is over when it is lost again at once', async () => {
    const call = await Call.place(media);
    const { meeting, agent } = call;
    process.kill(world.gateway.pid, 'SIGWINCH');
    await waitFor('the call to join again', () => meeting.sessions.length === 2);
    await waitFor('the media of the second session', () => meeting.session.hasMedia);
    expect(meeting.sessions[0]!.state).toBe('over');
    await call.isHeardBothWays();
    const { body } = await world.gateway.agentApi.get(`/api/call/${call.callId}`);
    expect(body).toMatchObject({ state: 'active', participants: [{ name: 'Ada' }] });

    process.kill(world.gateway.pid, 'SIGWINCH');
    await agent.waitFor('call_error', { code: 'bridge_disconnected' });
    await agent.waitFor('call_state', { state: 'disconnected' });
    await waitFor('the vendor to notice', () => meeting.session.state === 'over');
    expect(meeting.sessions).toHaveLength(2);
    await call.stop();
  });

  it.each<[string, (session: Session) => void]>([
    ['cuts its media', (session) => session.cutMedia()],
    ['cuts its signaling', (session) => session.cutSignaling()],
    ['talks nonsense', (session) => session.sendRawSignaling('['.repeat(65_536))],
  ])('joins again when the vendor %s', async (_what, harm) => {
    const call = await Call.place(media);
    harm(call.meeting.session);
    await waitFor('the call to join again', () => call.meeting.sessions.length === 2);
    await call.isHeardBothWays();
    await call.stop();
  });

  it('continues in the same session when its engine thread is lost', async () => {
    const call = await Call.place(media);
    // The call is on one of the two; the other one takes it over.
    for (const _thread of [1, 2]) {
      process.kill(world.gateway.pid, 'SIGUSR2');
      await call.isHeardBothWays();
    }
    expect(world.gateway.output).toContain('call moved to another engine thread');
    expect(call.meeting.sessions).toHaveLength(1);
    // On a busy machine the agent itself may be too slow: audio_overrun.
    expect(call.agent.errors.filter(({ code }) => code !== 'audio_overrun')).toEqual([]);
    await call.stop();
  });
});
