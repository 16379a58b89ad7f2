import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import wabt from 'wabt';

const FOLDER = join(import.meta.dirname, '../../../src/audio');

test.each(['convolve', 'frame-power', 'summing'])('%s.wasm is built from %s.wat', async (name) => {
  const { parseWat } = await wabt();
  const text = readFileSync(join(FOLDER, `${name}.wat`), 'utf8');
  const module = parseWat(`${name}.wat`, text, { simd: true });
  expect(Buffer.from(module.toBinary({}).buffer)).toEqual(readFileSync(join(FOLDER, `${name}.wasm`)));
});
