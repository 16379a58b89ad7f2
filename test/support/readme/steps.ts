import { marked, type Tokens } from 'marked';

/** A command as it stands, and what is printed below it as its result. */
export interface Command {
  readonly text: string;
  readonly result: string;
}

/** What a reader does next. */
export type Step =
  /** Types the commands of a block. */
  | { readonly kind: 'commands'; readonly section: string; readonly commands: readonly Command[] }
  /** Gives a program this configuration. */
  | { readonly kind: 'json'; readonly section: string; readonly text: string }
  /** Does what the text asks for, in the words of a comment in it: `<!-- reader: hears a voice, hangs up -->`. */
  | { readonly kind: 'deeds'; readonly section: string; readonly deeds: readonly string[] };

const DEEDS = /^<!-- reader: (?<deeds>.+) -->$/;

/** The steps of a document from its top to its end. Throws where it has something that no reader of it knows. */
export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  let section = '';
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading') section = token.text;
    else if (token.type === 'code') steps.push(...stepsOfCode(section, token.lang, token.text));
    else if (token.type === 'paragraph') steps.push(...stepsOfParagraph(section, token as Tokens.Paragraph));
    else if (/```|<!--/.test(token.raw)) throw new Error(`a step that the test does not see: ${token.raw}`);
  }
  return steps;
}

function stepsOfParagraph(section: string, { tokens }: Tokens.Paragraph): Step[] {
  const comments = tokens.filter(({ type, raw }) => type === 'html' && raw.startsWith('<!--'));
  return comments.map(({ raw }) => {
    const deeds = DEEDS.exec(raw)?.groups?.deeds;
    if (deeds === undefined) throw new Error(`not what a reader does: ${raw}`);
    return { kind: 'deeds', section, deeds: deeds.split(', ') };
  });
}

function stepsOfCode(section: string, language: string | undefined, text: string): Step[] {
  switch (language) {
    case 'sh':
      return [{ kind: 'commands', section, commands: commandsOf(text) }];
    case 'json':
      return [{ kind: 'json', section, text }];
    case 'mermaid':
      return [];
    default:
      throw new Error(`a block of ${language ?? 'no language'}, which the test cannot run:\n${text}`);
  }
}

/** Splits a block at the ends of lines that end a command: not within quotes, nor after a backslash. */
function commandsOf(block: string): Command[] {
  const commands: { text: string; result: string }[] = [];
  let open = '';
  for (const line of block.split('\n')) {
    const comment = open === '' ? /^# ?(?<result>.*)/.exec(line)?.groups?.result : undefined;
    const last = commands.at(-1);
    if (comment !== undefined) {
      if (!last) throw new Error(`a result before any command: ${line}`);
      last.result += `${comment}\n`;
      continue;
    }
    open += `${line}\n`;
    if (isOpen(open)) continue;
    if (open.trim() !== '') commands.push({ text: open.trim(), result: '' });
    open = '';
  }
  if (open !== '') throw new Error(`a command without an end: ${open}`);
  return commands;
}

function isOpen(text: string): boolean {
  const outside = text.replace(/'[^']*'|"(?:\\.|[^"\\])*"/gs, '');
  if (/\s#/.test(outside))
    throw new Error(`a comment beside a command, which the test would not verify: ${text}`);
  return /['"]|\\\n$/.test(outside);
}
