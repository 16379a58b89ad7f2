import type { Mails } from './mails.ts';
import type { Notes } from './notes.ts';
import type { Target } from './target.ts';

/** One line of what an attacker can try, done for real against a running gateway. */
export interface Attack {
  readonly number: number;
  readonly name: string;
  run(target: Target, notes: Notes, mails: Mails): Promise<void>;
}
