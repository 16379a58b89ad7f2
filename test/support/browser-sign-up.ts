import type { Page } from 'playwright-core';
import type { Gateway } from './gateway.ts';
import { mailedLinks } from './member.ts';

const PASSWORD = 'correct horse battery';

/** Creates an account from a page that asks to sign in, confirms its address by the mailed link, and returns to the page. */
export async function signUpInBrowser(page: Page, gateway: Gateway, email: string): Promise<void> {
  gateway.secrets.add(PASSWORD);
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Confirm your email address first' }).waitFor();
  const asked = page.url();
  await page.goto((await mailedLinks(gateway, email))[0]!);
  await page.getByRole('heading', { name: 'Address confirmed' }).waitFor();
  await page.goto(asked);
}
