import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requirePeer } from '../support/require-peer.ts';

const UNIT = join(import.meta.dirname, '../../config/voice-chat-gateway.service');
/** Tenths, as systemd-analyze takes them: 2.0 of 10 is "OK", and a unit without any of these settings has 9.6. */
const MAX_EXPOSURE = '20';

describe.skipIf(requirePeer('systemd-analyze'))('the unit of systemd', () => {
  let folder: string;
  let unit: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'unit-'));
    unit = join(folder, 'voice-chat-gateway.service');
    // systemd looks whether the program is there, which is elsewhere on other machines.
    writeFileSync(unit, readFileSync(UNIT, 'utf8').replace('/usr/bin/node', process.execPath));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function analyze(...args: string[]): string {
    return execFileSync('systemd-analyze', [...args, unit], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  it('has no mistakes that systemd knows of', () => {
    expect(analyze('verify', '--recursive-errors=no')).toBe('');
  });

  it('exposes little of the machine', () => {
    expect(analyze('security', '--offline=true', `--threshold=${MAX_EXPOSURE}`)).toContain('OK');
  });
});
