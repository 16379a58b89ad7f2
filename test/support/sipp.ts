import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.ts';
import { claimRtpPorts, claimSignalingPorts, type PortClaim } from './free-ports.ts';
import { waitFor, within } from './wait-for.ts';

export interface SippOptions {
  /** A whole `<scenario>` document, or one of those built into sipp. */
  readonly scenario: { readonly xml: string } | { readonly builtIn: 'uac' | 'uas' };
  /** `host:port` to call; absent for a scenario that waits to be called. */
  readonly target?: string;
  /** User part of the Request-URI (`[service]`). */
  readonly service?: string;
  /** How many calls in all; then sipp ends. */
  readonly calls: number;
  readonly parallel?: number;
  /** New calls a second. */
  readonly rate?: number;
  readonly transport?: 'udp' | 'tcp';
  /** Sends every RTP packet back. */
  readonly rtpEcho?: boolean;
  /** Values for `[field0]`, `[field1]`… one line a call. */
  readonly fields?: readonly string[];
  readonly extraArgs?: readonly string[];
}

/** The last line of sipp's own statistics. */
export interface SippResult {
  readonly created: number;
  readonly successful: number;
  readonly failed: number;
  readonly retransmissions: number;
  /** 0: all calls succeeded; 1: at least one failed. */
  readonly exitCode: number | null;
  /** What sipp logged of errors. */
  readonly errors: string;
}

/** sipp as a SIP peer that follows a scenario to the letter. */
export class Sipp {
  readonly port: number;
  readonly #child: Child;
  readonly #folder: string;
  readonly #claims: readonly PortClaim[];

  private constructor(child: Child, folder: string, claims: readonly PortClaim[], port: number) {
    this.#child = child;
    this.#folder = folder;
    this.#claims = claims;
    this.port = port;
  }

  static async start(options: SippOptions): Promise<Sipp> {
    const signaling = await claimSignalingPorts(2);
    const rtp = await claimRtpPorts(4);
    const folder = mkdtempSync(join(tmpdir(), 'sipp-'));
    const args = sippArgs(options, folder, signaling.first, rtp.first);
    const child = new Child('sipp', args, { cwd: folder });
    const sipp = new Sipp(child, folder, [signaling, rtp], signaling.first);
    if (options.target === undefined) await sipp.#listening(options.transport ?? 'udp');
    return sipp;
  }

  get output(): string {
    return this.#child.output;
  }

  /** Resolves when all calls are over. */
  async finished(deadlineMs: number): Promise<SippResult> {
    try {
      const exitCode = await within('sipp to end', this.#child.exited, deadlineMs);
      return { ...this.#statistics(), exitCode, errors: this.#errors() };
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${this.#errors()}\n${this.output.slice(-2_000)}`);
    }
  }

  /** Stops it and removes its folder; safe to call twice. */
  async stop(): Promise<void> {
    await this.#child.stop(1_000);
    for (const claim of this.#claims) claim.release();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A bound port is seen in the kernel's table; sipp itself says nothing. */
  async #listening(transport: 'udp' | 'tcp'): Promise<void> {
    const entry = `0100007F:${this.port.toString(16).toUpperCase().padStart(4, '0')}`;
    await waitFor('sipp to listen', () => {
      if (!this.#child.running) throw new Error(`sipp ended at once: ${this.output}`);
      return readFileSync(`/proc/net/${transport}`, 'latin1').includes(entry);
    });
  }

  #statistics(): Omit<SippResult, 'exitCode' | 'errors'> {
    const lines = this.#file('stat.csv').trim().split('\n');
    const names = (lines[0] ?? '').split(';');
    const values = (lines.at(-1) ?? '').split(';');
    const value = (name: string) => Number(values[names.indexOf(name)] ?? Number.NaN);
    return {
      created: value('TotalCallCreated'),
      successful: value('SuccessfulCall(C)'),
      failed: value('FailedCall(C)'),
      retransmissions: value('Retransmissions(C)'),
    };
  }

  #errors(): string {
    return this.#file('errors.log').slice(0, 4_000);
  }

  #file(name: string): string {
    return readdirSync(this.#folder).includes(name) ? readFileSync(join(this.#folder, name), 'utf8') : '';
  }
}

function sippArgs(options: SippOptions, folder: string, sipPort: number, rtpPort: number): string[] {
  return [
    ...(options.target === undefined ? [] : [options.target]),
    ...scenarioArgs(options, folder),
    ...(options.service === undefined ? [] : ['-s', options.service]),
    ...['-i', '127.0.0.1', '-p', `${sipPort}`, '-mi', '127.0.0.1', '-mp', `${rtpPort}`],
    ...[
      '-m',
      `${options.calls}`,
      '-l',
      `${options.parallel ?? options.calls}`,
      '-r',
      `${options.rate ?? 10}`,
    ],
    ...['-t', options.transport === 'tcp' ? 't1' : 'u1', '-nostdin', '-timeout', '600'],
    ...(options.rtpEcho ? ['-rtp_echo'] : []),
    ...['-trace_stat', '-stf', 'stat.csv', '-fd', '1', '-trace_err', '-error_file', 'errors.log'],
    ...(options.extraArgs ?? []),
  ];
}

function scenarioArgs({ scenario, fields }: SippOptions, folder: string): string[] {
  if ('builtIn' in scenario) return ['-sn', scenario.builtIn];
  writeFileSync(join(folder, 'scenario.xml'), scenario.xml);
  if (fields === undefined) return ['-sf', 'scenario.xml'];
  writeFileSync(join(folder, 'fields.csv'), `SEQUENTIAL\n${fields.join('\n')}\n`);
  return ['-sf', 'scenario.xml', '-inf', 'fields.csv'];
}
