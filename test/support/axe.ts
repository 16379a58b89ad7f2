import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe-core finds wrong with a page: one line for each element. */
export async function accessFaults(page: Page): Promise<string[]> {
  // The policy of the page does not bind what the debugger of the browser evaluates.
  await page.evaluate(`${axe.source}; 0`);
  const { violations } = (await page.evaluate('axe.run(document)')) as { violations: readonly Finding[] };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}
