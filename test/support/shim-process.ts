import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AnyJson } from './any-json.ts';
import { EventLog } from './event-log.ts';
import { SHIM } from './mcp-client.ts';
import { within } from './wait-for.ts';

/** A JSON-RPC message, or what was written in its place. */
export type Written = AnyJson;

/** `svc-mcp` as a client starts it, spoken to in plain JSON-RPC. */
export class ShimProcess {
  /** What it wrote to standard output, line by line. */
  readonly written = new EventLog<Written>();
  /** Its exit code. */
  readonly exited: Promise<number | null>;
  readonly #process: ChildProcessWithoutNullStreams;
  #errors = '';
  #rest = '';
  #requests = 0;

  constructor(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
    const { PATH = '' } = process.env;
    this.#process = spawn(process.execPath, [SHIM, ...args], { env: { PATH, ...env } });
    process.once('exit', this.#kill);
    this.exited = once(this.#process, 'close').then(([code]) => {
      process.removeListener('exit', this.#kill);
      return code;
    });
    this.#process.stdin.on('error', () => {});
    this.#process.stderr.on('data', (text) => {
      this.#errors += text;
    });
    this.#process.stdout.on('data', (text) => this.#read(`${text}`));
  }

  /** What it wrote to standard error. */
  get errors(): string {
    return this.#errors;
  }

  /** Writes a message, or any line. */
  send(message: object | string): void {
    this.#process.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }

  /** Its answer, which may be an error. */
  async request(method: string, params: object = {}): Promise<Written> {
    this.#requests += 1;
    const id = this.#requests;
    this.send({ jsonrpc: '2.0', id, method, params });
    return await this.written.next(`an answer to ${method}`, (message) => message.id === id);
  }

  /** Introduces a client of the older generation. */
  async initialize(): Promise<Written> {
    const clientInfo = { name: 'test', version: '1' };
    const answer = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo,
    });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return answer;
  }

  /** Calls a tool. */
  async call(name: string, input: object = {}): Promise<Written> {
    return await this.request('tools/call', { name, arguments: input });
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Closes its standard input, which is how clients end it. */
  async end(): Promise<number | null> {
    this.#process.stdin.end();
    return await within('svc-mcp to end', this.exited);
  }

  readonly #kill = (): void => void this.#process.kill('SIGKILL');

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.written.push(parsed(line));
  }
}

function parsed(line: string): Written {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
