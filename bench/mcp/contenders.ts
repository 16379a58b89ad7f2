import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../../test/support/child.ts';
import { claimSignalingPorts } from '../../test/support/free-ports.ts';
import { Gateway } from '../../test/support/gateway.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { callAccount } from './account-call.ts';

export type SdkVersion = 'v1' | 'v2';

/** A server with a tool `svc_account`. */
export interface Contender {
  readonly pid: number;
  readonly baseUrl: string;
}

export interface Contenders {
  readonly gateway: Gateway;
  readonly sdk: Readonly<Record<SdkVersion, Contender>>;
  /** Ends all. */
  stop(): Promise<void>;
}

/** The gateway, and the SDK's minimal server in both versions with a copy of what the gateway says of its account. */
export async function startContenders(prefix: readonly string[]): Promise<Contenders> {
  const claim = await claimSignalingPorts(2);
  const folder = mkdtempSync(join(tmpdir(), 'mcp-'));
  const gateway = await Gateway.start({ prefix });
  const account = await callAccount(gateway.baseUrl, gateway.agentKey);
  const answer = join(folder, 'answer.json');
  writeFileSync(answer, JSON.stringify(account.structuredContent));
  const children: Child[] = [];
  const start = async (version: SdkVersion, port: number): Promise<Contender> => {
    const child = startSdk(prefix, port, answer, version);
    children.push(child);
    const baseUrl = `http://127.0.0.1:${port}`;
    await waitFor(`the SDK ${version} to listen`, async () => {
      if (!child.running) throw new Error(child.output);
      return (await fetch(baseUrl).catch(() => null)) !== null;
    });
    const theirs = await callAccount(baseUrl, gateway.agentKey);
    if (JSON.stringify(theirs.structuredContent).length !== JSON.stringify(account.structuredContent).length)
      throw new Error(`the SDK ${version} answers otherwise`);
    return { pid: child.pid, baseUrl };
  };
  return {
    gateway,
    sdk: { v1: await start('v1', claim.first), v2: await start('v2', claim.first + 1) },
    async stop() {
      await Promise.all([gateway.stop(), ...children.map((child) => child.stop())]);
      claim.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function startSdk(prefix: readonly string[], port: number, answer: string, version: SdkVersion): Child {
  const server = join(import.meta.dirname, 'sdk-server.mjs');
  const [program = '', ...args] = [...prefix, process.execPath, server, `${port}`, answer, version];
  return new Child(program, args);
}
