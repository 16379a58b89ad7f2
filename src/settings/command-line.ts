import { nearestName } from '../base/nearest-name.ts';
import { VARIABLES, type Variable } from './variables.ts';

/** What the command line asks for: to run with these `SVC_*` values, to print a text, or nothing that is known. */
export type Order =
  | { readonly kind: 'run'; readonly values: Readonly<Record<string, string>> }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'mistake'; readonly text: string };

const SEE_HELP = 'See --help for all options.';

/**
 * Reads `[--help] [--version] [--OPTION VALUE | --OPTION=VALUE]…`. Each variable is an option: `SVC_DATA_DIR` is
 * `--data-dir`. Secrets are not, because every user of a machine sees the command lines of its processes.
 */
export function readCommandLine(args: readonly string[]): Order {
  const values: Record<string, string> = {};
  for (let at = 0; at < args.length; at++) {
    const [option = '', inline] = splitAtEquals(args[at]!);
    if (option === '--help' || option === '-h') return { kind: 'help' };
    if (option === '--version' || option === '-v') return { kind: 'version' };
    const name = `SVC_${option.slice(2).replaceAll('-', '_').toUpperCase()}`;
    const variable = (VARIABLES as Readonly<Record<string, Variable>>)[name];
    if (!option.startsWith('--') || variable === undefined || optionOf(name) !== option)
      return unknown(option);
    if (variable.secret)
      return mistake(`${option} would show a secret to other users; set the variable ${name} instead.`);
    const value = inline ?? args[++at];
    if (value === undefined || value === '') return mistake(`${option} needs a value. ${SEE_HELP}`);
    if (name in values) return mistake(`${option} is given twice.`);
    values[name] = value;
  }
  return { kind: 'run', values };
}

/** The text of `--help`: every option with its meaning and default. */
export function usage(): string {
  const options = Object.entries<Variable>(VARIABLES).filter(([, { secret }]) => !secret);
  return [
    'Usage: npm start -- [OPTION VALUE]…',
    '',
    'Each option sets the variable of the same name: --data-dir sets SVC_DATA_DIR. Secrets are set by variables only,',
    'or in config/gateway.json; config/settings.md lists them all.',
    '',
    ...options.flatMap(([name, variable]) => [
      `  ${optionOf(name)}${defaultOf(variable)}`,
      `      ${variable.meaning}`,
    ]),
    '  --version',
    '      Prints the version',
    '  --help',
    '      Prints this',
    '',
  ].join('\n');
}

function splitAtEquals(argument: string): [string, string?] {
  const at = argument.indexOf('=');
  return at < 0 ? [argument] : [argument.slice(0, at), argument.slice(at + 1)];
}

function optionOf(name: string): string {
  return `--${name.slice('SVC_'.length).toLowerCase().replaceAll('_', '-')}`;
}

function defaultOf(variable: Variable): string {
  const value = variable.shownDefault ?? variable.default;
  return value ? ` (${value})` : '';
}

function unknown(option: string): Order {
  if (!option.startsWith('--')) return mistake(`"${option}" is not an option. ${SEE_HELP}`);
  const meant = nearestName(option, Object.keys(VARIABLES).map(optionOf));
  return mistake(`${option} is not an option${meant ? `; did you mean ${meant}?` : `. ${SEE_HELP}`}`);
}

function mistake(text: string): Order {
  return { kind: 'mistake', text };
}
