import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { hasLogin } from '../../../src/accounts/logins/platform-status.ts';
import { ReadingTime } from '../../../src/base/reading-time.ts';
import type { AgentScope } from '../../../src/base/scope.ts';
import type { CallActor } from '../../../src/calls/call-actor.ts';
import { type CallDomain, callDomain } from '../../../src/calls/call-domain.ts';
import type { CallEvent } from '../../../src/calls/call-event.ts';
import { CallRecorder } from '../../../src/calls/call-recorder.ts';
import { CallRegistry } from '../../../src/calls/call-registry.ts';
import { CallRoom } from '../../../src/calls/call-room.ts';
import { ENABLED_PRESETS } from '../../../src/calls/choose-presets.ts';
import { type PlaceCallRequest, placeCall } from '../../../src/calls/place-call.ts';
import { inboundAnswerer } from '../../../src/calls/ring-call.ts';
import type { FileDomain } from '../../../src/files/file-domain.ts';
import { keepChatFiles } from '../../../src/files/keep-inbound-files.ts';
import { openFiles } from '../../../src/files/open-files.ts';
import { Wakeups } from '../../../src/messaging/inbox/wakeups.ts';
import { attachMember } from '../../../src/store/agents/agents.ts';
import { findRow } from '../../../src/store/database/rows.ts';
import { loginsOfAgents } from '../../../src/store/logins/agent-logins.ts';
import { insertBot } from '../../../src/store/logins/bot-tokens.ts';
import { findEnabledVoiceConfigs } from '../../../src/store/speech/voice-configs.ts';
import type { Store } from '../../../src/store/store.ts';
import type { AudioReport } from '../../../src/threads/engine.ts';
import { NO_BUDGET } from '../../support/budgets.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { NO_SPEECH } from '../../support/no-speech.ts';
import { NOW, seedAccount, temporaryDir, temporaryStore } from '../store/temporary.ts';
import { FakeMeetings } from './fake-meetings.ts';

export const PUBLIC_URL = 'https://gateway.example';
export const MAX_FILE_BYTES = 1_000;
const ROOMY = { accountBytes: 1_000_000, totalBytes: 1_000_000 };

/** What an agent's audio did on a call. */
export interface HeardAudio {
  writes: number;
  listens: (number | null)[];
}

/** Calls in meetings of the test's own, over a real database, for the accounts `a` and `b`. */
export class MeetingWorld {
  readonly store: Store;
  readonly files: FileDomain;
  readonly clock = new ManualClock();
  readonly wakeups = new Wakeups();
  readonly meetings = new FakeMeetings();
  readonly domain: CallDomain;
  readonly audio: HeardAudio = { writes: 0, listens: [] };
  /** What the engine reports of each call's audio. */
  report: () => Promise<AudioReport> = () => Promise.reject(new Error('no report'));
  /** Full queues, failed writes and unexpected errors of legs. */
  readonly told: string[] = [];

