/** A request that somebody gets wrong, and its answer. */
export interface WrongInput {
  /** What is wrong. */
  readonly what: string;
  /** Whose key it carries; `nobody`: none. */
  readonly who: string;
  readonly method: string;
  /** `{agent_id}` and `{did_id}` stand for what the gateway has. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: none. */
  readonly body: string | undefined;
  readonly answer: WrongInputAnswer;
}

export interface WrongInputAnswer {
  readonly status: number;
  readonly code: string;
  /** The text; of a failed validation, `place: text` for each fault. */
  readonly detail: string;
}

const AND = ' & ';

/** Reads the rows of a document's tables. */
export function wrongInputsIn(markdown: string): WrongInput[] {
  return markdown
    .split('\n')
    .filter((line) => /^\| (?!mistake \|)/.test(line))
    .map((line) => {
      const cells = line.slice(2, -2).split(' | ');
      const [what = '', who = '', request = '', header = '', body = '', status, code = '', detail = ''] =
        cells;
      const [method = '', path = ''] = request.split(' ');
      return {
        what,
        who,
        method,
        path,
        headers: headersIn(written(header)),
        body: body === '' ? undefined : written(body),
        answer: { status: Number(status), code, detail },
      };
    });
}

/** The text that a cell stands for. */
function written(cell: string): string {
  return cell
    .replace(/^`(.*)`$/, '$1')
    .replaceAll('⏎', '\r\n')
    .replace(/<(.) × (\d+)>/g, (_, character: string, times: string) => character.repeat(Number(times)));
}

function headersIn(text: string): Record<string, string> {
  const lines = text === '' ? [] : text.split(AND);
  return Object.fromEntries(lines.map((line) => line.split(/: (.*)/).slice(0, 2)));
}

/** The same document with other answers, in the order of its rows. */
export function withAnswers(markdown: string, answers: readonly WrongInputAnswer[]): string {
  let row = 0;
  return markdown
    .split('\n')
    .map((line) => {
      const answer = /^\| (?!mistake \|)/.test(line) ? answers[row++] : undefined;
      if (answer === undefined) return line;
      const asked = line.slice(2, -2).split(' | ').slice(0, 5).join(' | ');
      return `| ${asked} | ${answer.status} | ${answer.code} | ${answer.detail} |`;
    })
    .join('\n');
}

interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** A `detail` in the words of the table. */
export function wordsOf(detail: string | readonly Fault[]): string {
  if (typeof detail === 'string') return detail;
  return detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join(AND);
}
