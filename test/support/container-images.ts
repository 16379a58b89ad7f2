import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Child } from './child.ts';

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, '../..');
const NODE_IMAGE_SCRIPT = join(ROOT, 'test/nightly/node-image.sh');
const CACHE = join(ROOT, 'node_modules/.cache/node-image');
const IMAGE = 'gateway';
/** Downloads and compiles; the slowest step took six minutes on a machine with ten times the work it can do. */
const STEP_DEADLINE_MS = 30 * 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** The image of the Dockerfile, built and run by buildah without a daemon, in a storage of its own. Needs root. */
export class ContainerImages {
  readonly #storage = mkdtempSync(join(tmpdir(), 'container-images-'));

  /** Builds the image on a stand-in for the base that the Dockerfile names. */
  async build(): Promise<void> {
    const base = baseImage();
    await this.#import(await packedNodeImage(base.nodeVersion), base.name);
    await this.#buildah(
      'bud',
      '--isolation',
      'chroot',
      '--pull-never',
      '--format',
      'docker',
      '--tag',
      IMAGE,
      ROOT,
    );
  }

  /** A container of the built image, not running anything yet. */
  async container(): Promise<Container> {
    const id = await this.#buildah('from', '--pull-never', `localhost/${IMAGE}`);
    const inspected = JSON.parse(await this.#buildah('inspect', id)) as Inspected;
    // buildah mounts a copy of an image's volume over whatever else is mounted there.
    for (const volume of Object.keys(inspected.Docker.config.Volumes)) {
      await this.#buildah('config', '--volume', `${volume}-`, id);
    }
    return { id, files: await this.#buildah('mount', id), config: inspected.Docker.config };
  }

  /** Runs a command in the container as the image's user, with this folder as the volume `/data`. */
  run(
    container: Container,
    command: readonly string[],
    data: string,
    env: Readonly<Record<string, string>>,
  ): Child {
    const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const options = ['run', '--isolation', 'chroot', ...variables, '--volume', `${data}:/data`];
    return new Child('buildah', [...this.#global(), ...options, container.id, '--', ...command]);
  }

  /** Removes everything that was built, and its mounts. */
  async remove(): Promise<void> {
    await this.#buildah('umount', '--all');
    await this.#buildah('rm', '--all');
    rmSync(this.#storage, { recursive: true, force: true });
  }

  async #import(tar: string, name: string): Promise<void> {
    const id = await this.#buildah('from', 'scratch');
    await this.#buildah('add', '--quiet', id, tar, '/');
    const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const authorities = '/etc/ssl/certs/ca-certificates.crt';
    await this.#buildah('config', '--env', `PATH=${path}`, '--env', `NODE_EXTRA_CA_CERTS=${authorities}`, id);
    await this.#buildah('commit', '--quiet', '--rm', id, `docker.io/library/${name}`);
  }

  /** Returns what buildah printed, without the end of its line. Throws with all of its output. */
  async #buildah(...args: string[]): Promise<string> {
    return (await execute('buildah', [...this.#global(), ...args])).trim();
  }

  #global(): string[] {
    const [root, runroot] = ['root', 'runroot'].map((name) => join(this.#storage, name)) as [string, string];
    return ['--root', root, '--runroot', runroot, '--storage-driver', 'vfs'];
  }
}

export interface Container {
  readonly id: string;
  /** Folder of this machine in which the container's files are. */
  readonly files: string;
  readonly config: ImageConfig;
}

/** What the Dockerfile says about running the image, in Docker's words. */
export interface ImageConfig {
  readonly User: string;
  readonly Cmd: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly StopSignal: string;
  readonly Volumes: Readonly<Record<string, unknown>>;
}

interface Inspected {
  readonly Docker: { readonly config: ImageConfig };
}

/** The image that the Dockerfile starts from, such as `node:22.23.3-bookworm-slim`. */
export function baseImage(): { readonly name: string; readonly nodeVersion: string } {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const names = [...dockerfile.matchAll(/^FROM (node:([\d.]+)-bookworm-slim)/gm)];
  const [name, nodeVersion] = names[0]?.slice(1) ?? [];
  if (!name || !nodeVersion) throw new Error('the Dockerfile starts from no image of Node on bookworm');
  return { name, nodeVersion };
}

/** Packs the base image once per version of Node and of the script. Returns its tar file. */
async function packedNodeImage(version: string): Promise<string> {
  const script = createHash('sha256').update(readFileSync(NODE_IMAGE_SCRIPT)).digest('hex').slice(0, 8);
  const tar = join(CACHE, `node-${version}-${script}.tar`);
  mkdirSync(CACHE, { recursive: true });
  if (!existsSync(tar)) await execute('sh', [NODE_IMAGE_SCRIPT, version, tar]);
  return tar;
}

async function execute(command: string, args: readonly string[]): Promise<string> {
  try {
    return (await run(command, args, { timeout: STEP_DEADLINE_MS, maxBuffer: MAX_OUTPUT_BYTES })).stdout;
  } catch (error) {
    const { message, stdout, stderr } = error as Error & {
      readonly stdout?: string;
      readonly stderr?: string;
    };
    throw new Error(`${message}\n${stdout ?? ''}\n${stderr ?? ''}`);
  }
}
