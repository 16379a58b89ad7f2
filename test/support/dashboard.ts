import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Gateway } from './gateway.ts';
import { waitFor } from './wait-for.ts';

/** What the operator of a new gateway signs in with. */
export const OPERATOR = { email: 'operator@example.com', password: 'correct horse battery' } as const;

/** The link that the gateway prints at its start, when it is ready already. */
export async function setupLink(gateway: Gateway): Promise<string> {
  return await waitFor('the link', () => /http:\S+\/dashboard\/setup#[\w-]+/.exec(gateway.output)?.[0]);
}

/** The dashboard of one gateway in one browser, with everything that its pages complain of. */
export class DashboardVisit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, and what the policy of the page refused. */
  readonly complaints: string[] = [];
  readonly #gateway: Gateway;

  private constructor(gateway: Gateway, context: BrowserContext, page: Page) {
    this.#gateway = gateway;
    this.context = context;
    this.page = page;
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('console', (message) => {
      const isNetwork = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isNetwork) this.complaints.push(message.text());
    });
  }

  /** Follows the link of the first start, in a browser of this width. */
  static async first(gateway: Gateway, browser: Browser, width = 1280): Promise<DashboardVisit> {
    const context = await browser.newContext({ viewport: { width, height: 860 } });
    const visit = new DashboardVisit(gateway, context, await context.newPage());
    await visit.page.goto(await setupLink(gateway));
    await visit.page.getByLabel('Email address').fill(OPERATOR.email);
    await visit.page.getByLabel('Password').fill(OPERATOR.password);
    await visit.page.getByRole('button', { name: 'Begin' }).click();
    await visit.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    return visit;
  }

  /** Another browser with the same session. */
  async again(
    browser: Browser,
    look: { readonly width: number; readonly isDark: boolean },
  ): Promise<DashboardVisit> {
    const context = await browser.newContext({
      storageState: await this.context.storageState(),
      viewport: { width: look.width, height: 860 },
      colorScheme: look.isDark ? 'dark' : 'light',
    });
    return new DashboardVisit(this.#gateway, context, await context.newPage());
  }

  /** Opens a page directly; waits for its heading. */
  async open(path: string): Promise<void> {
    await this.page.goto(`${this.#gateway.baseUrl}/dashboard${path}`);
    await this.page.locator('h1:visible').first().waitFor();
    await this.page.getByText('Loading …').first().waitFor({ state: 'detached' });
  }

  /** A request as the page's own scripts send it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields it needs
  async request(method: string, path: string, body?: object): Promise<any> {
    const init = {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    };
    return await this.page.evaluate(
      `fetch(${JSON.stringify(path)}, ${JSON.stringify(init)}).then((r) => r.json())`,
    );
  }

  /** Nothing that others wrote has run or become an element, and these texts stand there as they were written. */
  async expectLiteral(texts: readonly string[]): Promise<void> {
    const script = `(() => {
      const shown = document.querySelector('#app').textContent;
      const made = 'script, iframe, object, embed, base, meta, link, style, video, audio, marquee, math, svg:not(.icon, .stages)';
      return {
        pwned: window.pwned ?? null,
        missing: ${JSON.stringify(texts)}.filter((text) => !shown.includes(text)),
        made: [...document.querySelectorAll('#app :is(' + made + '), #app img:not(.file img)')].map((each) => each.outerHTML),
        handlers: [...document.querySelectorAll('#app *')].flatMap((each) =>
          [...each.attributes].filter(({ name, value }) => name.startsWith('on') || (/^(href|src|action|formaction)$/.test(name) && /^(javascript|data):/i.test(value))),
        ).map(({ name, value }) => name + '=' + value),
      };
    })()`;
    const found = await this.page.evaluate(script);
    expect(found).toEqual({ pwned: null, missing: [], made: [], handlers: [] });
    expect(this.complaints).toEqual([]);
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}