  private constructor(store: Store, files: FileDomain) {
    this.store = store;
    this.files = files;
    const recorder = new CallRecorder(
      store,
      this.clock,
      (_callId, error) => void this.told.push(`record: ${error}`),
      (accountId) => this.wakeups.wake(accountId),
    );
    onTestFinished(() => recorder.settled());
    const events = {
      callStarted() {},
      callAnswered() {},
      callEnded() {},
      streamError() {},
      queueFull: (queue: string) => void this.told.push(`full: ${queue}`),
      writeFailed: (what: string) => void this.told.push(`failed: ${what}`),
      legFailed: (_call: unknown, error: unknown) => void this.told.push(`leg: ${error}`),
    };
    const agentAudio = {
      write: () => {
        this.audio.writes += 1;
      },
      listen: (rate: number | null) => void this.audio.listens.push(rate),
      mark() {},
      clear() {},
      close() {},
    };
    this.domain = callDomain({
      registry: new CallRegistry(),
      connectors: new Map([['discord', this.meetings]]),
      engine: {
        place: () => ({
          media: {},
          startListening() {},
          startAudio() {},
          close: async () => {},
          joinAgent: () => agentAudio,
          report: () => this.report(),
        }),
      },
      speech: NO_SPEECH,
      recorder,
      events,
      clock: this.clock,
      deadlines: {
        connectingMs: 90_000,
        waitingMs: 600_000,
        ringingMs: 60_000,
        acceptingMs: 35_000,
        activeMs: 3_600_000,
      },
      playout: { queueOf: () => null },
      budget: NO_BUDGET,
      maxCallsPerAccount: 100,
      room: new CallRoom(this.clock, 1_000),
      admission: { problem: null },
      logins: {
        ofAgents: (scope, platform) => loginsOfAgents(store.db, scope, platform),
        hasAny: (accountId, platform) => hasLogin(store.db, accountId, platform),
      },
      presets: {
        find: (accountId, id) => findRow(store.db, 'voiceConfigs', { accountId, id }),
        enabled: (accountId) => findEnabledVoiceConfigs(store.db, accountId),
      },
      keepChatFiles: (origin, sent) => keepChatFiles(this.files, origin, sent),
    } as Pick<CallDomain, 'logins' | 'presets' | 'keepChatFiles'> as never);
    this.meetings.onInbound(inboundAnswerer(this.domain, this.meetings));
  }

  static async open(): Promise<MeetingWorld> {
    const store = await temporaryStore();
    for (const name of ['a', 'b']) await seedAccount(store, name);
    const files = await openFiles(
      { dir: join(temporaryDir(), 'files'), limits: ROOMY, trusted: [] },
      {
        store,
        clock: new ManualClock(),
        readingTime: new ReadingTime(new ManualClock()),
        maxBytes: MAX_FILE_BYTES,
        publicUrl: () => PUBLIC_URL,
        fetcher: () => undefined,
        count() {},
      },
    );
    return new MeetingWorld(store, files);
  }

  /** The only agent of an account. */
  owner(name: 'a' | 'b'): { accountId: string; agentId: string } {
    return { accountId: `acc_${name}`, agentId: `agt_${name}` };
  }

  scope(name: 'a' | 'b'): AgentScope {
    return { accountId: `acc_${name}`, agentIds: [`agt_${name}`], platforms: null };
  }

  /** A Discord bot of an account, in its agent or in another. */
  async bot(
    name: 'a' | 'b',
    id: string,
    { botName = `Bot ${id}`, agentId = `agt_${name}` }: { botName?: string; agentId?: string } = {},
  ): Promise<void> {
    const bot = { id, accountId: `acc_${name}`, platform: 'discord', botName, status: 'ok' } as const;
    const secrets = { token: `token of ${id}`, signingSecret: null, appToken: null };
    await insertBot(this.store.db, this.store.secrets, { ...bot, appId: null, createdAt: NOW }, secrets);
    await attachMember(this.store.db, agentId, { type: 'bot_token', id });
  }

  /** Places a call; `connecting` until the leg says otherwise. */
  async place(fields: Partial<PlaceCallRequest> = {}, scope = this.scope('a')): Promise<CallActor> {
    const { callId } = await placeCall(this.domain, scope, {
      platform: 'discord',
      meetingUrl: 'https://meet.example/1',
      dtmf: '',
      agentName: 'AI Agent',
      loginId: null,
      presets: ENABLED_PRESETS,
      ...fields,
    });
    return this.domain.registry.find(callId)!;
  }

  /** A call of account `a` in a meeting, active, with everything that happens on it from then on. */
  async meeting(): Promise<{ call: CallActor; events: CallEvent[] }> {
    await this.bot('a', 'bot_a');
    const call = await this.place();
    this.meetings.leg.observer.answered();
    const events: CallEvent[] = [];
    call.observe({ event: (event) => events.push(event) });
    return { call, events };
  }
}
