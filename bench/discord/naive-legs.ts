import { join } from 'node:path';
import type { CorePlan } from '../bench.ts';
import type { CallSystem, TickReport } from '../calls/call-system.ts';
import { NaiveProcess } from '../calls/naive-process.ts';
import { Generator, type Song } from '../generator/generator.ts';
import { CALLS_A_BOT, DiscordFarEnds } from './far-ends/discord-far-ends.ts';
import type { LeanBot } from './far-ends/orders.ts';

const SCRIPT = join(import.meta.dirname, 'naive-bot/main.ts');

/** The bot of `bench/discord/naive-bot`: a person and an agent in every channel. */
export class NaiveLegs implements CallSystem {
  readonly name = '@discordjs/voice';
  readonly ends = { phones: 1, agents: 1 } as const;
  readonly generator: Generator;
  readonly #process: NaiveProcess;
  readonly #farEnds: DiscordFarEnds;
  #bot: LeanBot | null = null;
  #calls = 0;

  private constructor(process: NaiveProcess, farEnds: DiscordFarEnds, generator: Generator) {
    this.#process = process;
    this.#farEnds = farEnds;
    this.generator = generator;
  }

  static async start(cores: CorePlan, song: Song): Promise<NaiveLegs> {
    const farEnds = await DiscordFarEnds.start(cores);
    const generator = Generator.start(cores.generators);
    await generator.sing(song);
    const program = { script: SCRIPT, env: farEnds.settings };
    const process = await NaiveProcess.start(cores, [`${farEnds.url}/api`], program);
    return new NaiveLegs(process, farEnds, generator);
  }

  get pid(): number {
    return this.#process.pid;
  }

  get calls(): number {
    return this.#calls;
  }

  async grow(calls: number): Promise<void> {
    if (calls <= this.#calls) return;
    const ports = await this.generator.openPhones(calls - this.#calls);
    const streams: string[] = [];
    for (const port of ports) streams.push(await this.#place(port));
    await this.generator.joinAgents(streams, 'none');
  }

  watchTicks(): Promise<() => Promise<TickReport>> {
    return this.#process.watchTicks();
  }

  watchOthers(): Promise<() => Promise<readonly string[]>> {
    return this.#farEnds.watch();
  }

  async stop(): Promise<void> {
    this.generator.stop();
    await this.#process.stop();
    this.#farEnds.stop();
  }

  /** Returns the URL of the call's WebSocket. */
  async #place(phonePort: number): Promise<string> {
    const phone = this.#calls++;
    if (this.#bot === null || phone % CALLS_A_BOT === 0) this.#bot = await this.#farEnds.addBot();
    const { guildId, channelId, port } = await this.#farEnds.openChannel(this.#bot, phonePort);
    this.generator.call(phone, '127.0.0.1', port);
    const body = { token: this.#bot.token, guildId, channelId };
    const { call } = (await this.#process.request('/call', body)) as { call: number };
    return `${this.#process.url}/call/${call}/stream`;
  }
}
