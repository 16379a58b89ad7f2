import { onTestFinished } from 'vitest';
import type { BudgetNotice, HourlyLimits } from '../../../src/accounts/budgets/budget.ts';
import type { Budgets } from '../../../src/accounts/budgets/budgets.ts';
import { FairShare } from '../../../src/base/fair-share.ts';
import { PLATFORM_TRAITS } from '../../../src/base/platform.ts';
import type { CallDomain } from '../../../src/calls/call-domain.ts';
import { CallRegistry } from '../../../src/calls/call-registry.ts';
import type { InlineDeps } from '../../../src/inline/inline-domain.ts';
import { InlineRunner } from '../../../src/inline/runner.ts';
import { ModelClients } from '../../../src/inline/turn/model-clients.ts';
import { closeOutbound, openOutbound } from '../../../src/messaging/outbox/open-outbound.ts';
import { SendingTurns } from '../../../src/messaging/outbox/sending-turns.ts';
import type { GatewayTools } from '../../../src/models/model-client.ts';
import { type AgentPolicy, DEFAULT_POLICY } from '../../../src/store/agents/agent-policies.ts';
import { putProvider } from '../../../src/store/agents/agent-providers.ts';
import { putRow } from '../../../src/store/database/rows.ts';
import { type Delivery, listDeliveries } from '../../../src/store/inline/deliveries.ts';
import { budgetsOf } from '../../support/budgets.ts';
import { FakeMessenger } from '../../support/fake-messenger.ts';
import { waitFor } from '../../support/wait-for.ts';
import { messagingWorld, type World, write } from '../messaging/messaging-world.ts';
import { NOW } from '../store/temporary.ts';
import { countedStore } from './counted-store.ts';
import { ScriptedModel } from './scripted-model.ts';

/** No calls are placed or received. */
const NO_CALLS = { registry: new CallRegistry() } as unknown as CallDomain;

/** An agent with a model and a Telegram bot, over a real store and a clock that stands still. */
export class InlineWorld {
  readonly messaging: World;
  readonly model = new ScriptedModel();
  readonly messenger = new FakeMessenger();
  /** Unexpected errors. */
  readonly failures: unknown[] = [];
  /** What the policy of the agent did not have. */
  readonly refused: string[] = [];
  /** Queues of which something was refused. */
  readonly skipped: string[] = [];
  /** What the model has used to read from the gateway. */
  tools: GatewayTools | null = null;
  readonly deps: InlineDeps;
  /** The statements of the runner. */
  readonly counted: ReturnType<typeof countedStore>;
  runner: InlineRunner;
  #said = 0;

  private constructor(messaging: World, calls: CallDomain, budgets: Budgets) {
    this.messaging = messaging;
    const { store, clock, wakeups, reading } = messaging;
    const onFailure = (what: string, error: unknown): void => void this.failures.push(`${what}: ${error}`);
    const outbound = openOutbound({
      store,
      clock,
      wakeups,
      messengers: new Map([[this.messenger.platform, this.messenger]]),
      turns: new SendingTurns(clock, new Map([[this.messenger.platform, this.messenger]])),
      windows: null,
      ready: Promise.resolve(),
      filesOf: async () => [],
      resolveFiles: async () => [],
      observer: { messageSettled: () => {}, messengerFailed: onFailure, queueFull: () => {} },
      timeoutText: 'No answer yet',
      onProbeAnswered: () => {},
      onFailure,
    });
    onTestFinished(() => closeOutbound(outbound, 0));
    this.counted = countedStore(store);
    this.deps = {
      store: this.counted.store,
      clock,
      traits: PLATFORM_TRAITS,
      outbound,
      reading,
      wakeups,
      calls,
      clients: new ModelClients(() => this.model),
      toolsOf: async () => null,
      knownTools: async () => this.tools,
      observer: {
        turnAnswered: () => {},
        turnEnded: () => {},
        turnFailed: () => {},
        actionRefused: (action) => void this.refused.push(action),
        loopStopped: () => {},
        queueFull: (queue) => void this.skipped.push(queue),
        workFailed: onFailure,
      },
      turns: new FairShare({ clock, total: 8, each: 4, mostWaiting: 1_000 }),
      turnEnded: () => undefined,
      budgets,
    };
    this.runner = this.#runner();
  }

