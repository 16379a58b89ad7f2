import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/base/ids.ts';
import type { Child } from '../support/child.ts';
import { type Container, ContainerImages } from '../support/container-images.ts';
import { claimSignalingPorts, type PortClaim } from '../support/free-ports.ts';
import { GatewayApi } from '../support/gateway-api.ts';
import { requirePeerOfRoot } from '../support/require-peer.ts';
import { waitFor, within } from '../support/wait-for.ts';

const MAX_GATEWAY_BYTES = 150_000_000;
const BUILD_DEADLINE_MS = 60 * 60_000;
const READY_DEADLINE_MS = 60_000;
/** The user `node` of the image. */
const NODE_USER = 1000;
/** What a start says when a part of the image is missing. */
const SLOWER = /uWebSockets\.js could not be loaded|Starting from the sources/;
const ADDONS = ['acceptor.node', 'media-io.node', 'opus.node', 'waker.node'];

describe.skipIf(requirePeerOfRoot('buildah', 'debootstrap'))('the image of the Dockerfile', () => {
  const images = new ContainerImages();
  const settingsKey = newApiKey();
  let container: Container;
  let data: string;
  let ports: PortClaim;
  let gateway: Child | undefined;

  beforeAll(async () => {
    ports = await claimSignalingPorts(2);
    data = mkdtempSync(join(tmpdir(), 'container-data-'));
    chownSync(data, NODE_USER, NODE_USER);
    await images.build();
    container = await images.container();
  }, BUILD_DEADLINE_MS);
  afterEach(async () => {
    await gateway?.stop();
  });
  afterAll(async () => {
    ports?.release();
    await images.remove();
    rmSync(data, { recursive: true, force: true });
  }, BUILD_DEADLINE_MS);

  const baseUrl = () => `http://127.0.0.1:${ports.first}`;
  const settings = () => ({
    SVC_PORT: `${ports.first}`,
    SVC_SIP_PORT: `${ports.last}`,
    SVC_SIP_HOST: '127.0.0.1',
    SVC_BOOTSTRAP_SETTINGS_KEY: settingsKey,
  });

  /** Starts the image's own command; returns the pid of the gateway's process. */
  async function start(): Promise<number> {
    const started = images.run(container, container.config.Cmd, data, settings());
    gateway = started;
    await waitFor(
      'the container to be ready',
      async () => {
        if (!started.running) throw new Error(`the container ended:\n${started.output}`);
        return (await fetch(`${baseUrl()}/readyz`).catch(() => null))?.ok;
      },
      READY_DEADLINE_MS,
    );
    return lastDescendant(started.pid);
  }

  it(`holds the gateway in ${MAX_GATEWAY_BYTES / 1e6} MB, with its addons`, () => {
    const bytes = bytesIn(join(container.files, 'gateway'));
    console.log(
      `/gateway takes ${(bytes / 1e6).toFixed(1)} MB, the image ${(bytesIn(container.files) / 1e6).toFixed(0)} MB`,
    );
    expect(bytes).toBeLessThan(MAX_GATEWAY_BYTES);
    expect(readdirSync(join(container.files, 'gateway/build'))).toEqual(expect.arrayContaining(ADDONS));
  });

  it('runs unprivileged, is healthy, ends on its stop signal and finds its data again', async () => {
    const pid = await start();
    expect(Object.keys(container.config.Volumes)).toEqual(['/data']);
    expect(capabilitiesAndUser(pid)).toEqual({ user: NODE_USER, effective: 0n });
    expect(await exitCodeOf(container.config.Healthcheck.Test.slice(1))).toBe(0);
    const { status, body } = await new GatewayApi(baseUrl(), settingsKey).post('/api/settings-keys', {
      name: 'kept',
    });
    expect(status).toBe(200);
    const output = await stop(pid);
    expect(output).not.toMatch(SLOWER);

    const again = await start();
    expect((await new GatewayApi(baseUrl(), body.key).get('/api/settings-keys')).status).toBe(200);
    await stop(again);
    expect(await exitCodeOf(container.config.Healthcheck.Test.slice(1))).toBe(1);
  });

  it('writes nothing but its data', async () => {
    const before = new Date();
    await stop(await start());
    expect(writtenSince(before, container.files)).toEqual([]);
    expect(readdirSync(data)).toContain('gateway.db');
  });

  async function stop(pid: number): Promise<string> {
    const stopped = gateway as Child;
    process.kill(pid, container.config.StopSignal as NodeJS.Signals);
    expect(await within('the container to end', stopped.exited)).toBe(0);
    return stopped.output;
  }

  async function exitCodeOf(command: readonly string[]): Promise<number | null> {
    return await images.run(container, command, data, settings()).exited;
  }
});

/** buildah runs a command through processes of its own, each with one child. */
function lastDescendant(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim(),
  );
  const child = children.find((text) => text !== '');
  return child === undefined ? pid : lastDescendant(Number(child));
}

function capabilitiesAndUser(pid: number): { user: number; effective: bigint } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1];
  return { user: Number(field('Uid')), effective: BigInt(`0x${field('CapEff')}`) };
}

function bytesIn(folder: string): number {
  return Number(execFileSync('du', ['-s', '-B1', folder], { encoding: 'utf8' }).split('\t')[0]);
}

/** The files that the gateway's user wrote after `time`. It may not write to files of others. */
function writtenSince(time: Date, folder: string): string[] {
  const ofUser = ['-uid', `${NODE_USER}`, '-newermt', time.toISOString()];
  return execFileSync('find', [folder, '-xdev', ...ofUser], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}
