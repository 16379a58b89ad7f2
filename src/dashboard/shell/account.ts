import { signal } from '@preact/signals';
import type { Answers } from '../api/answers.ts';
import { ask } from '../api/request.ts';

/** The account of whoever is signed in; null before. */
export const account = signal<Answers['GET /api/account'] | null>(null);

/** Reads the account anew. Throws ApiError. */
export async function loadAccount(): Promise<void> {
  account.value = await ask('GET /api/account');
}
