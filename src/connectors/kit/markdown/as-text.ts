import { parseMarkdown } from './parse-markdown.ts';
import { type Dialect, render } from './rendering.ts';

/**
 * Returns the function that writes Markdown in a dialect. Texts longer than `maxCharacters`, which no platform takes, are only
 * shown as they are, and so is what has nothing to see, as an empty block of code.
 */
export function asText(dialect: Dialect<string>, maxCharacters: number): (text: string) => string {
  return (text) => {
    const written = text.length > maxCharacters ? '' : render(dialect, parseMarkdown(text));
    return written.trim() === '' ? dialect.text(text, false, { before: '', after: '' }) : written;
  };
}
