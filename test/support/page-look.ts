import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

export const WINDOWS = {
  desktop: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
} as const;
/** Of a picture, in pixels. */
const TALLEST = 3_000;
const SCHEMES = ['light', 'dark'] as const;

/**
 * Expects a page to be no wider than its window, on a desktop and on a phone. Keeps pictures of it, light and dark, in
 * `folder` if there is one.
 */
export async function lookAt(page: Page, name: string, folder: string | undefined): Promise<void> {
  for (const [size, viewport] of Object.entries(WINDOWS)) {
    await page.setViewportSize(viewport);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect([name, size, width]).toEqual([name, size, viewport.width]);
    if (folder !== undefined) await picture(page, join(folder, `${name}-${size}`));
  }
  await page.setViewportSize(WINDOWS.desktop);
}

async function picture(page: Page, path: string): Promise<void> {
  mkdirSync(join(path, '..'), { recursive: true });
  const { width, height } = page.viewportSize()!;
  // What scrolls within the page is shown whole, too.
  const whole = (await page.evaluate(
    `Math.max(${height}, 80 + (document.querySelector('main')?.scrollHeight ?? 0))`,
  )) as number;
  await page.setViewportSize({ width, height: Math.min(whole, TALLEST) });
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${path}-${colorScheme}.png`, fullPage: true });
  }
}
