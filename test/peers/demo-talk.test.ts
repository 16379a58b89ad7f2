import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Child } from '../support/child.ts';
import { requirePeer } from '../support/require-peer.ts';
import { within } from '../support/wait-for.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a demo to its end, and returns it. */
async function run(name: string): Promise<Child> {
  const folder = mkdtempSync(join(tmpdir(), 'demo-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { ...process.env, TMPDIR: folder };
  const args = [join(ROOT, 'bench/demo/demo.ts'), name];
  const demo = new Child(process.execPath, args, { cwd: folder, env });
  onTestFinished(() => void demo.stop());
  expect(await within('the demo to end', demo.exited, 90_000), demo.output).toBe(0);
  return demo;
}

describe.skipIf(requirePeer('pocketsphinx_continuous'))('dialogues of the demo', () => {
  it('shows two agents that the local engines speak and listen for', async () => {
    const demo = await run('talk');
    expect(demo.output.match(/^ {2}[AB] says {3}\w/gm)?.length).toBe(6);
    expect(demo.output.match(/^ {2}[AB] hears {2}\w.* sound +\d+ ms {2}text +\d+ ms$/gm)?.length).toBe(6);
    expect(demo.output).toMatch(/median: sound +\d+ ms, text +\d+ ms; word errors \d+ %/);
  });

  it('shows a caller and an agent with a model, which hangs up', async () => {
    const { output } = await run('agent');
    expect(output.match(/^ {2}agent says {5}\w.* sound +\d+ ms$/gm)?.length).toBe(3);
    expect(output.match(/^ {2}caller hears {3}\w/gm)?.length).toBeGreaterThanOrEqual(3);
    expect(output).toContain('The agent has hung up.');
  });
});
