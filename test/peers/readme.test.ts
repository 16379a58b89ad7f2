import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Baresip } from '../support/baresip.ts';
import { claimRtpPorts, claimSignalingPorts, type PortClaim } from '../support/free-ports.ts';
import { connectV2 } from '../support/mcp-client.ts';
import { Reader } from '../support/readme/reader.ts';
import { type Step, stepsOf } from '../support/readme/steps.ts';
import { requirePeer } from '../support/require-peer.ts';
import { joined, silence, speech } from '../support/speech-signal.ts';
import { waitFor } from '../support/wait-for.ts';
import { writeWav } from '../support/wav.ts';

/*
 * README.md, read from its top to its end by somebody who does what it says. Nothing in it can be skipped: a block that the
 * test does not know how to follow is an error.
 *
 * - Commands of `sh` blocks are typed as they stand, one after the other. Only the ports are those of this run.
 * - Lines that begin with `# ` show what the command above prints. Spaces do not matter, and `…` stands for anything.
 *   `<name>` is a value that the reader notes there, and fills in for `<name>` in later commands. A request that changes
 *   nothing is repeated until it prints the result.
 * - A command without a result has to end with exit code 0, and so has every other one before the next is typed.
 * - `<!-- reader: … -->` says what the reader does with the phone at this point.
 * - A `json` block is the configuration of an MCP client, which connects with it.
 */

const ROOT = join(import.meta.dirname, '../..');
const STEPS = stepsOf(readFileSync(join(ROOT, 'README.md'), 'utf8'));
const PHONE_RATE_HZ = 48_000;
/** What the reader says on each call, as README.md asks for. */
const SAID = 'please call me back tomorrow morning';
const TIMES_SAID = 10;
/** Louder than any noise of a codec. */
const VOICE_PEAK = 1_000;
const TOOLS = 16;

const missing = requirePeer('baresip', 'pocketsphinx_continuous', 'curl', 'python3-websockets');

describe.skipIf(missing)('README.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  let claims: PortClaim[] = [];
  let phone: Baresip;
  let reader: Reader;
  let failed: string | null = null;

  beforeAll(async () => {
    const wavPath = join(folder, 'said.wav');
    const said = [silence(2_000, PHONE_RATE_HZ), speech(SAID, PHONE_RATE_HZ), silence(5_000, PHONE_RATE_HZ)];
    const channels = [joined(...Array.from({ length: TIMES_SAID }, () => said).flat())];
    writeWav(wavPath, { sampleRateHz: PHONE_RATE_HZ, channels });
    phone = await Baresip.start({
      user: '1001',
      codecs: ['opus', 'PCMU'],
      source: { wavPath },
      lifetimeS: 180,
    });
    const [signaling, rtp] = [await claimSignalingPorts(5), await claimRtpPorts(16)];
    claims = [signaling, rtp];
    const port = (i: number) => signaling.first + i;
    const ports = [[8080, port(0)], [5060, port(1)], [5070, phone.sipPort], [8081, port(3)], [8099, port(4)]] as const; // biome-ignore format: one line
    reader = new Reader({
      cwd: ROOT,
      env: {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))),
        SVC_PORT: `${port(0)}`,
        SVC_PUBLIC_URL: `http://127.0.0.1:${port(0)}`,
        SVC_SIP_HOST: '127.0.0.1',
        SVC_SIP_PORT: `${port(1)}`,
        SVC_RTP_PORT_MIN: `${rtp.first}`,
        SVC_RTP_PORT_MAX: `${rtp.last}`,
        SVC_DATA_DIR: join(folder, 'data'),
      },
      ports: new Map(ports),
      fakePorts: { telegram: 8081, openai: 8099 },
    });
  });
  afterAll(async () => {
    await reader?.close();
    await phone?.stop();
    for (const claim of claims) claim.release();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(STEPS.map((step, i) => ({ step, title: `${i + 1}. ${titleOf(step)}` })))('$title', async (each) => {
    if (failed) throw new Error(`not reached, because of “${failed}”`);
    failed = each.title;
    await follow(each.step);
    failed = null;
  });

  async function follow(step: Step): Promise<void> {
    if (step.kind === 'commands') await reader.typeAll(step.commands);
    else if (step.kind === 'json') await connect(JSON.parse(reader.filledIn(step.text)));
    else for (const deed of step.deeds) await act(reader.filledIn(deed));
  }

  async function act(deed: string): Promise<void> {
    const [, uri] = /^dials (.+)$/.exec(deed) ?? [];
    if (uri !== undefined) await phone.dial(uri);
    else if (deed === 'picks up the phone') {
      await phone.waitFor('CALL_INCOMING');
      await phone.answer();
      await phone.waitFor('CALL_ESTABLISHED');
    } else if (deed === 'hears a voice') {
      await waitFor('a voice on the phone', () => phone.lastPeak() > VOICE_PEAK);
    } else if (deed === 'hangs up') {
      await phone.hangUp();
      await phone.waitFor('CALL_CLOSED');
    } else throw new Error(`nobody knows how one ${deed}`);
  }

  async function connect({ mcpServers }: { mcpServers: Record<string, McpServer> }): Promise<void> {
    for (const { type, url, headers } of Object.values(mcpServers)) {
      expect(type).toBe('http');
      const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
      const client = await connectV2('v2 legacy', transport);
      expect(await client.tools()).toHaveLength(TOOLS);
      expect((await client.call('svc_account')).isError).toBe(false);
      await client.close();
    }
  }
});

interface McpServer {
  readonly type: string;
  readonly url: string;
  readonly headers: Record<string, string>;
}

function titleOf(step: Step): string {
  if (step.kind === 'deeds') return `${step.section}: the reader ${step.deeds.join(', ')}`;
  if (step.kind === 'json') return `${step.section}: a client connects`;
  return `${step.section}: ${step.commands.map(({ text }) => text.slice(0, 40)).join(' ¶ ')}`;
}
