import { randomInt } from 'node:crypto';

const CONSONANTS = 'bdfgklmnprstv';
const VOWELS = 'aeiou';
const SYLLABLES = 5;

/**
 * Two questions that show whether an endpoint remembers: some ignore silently what should remind them. The word is no
 * word, so nobody guesses it.
 */
export class MemoryTest {
  readonly #word = Array.from({ length: SYLLABLES }, () => pick(CONSONANTS) + pick(VOWELS)).join('');

  get first(): string {
    return `Remember this word: ${this.#word}. Answer only with OK.`;
  }

  readonly second = 'Which word did I ask you to remember? Answer only with the word.';

  isPassedBy(answer: string): boolean {
    return answer.toLowerCase().includes(this.#word);
  }
}

function pick(letters: string): string {
  return letters.charAt(randomInt(letters.length));
}
