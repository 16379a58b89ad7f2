import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SCRIPT = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe-core finds wrong with a page: one line for each element. */
export async function accessFaults(page: Page): Promise<string[]> {
  // The policy of the page does not bind what the debugger of the browser evaluates.
  await page.evaluate(`${SCRIPT}; 0`);
  const { violations } = (await page.evaluate('axe.run(document)')) as { violations: readonly Finding[] };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}