  static async start(
    calls: CallDomain = NO_CALLS,
    provider: { readonly greeting?: string } = {},
    hourly: Partial<HourlyLimits> & { readonly notices?: BudgetNotice[] } = {},
  ): Promise<InlineWorld> {
    const messaging = await messagingWorld();
    const world = new InlineWorld(
      messaging,
      calls,
      await budgetsOf(messaging.store, messaging.clock, hourly),
    );
    await world.setProvider(world.messaging.agentId, provider);
    await world.runner.start();
    return world;
  }

  /** Stops the runner, as a restart of the gateway does, and starts another one. */
  async restart(): Promise<void> {
    await this.#close(this.runner);
    this.runner = this.#runner();
    await this.runner.start();
  }

  async setProvider(
    agentId: string,
    { greeting = null }: { readonly greeting?: string | null } = {},
  ): Promise<void> {
    const { store } = this.messaging;
    await putProvider(store.db, store.secrets, {
      agentId,
      provider: 'openai',
      config: { model: 'm' },
      secrets: { api_key: 'sk-test' },
      systemPrompt: null,
      greeting,
      eventFilter: {},
      updatedAt: NOW,
    });
  }

  /** What the agent's model may do. Fields left out are those of the default. */
  async setPolicy(policy: Partial<AgentPolicy>): Promise<void> {
    const { store, agentId } = this.messaging;
    const row = { agentId, ...DEFAULT_POLICY, ...policy, updatedAt: NOW };
    await putRow(store.db, 'agentPolicies', row, { key: ['agentId'] });
  }

  /** A person writes, and nobody is called. */
  async hears(remoteId: string, text: string): Promise<void> {
    await write(this.messaging, remoteId, { text });
  }

  /** A person writes, and a second passes in which nothing more is written. */
  async says(remoteId: string, ...texts: string[]): Promise<void> {
    for (const text of texts) await write(this.messaging, remoteId, { text });
    this.#said += texts.length;
    await waitFor('the deliveries', async () => (await this.deliveries()).length >= this.#said);
    this.messaging.clock.advance(1_000);
  }

  /** Waits until the agent has written this many messages, and returns them. */
  async written(count: number): Promise<readonly string[]> {
    await waitFor(`${count} messages`, () => this.#whole() && this.messenger.texts.length >= count);
    return this.messenger.texts;
  }

  /** Waits until nothing is under way. */
  async idle(): Promise<void> {
    await waitFor('the turns to end', () => this.runner.lanes === 0);
  }

  /** The agent's deliveries, oldest first. */
  async deliveries(): Promise<Delivery[]> {
    const { store, agentId } = this.messaging;
    const listed = await listDeliveries(store.db, agentId, { limit: 1_000, offset: 0 });
    return listed.sort((one, other) => one.seq - other.seq);
  }

  /** Unexpected errors end a test at once. */
  #whole(): boolean {
    if (this.failures.length > 0) throw new Error(this.failures.join('; '));
    return true;
  }

  /** The clock stands still, so the time that turns are given to end has to pass. */
  async #close(runner: InlineRunner): Promise<void> {
    let isClosed = false;
    const closed = runner.close(0).then(() => {
      isClosed = true;
    });
    await waitFor('the runner to close', () => {
      this.messaging.clock.advance(1);
      return isClosed;
    });
    await closed;
  }

  #runner(): InlineRunner {
    const runner = new InlineRunner(this.deps);
    onTestFinished(() => this.#close(runner));
    return runner;
  }
}
