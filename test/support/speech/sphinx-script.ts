import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';

/** Puts a shell script in the place of pocketsphinx while a test runs. Returns its folder, also that of temporary files. */
export function sphinxScript(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sphinx-'));
  writeFileSync(join(folder, 'pocketsphinx_continuous'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('TMPDIR', folder);
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** Counts the processes whose command line has this text. */
export function processesNaming(text: string): number {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(text)).length;
}

function commandOf(pid: string): string {
  try {
    return readFileSync(join('/proc', pid, 'cmdline'), 'utf8');
  } catch {
    return '';
  }
}
