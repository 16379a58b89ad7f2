import { Parser } from 'htmlparser2';
import { type Mark, type Seen, Sight } from './seen.ts';

const MARKS: Readonly<Record<string, Mark>> = {
  b: 'bold',
  strong: 'bold',
  h1: 'bold',
  h2: 'bold',
  i: 'italic',
  em: 'italic',
  s: 'struck',
  del: 'struck',
  code: 'code',
};

/** What a browser shows of HTML, as far as it matters here. */
export function htmlSeen(html: string): Seen {
  const sight = new Sight();
  const open: number[] = [];
  const parser = new Parser({
    onopentag: (name, { href }) => {
      open.push(sight.text.length);
      if (name === 'a' && href !== undefined) sight.urls.push(href);
      if (name === 'br') sight.text += '\n';
    },
    ontext: (text) => {
      sight.text += text;
    },
    onclosetag: (name) => {
      const from = open.pop() ?? 0;
      const mark = MARKS[name];
      if (mark) sight.marked[mark].push(sight.text.slice(from));
    },
  });
  parser.end(html);
  return sight;
}
