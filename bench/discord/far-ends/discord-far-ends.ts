import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { within } from '../../../test/support/wait-for.ts';
import type { CorePlan } from '../../bench.ts';
import type { FarEndsAnswer, FarEndsOrder, LeanBot, LeanChannel } from './orders.ts';

const PROGRAM = join(import.meta.dirname, 'far-ends-program.ts');
/** Discord lets a bot send 120 messages a minute to its gateway, and each call needs one. */
export const CALLS_A_BOT = 50;

/** Discord and its people, in their own process. */
export class DiscordFarEnds {
  /** In place of https://discord.com. */
  readonly url: string;
  /** The certificate of its voice servers. */
  readonly caFile: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, { url, caFile }: { url: string; caFile: string }) {
    this.#child = child;
    this.url = url;
    this.caFile = caFile;
  }

  static async start({ generators }: CorePlan): Promise<DiscordFarEnds> {
    const [command = '', ...args] = [...generators, process.execPath, PROGRAM];
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    return new DiscordFarEnds(child, await ask(child, { type: 'start' }));
  }

  /** What the gateway needs to use it. */
  get settings(): Readonly<Record<string, string>> {
    return {
      SVC_DISCORD_API_URL: `${this.url}/api`,
      SVC_DISCORD_CDN_URL: this.url,
      NODE_EXTRA_CA_CERTS: this.caFile,
    };
  }

  addBot(): Promise<LeanBot> {
    return ask(this.#child, { type: 'bot' });
  }

  /** Opens a voice channel for the bot, with a person whose telephone is on this port. */
  openChannel(bot: LeanBot, phonePort: number): Promise<LeanChannel> {
    return ask(this.#child, { type: 'channel', botId: bot.botId, phonePort });
  }

  /** Counts frames that people cannot decrypt. The returned function tells of them. */
  async watch(): Promise<() => Promise<readonly string[]>> {
    await ask(this.#child, { type: 'begin' });
    return async () => {
      const { undecryptable } = await ask(this.#child, { type: 'end' });
      return undecryptable === 0 ? [] : [`${undecryptable} frames that people could not decrypt`];
    };
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Answers come in the order of what was asked. */
async function ask<Type extends FarEndsAnswer['type']>(
  child: ChildProcess,
  order: FarEndsOrder & { readonly type: Type },
): Promise<Extract<FarEndsAnswer, { type: Type }>> {
  const answered = once(child, 'message');
  child.send(order);
  const [answer] = await within(`Discord to answer "${order.type}"`, answered);
  return answer;
}
