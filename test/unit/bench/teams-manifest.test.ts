import { strFromU8, unzipSync } from 'fflate';
import { PNG } from 'pngjs';
import { expect, it } from 'vitest';
import { appPackage } from '../../../bench/teams-manifest/app-package.ts';

const FACTS = {
  appId: '11111111-2222-4333-8444-555555555555',
  name: 'Agent',
  publicUrl: 'https://gateway.example.org',
  hasFiles: true,
} as const;

it('packs the manifest and two icons of the sizes that Teams wants', () => {
  const files = unzipSync(appPackage(FACTS));
  expect(Object.keys(files).toSorted()).toEqual(['color.png', 'manifest.json', 'outline.png']);
  const sizes = ['color.png', 'outline.png'].map((name) => {
    const { width, height } = PNG.sync.read(Buffer.from(files[name]!));
    return [width, height];
  });
  expect(sizes).toEqual([
    [192, 192],
    [32, 32],
  ]);
  const manifest = JSON.parse(strFromU8(files['manifest.json']!));
  expect(manifest).toMatchObject({
    id: FACTS.appId,
    icons: { color: 'color.png', outline: 'outline.png' },
    bots: [{ botId: FACTS.appId, scopes: ['personal', 'team', 'groupChat'], supportsFiles: true }],
  });
  expect(manifest.description.short.length).toBeLessThanOrEqual(80);
});

it('draws an outline of white on nothing', () => {
  const files = unzipSync(appPackage(FACTS));
  const { data } = PNG.sync.read(Buffer.from(files['outline.png']!));
  const pixels = Array.from({ length: data.length / 4 }, (_, n) =>
    data.subarray(n * 4, n * 4 + 4).toString('hex'),
  );
  expect(new Set(pixels)).toEqual(new Set(['ffffffff', '00000000']));
});
